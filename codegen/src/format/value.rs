//! What both kinds of file have: params, records and their fields.

use super::{EVIDENCE, KNOWN_HOW, Map, NOTES, PASCAL, Rule, SNAKE, Shape, map, may, must};

pub(super) static PARAM: Map = map(
    "a param",
    &[
        may("id", Shape::Text, "What entries refer to it by, where two shared params have one `name`."),
        must("name", Shape::Text, "As on the wire."),
        may("ident", SNAKE, "The setter's name, where `name` does not make a good one."),
        must("type", Shape::Type, "What one value is: a built-in type or a name from `types`."),
        may("list", SNAKE, "The name of the setter that takes several, written comma-separated on the wire."),
        may("in", Shape::Word(&["query", "path"]), "Where it is sent: in the query unless said otherwise."),
        may(
            "required",
            EVIDENCE,
            "How it is known to be required. `document` and `published` make it an argument, `reported` is \
             documented only.",
        ),
        may("default", Shape::Scalar, "What the service takes where it is left out."),
        may("range", Shape::Map(&RANGE), "Bounds, checked before sending where the evidence is not `reported`."),
        may(
            "served",
            Shape::List(&Shape::Scalar),
            "The only values that public clients were served; documented, never enforced.",
        ),
        may("unit", Shape::Text, "In words, like `percent`; `seconds` or `milliseconds` of a timestamp."),
        must("summary", Shape::Prose, "What it means."),
        may("evidence", EVIDENCE, KNOWN_HOW),
        may("notes", Shape::Prose, NOTES),
    ],
);

pub(super) static USE: Map = map(
    "a `use` entry",
    &[
        must("use", Shape::Text, "The shared param that is known differently here."),
        may("required", EVIDENCE, "How it is known to be required here."),
        may("evidence", EVIDENCE, "How it is known here."),
        may("notes", Shape::Prose, "What else a user should know of it here."),
    ],
);

pub(super) static RECORD: Map = map(
    "a record",
    &[
        must("name", PASCAL, "The type's name, like `PriceLevel`."),
        must("summary", Shape::Prose, "What one of them is."),
        must("fields", Shape::List(&Shape::Map(&FIELD)), "Every field that is known, the time field too."),
        must("evidence", EVIDENCE, "How it is known, and its fields unless they say otherwise."),
    ],
);

pub(crate) static FIELD: Map = map(
    "a field",
    &[
        must("name", Shape::Text, "As on the wire."),
        may("ident", SNAKE, "The Rust name, where `name` does not make a good one."),
        must("type", Shape::Type, "What it holds: a built-in type, `list<…>`, or a name from `types` or `records`."),
        must("summary", Shape::Prose, "What it means."),
        may(
            "unit",
            Shape::Text,
            "In words, like `percent`, `quote currency` or `USD`; `seconds` or `milliseconds` of a timestamp.",
        ),
        may("range", Shape::Map(&RANGE), "The values that occur."),
        may("optional", Shape::Flag, "`true` if it can be absent or null although it is documented."),
        may("evidence", EVIDENCE, "How it is known, where that differs from its body or record."),
        may("notes", Shape::Prose, NOTES),
    ],
);

static RANGE: Map = Map {
    what: "a range",
    keys: &[
        may("min", Shape::Number, "The smallest value, included."),
        may("max", Shape::Number, "The largest value, included."),
    ],
    rules: &[Rule::NotEmpty],
};
