//! The content of `service.yaml` in a new catalogue.

use codegen::model::TimeUnit;
use codegen::names::{self, Case};
use codegen::spec::{Evidence, Service, Time};

/// Returns a service of which only the title is known. All other facts are guesses, which the user has to check.
pub(crate) fn new_service(title: String) -> Service {
    let ascii: String = title.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { ' ' }).collect();
    let prefix = names::ident(&ascii, Case::Shouty).ok().filter(|prefix| names::is_ident(prefix, Case::Shouty));
    Service {
        title,
        version: "1".to_owned(),
        env_prefix: prefix.unwrap_or_else(|| "SERVICE".to_owned()),
        time: Time { unit: Some(TimeUnit::Seconds), format: None, evidence: Evidence::Reported },
        ..Service::default()
    }
}
