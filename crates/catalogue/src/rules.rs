//! The texts of errors: the message and the help of each rule, from `rules.txt`.

use std::collections::HashMap;
use std::fmt::{Display, Write};
use std::sync::LazyLock;

/// The message and the help of each key.
static RULES: LazyLock<HashMap<&str, [&str; 2]>> = LazyLock::new(|| {
    let mut rules = HashMap::new();
    for section in include_str!("rules.txt").split("\n[").skip(1) {
        if let Some((key, texts)) = section.split_once("]\n") {
            let (message, help) = texts.split_once('\n').unwrap_or((texts, ""));
            rules.insert(key, [message, help.trim_end()]);
        }
    }
    rules
});

/// The name of the rule that a key belongs to: `time-type/absent` belongs to `time-type`.
pub(crate) fn name(key: &'static str) -> &'static str {
    key.split('/').next().unwrap_or(key)
}

/// The message and the help of a key, with the values in place of `{0}`, `{1}` and so on.
pub(crate) fn texts(key: &str, values: &[&dyn Display]) -> [String; 2] {
    match RULES.get(key) {
        Some([message, help]) => [filled(message, values), filled(help, values)],
        None => [key.to_owned(), String::new()],
    }
}

/// Fills in the values of a text. Braces around anything but the number of a value belong to the text.
fn filled(text: &str, values: &[&dyn Display]) -> String {
    let (first, parts) = text.split_once('{').unwrap_or((text, ""));
    let mut filled = first.to_owned();
    for part in parts.split_terminator('{') {
        // Writing to a string cannot fail.
        let _ = match numbered(part, values) {
            Some((value, rest)) => write!(filled, "{value}{rest}"),
            None => write!(filled, "{{{part}"),
        };
    }
    filled
}

/// The value with the number before the closing brace, and the text after the brace.
fn numbered<'v, 't>(part: &'t str, values: &[&'v dyn Display]) -> Option<(&'v dyn Display, &'t str)> {
    let (number, rest) = part.split_once('}')?;
    let number: usize = number.parse().ok()?;
    Some((*values.get(number)?, rest))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use regex_lite::Regex;

    use super::{RULES, filled};

    #[test]
    fn values_are_filled_in_once() {
        let text = filled("{1} is `{0}`, {name} and {{0}} are {2}", &[&"{1}", &7]);
        assert_eq!(text, "7 is `{1}`, {name} and {{1}} are {2}");
    }

    /// The text of all Rust files in a folder.
    fn sources(folder: &Path) -> String {
        let paths = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
        let texts = paths.map(|path| match path.extension() {
            None => sources(&path),
            Some(extension) if extension == "rs" => fs::read_to_string(&path).expect("a file"),
            Some(_) => String::new(),
        });
        texts.collect()
    }

    #[test]
    fn every_key_is_used_and_every_used_key_exists() {
        let sources = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
        let unused: Vec<_> = RULES.keys().filter(|key| !sources.contains(&format!("\"{key}\""))).collect();
        assert!(unused.is_empty(), "{unused:?}");
        let keys: BTreeSet<_> = RULES.keys().filter_map(|key| key.split('/').next()).collect();
        let literal = Regex::new(r#""(([a-z]+-[a-z-]+)(/[a-z-]+)?)""#).expect("a pattern");
        for found in literal.captures_iter(&sources).filter(|found| keys.contains(&found[2])) {
            assert!(RULES.contains_key(&found[1]), "{}", &found[1]);
        }
    }

    #[test]
    fn every_text_is_one_line() {
        for (key, [message, help]) in &*RULES {
            assert!(!message.is_empty() && !help.contains('\n') && !help.contains("  "), "{key}");
        }
    }
}
