//! `service.yaml`: what all endpoints share.

use std::sync::Arc;

use super::value::{TYPE_NAME, UNIT_OR_FORMAT};
use super::{Credentials, Evidence, Field, Header, Known, Param, Record, Type};
use crate::catalogue_format::Condition::{Has, Lacks, ListsNothing};
use crate::catalogue_format::{Fault, Form, Rule, SHOUTY, map};
use crate::catalogue_reader::Read;
use crate::diagnostic::{Location, SourceFile};
use crate::spanned::{Spanned, Text};
use crate::time_unit::{TimeForm, TimeFormat, TimeUnit};

map! {
    /// `service.yaml` declares what all endpoints share.
    Service, SERVICE, "the service" {
        /// The name of the service.
        must title: String;
        /// The interface's version, quoted where YAML would read a number.
        must version: String;
        /// What the service is, in a sentence.
        must summary: String as Form::Prose;
        /// `MARKET` makes the client read `MARKET_BASE_URL`, `MARKET_API_KEY` and so on from the environment.
        must env_prefix: String as Form::Like(
            SHOUTY,
            Fault("env-prefix", "`{}` cannot begin the name of an environment variable", "write it like `MY_SERVICE`"),
        );
        /// What is known of every base URL. The catalogue contains no host.
        may base_url: Option<BaseUrl>;
        /// The format of timestamps.
        must time: Time;
        /// What requests identify themselves with.
        may credentials: Credentials;
        /// Headers that every request carries with the same value.
        may headers: Vec<Header>;
        /// Statuses of failures, for every endpoint.
        may errors: Vec<Status>;
        /// The JSON paths of the message in an error response.
        may error_body: ErrorBody;
        /// The rate limits of the service.
        may limits: Vec<Limit>;
        /// The object around every series; without it a series is a bare list.
        may envelope: Option<Envelope>;
        /// The params of a history, for every endpoint that has them.
        may history: Option<History>;
        /// Named types of params and fields.
        may types: Vec<Type>;
        /// Params that endpoints refer to by name.
        may params: Vec<Param> as Form::With(
            "evidence",
            Fault("missing-key", "the shared param `{}` has no evidence", "add `evidence: reported`"),
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

    /// The default format of timestamps.
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
    /// The user supplies the rest of the URL.
    BaseUrl, BASE_URL, "`base_url`" {
        /// What every base URL ends in.
        must suffix: String as Form::Path { takes_params: false };
        /// How it is known.
        must evidence: Evidence;
    }
}

map! {
    /// The default for all timestamps, with one of `unit` and `format`.
    Time, TIME, "`time`" {
        /// The unit of timestamps that have no `unit` themselves.
        may unit: Option<TimeUnit>;
        /// The format of timestamps that have no `format` themselves, if they are text.
        may format: Option<TimeFormat>;
        /// How it is known.
        must evidence: Evidence;
    }
    Rule {
        never: &[Lacks("unit"), Lacks("format")],
        at: "",
        fault: Fault(
            "time-format",
            "`time` has neither `unit` nor `format`",
            "add `unit: seconds`, `unit: milliseconds` or `format: iso8601`",
        ),
    },
    Rule {
        never: &[Has("unit"), Has("format")],
        at: "format",
        fault: UNIT_OR_FORMAT,
    }
}

map! {
    /// A failure that the service reports by HTTP status.
    Status, STATUS, "a status" {
        /// The HTTP status code.
        must status: Spanned<u16> as Form::Within(
            300,
            599,
            Fault("status-code", "{} is not the HTTP status code of a failure", "expected 300 to 599"),
        );
        /// The printed label, or `unknown`.
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

/// A JSON path in a body.
const PLACE: Form = Form::Like(
    r"^[^.]+(\.[^.]+)*$",
    Fault(
        "dotted-path",
        "`{}` is not a valid JSON path",
        "write keys separated by dots; a key that contains a dot is not supported",
    ),
);

map! {
    /// Of several JSON paths the first that exists is used.
    ErrorBody, ERROR_BODY, "`error_body`", Default {
        /// What the interface calls its schema.
        may name: Option<Text> as TYPE_NAME;
        /// The evidence of that name, where it differs from that of the JSON paths.
        may name_evidence: Option<Evidence>;
        /// JSON paths of the message, like `detail.message`.
        must message: Vec<String> as PLACE;
        /// JSON paths of a code.
        may code: Vec<String> as PLACE;
        /// How it is known.
        must evidence: Option<Evidence>;
    }
}

/// A number of a limit that is not 0.
const fn at_least_one(message: &'static str) -> Form {
    Form::Within(1, u32::MAX, Fault("empty-limit", message, "write at least 1"))
}

map! {
    /// Several sets may apply to different kinds of customer.
    Limit, LIMIT, "a limit set" {
        /// The name of the set.
        must name: Text;
        /// The maximum number of requests within `seconds`.
        must requests: u32 as at_least_one("a limit set with 0 requests allows nothing");
        /// The span in which `requests` are counted.
        must seconds: u32 as at_least_one("a limit set needs at least 1 second");
        /// The maximum number of requests in flight, if that is limited and known.
        may concurrent: Known<u32> as at_least_one("a limit set with 0 concurrent requests allows nothing");
        /// The scope of the set as text, or `unknown`.
        may scope: Known<String> as Form::Prose;
        /// Which endpoints it counts, by the names of their groups or by their paths; every request if
        /// omitted.
        may endpoints: Vec<Text>;
        /// How it is known.
        must evidence: Evidence;
    }
    Rule {
        never: &[Has("endpoints"), ListsNothing("endpoints")],
        at: "endpoints",
        fault: Fault(
            "limit-of-nothing",
            "a limit set of no endpoints counts nothing",
            "name groups or paths, or omit `endpoints` to count every request",
        ),
    },
    Rule {
        never: &[Has("endpoints"), Has("concurrent")],
        at: "concurrent",
        fault: Fault(
            "limit-concurrent",
            "`concurrent` limits all requests, but this limit set covers only some endpoints",
            "write a separate limit set for `concurrent`",
        ),
    }
}

map! {
    /// The envelope applies to every series.
    Envelope, ENVELOPE, "the envelope" {
        /// Where the records are: a key or a JSON path, like `result.rows`.
        must data: String as PLACE;
        /// The time field of every record.
        may time: Option<Field>;
        /// The metadata next to the data.
        may metadata: Option<Metadata>;
        /// How it is known.
        must evidence: Evidence;
    }
}

map! {
    /// The metadata become the record `Metadata`.
    Metadata, METADATA, "`metadata`" {
        /// Where it is: a key or a JSON path.
        must name: Text as PLACE;
        /// Its fields, with the evidence of the envelope unless a field has its own.
        must fields: Vec<Field>;
        /// The field among these, a list, that names requested items that are not covered.
        may unsupported: Option<Text>;
    }
}

map! {
    /// An endpoint has a history if it has the params `from`, `to`, `limit` and `step`, and returns a time
    /// series.
    History, HISTORY, "`history`" {
        /// The param where a range begins, by its name on the wire; a `timestamp`.
        must from: Text;
        /// The param where it ends; a `timestamp`.
        must to: Text;
        /// The param for the maximum number of records, a `count`; the client sends the largest of its
        /// `allowed_values`.
        must limit: Text;
        /// The param for the interval between records; its type has values with a `duration`.
        must step: Text;
        /// The param for the order of records.
        may sort: Option<Text>;
        /// The value of that param for the oldest first.
        may oldest_first: Option<Text>;
        /// How it is known.
        must evidence: Evidence;
    }
    Rule {
        never: &[Has("sort"), Lacks("oldest_first")],
        at: "sort",
        fault: Fault("history-sort", "`sort` needs the value that sorts the oldest first", "add `oldest_first`"),
    },
    Rule {
        never: &[Has("oldest_first"), Lacks("sort")],
        at: "oldest_first",
        fault: Fault("history-sort", "`oldest_first` needs the param that has this value", "add `sort`"),
    }
}

map! {
    /// An endpoint that names the set has all of its params.
    ParamSet, PARAM_SET, "a param set" {
        /// The name in references.
        must name: Text;
        /// Shared params, by id or name.
        must params: Vec<Text>;
    }
}
