//! Checks and parses paths after the base URL, such as `/books/{symbol}.json`, with params in braces.
//!
//! A fragment, as in `/query#daily`, distinguishes endpoints that have the same path. It is not sent.

/// The reason why a path is invalid: the rule, the message and the help.
pub type Fault = (&'static str, String, String);

/// Checks a path. With `takes_params`, segments may contain params in braces.
pub fn check(path: &str, takes_params: bool) -> Result<(), Fault> {
    let fault = |rule, message: String, help: &str| Err((rule, message, help.to_owned()));
    if !path.starts_with('/') {
        let help = if path.contains("://") {
            "write the path relative to the base URL".to_owned()
        } else {
            format!("write `/{path}`")
        };
        return fault("path-start", format!("the path `{path}` does not begin with `/`"), &help);
    }
    let with_fragment = path.split_once('#').filter(|(_, fragment)| takes_params && !fragment.is_empty());
    let (sent, fragment) = with_fragment.unwrap_or((path, ""));
    let parts = if takes_params { parts(sent) } else { Some((vec![sent], Vec::new())) };
    let Some((literals, params)) = parts else {
        let message = format!("the braces in the path `{path}` must enclose names");
        return fault("path-braces", message, "write a param as a segment or a part of it, as in `/books/{symbol}`");
    };
    if literals.len() > 2 && literals[1..literals.len() - 1].contains(&"") {
        let message = format!("two params in the path `{path}` are not separated by text");
        return fault("path-braces", message, "separate them by text, or describe them as one param");
    }
    // Each param is replaced by `{}`, so that a segment that consists of a param does not count as empty.
    let plain = literals.join("{}");
    let mut segments: Vec<&str> = plain.split('/').skip(1).collect();
    if takes_params {
        // A trailing slash is valid, and so is `/` alone.
        segments.pop_if(|last| last.is_empty());
    }
    if segments.iter().any(|segment| matches!(*segment, "" | "." | "..")) {
        let message = format!("the path `{path}` has an empty segment, or the segment `.` or `..`");
        return fault("path-segment", message, "name or remove the segment");
    }
    // RFC 3986, section 3.3: the characters of a segment that need no escape.
    let is_legal = |c: &char| c.is_ascii_alphanumeric() || "/-._~!$&'()*+,;=:@".contains(*c);
    if let Some(character) = literals.into_iter().chain([fragment]).flat_map(str::chars).find(|c| !is_legal(c)) {
        let message = format!("the path `{path}` contains `{character}`, which is not allowed in a path");
        return fault(
            "path-character",
            message,
            "remove it; a param in the path is written as `{name}`, and a query param is only listed under `params`",
        );
    }
    match params.iter().enumerate().find(|(index, name)| params[..*index].contains(name)) {
        Some((_, name)) => {
            let message = format!("duplicate param `{name}` in the path `{path}`");
            fault("path-param", message, "use different names")
        }
        None => Ok(()),
    }
}

/// Returns the texts before, between and after the params of a path, and the names of the params; `None` if the braces
/// do not match.
fn parts(path: &str) -> Option<(Vec<&str>, Vec<&str>)> {
    let (mut literals, mut names, mut rest) = (Vec::new(), Vec::new(), path);
    while let Some((literal, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}')?;
        if name.is_empty() || name.contains(['{', '/']) {
            return None;
        }
        literals.push(literal);
        names.push(name);
        rest = after;
    }
    literals.push(rest);
    literals.iter().all(|literal| !literal.contains('}')).then_some((literals, names))
}

/// Returns the part of a path that is sent, which is the part before the fragment.
pub fn without_fragment(path: &str) -> &str {
    path.split('#').next().unwrap_or_default()
}

/// Returns the names of the params in a path.
pub fn params(path: &str) -> Vec<&str> {
    parts(path).unwrap_or_default().1
}

/// Returns a path without the names of its params. A server cannot distinguish two paths for which the result is equal.
pub fn template(path: &str) -> String {
    parts(path).map_or_else(|| path.to_owned(), |(literals, _)| literals.join("{}"))
}
