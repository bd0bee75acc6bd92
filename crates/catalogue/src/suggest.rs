//! Suggests the most similar name in place of an unknown name.

/// Returns the suggestion as the text of a help line; empty if no known name is similar.
pub fn did_you_mean<'a>(written: &str, known: impl Iterator<Item = &'a str>) -> String {
    let score = |name: &str| strsim::jaro_winkler(&written.to_lowercase(), &name.to_lowercase());
    let best = known.map(|name| (score(name), name)).max_by(|a, b| a.0.total_cmp(&b.0));
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
    fn near_names_are_suggested_and_far_ones_are_not() {
        check("timefame", "did you mean `timeframe`?");
        check("start_time", "did you mean `startTime`?");
        check("exchnage", "did you mean `exchange`?");
        check("colour", "");
        check("", "");
    }
}
