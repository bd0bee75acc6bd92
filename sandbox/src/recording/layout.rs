//! JSON with one record a line, so that a person can read it and a diff shows what changed.
//!
//! Only line breaks are added, and only where JSON allows them: values do not change.

/// Lists of the outer two levels are broken into lines.
const OUTER: usize = 2;

/// The same JSON in lines; any other text may get meaningless line breaks.
pub(super) fn in_lines(json: &str) -> String {
    let mut lines = String::with_capacity(json.len() + 64);
    let (mut open, mut in_text, mut escaped) = (Vec::new(), false, false);
    for character in json.chars() {
        if in_text {
            lines.push(character);
            in_text = escaped || character != '"';
            escaped = !escaped && character == '\\';
            continue;
        }
        if character == ']' && open.pop() == Some('[') && open.len() < OUTER {
            break_line(&mut lines);
        }
        lines.push(character);
        match character {
            '"' => in_text = true,
            '[' | '{' => open.push(character),
            '}' => drop(open.pop()),
            _ => {}
        }
        if matches!(character, '[' | ',') && open.last() == Some(&'[') && open.len() <= OUTER {
            break_line(&mut lines);
        }
    }
    lines
}

fn break_line(lines: &mut String) {
    // An empty list stays as it is.
    if lines.ends_with("[\n") {
        lines.pop();
    } else {
        lines.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_have_lines_of_their_own() {
        let table = [
            (
                r#"{"data":[{"a":1,"b":[1,2]},{"a":2}],"m":{}}"#,
                "{\"data\":[\n{\"a\":1,\"b\":[1,2]},\n{\"a\":2}\n],\"m\":{}}",
            ),
            (r#"{"data":[],"m":1}"#, r#"{"data":[],"m":1}"#),
            (r#"{"a":"[x,\"],[","b":"\\"}"#, r#"{"a":"[x,\"],[","b":"\\"}"#),
            ("[1,2]", "[\n1,\n2\n]"),
            ("", ""),
            ("]]}}", "]]}}"),
        ];
        for (json, expected) in table {
            assert_eq!(in_lines(json), expected);
        }
    }

    #[test]
    fn what_it_says_stays_the_same() {
        let json = r#"{"data":[{"a":0.30000000000000004,"s":"x\"],[\\"},[],[[1],[2,[3]]]],"e":1e-400,"n":[1,[2]]}"#;
        let [before, after] = [json.to_owned(), in_lines(json)].map(|text| text.replace('\n', ""));
        assert_eq!(before, after);
    }
}
