//! Generates a client from an OpenAPI description with progenitor and its default settings.
//!
//! `generate-with-progenitor DESCRIPTION OUT`

use std::error::Error;
use std::fs;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(description), Some(out)) = (arguments.next(), arguments.next()) else {
        return Err("usage: generate-with-progenitor DESCRIPTION OUT".into());
    };
    let description = serde_json::from_str(&fs::read_to_string(description)?)?;
    let tokens = progenitor::Generator::default().generate_tokens(&description)?;
    fs::write(out, prettyplease::unparse(&syn::parse2(tokens)?))?;
    Ok(())
}
