//! The format of the catalogue as one table: which keys there are, which must be there, what their values are.
//!
//! `load` walks files by it, and the JSON Schema that editors read is emitted from it, with what each key is about.
//! Rules that compare one place with another are not here: `check` has them. It also says, in words that help, why
//! a text has not the form it should have, where the schema has only a pattern for it.

mod group;
mod service;
mod value;

pub(crate) use group::{BODY, GROUP};
pub(crate) use service::{ENVELOPE, METADATA, SERVICE};
pub(crate) use value::FIELD;

/// What may stand at a place.
#[derive(Debug)]
pub(crate) enum Shape {
    /// Text of one line.
    Text,
    /// Text whose lines are one paragraph.
    Prose,
    /// Text of a form, as a regular expression that every editor knows. Only the schema reads it.
    Like(&'static str),
    /// A type expression.
    Type,
    /// Text, a number or a boolean, kept as it is written.
    Scalar,
    /// A whole number that is not negative. Only the schema reads the bounds.
    Whole {
        /// The smallest that makes sense.
        min: u32,
        /// The largest that makes sense.
        max: u32,
    },
    /// Any number.
    Number,
    /// `true` or `false`.
    Flag,
    /// One of some words.
    Word(&'static [&'static str]),
    /// A list.
    List(&'static Shape),
    /// A map with known keys.
    Map(&'static Map),
    /// The same with one more key that must be there. Only the schema reads which.
    MapWith(&'static Map, &'static str),
    /// `use` entries are one map, all others another.
    UseOr(&'static Map, &'static Map),
    /// Different things, told apart by whether they are text, a list or a map.
    Either(&'static [Shape]),
}

/// A map with known keys.
#[derive(Debug)]
pub(crate) struct Map {
    /// What the map is, with its article.
    pub(crate) what: &'static str,
    /// Its keys.
    pub(crate) keys: &'static [Key],
    /// How its keys depend on each other. Only the schema reads it.
    pub(crate) rules: &'static [Rule],
}

/// A key of a map.
#[derive(Debug)]
pub(crate) struct Key {
    /// As written.
    pub(crate) name: &'static str,
    /// Whether it must be there.
    pub(crate) required: bool,
    /// What its value is.
    pub(crate) shape: Shape,
    /// What it says, for who writes it.
    pub(crate) about: &'static str,
}

/// How keys of a map depend on each other.
#[derive(Debug)]
pub(crate) enum Rule {
    /// Just one of them is there.
    OneOf(&'static [&'static str]),
    /// At least one key is there.
    NotEmpty,
    /// The first is there only with the second.
    With(&'static str, &'static str),
    /// Where the first says a word, the second is there.
    Needs(&'static str, &'static str, &'static str),
    /// Where the first says a word, the second is not there.
    Excludes(&'static str, &'static str, &'static str),
}

impl Map {
    /// The keys that stand before another one.
    pub(crate) fn before(&self, key: &str) -> Vec<&'static str> {
        self.keys.iter().map(|key| key.name).take_while(|name| *name != key).collect()
    }
}

const fn must(name: &'static str, shape: Shape, about: &'static str) -> Key {
    Key { name, required: true, shape, about }
}

const fn may(name: &'static str, shape: Shape, about: &'static str) -> Key {
    Key { name, required: false, shape, about }
}

const fn map(what: &'static str, keys: &'static [Key]) -> Map {
    Map { what, keys, rules: &[] }
}

const EVIDENCE: Shape = Shape::Word(&["document", "published", "reported"]);
const TIME_UNIT: Shape = Shape::Word(&["seconds", "milliseconds"]);
const TEXTS: Shape = Shape::List(&Shape::Text);
const UNKNOWN: Shape = Shape::Word(&["unknown"]);

/// Names as Rust writes them, without regard to those that are taken.
const SNAKE: Shape = Shape::Like("^[a-z][a-z0-9_]*$");
const SHOUTY: Shape = Shape::Like("^[A-Z][A-Z0-9_]*$");
const PASCAL: Shape = Shape::Like("^[A-Z][A-Za-z0-9]*$");

const KNOWN_HOW: &str = "How it is known: `document` (the interface document says so), `published` (the provider's \
     public documentation does) or `reported` (public clients agree).";
const NOTES: &str = "What else a user should know.";
