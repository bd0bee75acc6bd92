//! Parses type expressions of the catalogue, such as `number`, `Timeframe`, `list<list<number>>` and `map<number?>`.

use std::fmt;

use crate::model::{TimeForm, TimeUnit};

/// A parsed type expression, whose names have not been looked up yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeExpr<'a> {
    Builtin(Builtin),
    /// The name of a type or a record.
    Name(&'a str),
    List(Box<TypeExpr<'a>>),
    /// An object with arbitrary keys.
    Map(Box<TypeExpr<'a>>),
    /// A value that can be null.
    Option(Box<TypeExpr<'a>>),
}

/// A built-in type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Builtin {
    String,
    Integer,
    Count,
    Number,
    /// A number with all its digits, which is text on the wire.
    Decimal,
    Boolean,
    /// A timestamp, in this format on the wire. A parsed expression has the format `TimeUnit::Seconds`.
    Timestamp(TimeForm),
    Any,
}

/// The form of a value on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WireForm {
    /// A number, or a number in quotes.
    Number,
    /// `true` or `false`.
    Flag,
    /// Text, or any JSON value.
    Text,
}

/// The maximum nesting depth of lists and maps.
pub const MAX_LISTS: usize = 4;

/// The built-in types, for lookups and suggestions.
pub const BUILTINS: [Builtin; 8] = [
    Builtin::String,
    Builtin::Integer,
    Builtin::Count,
    Builtin::Number,
    Builtin::Decimal,
    Builtin::Boolean,
    Builtin::Timestamp(TimeForm::Counted(TimeUnit::Seconds)),
    Builtin::Any,
];

impl Builtin {
    /// The name of the type in the catalogue, its name in Rust, and its form on the wire.
    fn facts(self) -> (&'static str, &'static str, WireForm) {
        match self {
            Self::String => ("string", "String", WireForm::Text),
            Self::Integer => ("integer", "i64", WireForm::Number),
            Self::Count => ("count", "u64", WireForm::Number),
            Self::Number => ("number", "f64", WireForm::Number),
            Self::Decimal => ("decimal", "Decimal", WireForm::Text),
            Self::Boolean => ("boolean", "bool", WireForm::Flag),
            Self::Timestamp(TimeForm::Counted(_)) => ("timestamp", "Timestamp", WireForm::Number),
            Self::Timestamp(TimeForm::Written(_) | TimeForm::Local(_)) => ("timestamp", "Timestamp", WireForm::Text),
            Self::Any => ("any", "Value", WireForm::Text),
        }
    }

    /// Returns the name of the type in the catalogue.
    pub fn name(self) -> &'static str {
        self.facts().0
    }

    /// Returns the name of the type in Rust.
    pub fn rust_name(self) -> &'static str {
        self.facts().1
    }

    /// Returns the format of a timestamp; `None` for any other type.
    pub fn time_form(self) -> Option<TimeForm> {
        if let Self::Timestamp(form) = self { Some(form) } else { None }
    }

    /// Returns `true` if values are strings on the wire.
    pub fn is_text(self) -> bool {
        self.facts().2 == WireForm::Text
    }

    /// Returns `true` if the type can have a range.
    pub fn is_numeric(self) -> bool {
        self.can_be_quoted() && self.time_form().is_none()
    }

    /// Returns `true` if the values are numbers, of a type that can have a range or with any number of digits.
    pub fn has_digits(self) -> bool {
        self.is_numeric() || self == Self::Decimal
    }

    /// Returns `true` if the type is a number or `bool` in Rust.
    pub fn is_primitive(self) -> bool {
        !self.is_text() && self.time_form().is_none()
    }

    /// Returns `true` if values can be in quotes on the wire although they are not text.
    pub fn can_be_quoted(self) -> bool {
        self.facts().2 == WireForm::Number
    }

    /// Returns `true` if a text can be a value of the type. Only numbers, booleans and timestamps are checked.
    pub fn is_written(self, text: &str) -> bool {
        match self {
            Self::Integer => text.parse::<i64>().is_ok(),
            Self::Count => text.parse::<u64>().is_ok(),
            Self::Number | Self::Decimal => text.parse::<f64>().is_ok_and(f64::is_finite),
            Self::Boolean => text.parse::<bool>().is_ok(),
            Self::Timestamp(form) => form.is_written(text),
            Self::String | Self::Any => true,
        }
    }
}

impl<'a> TypeExpr<'a> {
    /// Returns `true` if the type can have a range.
    pub fn is_numeric(&self) -> bool {
        matches!(self.innermost(), Self::Builtin(builtin) if builtin.is_numeric())
    }

    /// Parses an expression; `None` if brackets do not match or are nested too deeply, or if a `?` is at the wrong
    /// position.
    pub fn parse(text: &'a str) -> Option<Self> {
        Self::parse_within(text, MAX_LISTS)
    }

    fn parse_within(text: &'a str, depth: usize) -> Option<Self> {
        let text = text.trim();
        if let Some(given) = text.strip_suffix('?') {
            return match Self::parse_within(given, depth)? {
                Self::Option(_) => None,
                given => Some(Self::Option(Box::new(given))),
            };
        }
        for (begin, holds) in [("list<", Self::List as fn(_) -> _), ("map<", Self::Map)] {
            if let Some(inner) = text.strip_prefix(begin) {
                let item = Self::parse_within(inner.strip_suffix('>')?, depth.checked_sub(1)?)?;
                return Some(holds(Box::new(item)));
            }
        }
        if text.is_empty() || text.contains(['<', '>', '?']) {
            return None;
        }
        let builtin = BUILTINS.into_iter().find(|builtin| builtin.name() == text);
        Some(builtin.map_or(Self::Name(text), Self::Builtin))
    }

    /// Returns the name, if the expression is the name of a type or a record.
    pub fn name(&self) -> Option<&'a str> {
        if let Self::Name(name) = self { Some(name) } else { None }
    }

    /// Returns `true` if the type is a list or a map, both of which can be empty.
    pub fn is_list(&self) -> bool {
        match self {
            Self::List(_) | Self::Map(_) => true,
            Self::Option(given) => given.is_list(),
            Self::Builtin(_) | Self::Name(_) => false,
        }
    }

    /// Returns the expression inside all lists, maps and options.
    pub fn innermost(&self) -> &Self {
        match self {
            Self::List(item) | Self::Map(item) | Self::Option(item) => item.innermost(),
            Self::Builtin(_) | Self::Name(_) => self,
        }
    }
}

/// Formats the expression as in the catalogue.
impl fmt::Display for TypeExpr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Builtin(builtin) => f.write_str(builtin.name()),
            Self::Name(name) => f.write_str(name),
            Self::List(item) => write!(f, "list<{item}>"),
            Self::Map(item) => write!(f, "map<{item}>"),
            Self::Option(given) => write!(f, "{given}?"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_expressions_are_parsed() {
        let number = || TypeExpr::Builtin(Builtin::Number);
        let map = |item| TypeExpr::Map(Box::new(item));
        for (text, expected) in [
            ("number", Some(number())),
            ("list<number>", Some(TypeExpr::List(Box::new(number())))),
            ("list< list<number> >", Some(TypeExpr::List(Box::new(TypeExpr::List(Box::new(number())))))),
            ("Timeframe", Some(TypeExpr::Name("Timeframe"))),
            ("list<number", None),
            ("map<number>", Some(TypeExpr::Map(Box::new(number())))),
            ("list<number?>", Some(TypeExpr::List(Box::new(TypeExpr::Option(Box::new(number())))))),
            ("map<list<number>?>", Some(map(TypeExpr::Option(Box::new(TypeExpr::List(Box::new(number()))))))),
            ("number?", Some(TypeExpr::Option(Box::new(number())))),
            ("number??", None),
            ("?", None),
            ("array<number>", None),
            ("list<>", None),
            ("list<list<list<list<list<any>>>>>", None),
            ("", None),
        ] {
            assert_eq!(TypeExpr::parse(text), expected, "{text}");
        }
    }

    #[test]
    fn type_expressions_round_trip() {
        let builtins = BUILTINS.into_iter().map(Builtin::name);
        for text in builtins.chain(["Timeframe", "list<number>", "list<map<Level?>>", "map<list<count>?>"]) {
            assert_eq!(TypeExpr::parse(text).map(|expr| expr.to_string()).as_deref(), Some(text));
        }
    }

    #[test]
    fn a_value_is_written_like_its_type_and_a_timestamp_like_a_number() {
        for (ty, text, expected) in [
            ("count", "-1", false),
            ("integer", "-1", true),
            ("timestamp", "1700000000", true),
            ("timestamp", "2024-01-01", false),
        ] {
            let Some(TypeExpr::Builtin(builtin)) = TypeExpr::parse(ty) else { panic!("{ty}") };
            assert_eq!(builtin.is_written(text), expected, "{text}");
        }
    }

    #[test]
    fn numbers_have_a_range_in_any_position() {
        for (text, expected) in [
            ("integer", true),
            ("count", true),
            ("number", true),
            ("list<number?>", true),
            ("string", false),
            ("timestamp", false),
            ("boolean", false),
            ("any", false),
            ("map<Level>", false),
        ] {
            assert_eq!(TypeExpr::parse(text).map(|expr| expr.is_numeric()), Some(expected), "{text}");
        }
    }
}
