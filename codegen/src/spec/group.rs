//! A group file: its endpoints, and what they may leave unknown.

use super::value::{IDENT, PARAM, UNIT_OR_FORMAT, USE};
use super::{Evidence, Field, History, Param, Record, Use};
use crate::format::Condition::{Has, HasAny, HasNotOne, Lacks, Says, SaysElse};
use crate::format::{Form, Key, Rule, Say, Shape, map};
use crate::marked::Node;
use crate::spanned::{Spanned, Text};
use crate::time_unit::{TimeFormat, TimeUnit};
use crate::walk::{Read, Walk};

map! {
    /// Every file but `service.yaml`.
    Group, GROUP, "a group" {
        /// The group's name as the market says it.
        must title: Text;
        /// One sentence for the docs.
        must summary: String as Form::Prose;
        /// Other names in print.
        may aliases: Vec<String>;
        /// What else a user should know of every endpoint of the group.
        may notes: String as Form::Prose;
        /// Records that several endpoints of this group share.
        may records: Vec<Record>;
        /// Every endpoint of the group, known if only by name.
        must endpoints: Vec<Endpoint>;
    }
}

map! {
    /// It becomes a method if its path is known.
    Endpoint, ENDPOINT, "an endpoint" {
        /// In words; `Anchored CVD` becomes `anchored_cvd()` and `AnchoredCvd`.
        must name: Text;
        /// The method's name, where `name` does not make a good one.
        may rust_name: Option<Text> as IDENT;
        /// Other names in print.
        may aliases: Vec<String>;
        /// From the base URL on, without its suffix; `{symbol}` stands for a path param. Or `unknown`: then the
        /// endpoint is only listed.
        must path: Known<Text> as Form::Path { takes_params: true };
        /// How the path is known, or the name where the path is unknown.
        must evidence: Evidence;
        /// One sentence for the docs.
        must summary: String as Form::Prose;
        /// Shared params, param sets, `use` entries and own params; `[]` for none; or `unknown`. Left out where the
        /// path is unknown.
        may params: Known<Vec<ParamEntry>>;
        /// What comes back, or `unknown`; `series` where no more is known than that it is one, which is known as the
        /// envelope is.
        may body: Known<BodyEntry>;
        /// How its history is walked, where that differs from the service; `unknown` if it has the params for it and
        /// nobody knows.
        may history: Option<Known<History>>;
        /// How many requests the service counts a request as, where that is not one.
        may weight: Option<u32> as Form::Within(1, u32::MAX, Say("no-weight", "a request counts as one at least", "write at least 1"));
        /// What else a user should know.
        may notes: String as Form::Prose;
        /// Why, and what to use instead.
        may deprecated: Option<String> as Form::Prose;
    }
    Rule {
        never: &[SaysElse("path", "unknown"), Lacks("params")],
        at: "",
        say: Say("missing-key", "an endpoint with a path has no `params`", "list them, or write `params: []` or `params: unknown`"),
    },
    Rule {
        never: &[SaysElse("path", "unknown"), Lacks("body")],
        at: "",
        say: Say("missing-key", "an endpoint with a path has no `body`", "say what comes back, or write `body: unknown`"),
    }
}

map! {
    /// It has one of `series`, `object` and `type`. Fields listed in a series do not repeat the time field of the
    /// envelope, unless they have places instead of names; a named record lists its own.
    Body, BODY, "a body" {
        /// One record a time point: a list of fields without the envelope's time field, the name of a record, or
        /// `unknown`.
        may series: Option<Known<Fields>>;
        /// The whole body is one object: a list of fields, or the name of a record.
        may object: Option<Known<Fields>>;
        /// The whole body is a value of a type, like `map<number>` for an object whose keys are data.
        may "type" ty: Option<Text> as Form::Type;
        /// `true` if the fields listed here are written as a list, in their order and without their names, as those of
        /// candles often are.
        may positional: Option<Spanned<bool>>;
        /// The field of a series that carries the time, if not the envelope's; `none` for a list that is no time
        /// series.
        may time: Option<Text>;
        /// The unit of that time, if it is another than the service's, where it is the envelope's field or where the
        /// fields of the records are unknown.
        may unit: Option<Spanned<TimeUnit>>;
        /// The same where that time is text: `iso8601` or `date`.
        may format: Option<Spanned<TimeFormat>>;
        /// How body and fields are known, where that differs from the path.
        may evidence: Option<Evidence>;
    }
    Rule {
        never: &[HasNotOne(&["series", "object", "type"])],
        at: "",
        say: Say("body-kind", "a body has one of `series`, `object` and `type`", "keep one, or write `body: unknown`"),
    },
    Rule {
        never: &[HasAny(&["time", "unit", "format"]), Lacks("series")],
        at: "",
        say: Say("body-time", "only a `series` has a time field", "leave this out"),
    },
    Rule {
        never: &[Says("time", "none"), HasAny(&["unit", "format"])],
        at: "",
        say: Say("body-time", "the series has no time field", "leave this out"),
    },
    Rule { never: &[Has("unit"), Has("format")], at: "format", say: UNIT_OR_FORMAT },
    Rule {
        never: &[Has("type"), Has("positional")],
        at: "positional",
        say: Say("body-positional", "a body of a `type` lists no fields", "set it on the record that the type names"),
    },
    Rule {
        never: &[Says("series", "unknown"), Has("positional")],
        at: "positional",
        say: Say("body-positional", "the fields are unknown", "leave `positional` out"),
    },
    Rule {
        never: &[Says("object", "unknown")],
        at: "object",
        say: Say("body-kind", "an object without known fields is unknown", "write `body: unknown`"),
    }
}

/// Something, or `unknown`.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Known<T> {
    #[default]
    Unknown,
    Known(T),
}

impl<T> Known<T> {
    pub fn known(&self) -> Option<&T> {
        match self {
            Self::Unknown => None,
            Self::Known(value) => Some(value),
        }
    }
}

/// What an endpoint says of its body.
#[derive(Clone, Debug)]
pub enum BodyEntry {
    /// A series of which no more is known.
    Series,
    /// What it says.
    Said(Box<Body>),
}

impl BodyEntry {
    /// The body in full.
    pub fn body(&self) -> &Body {
        static SERIES: Body = Body {
            series: Some(Known::Unknown),
            object: None,
            ty: None,
            positional: None,
            time: None,
            unit: None,
            format: None,
            evidence: None,
        };
        match self {
            Self::Series => &SERIES,
            Self::Said(body) => body,
        }
    }
}

/// The fields of a record, or the name of a record that has them.
#[derive(Clone, Debug)]
pub enum Fields {
    Record(Text),
    Inline(Vec<Field>),
}

/// One entry of an endpoint's `params`.
#[derive(Clone, Debug)]
pub enum ParamEntry {
    /// The name of a shared param or of a param set.
    Name(Text),
    /// A shared param with something said anew.
    Use(Use),
    /// A param of this endpoint alone.
    Own(Box<Param>),
}

impl Read for Fields {
    const SHAPE: Shape = Shape::Either(&[Shape::Text, Vec::<Field>::SHAPE]);

    fn read(node: &Node, key: &Key, walk: &mut Walk) -> Option<Self> {
        match node.text() {
            Some(_) => Text::read(node, key, walk).map(Self::Record),
            None => Vec::read(node, key, walk).map(Self::Inline),
        }
    }
}

impl Read for BodyEntry {
    const SHAPE: Shape = Shape::Either(&[Shape::Word(&[("series", " A series of unknown records.")]), Body::SHAPE]);

    fn read(node: &Node, key: &Key, walk: &mut Walk) -> Option<Self> {
        if node.text() == Some("series") {
            return Some(Self::Series);
        }
        let said = walk.either(node, &Self::SHAPE).then(|| Body::read(node, key, walk))?;
        said.map(|body| Self::Said(Box::new(body)))
    }
}

impl Read for ParamEntry {
    const SHAPE: Shape = Shape::Either(&[Shape::Text, Shape::UseOr(&USE, &PARAM)]);

    fn read(node: &Node, key: &Key, walk: &mut Walk) -> Option<Self> {
        if !walk.either(node, &Self::SHAPE) {
            return None;
        }
        match (node.text(), node.get("use")) {
            (Some(_), _) => Text::read(node, key, walk).map(Self::Name),
            (None, Some(_)) => Use::read(node, key, walk).map(Self::Use),
            (None, None) => Param::read(node, key, walk).map(|param| Self::Own(Box::new(param))),
        }
    }
}
