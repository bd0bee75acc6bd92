//! `service.yaml`: what all endpoints share.

use std::sync::Arc;

use super::value::{TYPE_NAME, UNIT_OR_FORMAT};
use super::{Credentials, Evidence, Field, Header, Known, Param, Record, Type};
use crate::diagnostic::{Location, SourceFile};
use crate::format::Condition::{Has, Lacks, ListsNothing};
use crate::format::{Form, Rule, SHOUTY, Say, map};
use crate::spanned::{Spanned, Text};
use crate::time_unit::{TimeForm, TimeFormat, TimeUnit};
use crate::walk::Read;

map! {
    /// `service.yaml` says what all endpoints share.
    Service, SERVICE, "the service" {
        /// What the service is called.
        must title: String;
        /// The interface's version, quoted where YAML would read a number.
        must version: String;
        /// What the service is, in a sentence.
        must summary: String as Form::Prose;
        /// `MARKET` makes the client read `MARKET_BASE_URL`, `MARKET_API_KEY` and so on from the environment.
        must env_prefix: String as Form::Like(
            SHOUTY,
            Say("env-prefix", "`{}` cannot begin the name of an environment variable", "write it like `MY_SERVICE`"),
        );
        /// What is known of every base URL. No host stands in the catalogue.
        may base_url: Option<BaseUrl>;
        /// How moments are counted.
        must time: Time;
        /// What requests identify themselves with.
        may credentials: Credentials;
        /// Headers that every request carries with the same value.
        may headers: Vec<Header>;
        /// Statuses of failures, for every endpoint.
        may errors: Vec<Status>;
        /// Where the body of a failure says what went wrong.
        may error_body: ErrorBody;
        /// How many requests the service takes.
        may limits: Vec<Limit>;
        /// What stands around every series; without it a series is a bare list.
        may envelope: Option<Envelope>;
        /// How a range of time is walked, on every endpoint that takes the params for it.
        may history: Option<History>;
        /// Named types of params and fields.
        may types: Vec<Type>;
        /// Params that endpoints refer to by name.
        may params: Vec<Param> as Form::With(
            "evidence",
            Say("missing-key", "the shared param `{}` has no evidence", "add `evidence: reported`"),
        );
        /// Lists of shared params that go together.
        may param_sets: Vec<ParamSet>;
        /// Records that several groups share.
        may records: Vec<Record>;
    }
}

impl Service {
    /// The field that has the time of a record, unless a body names its own.
    pub fn envelope_time(&self) -> Option<&Field> {
        self.envelope.as_ref()?.time.as_ref()
    }

    /// How moments are written that say nothing else.
    pub fn time_form(&self) -> TimeForm {
        TimeForm::of(self.time.unit, self.time.format).unwrap_or(TimeForm::Counted(TimeUnit::Seconds))
    }

    /// A service of which nothing is known.
    pub fn unknown() -> Option<Self> {
        let file = Arc::new(SourceFile::new("service.yaml".to_owned(), String::new()));
        Self::stand_in(&Location::new(&file, 0..0))
    }
}

map! {
    /// Users give the rest of it.
    BaseUrl, BASE_URL, "`base_url`" {
        /// What every base URL ends in.
        must suffix: String as Form::Path { takes_params: false };
        /// How it is known.
        must evidence: Evidence;
    }
}

map! {
    /// It holds for the whole service, and says one of `unit` and `format`.
    Time, TIME, "`time`" {
        /// The unit of every timestamp that says no other.
        may unit: Option<TimeUnit>;
        /// What every timestamp is written as that says no other, if that is text.
        may format: Option<TimeFormat>;
        /// How it is known.
        must evidence: Evidence;
    }
    Rule {
        never: &[Lacks("unit"), Lacks("format")],
        at: "",
        say: Say(
            "time-format",
            "`time` says neither `unit` nor `format`",
            "add `unit: seconds`, `unit: milliseconds` or `format: iso8601`",
        ),
    },
    Rule {
        never: &[Has("unit"), Has("format")],
        at: "format",
        say: UNIT_OR_FORMAT,
    }
}

map! {
    /// A failure that the service tells by its HTTP status.
    Status, STATUS, "a status" {
        /// The HTTP status code.
        must status: Spanned<u16> as Form::Within(
            300,
            599,
            Say("status-code", "{} is not the HTTP status code of a failure", "such a code lies between 300 and 599"),
        );
        /// As printed, or `unknown`.
        may label: Known<String>;
        /// What it means.
        must summary: String as Form::Prose;
        /// What a user can do about it.
        may advice: String as Form::Prose;
        /// What else a user should know.
        may notes: String as Form::Prose;
        /// How it is known.
        must evidence: Evidence;
    }
}

/// A place in a body.
const PLACE: Form = Form::Like(
    r"^[^.]+(\.[^.]+)*$",
    Say(
        "dotted-path",
        "`{}` is no place in a body",
        "write keys with dots between them; one that has a dot of its own cannot be named",
    ),
);

map! {
    /// Of several places the first that is there wins.
    ErrorBody, ERROR_BODY, "`error_body`", Default {
        /// What the interface calls its schema.
        may name: Option<Text> as TYPE_NAME;
        /// How that name is known, where it is known otherwise than the places.
        may name_evidence: Option<Evidence>;
        /// Places of the message, like `detail.message`.
        must message: Vec<String> as PLACE;
        /// Places of a code.
        may code: Vec<String> as PLACE;
        /// How it is known.
        must evidence: Option<Evidence>;
    }
}

/// A number of a limit that is not 0.
const fn at_least_one(message: &'static str) -> Form {
    Form::Within(1, u32::MAX, Say("empty-limit", message, "write at least 1"))
}

map! {
    /// Several sets may hold for several kinds of customer.
    Limit, LIMIT, "a limit set" {
        /// What the set is called.
        must name: Text;
        /// How many requests are taken within `seconds`.
        must requests: u32 as at_least_one("a limit set with no requests lets nothing through");
        /// The span in which `requests` are counted.
        must seconds: u32 as at_least_one("a limit set with no seconds lets nothing through");
        /// How many requests may be under way at a time, if that is limited and known.
        may concurrent: Known<u32> as at_least_one("a limit set with no concurrent lets nothing through");
        /// What it holds for, in words, or `unknown`.
        may scope: Known<String> as Form::Prose;
        /// Which endpoints it counts, by the names of their groups or by their paths; every request where it is left
        /// out.
        may endpoints: Vec<Text>;
        /// How it is known.
        must evidence: Evidence;
    }
    Rule {
        never: &[Has("endpoints"), ListsNothing("endpoints")],
        at: "endpoints",
        say: Say(
            "limit-of-nothing",
            "a limit set of no endpoints counts nothing",
            "name groups or paths, or leave `endpoints` out, so that it counts every request",
        ),
    },
    Rule {
        never: &[Has("endpoints"), Has("concurrent")],
        at: "concurrent",
        say: Say(
            "limit-concurrent",
            "what is under way is counted of all requests, and the limit set counts those of some endpoints",
            "write a limit set of its own for `concurrent`",
        ),
    }
}

map! {
    /// It holds for every series.
    Envelope, ENVELOPE, "the envelope" {
        /// Where the records are: a key, or keys with dots between them that lead there, like `result.rows`.
        must data: String as PLACE;
        /// The field that every record has its time in.
        may time: Option<Field>;
        /// What the service says beside the data.
        may metadata: Option<Metadata>;
        /// How it is known.
        must evidence: Evidence;
    }
}

map! {
    /// It becomes the record `Metadata`.
    Metadata, METADATA, "`metadata`" {
        /// Where it is: a key, or keys with dots between them that lead there.
        must name: Text as PLACE;
        /// What it holds, known as the envelope is unless a field says otherwise.
        must fields: Vec<Field>;
        /// Which of these fields, a list, names what was asked for and is not covered.
        may unsupported: Option<Text>;
    }
}

map! {
    /// An endpoint has a history if it takes the params `from`, `to`, `limit` and `step`, and answers with a series in
    /// time.
    History, HISTORY, "`history`" {
        /// The param where a range begins, by its name on the wire; a `timestamp`.
        must from: Text;
        /// The param where it ends; a `timestamp`.
        must to: Text;
        /// The param that says how many records are wanted at most; a `count`, of which the largest that is `allowed_values` is
        /// asked for.
        must limit: Text;
        /// The param that says how far apart records are; of a type whose values have a `duration`.
        must step: Text;
        /// The param that says in which order records come.
        may sort: Option<Text>;
        /// The value of that param for the oldest first.
        may oldest_first: Option<Text>;
        /// How it is known.
        must evidence: Evidence;
    }
    Rule {
        never: &[Has("sort"), Lacks("oldest_first")],
        at: "sort",
        say: Say("history-sort", "nothing says which value of `sort` is the oldest first", "say it with `oldest_first`"),
    },
    Rule {
        never: &[Has("oldest_first"), Lacks("sort")],
        at: "oldest_first",
        say: Say("history-sort", "nothing says which param has this value", "name it with `sort`"),
    }
}

map! {
    /// The endpoints that name it take all of them.
    ParamSet, PARAM_SET, "a param set" {
        /// What endpoints refer to it by.
        must name: Text;
        /// Shared params, by id or name.
        must params: Vec<Text>;
    }
}
