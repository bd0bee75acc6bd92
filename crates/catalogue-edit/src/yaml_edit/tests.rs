//! Tests that edits of hand-written files change nothing except the new content.

use Step::{Item, Key};
use proptest::prelude::*;

use super::*;

/// A step of the path to a node.
#[derive(Clone, Copy)]
enum Step {
    Key(&'static str),
    Item(usize),
}

/// A text after an edit of its tree, and the values that were left unchanged.
fn edited(text: &str, path: &[Step], edit: impl FnOnce(&mut Node)) -> (String, Vec<String>) {
    let (before, mut after) = (parsed(text), parsed(text));
    edit(at(&mut after, path));
    rewrite(text, &before, &after).expect("a file that can be edited")
}

/// The tree of a text, without positions.
fn parsed(text: &str) -> Node {
    fn bare(node: Node) -> Node {
        match node.kind {
            Kind::List(items) => Kind::List(items.into_iter().map(bare).collect()).into(),
            Kind::Map(pairs) => {
                Kind::Map(pairs.into_iter().map(|(key, value)| (bare(key), bare(value))).collect()).into()
            }
            kind => kind.into(),
        }
    }
    bare(yaml_parser::parse(text).expect("a file that can be read"))
}

fn at<'n>(node: &'n mut Node, path: &[Step]) -> &'n mut Node {
    path.iter().fold(node, |node, step| match (step, &mut node.kind) {
        (Item(index), Kind::List(items)) => &mut items[*index],
        (Key(name), Kind::Map(pairs)) => {
            &mut pairs.iter_mut().find(|(key, _)| key.text() == Some(name)).expect("a key").1
        }
        _ => panic!("no such path"),
    })
}

fn text(text: &str) -> Node {
    Kind::Text(text.to_owned()).into()
}

fn number(written: &str) -> Node {
    Kind::Number(written.to_owned()).into()
}

fn map<const N: usize>(pairs: [(&str, Node); N]) -> Node {
    Kind::Map(pairs.into_iter().map(|(key, value)| (text(key), value)).collect()).into()
}

/// Sets a key of a map. A new key is inserted after the last of the keys in `before`.
fn put(map: &mut Node, name: &str, value: Node, before: &[&str]) {
    let Kind::Map(pairs) = &mut map.kind else { return };
    if let Some((_, known)) = pairs.iter_mut().find(|(key, _)| key.text() == Some(name)) {
        *known = value;
        return;
    }
    let after = pairs.iter().rposition(|(key, _)| key.text().is_some_and(|key| before.contains(&key)));
    pairs.insert(after.map_or(0, |index| index + 1), (text(name), value));
}

fn check(text: &str, path: &[Step], edit: impl FnOnce(&mut Node), expected: &str) {
    let (after, unchanged) = edited(text, path, edit);
    assert_eq!((after.as_str(), unchanged), (expected, Vec::new()), "{text}");
}

fn push(item: Node) -> impl Fn(&mut Node) {
    move |list| {
        let Kind::List(items) = &mut list.kind else { return };
        items.push(item.clone());
    }
}

fn field(name: &str) -> Node {
    map([("name", text(name)), ("type", text("number")), ("summary", text("A value, of some kind."))])
}

#[test]
fn new_items_have_the_style_of_their_neighbours() {
    let table = [
        ("l: [a, b]  # c\n", "l: [a, b, x]  # c\n"),
        ("l: []\n", "l: [x]\n"),
        ("l:\n  - a\n\n  # c\n  - b\n\nm: 1\n", "l:\n  - a\n\n  # c\n  - b\n\n  - x\n\nm: 1\n"),
        ("l:\r\n- a\r\nm: 1\r\n", "l:\r\n- a\r\n- x\r\nm: 1\r\n"),
        ("l:\n- a", "l:\n- a\n- x"),
        ("l:\n- >-\n  a\n  b\n\nm: 1\n", "l:\n- >-\n  a\n  b\n- x\n\nm: 1\n"),
        ("l: [a, b, ]\n", "l: [a, b, x, ]\n"),
    ];
    for (before, after) in table {
        check(before, &[Key("l")], push(text("x")), after);
    }
}

#[test]
fn comments_below_an_item_stay_with_it() {
    let table = [
        ("l:\n- a\n- b  # c\n# d\n", "l:\n- a\n- b  # c\n# d\n- x\n"),
        ("l:\n- a\n  # of a\nm: 1\n", "l:\n- a\n  # of a\n- x\nm: 1\n"),
        ("l:\n- a\n  # of a\n\n  # and this\nm: 1\n", "l:\n- a\n  # of a\n\n  # and this\n- x\nm: 1\n"),
        ("l:\n- a\n# of m\nm: 1\n", "l:\n- a\n- x\n# of m\nm: 1\n"),
        ("l:\n- a\n\n# of m\nm: 1\n", "l:\n- a\n- x\n\n# of m\nm: 1\n"),
        ("l:\n- a\n# of a\n\nm: 1\n", "l:\n- a\n# of a\n- x\n\nm: 1\n"),
        ("l:\n  - a\n  # of a\nm: 1\n", "l:\n  - a\n  # of a\n  - x\nm: 1\n"),
        ("l:\n- a\n\n# the end\n", "l:\n- a\n- x\n\n# the end\n"),
    ];
    for (before, after) in table {
        check(before, &[Key("l")], push(text("x")), after);
    }
    let optional = |map: &mut Node| put(map, "optional", Kind::Flag(true).into(), &["name"]);
    let table = [
        ("- name: a\n    # of a\n  notes: b\n", "- name: a\n    # of a\n  optional: true\n  notes: b\n"),
        ("- name: a\n  # of notes\n  notes: b\n", "- name: a\n  optional: true\n  # of notes\n  notes: b\n"),
        ("- name: a\n  # of a\n- name: b\n", "- name: a\n  # of a\n  optional: true\n- name: b\n"),
    ];
    for (before, after) in table {
        check(before, &[Item(0)], optional, after);
    }
}

#[test]
fn maps_use_braces_like_their_neighbours() {
    let table = [
        ("l:\n- {name: a}\n", "l:\n- {name: a}\n- {name: x, type: number, summary: 'A value, of some kind.'}\n"),
        ("l:\n- name: a\n", "l:\n- name: a\n- name: x\n  type: number\n  summary: A value, of some kind.\n"),
        ("l: [{name: a}]\n", "l: [{name: a}, {name: x, type: number, summary: 'A value, of some kind.'}]\n"),
        ("l: []  # c\n", "l:  # c\n- {name: x, type: number, summary: 'A value, of some kind.'}\n"),
    ];
    for (before, after) in table {
        check(before, &[Key("l")], push(field("x")), after);
    }
}

#[test]
fn new_keys_follow_the_order_of_the_format() {
    let table = [
        ("- {name: a, notes: b}\n", "- {name: a, optional: true, notes: b}\n"),
        ("- name: a  # c\n  notes: b\n", "- name: a  # c\n  optional: true\n  notes: b\n"),
        ("- notes: b\n", "- optional: true\n  notes: b\n"),
        ("- {notes: b}\n", "- {optional: true, notes: b}\n"),
    ];
    for (before, after) in table {
        check(before, &[Item(0)], |map| put(map, "optional", Kind::Flag(true).into(), &["name"]), after);
    }
}

#[test]
fn several_changes_of_one_node_do_not_conflict() {
    let all = |map: &mut Node| {
        put(map, "unit", text("USD"), &["name", "type"]);
        put(map, "range", self::map([("min", number("0"))]), &["name", "type", "unit"]);
        put(map, "type", text("number"), &[]);
        let Kind::Map(entries) = &mut map.kind else { return };
        entries.retain(|(key, _)| key.text() != Some("notes"));
    };
    let table = [
        (
            "- {name: a, type: any, notes: b, optional: true}  # c\n",
            "- {name: a, type: number, unit: USD, range: {min: 0}, optional: true}  # c\n",
        ),
        (
            "- name: a\n  type: any  # c\n  notes: b\n  optional: true\n",
            "- name: a\n  type: number  # c\n  unit: USD\n  range: {min: 0}\n  optional: true\n",
        ),
    ];
    for (before, after) in table {
        check(before, &[Item(0)], all, after);
    }
}

fn without(key: &'static str) -> impl Fn(&mut Node) {
    move |map| {
        let Kind::Map(entries) = &mut map.kind else { return };
        entries.retain(|(name, _)| name.text() != Some(key));
    }
}

#[test]
fn removed_keys_leave_the_rest_unchanged() {
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
        check(before, &[Item(0)], without("k"), after);
    }
    for text in [
        "- {k: 0, # c\n  b: 2}\n",
        "- {a: 1, # of a\n  k: 0}\n",
        "- {a: 1 # of a\n  , k: 0}\n",
        "- a: 1\n  k:  # c\n    min: 0\n",
    ] {
        let (after, unchanged) = edited(text, &[Item(0)], without("k"));
        assert_eq!(after, text);
        let expected = "item 1, `k` cannot be removed automatically; remove it by hand";
        assert_eq!(unchanged, [expected], "{text}");
    }
}

#[test]
fn unknown_value_becomes_a_block_if_necessary() {
    let series = Kind::List(vec![field("x"), field("z")]).into();
    let body = map([("evidence", text("reported")), ("series", series)]);
    let open = |map: &mut Node| put(map, "body", body.clone(), &[]);
    let item = |name: &str| format!("    - {{name: {name}, type: number, summary: 'A value, of some kind.'}}\n");
    let series = [item("x"), item("z")].concat();
    let lines = format!("    evidence: reported\n    series:\n{series}");
    let table = [
        ("- body: unknown  # why\n  # more\n  notes: n\n", format!("- body:  # why\n{lines}  # more\n  notes: n\n")),
        ("- \"body\" : unknown  # why\n  notes: n\n", format!("- \"body\" :  # why\n{lines}  notes: n\n")),
        ("- body:\n    unknown\n  notes: n\n", format!("- body:\n{lines}  notes: n\n")),
        ("- body:  # why\n    # more\n    unknown\n", format!("- body:  # why\n    # more\n{lines}")),
        ("- body: {series: unknown}  # why\n", format!("- body:  # why\n{lines}")),
        ("- body:\n    # Who?\n    series: unknown  # why\n", {
            format!("- body:\n    # Who?\n    evidence: reported\n    series:  # why\n{series}")
        }),
    ];
    for (before, after) in table {
        check(before, &[Item(0)], open, &after);
    }
    check("- {a: integer, b: 1}\n", &[Item(0), Key("a")], |ty| *ty = text("number"), "- {a: number, b: 1}\n");
    check("- a:\n    integer\n", &[Item(0), Key("a")], |ty| *ty = text("number"), "- a:\n    number\n");
}

#[test]
fn unsafe_edits_are_reported_and_not_made() {
    let folded = "a: >-\n  x\n  y\nb: 1\n";
    let (text, unchanged) = edited(folded, &[], |map| {
        put(map, "a", text("z"), &[]);
        put(map, "b", number("2"), &[]);
    });
    assert_eq!(text, "a: >-\n  x\n  y\nb: 2\n");
    assert_eq!(unchanged, ["`a` is written on several lines; replace the value with `z` by hand"]);
    check("l: [\n  a # ]\n]\n", &[Key("l")], push(self::text("x")), "l: [\n  a, x # ]\n]\n");
}

/// Generates a list of fields in one of several layouts, with comments wherever YAML allows them.
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
                let after_summary = if summary.starts_with('>') { "" } else { comment };
                format!(
                    "{pad}- name: {name}{index}{comment}\n{pad}  type: unknown{comment}\n{pad}  summary: {summary}{after_summary}\n{between}"
                )
            }
        });
        items.collect()
    })
}

/// Generates a file that contains a list of fields.
fn file() -> impl Strategy<Value = String> {
    (list(), any::<bool>(), prop_oneof![Just(""), Just("last: 1  # end\n"), Just("\n# end\n")], any::<bool>()).prop_map(
        |(list, crlf, tail, newline)| {
            let text = format!("# first\n\ntitle: A title\nlist:\n{list}{tail}");
            let text = if newline { &text } else { text.trim_end() };
            if crlf { text.replace('\n', "\r\n") } else { text.to_owned() }
        },
    )
}

/// The new text without the inserted part: the common beginning and the common end of both texts.
fn without_what_is_new(old: &str, new: &str) -> String {
    let start = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
    let end = old.bytes().rev().zip(new.bytes().rev()).take_while(|(a, b)| a == b).count().min(old.len() - start);
    String::from_utf8_lossy(&[&new.as_bytes()[..start], &new.as_bytes()[new.len() - end..]].concat()).into_owned()
}

/// The length of the list in a generated file.
fn items(text: &str) -> usize {
    let Kind::List(items) = parsed(text).get("list").expect("a list").kind.clone() else { return 0 };
    items.len()
}

proptest! {
    #[test]
    fn removing_new_items_restores_the_bytes(text in file(), several in 1_usize..3) {
        let (after, unchanged) = edited(&text, &[Key("list")], |list| (0..several).for_each(|_| push(field("new"))(list)));
        prop_assert!(unchanged.is_empty());
        prop_assert_ne!(&after, &text);
        prop_assert_eq!(without_what_is_new(&text, &after), text);
    }

    #[test]
    fn removing_a_new_key_restores_the_bytes(text in file(), pick in any::<prop::sample::Index>()) {
        let item = pick.index(items(&text));
        let insert = |map: &mut Node| put(map, "optional", Kind::Flag(true).into(), &["name", "type", "summary"]);
        let (after, unchanged) = edited(&text, &[Key("list"), Item(item)], insert);
        prop_assert!(unchanged.is_empty());
        prop_assert_ne!(&after, &text);
        prop_assert_eq!(without_what_is_new(&text, &after), text);
    }

    #[test]
    fn restoring_a_value_restores_the_bytes(text in file(), pick in any::<prop::sample::Index>()) {
        let item = pick.index(items(&text));
        let (after, _) = edited(&text, &[Key("list"), Item(item), Key("type")], |ty| *ty = self::text("list<any>"));
        prop_assert_eq!(after.matches("list<any>").count(), 1);
        prop_assert_eq!(after.replace("list<any>", "unknown"), text);
    }

    #[test]
    fn removing_an_added_key_restores_the_bytes(
        text in file(),
        pick in any::<prop::sample::Index>(),
        before in 0_usize..4,
        ranged in any::<bool>(),
    ) {
        let item = [Key("list"), Item(pick.index(items(&text)))];
        let value = if ranged { map([("min", number("0.5"))]) } else { Kind::Flag(true).into() };
        let (with, _) = edited(&text, &item, |map| put(map, "optional", value, &["name", "type", "summary"][..before]));
        let (after, unchanged) = edited(&with, &item, without("optional"));
        prop_assert!(unchanged.is_empty());
        prop_assert_eq!(after, text);
    }
}
