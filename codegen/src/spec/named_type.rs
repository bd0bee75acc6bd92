//! Declares `types` of `service.yaml`, with their values and the attributes of the values.

use super::Evidence;
use crate::catalogue_format::Condition::{Is, ListsNothing};
use crate::catalogue_format::{Form, map, words};
use crate::duration;
use crate::names::Case;
use crate::spanned::Text;

map! {
    /// A type for params and fields whose values are strings.
    Type, TYPE, "a type" {
        /// The name of the type, for example `Timeframe`.
        must name: Text as Form::Name(Case::Pascal);
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
        may attributes: Vec<Text> as Form::Name(Case::Snake);
    }
    never(Is("kind", "enum"), ListsNothing("values")): "no-values";
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

/// The form of a length of time.
pub(super) const DURATION: Form = Form::Like(duration::PATTERN, "duration");

map! {
    /// A known value of a type. It becomes a variant if the type is an enum, and a constant if the type is an
    /// identifier.
    Value, VALUE, "a value" {
        /// The value on the wire.
        must value: Text as Form::Like(r"^[^,\t\r\n]*$", "wrong-value/comma");
        /// The name of the variant or constant, if the name derived from `value` is unsuitable.
        may rust_name: Option<Text>;
        /// A description for users.
        may summary: String as Form::Prose;
        /// The length of the interval that the value denotes, for example `90s`, `5m`, `1h`, `1d` or `1w`. A type with
        /// durations has the method `duration`. Omit this key for a month, which has no fixed length.
        may duration: Option<Text> as DURATION;
        /// The attributes of the value, in the order of the type's `attributes`. The last attributes may be omitted.
        may attributes: Vec<Text>;
        /// The source of the value, if it differs from the source of its type.
        may evidence: Option<Evidence>;
    }
}
