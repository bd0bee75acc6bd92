//! A group file: its endpoints, and the records that several of them share.

use super::value::{FIELD, PARAM, RECORD, USE};
use super::{EVIDENCE, Map, NOTES, Rule, SNAKE, Shape, TEXTS, TIME_UNIT, UNKNOWN, map, may, must};

/// Every file but `service.yaml`.
pub(crate) static GROUP: Map = map(
    "a group",
    &[
        must("title", Shape::Text, "The group's name as the market says it."),
        must("summary", Shape::Prose, "One sentence for the docs."),
        may("aliases", TEXTS, "Other names in print."),
        may("records", Shape::List(&Shape::Map(&RECORD)), "Records that several endpoints of this group share."),
        must("endpoints", Shape::List(&Shape::Map(&ENDPOINT)), "Every endpoint of the group, known if only by name."),
    ],
);

static ENDPOINT: Map = map(
    "an endpoint",
    &[
        must("name", Shape::Text, "In words; `Anchored CVD` becomes `anchored_cvd()` and `AnchoredCvd`."),
        may("ident", SNAKE, "The method's name, where `name` does not make a good one."),
        may("aliases", TEXTS, "Other names in print."),
        must(
            "path",
            Shape::Like("^(/|unknown$)"),
            "From the base URL on, without its suffix; `{symbol}` stands for a path param. Or `unknown`: then the \
             endpoint is only listed.",
        ),
        must("evidence", EVIDENCE, "How the path is known, or the name where the path is unknown."),
        must("summary", Shape::Prose, "One sentence for the docs."),
        must(
            "params",
            Shape::Either(&[UNKNOWN, Shape::List(&Shape::Either(&[Shape::Text, Shape::UseOr(&USE, &PARAM)]))]),
            "Shared params, param sets, `use` entries and own params; `[]` for none; or `unknown`.",
        ),
        must("body", Shape::Either(&[UNKNOWN, Shape::Map(&BODY)]), "What comes back, or `unknown`."),
        may("notes", Shape::Prose, NOTES),
        may("deprecated", Shape::Prose, "Why, and what to use instead."),
    ],
);

pub(crate) static BODY: Map = Map {
    what: "a body",
    keys: &[
        may(
            "series",
            Shape::Either(&[Shape::Like("^(unknown$|[A-Z][A-Za-z0-9]*$)"), Shape::List(&Shape::Map(&FIELD))]),
            "One record a time point: a list of fields without the envelope's time field, the name of a record, or \
             `unknown`.",
        ),
        may(
            "object",
            Shape::Either(&[Shape::Like("^[A-Z][A-Za-z0-9]*$"), Shape::List(&Shape::Map(&FIELD))]),
            "The whole body is one object: a list of fields, or the name of a record.",
        ),
        may(
            "time",
            Shape::Text,
            "The field of a series that carries the time, if not the envelope's; `none` for a list that is no time \
             series.",
        ),
        may(
            "unit",
            TIME_UNIT,
            "The unit of that time, if not the service's, where it is the envelope's field or where the fields of the \
             records are unknown.",
        ),
        may("evidence", EVIDENCE, "How body and fields are known, where that differs from the path."),
    ],
    rules: &[Rule::OneOf(&["series", "object"]), Rule::With("time", "series"), Rule::With("unit", "series")],
};
