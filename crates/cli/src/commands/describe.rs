//! `describe`: shows all known facts about an endpoint.

use clap::Args;

use crate::catalogue_json;
use crate::endpoint_page::page;
use crate::failure::Result;
use crate::find_endpoint::find;
use crate::param_options::endpoint_candidates;
use crate::stdout;

/// Show everything that is known about an endpoint
#[derive(Args, Debug)]
pub(crate) struct Describe {
    /// The endpoint by name or path
    #[arg(value_name = "ENDPOINT", add = endpoint_candidates())]
    endpoint: String,
    /// Print one JSON object, which has the evidence of each fact
    #[arg(long)]
    json: bool,
}

impl Describe {
    pub(crate) fn run(&self) -> Result<()> {
        let endpoint = find(&self.endpoint)?;
        if self.json {
            return stdout::print(format!("{}\n", catalogue_json::details(endpoint)));
        }
        stdout::styled(&page(endpoint, stdout::width().min(100)))
    }
}
