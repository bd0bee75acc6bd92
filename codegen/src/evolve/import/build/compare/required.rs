//! Whether a param has to be there, which an endpoint may say anew of one that it shares.

use super::Comparison;
use super::facts::Spot;
use crate::evolve::edit::Step;
use crate::evolve::import::build::known::{Entry, ParamAt, endpoint_path, file};
use crate::evolve::import::build::meetings::{MetParam, User};
use crate::evolve::tree::Tree;
use crate::spec::{self, Evidence, ParamEntry, ParamLocation};

impl Comparison<'_> {
    /// `required` where nobody knew it, for all that share a param or for one endpoint.
    pub(super) fn required(&mut self, spot: &Spot, param: &spec::Param, met: &MetParam) {
        if param.location == ParamLocation::Path {
            return;
        }
        let mut unknown: Vec<(&User, Evidence)> = Vec::new();
        for user in &met.users {
            let known = self.known_to_be_required(user, param);
            let said = user.said.required.as_deref().and_then(Evidence::of);
            match (known, said) {
                (None, Some(said)) => unknown.push((user, said)),
                (Some(known), None) => {
                    let text = format!("not required in the description, required ({}) here", known.word());
                    self.facts.differ(&spot.name, &user.label, text);
                }
                (Some(known), Some(said)) if said < known => {
                    let text =
                        format!("required ({}) in the description, required ({}) here", said.word(), known.word());
                    self.facts.differ(&spot.name, &user.label, text);
                }
                _ => {}
            }
        }
        let Some((_, first)) = unknown.first().copied() else { return };
        let is_for_all = unknown.len() == met.users.len() && unknown.iter().all(|(_, said)| *said == first);
        let is_plain = unknown.iter().all(|(user, _)| !matches!(user.entry, Entry::Use(_)));
        if is_for_all && is_plain && self.is_covered(met) {
            return self.facts.insert(spot, "required", first.word());
        }
        for (user, said) in unknown {
            self.required_here(spot, met.at, user, said);
        }
    }

    fn known_to_be_required(&self, user: &User, param: &spec::Param) -> Option<Evidence> {
        self.said_anew(user).and_then(|entry| entry.required).or(param.required)
    }

    /// The entry of an endpoint that says something anew of a param that it shares.
    pub(super) fn said_anew(&self, user: &User) -> Option<&spec::Use> {
        let (Entry::Use(index), Some((group, endpoint))) = (&user.entry, user.endpoint) else { return None };
        match self.checked.groups[group].1.endpoints[endpoint].params.known()?.get(*index)? {
            ParamEntry::Use(entry) => Some(entry),
            _ => None,
        }
    }

    /// A shared param is required on one endpoint: the entry says so, where it is one.
    fn required_here(&mut self, spot: &Spot, at: ParamAt, user: &User, said: Evidence) {
        // A new endpoint says it in its own entry.
        let Some((group, endpoint)) = user.endpoint else { return };
        let entry = |index: usize| Spot {
            file: file(self.checked, group),
            path: [&endpoint_path(endpoint)[..], &[Step::Key("params"), Step::Item(index)]].concat(),
            name: spot.name.clone(),
            of: user.label.clone(),
        };
        match &user.entry {
            Entry::Plain => self.facts.insert(spot, "required", said.word()),
            Entry::Use(index) => self.facts.insert(&entry(*index), "required", said.word()),
            Entry::Name(index) => {
                let id = at.param(self.checked).map_or("", |param| param.id().as_str());
                let anew = Tree::map().with("use", id).with("required", said.word());
                self.facts.replace(&entry(*index), anew);
            }
            Entry::Set(set) => {
                let text = format!("required in the description, not so in the set `{set}` here");
                self.facts.differ(&spot.name, &user.label, text);
            }
        }
    }
}
