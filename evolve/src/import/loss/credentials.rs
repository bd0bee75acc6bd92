//! Security schemes side by side: the API key and the token flow.

use std::collections::HashSet;

use serde_yaml::Value;

use super::{Subtraction, find};
use crate::import::document::{entries_of, text_of};
use crate::import::notes::Weight;

impl<'d> Subtraction<'d> {
    pub(super) fn security_schemes(&mut self, schemes: &'d Value) {
        let kept = self.kept.root().get("components").and_then(|components| components.get("securitySchemes"));
        let mut taken = HashSet::new();
        for (name, scheme) in entries_of(schemes) {
            let place = format!("#/components/securitySchemes/{name}");
            let Some(said) = self.follow(scheme, &place) else { continue };
            let has_flow = find(&said, "flows").is_some_and(|flows| flows.get("clientCredentials").is_some());
            let ours = if has_flow { "client_credentials" } else { "api_key" };
            let is_same = |kept: &&Value| {
                ["type", "in", "name"].iter().all(|key| {
                    let [said, kept] = [find(&said, key), kept.get(key)].map(|value| value.map(text_of));
                    said.unwrap_or_default().eq_ignore_ascii_case(&kept.unwrap_or_default())
                })
            };
            let is_taken = !self.lost.notes.is_explained(&place);
            let kept = kept.and_then(|kept| kept.get(ours)).filter(is_same);
            let kept = kept.filter(|_| is_taken && taken.insert(ours));
            let Some(kept) = kept else {
                self.lose_all(Weight::Missing, "a security scheme that the client does not know".to_owned(), &place);
                continue;
            };
            self.others(&said, &[(kept, String::new())], &["flows", "name"]);
            for (flow, value) in find(&said, "flows").into_iter().flat_map(entries_of) {
                let kept = kept.get("flows").and_then(|flows| flows.get(flow));
                let Some(kept) = kept else {
                    self.lose(Weight::Aside, format!("the flow `{flow}`"), &place);
                    continue;
                };
                self.others(&[(value, format!("{place}/{flow}"))], &[(kept, String::new())], &["tokenUrl"]);
            }
        }
    }
}
