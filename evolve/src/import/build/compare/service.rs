//! The service as a whole, in a catalogue that has one already.

use codegen::spec;

use super::Comparison;
use super::facts::Spot;
use crate::edit::Step;
use crate::keys::SERVICE;
use crate::tree::Tree;

impl Comparison<'_> {
    pub(super) fn service(&mut self) {
        let plan = self.plan;
        let Some(said) = &plan.service else { return };
        let known = &self.checked.service;
        let spot = spot("the service");
        let text = |key: &str| said.get(key).and_then(Tree::as_text);
        let suffix = known.base_url.as_ref().map(|base_url| base_url.suffix.as_str());
        self.same("title", "the service", text("title"), Some(&known.title));
        self.same("version", "the service", text("version"), Some(&known.version));
        self.same("env_prefix", "the service", text("env_prefix"), Some(&known.env_prefix));
        self.facts.summary(
            &spot,
            &known.summary,
            text("summary").filter(|text| *text != "unknown").unwrap_or_default(),
        );
        if plan.prefix.is_empty() {
            self.part(&spot, "base_url", said, "suffix", suffix);
        } else {
            let text = format!("{} in the description, in the paths here", plan.prefix);
            self.facts.differ("suffix", "`base_url`", text);
        }
        self.same(
            "unit",
            "the time",
            said.get("time").and_then(|time| time.get("unit")?.as_text()),
            Some(known.time.unit.word()),
        );
        self.credentials(said);
        self.statuses(&spot, &known.errors, said.entries("errors"));
        self.error_body(&spot, said);
        self.limits(&spot, said);
        self.envelope(said);
    }

    /// A text that stays as it is.
    fn same(&mut self, name: &str, of: &str, said: Option<&str>, known: Option<&str>) {
        if let Some(said) = said.filter(|said| known != Some(said)) {
            let text = format!("{said} in the description, {} here", known.unwrap_or("nothing"));
            self.facts.differ(name, of, text);
        }
    }

    /// A part that is filled in where it is not there, or else compared in what it is about.
    fn part(&mut self, spot: &Spot, key: &'static str, said: &Tree, about: &str, known: Option<&str>) {
        let Some(part) = said.get(key) else { return };
        match known {
            None => self.facts.insert(spot, key, part.clone()),
            known => self.same(about, &format!("`{key}`"), part.get(about).and_then(Tree::as_text), known),
        }
    }

    fn credentials(&mut self, said: &Tree) {
        let known = &self.checked.service.credentials;
        let Some(credentials) = said.get("credentials") else { return };
        if known.api_key.is_none() && known.client_credentials.is_none() {
            return self.facts.insert(&spot("the service"), "credentials", credentials.clone());
        }
        let spot = Spot { path: vec![Step::Key("credentials")], ..spot("the credentials") };
        let key = known.api_key.as_ref().map(|key| key.header.as_str());
        self.part(&spot, "api_key", credentials, "header", key);
        let token = known.client_credentials.as_ref();
        self.part(&spot, "client_credentials", credentials, "path", token.map(|token| token.path.as_str()));
        let (Some(token), Some(said)) = (token, credentials.get("client_credentials")) else { return };
        let names: Vec<&str> = token.reply.iter().map(|field| field.name.as_str()).collect();
        let new = said.entries("reply").iter().filter_map(|field| field.get("name")?.as_text());
        let new: Vec<&str> = new.filter(|name| !names.contains(name)).collect();
        if !new.is_empty() {
            let text = format!("{} in the description, not here", new.join(", "));
            self.facts.differ("fields of the reply", "`client_credentials`", text);
        }
        let spot = spot.within("client_credentials");
        self.statuses(&spot, &token.errors, said.entries("errors"));
    }

    /// Statuses that are new go behind the others.
    fn statuses(&mut self, spot: &Spot, known: &[spec::Status], said: &[Tree]) {
        let mut new = Vec::new();
        for status in said {
            let number = status.get("status").map(Tree::inline).unwrap_or_default();
            let Some(index) = known.iter().position(|known| known.status.to_string() == number) else {
                new.push(status.clone());
                continue;
            };
            let text = |key: &str| status.get(key).and_then(Tree::as_text).filter(|text| *text != "unknown");
            let path = [spot.path.as_slice(), &[Step::Key("errors"), Step::Item(index)]].concat();
            let spot = Spot { path, name: format!("the status {number}"), ..spot.clone() };
            self.facts.summary(&spot, &known[index].summary, text("summary").unwrap_or_default());
            let label = known[index].label.known();
            if let Some(said) = text("label").filter(|said| label.is_some_and(|label| label != said)) {
                let text = format!("label {said} in the description, {} here", label.cloned().unwrap_or_default());
                self.facts.differ(&spot.name, "", text);
            }
        }
        self.more(spot, "errors", new, known.is_empty());
    }

    fn error_body(&mut self, spot: &Spot, said: &Tree) {
        let known = &self.checked.service.error_body;
        let Some(said) = said.get("error_body") else { return };
        if known.message.is_empty() {
            return self.facts.insert(spot, "error_body", said.clone());
        }
        for (key, known) in [("message", &known.message), ("code", &known.code)] {
            let said: Vec<&str> = said.entries(key).iter().filter_map(Tree::as_text).collect();
            if !said.is_empty() {
                self.same(key, "`error_body`", Some(&said.join(", ")), Some(&known.join(", ")));
            }
        }
    }

    fn limits(&mut self, spot: &Spot, said: &Tree) {
        let known = &self.checked.service.limits;
        let mut new = Vec::new();
        for limit in said.entries("limits") {
            let name = limit.get("name").and_then(Tree::as_text).unwrap_or_default();
            let Some(known) = known.iter().find(|known| known.name == name) else {
                new.push(limit.clone());
                continue;
            };
            for (key, known) in
                [("requests", known.requests), ("seconds", known.seconds), ("concurrent", known.concurrent)]
            {
                let said = limit.get(key).map(Tree::inline);
                self.same(key, &format!("the limit `{name}`"), said.as_deref(), Some(&known.to_string()));
            }
        }
        self.more(spot, "limits", new, known.is_empty());
    }

    /// What a list does not have yet, which may be all of it.
    fn more(&mut self, spot: &Spot, key: &'static str, new: Vec<Tree>, is_all: bool) {
        if is_all && !new.is_empty() {
            self.facts.insert(spot, key, Tree::List(new));
        } else if !new.is_empty() {
            self.facts.extend(&spot.within(key), new);
        }
    }

    /// An envelope decides how every series is read, so that none is put around those that are there.
    fn envelope(&mut self, said: &Tree) {
        let Some(said) = said.get("envelope") else { return };
        let known = self.checked.service.envelope.as_ref();
        let name = |key: &str| said.get(key).and_then(|part| part.get("name")?.as_text());
        let of = "the envelope";
        self.same("data", of, said.get("data").and_then(Tree::as_text), known.map(|known| known.data.as_str()));
        let time = known.and_then(|known| Some(known.time.as_ref()?.name.as_str()));
        self.same("time", of, name("time"), time);
        let metadata = known.and_then(|known| Some(known.metadata.as_ref()?.name.as_str()));
        self.same("metadata", of, name("metadata"), metadata);
    }
}

fn spot(name: &str) -> Spot {
    Spot { file: SERVICE.to_owned(), path: Vec::new(), name: name.to_owned(), of: String::new() }
}
