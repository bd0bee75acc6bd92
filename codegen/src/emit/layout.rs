//! Improves the layout of the printer's text: lists and chains of calls are on one line where they fit, and a blank
//! line separates the members of an `impl`. Only line breaks and trailing commas change.

/// Where a line ends at the latest, as in `rustfmt.toml`.
const WIDTH: usize = 120;

/// Lays out one printed item.
pub(super) fn layout(item: &str) -> String {
    let lines: Vec<&str> = item.lines().collect();
    separate_members(&join(&lines))
}

/// Joins what the printer broke and what fits on one line.
fn join(lines: &[&str]) -> Vec<String> {
    let mut joined: Vec<String> = Vec::new();
    let mut index = 0;
    while let Some(line) = lines.get(index) {
        index += 1;
        let Some(length) = group_length(line, &lines[index..]) else {
            joined.push((*line).to_owned());
            continue;
        };
        let (inner, close) = (join(&lines[index..index + length]), lines[index + length]);
        index += length + 1;
        let inner = if LISTS.iter().any(|list| line.starts_with(list)) { fill(&inner) } else { inner };
        if let Some(line) = one_line(line, &inner, close.trim_start()) {
            joined.push(line);
        } else {
            joined.push((*line).to_owned());
            joined.extend(inner);
            joined.push(close.to_owned());
        }
    }
    join_chains(joined)
}

/// Openings of lists of short entries, which are on one line or fill several.
const LISTS: [&str; 2] = ["fields!(", "named_type!("];

/// As many entries on a line as fit; the printer breaks lines earlier, also within an entry.
fn fill(inner: &[String]) -> Vec<String> {
    let indentation = " ".repeat(inner.first().map_or(0, |line| indent(line)));
    let text = inner.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
    let mut filled: Vec<String> = Vec::new();
    for entry in text.split_inclusive(',').map(str::trim) {
        match filled.last_mut() {
            Some(line) if line.chars().count() + 1 + entry.chars().count() <= WIDTH => *line += &format!(" {entry}"),
            _ => filled.push(format!("{indentation}{entry}")),
        }
    }
    filled
}

/// Joins a chain of calls if all of it fits.
fn join_chains(lines: Vec<String>) -> Vec<String> {
    let is_link = |line: &String| line.trim_start().starts_with('.') && !line.trim_start().starts_with("..");
    let mut joined: Vec<String> = Vec::new();
    let mut lines = lines.into_iter().peekable();
    while let Some(line) = lines.next() {
        let mut chain = Vec::new();
        while let Some(link) = lines.next_if(is_link) {
            chain.push(link);
        }
        let whole = chain.iter().fold(line.clone(), |whole, link| whole + link.trim_start());
        // If the first call of a chain has its own line, so do the others.
        let goes_on = line.trim_start().starts_with([')', ']', '}']) && !chain.is_empty();
        if whole.chars().count() <= WIDTH && !goes_on {
            joined.push(whole);
        } else {
            joined.push(line);
            joined.extend(chain);
        }
    }
    joined
}

/// The number of lines between an opening line and the one that closes it.
fn group_length(open: &str, rest: &[&str]) -> Option<usize> {
    let close = match open.chars().last()? {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        _ => return None,
    };
    // The printer indents what begins a chain of calls one step further.
    let depth = rest.first().map(|first| indent(first).saturating_sub(4)).filter(|depth| *depth >= indent(open))?;
    rest.iter().position(|line| indent(line) == depth && line.trim_start().starts_with(close))
}

/// A list of elements, one a line, on the line that opens it.
fn one_line(open: &str, inner: &[String], close: &str) -> Option<String> {
    let (last, others) = inner.split_last()?;
    let is_list = others.iter().all(|line| line.ends_with(',')) && !last.ends_with([';', '}', '{', '(', '[']);
    let depth = indent(last);
    let is_flat = inner.iter().all(|line| indent(line) == depth && !line.trim_start().starts_with("//"));
    // The opening of a body is not a list of elements, even if it looks like one.
    let is_body =
        open.contains("match ") || ["pub struct", "pub enum", "impl"].iter().any(|item| open.starts_with(item));
    if !is_list
        || !is_flat
        || is_body
        || close.ends_with(['{', '(', '['])
        || (open.ends_with('{') && !last.ends_with(',') && !last.trim_start().starts_with(".."))
    {
        return None;
    }
    let elements = inner.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
    let elements = elements.trim_end_matches(',');
    let space = if open.ends_with('{') && !open.starts_with("use ") { " " } else { "" };
    let line = format!("{open}{space}{elements}{space}{close}");
    (line.chars().count() <= WIDTH).then_some(line)
}

/// Puts a blank line between the members of an `impl` or a `trait`, which the printer does not.
///
/// Literals contain no line breaks, so a line that looks like a closing brace is one.
fn separate_members(lines: &[String]) -> String {
    let mut text = String::new();
    let mut after_member = false;
    for line in lines {
        if after_member && line != "}" {
            text.push('\n');
        }
        text += line;
        text.push('\n');
        after_member =
            line == "    }" || line == "    };" || (line.starts_with("    const INFO") && line.ends_with(';'));
    }
    text
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(printed: &str, expected: &str) {
        assert_eq!(layout(printed), expected);
    }

    #[test]
    fn what_fits_is_joined() {
        check("const A: B = &B {\n    c: 1,\n    ..B::D\n};\n", "const A: B = &B { c: 1, ..B::D };\n");
        check(
            "f(\n    Some(\n        &[\n            1,\n            2,\n        ],\n    ),\n);\n",
            "f(Some(&[1, 2]));\n",
        );
        check("#[a(\n    b = 1,\n    c = 2\n)]\n", "#[a(b = 1, c = 2)]\n");
        check("let a = b(\n        1,\n        2,\n    )\n    .c();\n", "let a = b(1, 2).c();\n");
    }

    #[test]
    fn entries_fill_their_lines() {
        check("fields!(\n    A => b = 0, c =\n    1\n);\n", "fields!(A => b = 0, c = 1);\n");
        check(
            "named_type!(\n    enum A => B = \"c  d\", E =\n    \"f\"\n);\n",
            "named_type!(enum A => B = \"c  d\", E = \"f\");\n",
        );
        let entry = format!("{} = 1,", "x".repeat(52));
        let printed = format!("fields!(\n    A => {entry}\n    {entry} {entry}\n    b = 3\n);\n");
        check(&printed, &format!("fields!(\n    A => {entry}\n    {entry} {entry}\n    b = 3\n);\n"));
    }

    #[test]
    fn what_does_not_fit_stays() {
        let long = "x".repeat(60);
        let text = format!("f(\n    {long},\n    {long},\n);\n");
        check(&text, &text);
    }

    #[test]
    fn bodies_stay() {
        for text in [
            "match self {\n    A => 1,\n    B => 2,\n}\n",
            "pub struct A {\n    /// Docs.\n    b: C,\n}\n",
            "pub enum A {\n    B,\n    C,\n}\n",
            "fn a() {\n    b()\n}\n",
            "fn a() {\n    b();\n}\n",
            "pub fn a(\n    &self,\n    b: C,\n) -> D {\n    e\n}\n",
        ] {
            check(text, text);
        }
    }

    #[test]
    fn members_stand_apart() {
        let printed = "impl A {\n    fn b() {}\n    fn c() {\n        d();\n    }\n    fn e() {}\n}\n";
        check(printed, "impl A {\n    fn b() {}\n    fn c() {\n        d();\n    }\n\n    fn e() {}\n}\n");
    }
}
