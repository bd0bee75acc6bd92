//! Paths after the base URL, like `/books/{symbol}`: their characters, and the params in braces.

/// The reason why a text is not a path: the rule, the message and the help.
pub type Fault = (&'static str, String, String);

/// Whether a text is a path. A complete segment may be a param in braces where params are accepted.
pub fn check(path: &str, takes_params: bool) -> Result<(), Fault> {
    let fault = |rule, message: String, help: &str| Err((rule, message, help.to_owned()));
    if !path.starts_with('/') {
        let help = if path.contains("://") {
            "write only the part after the base URL, which the user supplies".to_owned()
        } else {
            format!("write `/{path}`")
        };
        return fault("path-start", format!("the path `{path}` does not begin with `/`"), &help);
    }
    let is_plain = |segment: &&str| !takes_params || param(segment).is_none();
    let plain: Vec<&str> = path.split('/').skip(1).filter(is_plain).collect();
    if takes_params && plain.iter().any(|segment| segment.contains(['{', '}'])) {
        let message = format!("the braces in the path `{path}` do not enclose complete segments");
        return fault("path-braces", message, "a param is a complete segment, as in `/books/{symbol}`");
    }
    if plain.iter().any(|segment| matches!(*segment, "" | "." | "..")) {
        let message = format!("the path `{path}` has an empty or a dotted segment");
        return fault("path-segment", message, "write each segment by its name");
    }
    // RFC 3986, section 3.3: what a segment may have unescaped.
    let is_legal = |c: &char| c.is_ascii_alphanumeric() || "-._~!$&'()*+,;=:@".contains(*c);
    if let Some(character) = plain.iter().flat_map(|segment| segment.chars()).find(|c| !is_legal(c)) {
        let message = format!("the path `{path}` has `{character}`, which is not allowed in a path");
        return fault("path-character", message, "params go under `params`, and into the path as `{name}`");
    }
    let params = params(path);
    match params.iter().enumerate().find(|(index, name)| params[..*index].contains(name)) {
        Some((_, name)) => {
            let message = format!("duplicate param `{name}` in the path `{path}`");
            fault("path-param", message, "use different names")
        }
        None => Ok(()),
    }
}

/// The names in braces.
pub fn params(path: &str) -> Vec<&str> {
    path.split('/').filter_map(param).collect()
}

/// The name of the param that a segment is.
fn param(segment: &str) -> Option<&str> {
    let name = segment.strip_prefix('{')?.strip_suffix('}')?;
    Some(name).filter(|name| !name.is_empty() && !name.contains(['{', '}']))
}

/// A path without the names of its params: two that differ only in these are one to a server.
pub fn template(path: &str) -> String {
    let segments = path.split('/').map(|segment| if segment.starts_with('{') { "{}" } else { segment });
    segments.collect::<Vec<_>>().join("/")
}
