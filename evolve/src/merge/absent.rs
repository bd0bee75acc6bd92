//! Parts of the catalogue that the description does not have, which may be gone from the service.
//!
//! They stay, as descriptions leave things out, but are reported to users that import a newer description.

use super::Merger;
use super::places::{self, FieldsAt};
use crate::place::Place;

const ABSENT: &str = "not in the description";

impl Merger<'_> {
    /// Endpoints, their params, and fields.
    pub(super) fn absent(&mut self) {
        let known: Vec<_> = places::endpoints(self.desk).into_iter().map(|(at, tree)| (at, tree.clone())).collect();
        for (at, endpoint) in known.iter().filter(|(_, endpoint)| endpoint.text("path") != Some("unknown")) {
            if !self.matches.endpoints.iter().any(|(_, there)| there.as_ref() == Some(at)) {
                self.report.differ(&places::label(endpoint), "", ABSENT.to_owned());
            }
        }
        for (new, known) in self.matches.endpoints.clone() {
            if let Some(known) = known {
                self.absent_params(&known, &new);
            }
        }
        let lists: Vec<FieldsAt> = self.matches.fields.iter().map(|(known, _)| known.clone()).collect();
        for (index, known) in lists.iter().enumerate() {
            if !lists[..index].iter().any(|other| other.at == known.at) {
                self.absent_fields(known);
            }
        }
    }

    fn absent_params(&mut self, known: &Place, new: &Place) {
        if places::params(&self.new.desk, new).is_none() {
            return;
        }
        let told = self.new.hints.get(new).map(|hint| hint.told.clone()).unwrap_or_default();
        let of = places::label(known.tree(self.desk));
        for taken in places::params(self.desk, known).into_iter().flatten() {
            let mut users = self.matches.params.iter().filter(|met| met.at == taken.at).flat_map(|met| &met.users);
            let is_met = users.any(|user| user.endpoint.as_ref() == Some(known));
            let name = taken.at.tree(self.desk).text("name").unwrap_or_default().to_owned();
            // A param that could not be imported is not absent.
            if !is_met && !told.contains(&name) {
                self.report.differ(&format!("`{name}`"), &of, ABSENT.to_owned());
            }
        }
    }

    /// Several new lists can stand at one place, each with some of the fields.
    fn absent_fields(&mut self, known: &FieldsAt) {
        let time = places::envelope_time(self.desk).and_then(|time| time.text("name"));
        let listed = known.all(self.desk).into_iter().filter_map(|(_, field)| field.text("name"));
        let mut absent = Vec::new();
        for name in listed.filter(|name| Some(*name) != time) {
            let mut new = self.matches.fields.iter().filter(|(there, _)| there.at == known.at);
            if !new.any(|(_, new)| new.all(&self.new.desk).iter().any(|(_, field)| field.text("name") == Some(name))) {
                absent.push(format!("`{name}`"));
            }
        }
        for name in absent {
            self.report.differ(&name, &known.label, ABSENT.to_owned());
        }
    }
}
