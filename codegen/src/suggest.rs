//! Suggests a name in place of an unknown name: the new name of a renamed key or word, or the most similar name.

/// Keys and words of earlier versions of the format, with their new names.
const RENAMED: [(&str, &str); 11] = [
    ("applies_to", "scope"),
    ("document", "documented"),
    ("fixed", "const_value"),
    ("former", "previous_version"),
    ("ident", "rust_name"),
    ("list", "list_setter"),
    ("named_by", "name_evidence"),
    ("refused", "rejected_values"),
    ("served", "allowed_values"),
    ("single", "single_value"),
    ("works", "tested_values"),
];

/// Returns the suggestion as the text of a help line; empty if no known name is similar.
pub fn did_you_mean<'a>(written: &str, known: impl Iterator<Item = &'a str>) -> String {
    let known: Vec<_> = known.collect();
    let renamed = RENAMED.iter().find(|(old, new)| *old == written && known.contains(new));
    if let Some((old, new)) = renamed {
        return format!("`{old}` was renamed to `{new}`");
    }
    let score = |name: &str| strsim::jaro_winkler(&written.to_lowercase(), &name.to_lowercase());
    let best = known.into_iter().map(|name| (score(name), name)).max_by(|a, b| a.0.total_cmp(&b.0));
    match best {
        Some((score, name)) if score > 0.8 => format!("did you mean `{name}`?"),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::did_you_mean;

    fn check(written: &str, expected: &str) {
        let known = ["timeframe", "limit", "startTime", "exchange"];
        assert_eq!(did_you_mean(written, known.into_iter()), expected, "{written}");
    }

    #[test]
    fn renamed_name_is_suggested_only_if_it_is_known() {
        assert_eq!(did_you_mean("ident", ["name", "rust_name"].into_iter()), "`ident` was renamed to `rust_name`");
        assert_eq!(did_you_mean("ident", ["name"].into_iter()), "");
    }

    #[test]
    fn near_names_are_suggested_and_far_ones_are_not() {
        check("timefame", "did you mean `timeframe`?");
        check("start_time", "did you mean `startTime`?");
        check("exchnage", "did you mean `exchange`?");
        check("colour", "");
        check("", "");
    }
}
