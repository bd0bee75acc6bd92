//! `service.yaml`: what all endpoints share.

use super::value::{FIELD, PARAM, RECORD};
use super::{EVIDENCE, KNOWN_HOW, Map, NOTES, PASCAL, Rule, SHOUTY, SNAKE, Shape, TEXTS, map, may, must};
use crate::duration;

const AT_LEAST_ONE: Shape = Shape::Whole { min: 1, max: u32::MAX };
const PLACES: Shape = Shape::List(&Shape::Like(r"^[^.]+(\.[^.]+)*$"));

/// `service.yaml`.
pub(crate) static SERVICE: Map = map(
    "the service",
    &[
        must("title", Shape::Text, "What the service is called."),
        must("version", Shape::Text, "The interface's version, quoted where YAML would read a number."),
        must("summary", Shape::Prose, "What the service is, in a sentence."),
        must(
            "env_prefix",
            SHOUTY,
            "`MARKET` makes the client read `MARKET_BASE_URL`, `MARKET_API_KEY` and so on from the environment.",
        ),
        may("base_url", Shape::Map(&BASE_URL), "What is known of every base URL. No host stands in the catalogue."),
        must("time", Shape::Map(&TIME), "How moments are counted."),
        may("credentials", Shape::Map(&CREDENTIALS), "What requests identify themselves with."),
        may("errors", Shape::List(&Shape::Map(&STATUS)), "Statuses of failures, for every endpoint."),
        may("error_body", Shape::Map(&ERROR_BODY), "Where the body of a failure says what went wrong."),
        may("limits", Shape::List(&Shape::Map(&LIMIT)), "How many requests the service takes."),
        may("envelope", Shape::Map(&ENVELOPE), "What stands around every series; without it a series is a bare list."),
        may("types", Shape::List(&Shape::Map(&TYPE)), "Named types of params and fields."),
        may("params", Shape::List(&Shape::MapWith(&PARAM, "evidence")), "Params that endpoints refer to by name."),
        may("param_sets", Shape::List(&Shape::Map(&PARAM_SET)), "Lists of shared params that go together."),
        may("records", Shape::List(&Shape::Map(&RECORD)), "Records that several groups share."),
    ],
);

static BASE_URL: Map = map(
    "`base_url`",
    &[must("suffix", Shape::Like("^/"), "What every base URL ends in."), must("evidence", EVIDENCE, KNOWN_HOW)],
);

static TIME: Map = map(
    "`time`",
    &[
        must("unit", Shape::Word(&["seconds", "milliseconds"]), "The unit of every timestamp that says no other."),
        must("evidence", EVIDENCE, KNOWN_HOW),
    ],
);

static CREDENTIALS: Map = map(
    "`credentials`",
    &[
        may("api_key", Shape::Map(&API_KEY), "A key that every request carries."),
        may("client_credentials", Shape::Map(&CLIENT_CREDENTIALS), "A token that is asked for first."),
    ],
);

static API_KEY: Map = map(
    "`api_key`",
    &[
        must("header", Shape::Like(r"^[A-Za-z0-9!#$%&'*+.^_`|~-]+$"), "The header that carries it."),
        must("evidence", EVIDENCE, KNOWN_HOW),
    ],
);

static CLIENT_CREDENTIALS: Map = map(
    "`client_credentials`",
    &[
        must("path", Shape::Like("^/"), "Where tokens are asked for, from the base URL on."),
        must("label", Shape::Text, "As printed."),
        may("reply", Shape::List(&Shape::Map(&FIELD)), "The fields of the reply."),
        may("errors", Shape::List(&Shape::Map(&STATUS)), "Statuses of failures there."),
        must("evidence", EVIDENCE, KNOWN_HOW),
    ],
);

static STATUS: Map = map(
    "a status",
    &[
        must("status", Shape::Whole { min: 300, max: 599 }, "The HTTP status code."),
        may("label", Shape::Text, "As printed, or `unknown`."),
        must("summary", Shape::Prose, "What it means."),
        may("advice", Shape::Prose, "What a user can do about it."),
        may("notes", Shape::Prose, NOTES),
        must("evidence", EVIDENCE, KNOWN_HOW),
    ],
);

static ERROR_BODY: Map = map(
    "`error_body`",
    &[
        must("message", PLACES, "Places of the message, like `detail.message`; the first that is there wins."),
        may("code", PLACES, "Places of a code; the first that is there wins."),
        must("evidence", EVIDENCE, KNOWN_HOW),
    ],
);

static LIMIT: Map = map(
    "a limit set",
    &[
        must("name", Shape::Text, "What the set is called."),
        must("requests", AT_LEAST_ONE, "How many requests are taken within `seconds`."),
        must("seconds", AT_LEAST_ONE, "The span in which `requests` are counted."),
        must("concurrent", AT_LEAST_ONE, "How many requests may be under way at a time."),
        may("applies_to", Shape::Prose, "What it holds for, in words, or `unknown`."),
        must("evidence", EVIDENCE, KNOWN_HOW),
    ],
);

pub(crate) static ENVELOPE: Map = map(
    "the envelope",
    &[
        must("data", Shape::Text, "The key of the records."),
        may("time", Shape::Map(&FIELD), "The field that every record has its time in."),
        may("metadata", Shape::Map(&METADATA), "What the service says beside the data."),
        must("evidence", EVIDENCE, KNOWN_HOW),
    ],
);

pub(crate) static METADATA: Map = map(
    "`metadata`",
    &[
        must("name", Shape::Text, "The key of the metadata."),
        must("fields", Shape::List(&Shape::Map(&FIELD)), "What it holds."),
        may("unsupported", Shape::Text, "Which of these fields, a list, names what was asked for and is not covered."),
    ],
);

static TYPE: Map = Map {
    what: "a type",
    keys: &[
        must("name", PASCAL, "The type's name, like `Timeframe`."),
        must(
            "kind",
            Shape::Word(&["enum", "identifier"]),
            "`enum`: a closed list as far as anyone knows. `identifier`: open, with known values as constants.",
        ),
        must("summary", Shape::Prose, "What a value of it says."),
        must("evidence", EVIDENCE, "How it is known, and its values unless they say otherwise."),
        may("values", Shape::List(&Shape::Map(&VALUE)), "The values that are known."),
        may("shapes", Shape::Map(&SHAPES), "How an identifier is built."),
    ],
    rules: &[Rule::Needs("kind", "enum", "values"), Rule::Excludes("kind", "enum", "shapes")],
};

static VALUE: Map = map(
    "a value",
    &[
        must("value", Shape::Like("^[^,\\t\\r\\n]*$"), "As on the wire."),
        may("ident", Shape::Like("^[A-Z][A-Za-z0-9_]*$"), "The variant or constant, where `value` makes no good one."),
        may("summary", Shape::Prose, "What it means."),
        may(
            "duration",
            Shape::Like(duration::PATTERN),
            "How long the step is that it names, like `90s`, `5m`, `1h`, `1d` or `1w`; none for a month, whose length \
             differs.",
        ),
        may("evidence", EVIDENCE, "How it is known, where that differs from its type."),
    ],
);

static SHAPES: Map = map(
    "`shapes`",
    &[
        must("part", SNAKE, "What stands before a suffix; becomes a method."),
        must("question", SNAKE, "What the suffix answers; becomes a method."),
        must("suffixes", Shape::List(&Shape::Map(&SUFFIX)), "How identifiers end."),
    ],
);

static SUFFIX: Map = map(
    "a suffix",
    &[
        must("suffix", Shape::Text, "As on the wire."),
        may("answer", PASCAL, "What it answers; none where the question does not apply."),
        must("summary", Shape::Prose, "What it means."),
        may("evidence", EVIDENCE, "How it is known, where that differs from its type."),
    ],
);

static PARAM_SET: Map = map(
    "a param set",
    &[
        must("name", Shape::Text, "What endpoints refer to it by."),
        must("params", TEXTS, "Shared params, by id or name."),
    ],
);
