//! Edits of files as people write them: what is new is all that is new.

use super::*;
use Step::{Item, Key};
use proptest::prelude::*;

fn draft(text: &str) -> Draft {
    Draft::read(text).expect("a file that can be read")
}

fn field(name: &str) -> Tree {
    Tree::map().with("name", name).with("type", "number").with("summary", "A value, of some kind.")
}

#[test]
fn new_items_stand_as_their_neighbours_do() {
    let table = [
        ("l: [a, b]  # c\n", "l: [a, b, x]  # c\n"),
        ("l: []\n", "l: [x]\n"),
        ("l:\n- a\n- b  # c\n# d\n", "l:\n- a\n- b  # c\n- x\n# d\n"),
        ("l:\n  - a\n\n  # c\n  - b\n\nm: 1\n", "l:\n  - a\n\n  # c\n  - b\n\n  - x\n\nm: 1\n"),
        ("l:\r\n- a\r\nm: 1\r\n", "l:\r\n- a\r\n- x\r\nm: 1\r\n"),
        ("l:\n- a", "l:\n- a\n- x"),
        ("l:\n- >-\n  a\n  b\n\nm: 1\n", "l:\n- >-\n  a\n  b\n- x\n\nm: 1\n"),
        ("l: [a, b, ]\n", "l: [a, b, x, ]\n"),
    ];
    for (before, after) in table {
        let mut draft = draft(before);
        draft.extend(&[Key("l")], vec!["x".into()]).expect(before);
        assert_eq!(draft.text(), after, "{before}");
    }
}

#[test]
fn maps_stand_in_braces_where_their_neighbours_do() {
    let table = [
        ("l:\n- {name: a}\n", "l:\n- {name: a}\n- {name: x, type: number, summary: 'A value, of some kind.'}\n"),
        ("l:\n- name: a\n", "l:\n- name: a\n- name: x\n  type: number\n  summary: A value, of some kind.\n"),
        ("l: [{name: a}]\n", "l: [{name: a}, {name: x, type: number, summary: 'A value, of some kind.'}]\n"),
        ("l: []  # c\n", "l:  # c\n- {name: x, type: number, summary: 'A value, of some kind.'}\n"),
    ];
    for (before, after) in table {
        let mut draft = draft(before);
        draft.extend(&[Key("l")], vec![field("x")]).expect(before);
        assert_eq!(draft.text(), after, "{before}");
    }
}

#[test]
fn new_keys_stand_where_the_format_has_them() {
    let table = [
        ("- {name: a, notes: b}\n", "- {name: a, optional: true, notes: b}\n"),
        ("- name: a  # c\n  notes: b\n", "- name: a  # c\n  optional: true\n  notes: b\n"),
        ("- notes: b\n", "- optional: true\n  notes: b\n"),
        ("- {notes: b}\n", "- {optional: true, notes: b}\n"),
    ];
    for (before, after) in table {
        let mut draft = draft(before);
        draft.insert(&[Item(0)], &["name"], "optional", &true.into()).expect(before);
        assert_eq!(draft.text(), after, "{before}");
    }
}

#[test]
fn keys_go_and_leave_the_rest() {
    let table = [
        ("- {a: 1, k: {min: 0}, b: 2}  # c\n", "- {a: 1, b: 2}  # c\n"),
        ("- {a: 1, k: {min: 0}}\n", "- {a: 1}\n"),
        ("- {k: {min: 0}, b: 2}\n", "- {b: 2}\n"),
        ("- a: 1\n  k: {min: 0}\n  b: 2\n", "- a: 1\n  b: 2\n"),
        ("- a: 1\n  k: {min: 0}  # c\n  b: 2\n", "- a: 1\n  # c\n  b: 2\n"),
        ("- a: 1\r\n  k:\r\n    min: 0\r\n  b: 2\r\n", "- a: 1\r\n  b: 2\r\n"),
        ("- a: 1\n  # c\n  k: 0", "- a: 1\n  # c"),
        ("- a: 1\n  k: 0  # c", "- a: 1\n  # c"),
        ("- a: 1\r\n  b: 2\n  k: 0\n  # c\n", "- a: 1\r\n  b: 2\n  # c\n"),
        ("- k: 0\n  b: 2\n", "- b: 2\n"),
        ("- k: 0  # c\n  b: 2\n", "- # c\n  b: 2\n"),
        ("- k: 0\n\n  # of b\n  b: 2\n", "- # of b\n  b: 2\n"),
    ];
    for (before, after) in table {
        let mut draft = draft(before);
        draft.remove(&[Item(0)], "k").expect(before);
        assert_eq!(draft.text(), after, "{before}");
    }
    for text in [
        "- {k: 0, # c\n  b: 2}\n",
        "- {a: 1, # of a\n  k: 0}\n",
        "- {a: 1 # of a\n  , k: 0}\n",
        "- a: 1\n  k:  # c\n    min: 0\n",
    ] {
        let refused = draft(text).remove(&[Item(0)], "k").expect_err(text).0;
        assert_eq!(refused, "item 1 has a comment beside `k`; change it by hand", "{text}");
    }
    let mut alone = draft("- k: 0\n");
    assert_eq!(alone.remove(&[Item(0)], "k").expect_err("no map").0, "there is no item 1 to be edited");
    assert_eq!(alone.remove(&[Item(0)], "l").expect_err("no key").0, "there is no item 1 to be edited");
}

#[test]
fn what_was_unknown_opens_into_lines_where_it_has_to() {
    let body = Tree::map().with("evidence", "reported").with("series", vec![field("x"), field("z")]);
    let mut long = draft("- body: unknown  # why\n  # more\n  notes: n\n");
    long.replace(&[Item(0), Key("body")], &body).expect("a replacement");
    let expected = "\
- body:  # why
    evidence: reported
    series:
    - {name: x, type: number, summary: 'A value, of some kind.'}
    - {name: z, type: number, summary: 'A value, of some kind.'}
  # more
  notes: n
";
    assert_eq!(long.text(), expected);
    let mut short = draft("- {a: integer, b: 1}\n");
    short.replace(&[Item(0), Key("a")], &"number".into()).expect("a replacement");
    assert_eq!(short.text(), "- {a: number, b: 1}\n");
}

#[test]
fn what_cannot_be_done_without_harm_is_refused() {
    let mut folded = draft("a: >-\n  x\n  y\n");
    let refused = folded.replace(&[Key("a")], &"z".into()).expect_err("several lines");
    assert_eq!(refused.0, "`a` stands on several lines; change it by hand");
    let mut below = draft("- body:  # why\n    unknown\n  notes: n\n");
    let long = Tree::map().with("series", vec![field("x"), field("z")]);
    let refused = below.replace(&[Item(0), Key("body")], &long).expect_err("a comment in between");
    assert_eq!(refused.0, "item 1, `body` stands on several lines; change it by hand");
    assert_eq!(below.text(), "- body:  # why\n    unknown\n  notes: n\n");
    let mut comment = draft("l: [\n  a # ]\n]\n");
    comment.extend(&[Key("l")], vec!["x".into()]).expect("a list");
    assert_eq!(comment.text(), "l: [\n  a, x # ]\n]\n");
    assert_eq!(comment.extend(&[Key("m")], vec![Tree::Null]).expect_err("no list").0, "there is no `m` to be edited");
}

/// One way to write a list of fields, with comments wherever YAML allows them.
fn list() -> impl Strategy<Value = String> {
    let comment = prop_oneof![Just(""), Just("  # why"), Just(" # {, ]: '")];
    let between = prop_oneof![3 => Just(""), 1 => Just("\n"), 1 => Just("# note\n"), 1 => Just("\n  # - note: x\n\n")];
    let summary =
        prop_oneof![Just("text"), Just("'it''s, # no'"), Just("\"a \\\" b: c\""), Just(">-\n      two\n      lines")];
    let field = (any::<bool>(), "[a-z]{1,6}", summary, comment, between);
    let fields = proptest::collection::vec(field, 1..5);
    (fields, prop_oneof![Just(0_usize), Just(2)]).prop_map(|(fields, indent)| {
        let pad = " ".repeat(indent);
        let items = fields.into_iter().enumerate().map(|(index, (flow, name, summary, comment, between))| {
            if flow && !summary.starts_with('>') {
                format!("{pad}- {{name: {name}{index}, type: unknown, summary: {summary}}}{comment}\n{between}")
            } else {
                let behind = if summary.starts_with('>') { "" } else { comment };
                format!(
                    "{pad}- name: {name}{index}{comment}\n{pad}  type: unknown{comment}\n{pad}  summary: {summary}{behind}\n{between}"
                )
            }
        });
        items.collect()
    })
}

/// A file around such a list.
fn file() -> impl Strategy<Value = String> {
    (list(), any::<bool>(), prop_oneof![Just(""), Just("last: 1  # end\n"), Just("\n# end\n")], any::<bool>()).prop_map(
        |(list, crlf, tail, newline)| {
            let text = format!("# first\n\ntitle: A title\nlist:\n{list}{tail}");
            let text = if newline { &text } else { text.trim_end() };
            if crlf { text.replace('\n', "\r\n") } else { text.to_owned() }
        },
    )
}

/// What is left of the new text when the one stretch that the old one has not is cut out.
fn without_what_is_new(old: &str, new: &str) -> String {
    let start = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
    let end = old.bytes().rev().zip(new.bytes().rev()).take_while(|(a, b)| a == b).count().min(old.len() - start);
    String::from_utf8_lossy(&[&new.as_bytes()[..start], &new.as_bytes()[new.len() - end..]].concat()).into_owned()
}

fn count(draft: &Draft) -> usize {
    match draft.tree().get("list") {
        Some(Tree::List(items)) => items.len(),
        _ => 0,
    }
}

proptest! {
    #[test]
    fn without_the_new_items_the_bytes_are_the_old_ones(text in file(), several in 1_usize..3) {
        let mut draft = draft(&text);
        draft.extend(&[Key("list")], vec![field("new"); several]).expect("an edit");
        prop_assert_ne!(draft.text(), text.clone());
        prop_assert_eq!(without_what_is_new(&text, &draft.text()), text);
    }

    #[test]
    fn without_the_new_key_the_bytes_are_the_old_ones(text in file(), pick in any::<prop::sample::Index>()) {
        let mut draft = draft(&text);
        let item = pick.index(count(&draft));
        draft.insert(&[Key("list"), Item(item)], &["name", "type", "summary"], "optional", &true.into()).expect("an edit");
        prop_assert_ne!(draft.text(), text.clone());
        prop_assert_eq!(without_what_is_new(&text, &draft.text()), text);
    }

    #[test]
    fn with_the_old_value_back_the_bytes_are_the_old_ones(text in file(), pick in any::<prop::sample::Index>()) {
        let mut draft = draft(&text);
        let item = pick.index(count(&draft));
        draft.replace(&[Key("list"), Item(item), Key("type")], &"list<any>".into()).expect("an edit");
        prop_assert_eq!(draft.text().matches("list<any>").count(), 1);
        prop_assert_eq!(draft.text().replace("list<any>", "unknown"), text);
    }

    #[test]
    fn without_the_key_that_was_new_the_bytes_are_the_old_ones(
        text in file(),
        pick in any::<prop::sample::Index>(),
        before in 0_usize..4,
        ranged in any::<bool>(),
    ) {
        let mut draft = draft(&text);
        let item = [Key("list"), Item(pick.index(count(&draft)))];
        let value = if ranged { Tree::map().with("min", 0.5) } else { true.into() };
        draft.insert(&item, &["name", "type", "summary"][..before], "optional", &value).expect("an edit");
        draft.remove(&item, "optional").expect("an edit");
        prop_assert_eq!(draft.text(), text);
    }
}
