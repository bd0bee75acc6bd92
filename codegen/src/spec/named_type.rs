//! `types` of `service.yaml`: their values, and the attributes of those.

use super::Evidence;
use super::value::TYPE_NAME;
use crate::catalogue_format::Condition::{Is, ListsNothing};
use crate::catalogue_format::{Fault, Form, Rule, SNAKE, map, words};
use crate::duration;
use crate::spanned::Text;

/// The name of a method of a type.
const METHOD: Form =
    Form::Like(SNAKE, Fault("no-rust-name", "`{}` cannot be the name of a method", "write it like `my_name`"));

map! {
    /// A type of texts that params and fields can have.
    Type, TYPE, "a type" {
        /// The type's name, like `Timeframe`.
        must name: Text as TYPE_NAME;
        /// Whether its values are a closed list.
        must kind: TypeKind;
        /// The meaning of a value.
        must summary: String as Form::Prose;
        /// The evidence of the type, and of its values unless they have their own.
        must evidence: Evidence;
        /// The values that are known.
        may values: Vec<Value>;
        /// The names of what values have, like `venue`: each becomes a method. Values list their `attributes` in this
        /// order.
        may attributes: Vec<Text> as METHOD;
    }
    Rule {
        never: &[Is("kind", "enum"), ListsNothing("values")],
        at: "",
        fault: Fault("no-values", "the enum `{}` has no values", "list its `values`, or make it `kind: identifier`"),
    }
}

words! {
    /// Whether the values of a type are a closed list.
    TypeKind {
        /// A closed list as far as known. The client keeps an unknown value as text.
        Enum = "enum",
        /// Open, with known values as constants.
        Identifier = "identifier",
    }
}

map! {
    /// A value becomes a variant of an enum, or a constant of an identifier.
    Value, VALUE, "a value" {
        /// As on the wire.
        must value: Text as Form::Like(
            r"^[^,\t\r\n]*$",
            Fault("wrong-value", "the value `{}` has a comma, which separates values on the wire", ""),
        );
        /// The variant or constant, where the one from `value` is unsuitable.
        may rust_name: Option<Text> as Form::Like(
            "^[A-Z](_?[A-Za-z0-9])*_?$",
            Fault("no-rust-name", "`{}` is not a valid Rust name", "write it like `MyValue` or `MY_VALUE`"),
        );
        /// What it means.
        may summary: String as Form::Prose;
        /// The length of the step that it names, like `90s`, `5m`, `1h`, `1d` or `1w`: with it the Rust type has a method
        /// `duration`. A month has none, since its length differs.
        may duration: Option<Text> as Form::Like(
            duration::PATTERN,
            Fault(
                "duration",
                "`{}` is not a valid duration",
                "write it like `90s`, `5m`, `1h`, `1d` or `1w`; a month has none, as its length differs",
            ),
        );
        /// Its attributes, in the order of those of the type; trailing ones may be omitted.
        may attributes: Vec<Text>;
        /// How it is known, where that differs from its type.
        may evidence: Option<Evidence>;
    }
}
