//! Rules about paths: what may stand in one, and the params in braces.

use super::{Checker, Place};

impl Checker {
    /// A path without params: begins with `/`, ends without, and needs no escaping.
    pub(super) fn path_text(&mut self, place: Place<'_>, path: &str) {
        if !path.starts_with('/') {
            let help = if path.contains("://") {
                "users give the address themselves; write what stands behind the base URL".to_owned()
            } else {
                format!("write `/{path}`")
            };
            self.push("path-start", place, format!("the path `{path}` does not begin with `/`"), help);
            return;
        }
        let segments = path.split('/').skip(1).collect::<Vec<_>>();
        if segments.iter().any(|segment| segment.is_empty() || matches!(*segment, "." | "..")) {
            let message = format!("the path `{path}` has an empty or a dotted segment");
            self.push("path-segment", place, message, "write each segment by its name");
            return;
        }
        // RFC 3986, section 3.3: what a segment may have unescaped.
        let is_legal = |c: &char| c.is_ascii_alphanumeric() || "-._~!$&'()*+,;=:@/".contains(*c);
        if let Some(character) = path.chars().find(|c| !is_legal(c)) {
            let message = format!("the path `{path}` has `{character}`, which a path cannot have as it is");
            self.push("path-character", place, message, "params go under `params`, and into the path as `{name}`");
        }
    }

    /// The path of an endpoint; returns the names in braces.
    pub(super) fn endpoint_path(&mut self, place: Place<'_>, path: &str, suffix: &str) -> Vec<String> {
        if !suffix.is_empty() && (path == suffix || path.starts_with(&format!("{suffix}/"))) {
            let message = format!("the path `{path}` repeats `{suffix}`, which every base URL ends in");
            let rest = path.strip_prefix(suffix).unwrap_or(path);
            self.push("version-prefix", place, message, format!("write `{rest}`"));
            return Vec::new();
        }
        let mut params = Vec::new();
        let mut plain = String::new();
        for segment in path.split_inclusive('/') {
            let (name, slash) = segment.strip_suffix('/').map_or((segment, ""), |name| (name, "/"));
            match name.strip_prefix('{').and_then(|name| name.strip_suffix('}')) {
                Some(name) if !name.is_empty() && !name.contains(['{', '}']) => {
                    if params.iter().any(|known| known == name) {
                        let message = format!("the path `{path}` has the param `{name}` twice");
                        self.push("path-param", place, message, "give each of them a name of its own");
                    }
                    params.push(name.to_owned());
                    plain += "x";
                }
                _ => plain += name,
            }
            plain += slash;
        }
        if plain.contains(['{', '}']) {
            let message = format!("the braces in the path `{path}` do not enclose whole segments");
            self.push("path-braces", place, message, "a param is a segment by itself, as in `/books/{symbol}`");
        } else {
            self.path_text(place, if params.is_empty() { path } else { &plain });
        }
        params
    }
}
