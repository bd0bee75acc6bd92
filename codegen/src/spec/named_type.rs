//! Declares `types` of `service.yaml`, with their values and the attributes of the values.

use super::Evidence;
use super::value::TYPE_NAME;
use crate::catalogue_format::Condition::{Is, ListsNothing};
use crate::catalogue_format::{Fault, Form, Rule, SNAKE, map, words};
use crate::duration;
use crate::spanned::Text;

/// The condition for the name of a method of a type.
const METHOD: Form =
    Form::Like(SNAKE, Fault("no-rust-name", "`{}` cannot be the name of a method", "write it like `my_name`"));

map! {
    /// A type for params and fields whose values are texts.
    Type, TYPE, "a type" {
        /// The name of the type, for example `Timeframe`.
        must name: Text as TYPE_NAME;
        /// `enum` if all values are listed, `identifier` if more may exist.
        must kind: TypeKind;
        /// A description of its values.
        must summary: String as Form::Prose;
        /// The source of the type, and of values without `evidence`.
        must evidence: Evidence;
        /// The known values.
        may values: Vec<Value>;
        /// The names of the attributes of its values, for example `venue`: each becomes a method. Values list their
        /// `attributes` in this order.
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
        /// All known values are listed. The client keeps an unknown value as text.
        Enum = "enum",
        /// Open, with known values as constants.
        Identifier = "identifier",
    }
}

map! {
    /// A value becomes a variant of an enum, or a constant of an identifier.
    Value, VALUE, "a value" {
        /// The value on the wire.
        must value: Text as Form::Like(
            r"^[^,\t\r\n]*$",
            Fault("wrong-value", "the value `{}` has a comma, which separates values on the wire", ""),
        );
        /// The name of the variant or constant, if the one derived from `value` is unsuitable.
        may rust_name: Option<Text> as Form::Like(
            "^[A-Z](_?[A-Za-z0-9])*_?$",
            Fault("no-rust-name", "`{}` is not a valid Rust name", "write it like `MyValue` or `MY_VALUE`"),
        );
        /// A description for users.
        may summary: String as Form::Prose;
        /// The length of the interval that the value names, for example `90s`, `5m`, `1h`, `1d` or `1w`. It adds the
        /// method `duration` to the type. A month has no fixed length, and so no `duration`.
        may duration: Option<Text> as Form::Like(
            duration::PATTERN,
            Fault(
                "duration",
                "`{}` is not a valid duration",
                "write it like `90s`, `5m`, `1h`, `1d` or `1w`; omit it for a month, whose length varies",
            ),
        );
        /// The attributes of the value, in the order of the type's `attributes`; trailing ones may be omitted.
        may attributes: Vec<Text>;
        /// The source of the value, if it differs from that of its type.
        may evidence: Option<Evidence>;
    }
}
