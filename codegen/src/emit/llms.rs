//! Emits `llms.txt`, an index of the documents for language models, in the format of llmstxt.org.

use catalogue::model::Api;

use super::command_names::EndpointNames;
use super::render::MARKER;
use super::{File, Package, markdown, reference_pages};

pub(super) fn file(api: &Api, package: &Package) -> File {
    let service = &api.service;
    let mut text = format!("<!-- {MARKER} from spec/. Do not edit. -->\n\n");
    text.push_str(&format!(
        "# {} {}\n\n",
        markdown::prose(&service.declared.title),
        markdown::prose(&service.declared.version)
    ));
    if !service.declared.summary.is_empty() {
        text.push_str(&format!("> {}\n\n", markdown::prose(&service.declared.summary)));
    }
    text.push_str(&format!("The Rust crate `{}` has a typed method for each endpoint.", package.name));
    if let Some(program) = &package.program {
        let name = &program.name;
        text.push_str(&format!(
            " The program `{name}` prints and stores the same data: `{name} list WORD` finds endpoints, \
             `{name} describe ENDPOINT` states their params, fields, units and sources, and `{name} get ENDPOINT --help` \
             the options."
        ));
        if program.has_python_module {
            text.push_str(&format!(" The Python module `{name}` runs the program."));
        }
    }
    text.push_str(" What is undocumented is marked as unknown; do not guess it.\n\n## Reference\n\n");
    text.push_str("- [Service](README.md): base URL, credentials, rate limits, errors, shared params, index\n");
    text.push_str("- [OpenAPI](openapi.json): the same facts for programs, with code samples\n");
    let names = EndpointNames::of(api);
    for group in &api.groups {
        if group.methods().next().is_none() {
            continue;
        }
        text.push_str(&format!("\n## {}\n\n", markdown::prose(&group.title)));
        for endpoint in group.methods() {
            let name = names.shortest(group, endpoint);
            let link = reference_pages::link(group, endpoint);
            text.push_str(&format!("- [{name}]({link}): {}\n", markdown::prose(&endpoint.declared.summary)));
        }
    }
    File::new("llms.txt", text)
}
