//! The parts of a declaration of the format: maps, their keys, the values that are allowed, and the findings about
//! others.
//!
//! The declarations themselves are in `spec/`, one per map. `walk` reads files by them; the schema for editors and the
//! tables in `spec/README.md` are emitted from them. Rules that compare several entries are in `resolve`.

use crate::spec;

/// The format of `service.yaml`.
pub const SERVICE: &Map = &spec::SERVICE;
/// The format of every other file.
pub const GROUP: &Map = &spec::GROUP;

/// The accepted values of a key. The key itself declares the form of a text and the range of a number.
#[derive(Debug)]
pub enum Shape {
    /// Text.
    Text,
    /// A whole number that is not negative.
    Whole,
    /// Any number.
    Number,
    /// `true` or `false`.
    Flag,
    /// One of some words, each with what it means.
    Word(&'static [(&'static str, &'static str)]),
    /// A list.
    List(&'static Shape),
    /// A map with known keys.
    Map(&'static Map),
    /// `use` entries are one map, all others another.
    UseOr(&'static Map, &'static Map),
    /// Alternatives, distinguished as a word, another text, a list or a map.
    Either(&'static [Shape]),
}

/// A map with known keys.
#[derive(Debug)]
pub struct Map {
    /// What the map is, with its article.
    pub what: &'static str,
    /// Documentation of the map in addition to its keys.
    pub(crate) about: &'static str,
    /// Its keys.
    pub keys: &'static [Key],
    /// How its keys depend on each other.
    pub(crate) rules: &'static [Rule],
}

/// A key of a map.
#[derive(Debug)]
pub struct Key {
    /// As written.
    pub name: &'static str,
    /// Whether it must be there.
    pub(crate) required: bool,
    /// What its value is.
    pub shape: Shape,
    /// The condition for every text or number in its value.
    pub(crate) form: Form,
    /// What it means, for authors.
    pub(crate) about: &'static str,
}

/// What a text, a number or the map of an item has to be like.
#[derive(Debug)]
pub(crate) enum Form {
    /// Text of one line.
    Line,
    /// Text whose lines are one paragraph.
    Prose,
    /// Text of one line, a number or a boolean, kept as written.
    Scalar,
    /// A type expression. `resolve` reads it, since it looks up the names in it.
    Type,
    /// A path from the base URL on.
    Path {
        /// Whether a segment may be a param in braces.
        takes_params: bool,
    },
    /// Text of one line that a regular expression fits, which is one for every editor too.
    Like(&'static str, Say),
    /// A number between two others.
    Within(u32, u32, Say),
    /// A map that has a key which it need not have elsewhere.
    With(&'static str, Say),
}

/// The finding about a value that does not fit: the rule, the message and the remedy.
///
/// In both texts `{}` is replaced by the value, or by the name of the map.
#[derive(Debug)]
pub(crate) struct Say(pub(crate) &'static str, pub(crate) &'static str, pub(crate) &'static str);

/// A combination of keys that a map must not have.
#[derive(Debug)]
pub(crate) struct Rule {
    /// The rule is broken if all of these are true.
    pub(crate) never: &'static [Condition],
    /// The key whose value is marked; otherwise the first of `HasAny`, or the map itself.
    pub(crate) at: &'static str,
    pub(crate) say: Say,
}

/// A condition of a rule on a map.
#[derive(Debug)]
pub(crate) enum Condition {
    /// A key is there.
    Has(&'static str),
    /// One of several keys is there, or more.
    HasAny(&'static [&'static str]),
    /// None of several keys is there, or more than one.
    HasNotOne(&'static [&'static str]),
    /// A key is not there.
    Lacks(&'static str),
    /// A key is not there, or its list is empty.
    ListsNothing(&'static str),
    /// The value of a key is a word.
    Says(&'static str, &'static str),
    /// A key is present and its value is not a word.
    SaysElse(&'static str, &'static str),
}

impl Shape {
    /// The accepted maps, also as items of a list.
    pub fn maps(&self) -> Vec<&'static Map> {
        match self {
            Self::List(item) => item.maps(),
            Self::Map(map) => vec![map],
            Self::UseOr(entry, other) => vec![entry, other],
            Self::Either(shapes) => shapes.iter().flat_map(Self::maps).collect(),
            Self::Text | Self::Whole | Self::Number | Self::Flag | Self::Word(_) => Vec::new(),
        }
    }
}

impl Map {
    /// The keys that precede another one.
    pub fn before(&self, key: &str) -> Vec<&'static str> {
        self.keys.iter().map(|key| key.name).take_while(|name| *name != key).collect()
    }
}

/// Patterns of Rust names, including reserved ones.
pub(crate) const SNAKE: &str = "^[a-z](_?[a-z0-9])*_?$";
pub(crate) const SHOUTY: &str = "^[A-Z](_?[A-Z0-9])*_?$";
pub(crate) const PASCAL: &str = "^[A-Z][A-Za-z0-9]*$";

/// Declares a map: the type of its content, its keys, and the code that reads them.
///
/// The docs of the type and of its fields are the descriptions of the map and of its keys. A key `must` be there
/// or `may`; its name is the field's unless it is stated; the form of texts in its value follows `as`.
macro_rules! map {
    (
        $(#[doc = $docs:literal])+
        $name:ident, $table:ident, $what:literal $(, $derive:ident)* {
            $(
                $(#[doc = $about:literal])+
                $need:ident $($key:literal)? $field:ident: $ty:ty $(as $form:expr)?;
            )+
        }
        $($rule:expr),*
    ) => {
        $(#[doc = $docs])+
        #[derive(Clone, Debug $(, $derive)*)]
        pub struct $name {
            $($(#[doc = $about])+ pub $field: $ty,)+
        }

        $(#[doc = $docs])+
        pub static $table: $crate::format::Map = $crate::format::Map {
            what: $what,
            about: concat!($($docs),+),
            keys: &[$($crate::format::Key {
                name: map!(@name $field $($key)?),
                required: map!(@$need),
                shape: <$ty as $crate::walk::Read>::SHAPE,
                form: map!(@form $($form)?),
                about: concat!($($about),+),
            }),+],
            rules: &[$($rule),*],
        };

        impl $crate::walk::Read for $name {
            const SHAPE: $crate::format::Shape = $crate::format::Shape::Map(&$table);

            fn read(
                node: &$crate::marked::Node,
                key: &$crate::format::Key,
                walk: &mut $crate::walk::Walk,
            ) -> Option<Self> {
                let entries = walk.entries(node, &$table, key)?;
                let mut keys = $table.keys.iter();
                $(let $field = walk.$need::<$ty>(&entries, keys.next()?);)+
                Some(Self { $($field: $field?),+ })
            }

            fn stand_in(at: &$crate::diagnostic::Location) -> Option<Self> {
                $crate::walk::of_nothing(at)
            }
        }
    };
    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $key:literal) => { $key };
    (@must) => { true };
    (@may) => { false };
    (@form) => { $crate::format::Form::Line };
    (@form $form:expr) => { $form };
}

/// Declares words of the catalogue with their meanings; the first is the default.
macro_rules! words {
    (
        $(#[doc = $docs:literal])+
        $name:ident { $($(#[doc = $means:literal])+ $variant:ident = $word:literal,)+ }
    ) => {
        $(#[doc = $docs])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name {
            $($(#[doc = $means])+ $variant,)+
        }

        impl $name {
            const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The catalogue's word.
            pub fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            /// The meaning of a word of the catalogue.
            pub fn of(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|known| known.word() == word)
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::ALL[0]
            }
        }

        impl $crate::walk::Read for $name {
            const SHAPE: $crate::format::Shape =
                $crate::format::Shape::Word(&[$(($word, concat!($($means),+))),+]);

            fn read(
                node: &$crate::marked::Node,
                _: &$crate::format::Key,
                walk: &mut $crate::walk::Walk,
            ) -> Option<Self> {
                walk.word(node, &Self::SHAPE).then(|| Self::of(node.text()?))?
            }

            fn stand_in(_: &$crate::diagnostic::Location) -> Option<Self> {
                Some(Self::default())
            }
        }
    };
}

pub(crate) use {map, words};
