//! `types` of `service.yaml`: their values, and how identifiers are built.

use super::Evidence;
use super::value::TYPE_NAME;
use crate::duration;
use crate::format::Condition::{Has, ListsNothing, Says};
use crate::format::{Form, PASCAL, Rule, SNAKE, Say, map, words};
use crate::spanned::{Spanned, Text};

map! {
    /// A type of texts that params and fields can have.
    Type, TYPE, "a type" {
        /// The type's name, like `Timeframe`.
        must name: Text as TYPE_NAME;
        /// Whether its values are a closed list.
        must kind: TypeKind;
        /// What a value of it says.
        must summary: String as Form::Prose;
        /// How it is known, and its values unless they say otherwise.
        must evidence: Evidence;
        /// The values that are known.
        may values: Vec<Value>;
        /// How an identifier is built.
        may shapes: Option<Shapes>;
    }
    Rule {
        never: &[Says("kind", "enum"), ListsNothing("values")],
        at: "",
        say: Say("no-values", "the enum `{}` has no values", "list its `values`, or make it `kind: identifier`"),
    },
    Rule {
        never: &[Says("kind", "enum"), Has("shapes")],
        at: "shapes",
        say: Say("shapes-of-enum", "an enum has no shapes", "make it `kind: identifier`"),
    }
}

words! {
    /// Whether the values of a type are a closed list.
    TypeKind {
        /// A closed list as far as anyone knows. The client keeps a value that it does not know.
        Enum = "enum",
        /// Open, with known values as constants.
        Identifier = "identifier",
    }
}

map! {
    /// It becomes a variant of an enum, or a constant of an identifier.
    Value, VALUE, "a value" {
        /// As on the wire.
        must value: Text as Form::Like(
            r"^[^,\t\r\n]*$",
            Say("wrong-value", "the value `{}` has a comma, which separates values on the wire", ""),
        );
        /// The variant or constant, where `value` makes no good one.
        may ident: Option<Text> as Form::Like(
            "^[A-Z](_?[A-Za-z0-9])*_?$",
            Say("no-rust-name", "`{}` is not a Rust name as it stands", "write it like `MyValue` or `MY_VALUE`"),
        );
        /// What it means.
        may summary: String as Form::Prose;
        /// How long the step is that it names, like `90s`, `5m`, `1h`, `1d` or `1w`: with it the Rust type has a method
        /// `duration`. A month has none, since its length differs.
        may duration: Option<Text> as Form::Like(
            duration::PATTERN,
            Say(
                "duration",
                "`{}` is no length of time",
                "write it like `90s`, `5m`, `1h`, `1d` or `1w`; a month has none, as its length differs",
            ),
        );
        /// How it is known, where that differs from its type.
        may evidence: Option<Evidence>;
    }
}

/// The name of a method of an identifier.
const METHOD: Form =
    Form::Like(SNAKE, Say("no-rust-name", "`{}` cannot be the name of a method", "write it like `my_name`"));

map! {
    /// An identifier is a part and a suffix, which answers a question.
    Shapes, SHAPES, "`shapes`" {
        /// What stands before a suffix; becomes a method.
        must part: Text as METHOD;
        /// What the suffix answers; becomes a method.
        must question: Text as METHOD;
        /// How identifiers end.
        must suffixes: Spanned<Vec<Suffix>>;
    }
}

map! {
    /// One way in which identifiers end.
    Suffix, SUFFIX, "a suffix" {
        /// As on the wire.
        must suffix: Text;
        /// What it answers; none where the question does not apply.
        may answer: Option<Text> as Form::Like(
            PASCAL,
            Say("no-rust-name", "`{}` is not the name of a variant", "write it like `MyAnswer`"),
        );
        /// What it means.
        must summary: String as Form::Prose;
        /// How it is known, where that differs from its type.
        may evidence: Option<Evidence>;
    }
}
