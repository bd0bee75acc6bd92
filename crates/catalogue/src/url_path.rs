//! Checks and parses paths after the base URL, such as `/books/{symbol}.json`, with params in braces.
//!
//! A fragment, as in `/query#daily`, distinguishes endpoints that have the same path. It is not sent.

/// The reason why a path is invalid: a key of `rules.txt`, and the part of the path that is invalid.
pub type BrokenRule = (&'static str, String);

/// Checks a path. With `takes_params`, segments may contain params in braces.
pub fn check(path: &str, takes_params: bool) -> Result<(), BrokenRule> {
    if path.contains("://") && !path.starts_with('/') {
        return broken("path-start/host", path);
    }
    if !path.starts_with('/') {
        return broken("path-start/slash", path);
    }
    let (sent, fragment) = match path.split_once('#') {
        Some((sent, fragment)) if takes_params && !fragment.is_empty() => (sent, fragment),
        _ => (path, ""),
    };
    let parts = if takes_params { parts(sent) } else { Some(Parts { literals: vec![sent], params: Vec::new() }) };
    let Some(Parts { literals, params }) = parts else { return broken("path-braces/name", path) };
    if literals.len() > 2 && literals[1..literals.len() - 1].contains(&"") {
        return broken("path-braces/text", path);
    }
    if !has_valid_segments(&literals, takes_params) {
        return broken("path-segment", path);
    }
    let mut texts = literals;
    texts.push(fragment);
    for character in texts.concat().chars() {
        if !is_legal(character) {
            return broken("path-character", &character.to_string());
        }
    }
    for (index, name) in params.iter().enumerate() {
        if params[..index].contains(name) {
            return broken("path-param/twice", name);
        }
    }
    Ok(())
}

fn broken(rule: &'static str, part: &str) -> Result<(), BrokenRule> {
    Err((rule, part.to_owned()))
}

/// `true` if no segment is empty, `.` or `..`. A segment that consists of a param is not empty.
fn has_valid_segments(literals: &[&str], takes_params: bool) -> bool {
    let plain = literals.join("{}");
    let mut segments: Vec<&str> = plain.split('/').skip(1).collect();
    if takes_params {
        // A trailing slash is valid, and so is `/` alone.
        segments.pop_if(|last| last.is_empty());
    }
    !segments.iter().any(|segment| matches!(*segment, "" | "." | ".."))
}

/// RFC 3986, section 3.3: the characters of a segment that need no escape.
fn is_legal(character: char) -> bool {
    character.is_ascii_alphanumeric() || "/-._~!$&'()*+,;=:@".contains(character)
}

/// The parts of a path.
struct Parts<'p> {
    /// The texts before, between and after the params.
    literals: Vec<&'p str>,
    /// The names of the params.
    params: Vec<&'p str>,
}

/// Divides a path; `None` if its braces do not match.
fn parts(path: &str) -> Option<Parts<'_>> {
    let mut literals = Vec::new();
    let mut params = Vec::new();
    let mut rest = path;
    while let Some((literal, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}')?;
        if name.is_empty() || name.contains(['{', '/']) {
            return None;
        }
        literals.push(literal);
        params.push(name);
        rest = after;
    }
    literals.push(rest);
    if literals.iter().any(|literal| literal.contains('}')) { None } else { Some(Parts { literals, params }) }
}

/// Returns the part of a path that is sent, which is the part before the fragment.
pub fn without_fragment(path: &str) -> &str {
    path.split('#').next().unwrap_or_default()
}

/// Returns the names of the params in a path.
pub fn params(path: &str) -> Vec<&str> {
    match parts(path) {
        Some(parts) => parts.params,
        None => Vec::new(),
    }
}

/// Returns a path without the names of its params. A server cannot distinguish two paths for which the result is equal.
pub fn template(path: &str) -> String {
    match parts(path) {
        Some(parts) => parts.literals.join("{}"),
        None => path.to_owned(),
    }
}
