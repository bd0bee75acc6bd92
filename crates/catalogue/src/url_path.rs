//! Checks and parses paths after the base URL, such as `/books/{symbol}.json`, with params in braces.
//!
//! A fragment, as in `/query#daily`, distinguishes endpoints that have the same path. It is not sent.

/// The reason why a path is invalid: a key of `rules.txt`, and the part of the path that is invalid.
pub type Fault = (&'static str, String);

/// Checks a path. With `takes_params`, segments may contain params in braces.
pub fn check(path: &str, takes_params: bool) -> Result<(), Fault> {
    let fault = |rule, part: &str| Err((rule, part.to_owned()));
    if !path.starts_with('/') {
        return fault(if path.contains("://") { "path-start/host" } else { "path-start/slash" }, path);
    }
    let with_fragment = path.split_once('#').filter(|(_, fragment)| takes_params && !fragment.is_empty());
    let (sent, fragment) = with_fragment.unwrap_or((path, ""));
    let parts = if takes_params { parts(sent) } else { Some((vec![sent], Vec::new())) };
    let Some((literals, params)) = parts else { return fault("path-braces/name", path) };
    if literals.len() > 2 && literals[1..literals.len() - 1].contains(&"") {
        return fault("path-braces/text", path);
    }
    // Each param is replaced by `{}`, so that a segment that consists of a param does not count as empty.
    let plain = literals.join("{}");
    let mut segments: Vec<&str> = plain.split('/').skip(1).collect();
    if takes_params {
        // A trailing slash is valid, and so is `/` alone.
        segments.pop_if(|last| last.is_empty());
    }
    if segments.iter().any(|segment| matches!(*segment, "" | "." | "..")) {
        return fault("path-segment", path);
    }
    // RFC 3986, section 3.3: the characters of a segment that need no escape.
    let is_legal = |c: &char| c.is_ascii_alphanumeric() || "/-._~!$&'()*+,;=:@".contains(*c);
    if let Some(character) = literals.into_iter().chain([fragment]).flat_map(str::chars).find(|c| !is_legal(c)) {
        return fault("path-character", &character.to_string());
    }
    match params.iter().enumerate().find(|(index, name)| params[..*index].contains(name)) {
        Some((_, name)) => fault("path-param/twice", name),
        None => Ok(()),
    }
}

/// The texts before, between and after the params of a path, and the names of the params; `None` if the braces do not
/// match.
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
