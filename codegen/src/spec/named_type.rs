//! Declares `types` of `service.yaml`, with their values and the attributes of the values.

use super::Evidence;
use super::value::TYPE_NAME;
use crate::catalogue_format::Condition::{Is, ListsNothing};
use crate::catalogue_format::{Fault, Form, Rule, SNAKE, map, words};
use crate::duration;
use crate::spanned::Text;

/// The condition for the name of a method of a type.
const METHOD: Form =
    Form::Like(SNAKE, Fault("no-rust-name", "`{}` cannot be the name of a method", "write a name like `my_name`"));

map! {
    /// A type for params and fields whose values are strings.
    Type, TYPE, "a type" {
        /// The name of the type, for example `Timeframe`.
        must name: Text as TYPE_NAME;
        /// `enum` if all values are listed, `identifier` if further values may exist.
        must kind: TypeKind;
        /// A description of the values. Omitted if the meaning is unknown.
        may summary: String as Form::Prose;
        /// The source of the type, and of values without `evidence`.
        must evidence: Evidence;
        /// The known values.
        may values: Vec<Value>;
        /// The names of the attributes of the values, for example `venue`. Each attribute becomes a method. Values list
        /// their `attributes` in this order.
        may attributes: Vec<Text> as METHOD;
    }
    Rule {
        never: &[Is("kind", "enum"), ListsNothing("values")],
        at: "",
        fault: Fault("no-values", "the enum `{}` has no values", "list its `values`, or write `kind: identifier`"),
    }
}

words! {
    /// The kind of a type: all values are listed, or further values may exist.
    TypeKind {
        /// All values are listed. If the service adds a value, the client keeps it as text.
        Enum = "enum",
        /// Further values may exist. The known values become constants.
        Identifier = "identifier",
    }
}

map! {
    /// A known value of a type. It becomes a variant if the type is an enum, and a constant if the type is an
    /// identifier.
    Value, VALUE, "a value" {
        /// The value on the wire.
        must value: Text as Form::Like(
            r"^[^,\t\r\n]*$",
            Fault("wrong-value", "the value `{}` contains a comma, which separates values on the wire", ""),
        );
        /// The name of the variant or constant, if the name derived from `value` is unsuitable.
        may rust_name: Option<Text> as Form::Like(
            "^[A-Z](_?[A-Za-z0-9])*_?$",
            Fault("no-rust-name", "`{}` is not a valid Rust name", "write a name like `MyValue` or `MY_VALUE`"),
        );
        /// A description for users.
        may summary: String as Form::Prose;
        /// The length of the interval that the value denotes, for example `90s`, `5m`, `1h`, `1d` or `1w`. A type with
        /// durations has the method `duration`. Omit this key for a month, which has no fixed length.
        may duration: Option<Text> as Form::Like(
            duration::PATTERN,
            Fault(
                "duration",
                "`{}` is not a valid duration",
                "write a duration like `90s`, `5m`, `1h`, `1d` or `1w`; omit the key for a month, whose length varies",
            ),
        );
        /// The attributes of the value, in the order of the type's `attributes`. The last attributes may be omitted.
        may attributes: Vec<Text>;
        /// The source of the value, if it differs from the source of its type.
        may evidence: Option<Evidence>;
    }
}
