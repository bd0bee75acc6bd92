//! Finds the text of a value by its JSON path.
//!
//! A path is keys that are separated by dots. A number is the index of an item, if the value there is a list.

use super::error::DecodeError;
use super::scanner::read;

/// The text of the value at a JSON path. The rest of the body is not read, because the status of a body usually
/// precedes its data.
pub(crate) fn at_path<'a>(body: &'a str, path: &str) -> Option<&'a str> {
    path.split('.').try_fold(body, |value, wanted| {
        let mut found = None;
        // The error ends the search.
        let _ = read(value, |json, next| match next {
            b'{' => json.object(|json| {
                let (key, next) = json.any_key()?;
                let start = json.at;
                json.skip(next)?;
                found = Some(json.since(start)).filter(|_| key == wanted);
                end_if(found.is_some())
            }),
            b'[' => {
                let Ok(mut before) = wanted.parse::<usize>() else { return Ok(()) };
                json.list(|json, next| {
                    let start = json.at;
                    json.skip(next)?;
                    found = Some(json.since(start)).filter(|_| before == 0);
                    before = before.wrapping_sub(1);
                    end_if(found.is_some())
                })
            }
            _ => Ok(()),
        });
        found
    })
}

/// Returns an error, which ends a search, if the value is found.
fn end_if(is_found: bool) -> Result<(), DecodeError> {
    if is_found { Err(DecodeError::new(String::new())) } else { Ok(()) }
}
