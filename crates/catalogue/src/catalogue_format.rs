//! The building blocks of the catalogue format: maps, their keys, the accepted values, and the errors about invalid
//! values.
//!
//! The declarations of all maps are in the module `spec`. `catalogue_reader` reads files by these declarations, and the
//! schema for editors and the tables in `spec/README.md` are emitted from them. Rules that compare several entries are
//! in `resolve`.

use crate::names::Case;

/// The kind of values that a key accepts. Further conditions, such as a range of numbers, are declared in `Key::form`.
#[derive(Debug)]
pub enum Shape {
    /// Text.
    Text,
    /// A non-negative integer.
    Whole,
    /// Any number.
    Number,
    /// `true` or `false`.
    Flag,
    /// One of several words, each with its meaning.
    Word(&'static [(&'static str, &'static str)]),
    /// A list.
    List(&'static Shape),
    /// A map with known keys.
    Map(&'static Map),
    /// A map. The first declaration applies if the map has the key `use`, otherwise the second.
    UseOr(&'static Map, &'static Map),
    /// One of several shapes. The kind of the value (a word, another text, a list or a map) decides which shape
    /// applies.
    Either(&'static [Shape]),
}

/// A map with known keys.
#[derive(Debug)]
pub struct Map {
    /// The name of the map with an article, such as `a group`, for messages.
    pub what: &'static str,
    /// The documentation of the map. The keys have separate documentation.
    pub about: &'static str,
    /// The keys of the map.
    pub keys: &'static [Key],
    /// The rules for combinations of the keys.
    pub rules: &'static [KeyRule],
}

/// A key of a map.
#[derive(Debug)]
pub struct Key {
    /// The name of the key in YAML.
    pub name: &'static str,
    /// `true` if the key is required.
    pub required: bool,
    /// The accepted values.
    pub shape: Shape,
    /// The condition for the value or, if the value is a list, for each item.
    pub form: Form,
    /// The documentation of the key for authors.
    pub about: &'static str,
}

/// A condition for a text, a number or a map in a list.
#[derive(Debug)]
pub enum Form {
    /// Text on one line.
    Line,
    /// Text of one paragraph, which may span several lines.
    Prose,
    /// Text on one line, a number or a boolean, kept as written.
    Scalar,
    /// A type expression, such as `list<number>`. `resolve` parses it later, and looks up the names in it.
    Type,
    /// A type expression of a value in a map, which may be null, such as `number?`.
    TypeInMap,
    /// A path relative to the base URL.
    Path {
        /// `true` if a segment may be a param in braces.
        takes_params: bool,
    },
    /// A Rust name in this letter case. `resolve` checks it, because a keyword or a reserved name is invalid too.
    Name(Case),
    /// Text on one line that matches this regular expression, which uses only syntax that every editor supports.
    Like(&'static str, RuleName),
    /// A number within a range.
    Within(u32, u32, RuleName),
    /// A map in which this key is required, although the declaration of the map lists the key as optional. For example,
    /// a shared param needs `evidence`.
    With(&'static str, RuleName),
}

/// The name of a rule: a key of `rules.txt`, which has the texts of the error. `{0}` in these texts is the value or, if
/// the value is a map, its `id` or `name`.
pub type RuleName = &'static str;

/// A combination of keys and values that a map must not have.
#[derive(Debug)]
pub struct KeyRule {
    /// The conditions. A map that meets all of them breaks the rule.
    pub never: &'static [Condition],
    /// The key whose value the error marks. If this is an empty string, the error marks the map. If `never` contains
    /// `HasAny`, the error marks the first key of `HasAny` that is present.
    pub at: &'static str,
    /// The error about a map that breaks the rule.
    pub name: RuleName,
}

/// A condition for a map, which is part of a rule.
#[derive(Debug)]
pub enum Condition {
    /// A key is present.
    Has(&'static str),
    /// At least one of several keys is present.
    HasAny(&'static [&'static str]),
    /// None of these keys is present, or several are.
    HasNotOne(&'static [&'static str]),
    /// A key is missing.
    Lacks(&'static str),
    /// A key is missing, or its list is empty.
    ListsNothing(&'static str),
    /// The list of a key contains this word.
    Lists(&'static str, &'static str),
    /// The value of a key is this word.
    Is(&'static str, &'static str),
    /// A key is present and its value is not this word.
    IsNot(&'static str, &'static str),
}

impl Shape {
    /// Returns the alternatives of a shape, with nested alternatives flattened.
    pub fn choices(&self) -> Vec<&Self> {
        match self {
            Self::Either(shapes) => shapes.iter().flat_map(Self::choices).collect(),
            shape => vec![shape],
        }
    }

    /// Returns the maps that a shape accepts, directly or as list items.
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
    /// Returns the names of the keys that the map declares before the given key.
    pub fn before(&self, key: &str) -> Vec<&'static str> {
        self.keys.iter().map(|key| key.name).take_while(|name| *name != key).collect()
    }
}

/// Declares a map: expands to a struct with the content of the map, a static [`Map`] with the keys, and the code that
/// reads the struct.
///
/// The docs of the struct and of its fields are also the descriptions of the map and of its keys. `must` declares a
/// required key, `may` declares an optional key, and `as` declares the form of the value. A key has the name of its
/// field, unless another name precedes the field: `may "type" ty` reads the key `type` into the field `ty`. `never`
/// declares a [`KeyRule`] after the keys: its conditions, the key that the error marks, and the error.
macro_rules! map {
    (
        $(#[doc = $docs:literal])+
        $name:ident, $table:ident, $what:literal {
            $(
                $(#[doc = $about:literal])+
                $need:ident $($key:literal)? $field:ident: $ty:ty $(as $form:expr)?;
            )+
        }
        $(never($($condition:expr),+) $(at $at:literal)?: $rule:expr;)*
    ) => {
        $(#[doc = $docs])+
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $name {
            $($(#[doc = $about])+ pub $field: $ty,)+
        }

        $(#[doc = $docs])+
        pub static $table: $crate::catalogue_format::Map = $crate::catalogue_format::Map {
            what: $what,
            about: concat!($($docs),+),
            keys: &[$($crate::catalogue_format::Key {
                name: map!(@name $field $($key)?),
                required: map!(@$need),
                shape: <$ty as $crate::catalogue_reader::Read>::SHAPE,
                form: map!(@form $($form)?),
                about: concat!($($about),+),
            }),+],
            rules: &[$($crate::catalogue_format::KeyRule {
                never: &[$($condition),+],
                at: concat!($($at)?),
                name: $rule,
            }),*],
        };

        impl $crate::catalogue_reader::Read for $name {
            const SHAPE: $crate::catalogue_format::Shape = $crate::catalogue_format::Shape::Map(&$table);

            fn read(
                node: &$crate::yaml_parser::Node,
                key: &$crate::catalogue_format::Key,
                reader: &mut $crate::catalogue_reader::CatalogueReader,
            ) -> Option<Self> {
                let entries = reader.entries(node, &$table, key)?;
                // `$table.keys` has the same order as the fields, so the next key belongs to the next field.
                let mut keys = $table.keys.iter();
                $(let $field = reader.$need::<$ty>(&entries, keys.next()?);)+
                Some(Self { $($field: $field?),+ })
            }

            fn placeholder(at: &$crate::diagnostic::Location) -> Option<Self> {
                $crate::catalogue_reader::of_nothing(at)
            }

            fn write(&self, _: &$crate::catalogue_format::Key) -> $crate::yaml_parser::Node {
                self.written()
            }
        }

        impl $name {
            /// Returns the map as a tree, with the keys in the order of the format. An optional key with its default
            /// value is omitted.
            pub fn written(&self) -> $crate::yaml_parser::Node {
                let mut keys = $table.keys.iter();
                let entries =
                    [$(keys.next().and_then(|key| $crate::catalogue_reader::written(key, &self.$field))),+];
                $crate::yaml_parser::Kind::Map(entries.into_iter().flatten().collect()).into()
            }
        }
    };
    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $key:literal) => { $key };
    (@must) => { true };
    (@may) => { false };
    (@form) => { $crate::catalogue_format::Form::Line };
    (@form $form:expr) => { $form };
}

/// Declares an enum with one variant for each accepted word of the catalogue. The docs of a variant are the meaning of
/// its word. The first word is the default.
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
            /// All variants.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Returns the word that the catalogue uses for the variant.
            pub fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            /// Parses a word of the catalogue.
            pub fn of(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|known| known.word() == word)
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::ALL[0]
            }
        }

        impl $crate::catalogue_reader::Read for $name {
            const SHAPE: $crate::catalogue_format::Shape =
                $crate::catalogue_format::Shape::Word(&[$(($word, concat!($($means),+))),+]);

            fn read(
                node: &$crate::yaml_parser::Node,
                _: &$crate::catalogue_format::Key,
                reader: &mut $crate::catalogue_reader::CatalogueReader,
            ) -> Option<Self> {
                reader.has_shape(node, &Self::SHAPE).then(|| Self::of(node.text()?))?
            }

            fn placeholder(_: &$crate::diagnostic::Location) -> Option<Self> {
                Some(Self::default())
            }

            fn write(&self, _: &$crate::catalogue_format::Key) -> $crate::yaml_parser::Node {
                $crate::yaml_parser::Kind::Text(self.word().to_owned()).into()
            }
        }
    };
}

pub(crate) use {map, words};
