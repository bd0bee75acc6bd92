//! The format of the catalogue as one table: which keys there are, which must be there, what their values are.
//!
//! `load` walks files by it and the JSON Schema is to be emitted from it. Rules that compare one place
//! with another are not here: `check` has them.

/// What may stand at a place.
#[derive(Debug)]
pub(crate) enum Shape {
    /// Text.
    Text,
    /// Text, a number or a boolean, kept as it is written.
    Scalar,
    /// A whole number that is not negative.
    Whole,
    /// Any number.
    Number,
    /// `true` or `false`.
    Flag,
    /// One of some words.
    Word(&'static [&'static str]),
    /// A list.
    List(&'static Shape),
    /// A map with known keys.
    Map(&'static Map),
    /// `use` entries are one map, all others another.
    UseOr(&'static Map, &'static Map),
    /// Different things, told apart by whether they are text, a list or a map.
    Either(&'static [Shape]),
}

/// A map with known keys.
#[derive(Debug)]
pub(crate) struct Map {
    /// What the map is, with its article.
    pub(crate) what: &'static str,
    /// Its keys.
    pub(crate) keys: &'static [Key],
}

/// A key of a map.
#[derive(Debug)]
pub(crate) struct Key {
    /// As written.
    pub(crate) name: &'static str,
    /// Whether it must be there.
    pub(crate) required: bool,
    /// What its value is.
    pub(crate) shape: Shape,
}

impl Map {
    /// The keys that stand before another one.
    pub(crate) fn before(&self, key: &str) -> Vec<&'static str> {
        self.keys.iter().map(|key| key.name).take_while(|name| *name != key).collect()
    }
}

const fn must(name: &'static str, shape: Shape) -> Key {
    Key { name, required: true, shape }
}

const fn may(name: &'static str, shape: Shape) -> Key {
    Key { name, required: false, shape }
}

const EVIDENCE: Shape = Shape::Word(&["document", "published", "reported"]);
const TEXTS: Shape = Shape::List(&Shape::Text);
const UNKNOWN: Shape = Shape::Word(&["unknown"]);

/// `service.yaml`.
pub(crate) static SERVICE: Map = Map {
    what: "the service",
    keys: &[
        must("title", Shape::Text),
        must("version", Shape::Text),
        must("summary", Shape::Text),
        must("env_prefix", Shape::Text),
        may("base_url", Shape::Map(&BASE_URL)),
        must("time", Shape::Map(&TIME)),
        may("credentials", Shape::Map(&CREDENTIALS)),
        may("errors", Shape::List(&Shape::Map(&STATUS))),
        may("error_body", Shape::Map(&ERROR_BODY)),
        may("limits", Shape::List(&Shape::Map(&LIMIT))),
        may("envelope", Shape::Map(&ENVELOPE)),
        may("types", Shape::List(&Shape::Map(&TYPE))),
        may("params", Shape::List(&Shape::Map(&PARAM))),
        may("param_sets", Shape::List(&Shape::Map(&PARAM_SET))),
        may("records", Shape::List(&Shape::Map(&RECORD))),
    ],
};

/// Every other file.
pub(crate) static GROUP: Map = Map {
    what: "a group",
    keys: &[
        must("title", Shape::Text),
        must("summary", Shape::Text),
        may("aliases", TEXTS),
        may("records", Shape::List(&Shape::Map(&RECORD))),
        must("endpoints", Shape::List(&Shape::Map(&ENDPOINT))),
    ],
};

static BASE_URL: Map = Map { what: "`base_url`", keys: &[must("suffix", Shape::Text), must("evidence", EVIDENCE)] };

static TIME: Map = Map {
    what: "`time`",
    keys: &[must("unit", Shape::Word(&["seconds", "milliseconds"])), must("evidence", EVIDENCE)],
};

static CREDENTIALS: Map = Map {
    what: "`credentials`",
    keys: &[may("api_key", Shape::Map(&API_KEY)), may("client_credentials", Shape::Map(&CLIENT_CREDENTIALS))],
};

static API_KEY: Map = Map { what: "`api_key`", keys: &[must("header", Shape::Text), must("evidence", EVIDENCE)] };

static CLIENT_CREDENTIALS: Map = Map {
    what: "`client_credentials`",
    keys: &[
        must("path", Shape::Text),
        must("label", Shape::Text),
        may("reply", Shape::List(&Shape::Map(&FIELD))),
        may("errors", Shape::List(&Shape::Map(&STATUS))),
        must("evidence", EVIDENCE),
    ],
};

static STATUS: Map = Map {
    what: "a status",
    keys: &[
        must("status", Shape::Whole),
        may("label", Shape::Text),
        must("summary", Shape::Text),
        may("advice", Shape::Text),
        may("notes", Shape::Text),
        must("evidence", EVIDENCE),
    ],
};

static ERROR_BODY: Map =
    Map { what: "`error_body`", keys: &[must("message", TEXTS), may("code", TEXTS), must("evidence", EVIDENCE)] };

static LIMIT: Map = Map {
    what: "a limit set",
    keys: &[
        must("name", Shape::Text),
        must("requests", Shape::Whole),
        must("seconds", Shape::Whole),
        must("concurrent", Shape::Whole),
        may("applies_to", Shape::Text),
        must("evidence", EVIDENCE),
    ],
};

static ENVELOPE: Map = Map {
    what: "the envelope",
    keys: &[
        must("data", Shape::Text),
        may("time", Shape::Map(&FIELD)),
        may("metadata", Shape::Map(&METADATA)),
        must("evidence", EVIDENCE),
    ],
};

static METADATA: Map =
    Map { what: "`metadata`", keys: &[must("name", Shape::Text), must("fields", Shape::List(&Shape::Map(&FIELD)))] };

static TYPE: Map = Map {
    what: "a type",
    keys: &[
        must("name", Shape::Text),
        must("kind", Shape::Word(&["enum", "identifier"])),
        must("summary", Shape::Text),
        must("evidence", EVIDENCE),
        may("values", Shape::List(&Shape::Map(&VALUE))),
        may("shapes", Shape::Map(&SHAPES)),
    ],
};

static VALUE: Map = Map {
    what: "a value",
    keys: &[
        must("value", Shape::Text),
        may("ident", Shape::Text),
        may("summary", Shape::Text),
        may("evidence", EVIDENCE),
    ],
};

static SHAPES: Map = Map {
    what: "`shapes`",
    keys: &[
        must("part", Shape::Text),
        must("question", Shape::Text),
        must("suffixes", Shape::List(&Shape::Map(&SUFFIX))),
    ],
};

static SUFFIX: Map = Map {
    what: "a suffix",
    keys: &[
        must("suffix", Shape::Text),
        may("answer", Shape::Text),
        must("summary", Shape::Text),
        may("evidence", EVIDENCE),
    ],
};

static PARAM: Map = Map {
    what: "a param",
    keys: &[
        may("id", Shape::Text),
        must("name", Shape::Text),
        may("ident", Shape::Text),
        must("type", Shape::Text),
        may("list", Shape::Text),
        may("in", Shape::Word(&["query", "path"])),
        may("required", EVIDENCE),
        may("default", Shape::Scalar),
        may("range", Shape::Map(&RANGE)),
        may("unit", Shape::Text),
        must("summary", Shape::Text),
        may("evidence", EVIDENCE),
        may("notes", Shape::Text),
    ],
};

static USE: Map = Map {
    what: "a `use` entry",
    keys: &[must("use", Shape::Text), may("required", EVIDENCE), may("evidence", EVIDENCE), may("notes", Shape::Text)],
};

static PARAM_SET: Map = Map { what: "a param set", keys: &[must("name", Shape::Text), must("params", TEXTS)] };

static RECORD: Map = Map {
    what: "a record",
    keys: &[
        must("name", Shape::Text),
        must("summary", Shape::Text),
        must("fields", Shape::List(&Shape::Map(&FIELD))),
        must("evidence", EVIDENCE),
    ],
};

pub(crate) static FIELD: Map = Map {
    what: "a field",
    keys: &[
        must("name", Shape::Text),
        may("ident", Shape::Text),
        must("type", Shape::Text),
        must("summary", Shape::Text),
        may("unit", Shape::Text),
        may("range", Shape::Map(&RANGE)),
        may("optional", Shape::Flag),
        may("evidence", EVIDENCE),
        may("notes", Shape::Text),
    ],
};

static RANGE: Map = Map { what: "a range", keys: &[may("min", Shape::Number), may("max", Shape::Number)] };

static ENDPOINT: Map = Map {
    what: "an endpoint",
    keys: &[
        must("name", Shape::Text),
        may("ident", Shape::Text),
        may("aliases", TEXTS),
        must("path", Shape::Text),
        must("evidence", EVIDENCE),
        must("summary", Shape::Text),
        must(
            "params",
            Shape::Either(&[UNKNOWN, Shape::List(&Shape::Either(&[Shape::Text, Shape::UseOr(&USE, &PARAM)]))]),
        ),
        must("body", Shape::Either(&[UNKNOWN, Shape::Map(&BODY)])),
        may("notes", Shape::Text),
        may("deprecated", Shape::Text),
    ],
};

pub(crate) static BODY: Map = Map {
    what: "a body",
    keys: &[
        may("series", Shape::Either(&[Shape::Text, Shape::List(&Shape::Map(&FIELD))])),
        may("object", Shape::Either(&[Shape::Text, Shape::List(&Shape::Map(&FIELD))])),
        may("time", Shape::Text),
        may("evidence", EVIDENCE),
    ],
};
