//! Declares `service.yaml`, which contains the facts that all endpoints share.

use std::sync::Arc;

use super::{Body, Evidence, Field, History, Known, Param, Record, Type};
use crate::catalogue_format::Condition::{Has, HasAny, HasNotOne, IsNot, Lacks, ListsNothing};
use crate::catalogue_format::{Form, map, words};
use crate::catalogue_reader::Read;
use crate::diagnostic::{Location, SourceFile};
use crate::names::{self, Case};
use crate::spanned::{Spanned, Text};
use crate::time_unit::{TimeForm, TimeFormat, TimeUnit};

map! {
    /// `service.yaml` declares the facts that all endpoints share.
    Service, SERVICE, "the service" {
        /// The name of the service.
        must title: String;
        /// The version of the API. Quote it if YAML would parse it as a number.
        must version: String;
        /// A description in one sentence.
        may summary: String as Form::Prose;
        /// The prefix of the environment variables that the client reads, for example `MARKET` for `MARKET_BASE_URL`
        /// and `MARKET_API_KEY`.
        must env_prefix: String as Form::Like("^[A-Z](_?[A-Z0-9])*_?$", "env-prefix");
        /// The end of every base URL. The catalogue does not contain the host.
        may base_url: Option<BaseUrl>;
        /// The format of timestamps.
        must time: Time;
        /// Texts that stand for a missing number or timestamp in every optional field, for example `['.', '-']`.
        may nulls: Vec<Text> as Form::Scalar;
        /// The credentials that requests send.
        may credentials: Credentials;
        /// Headers that are sent with every request.
        may headers: Vec<Header>;
        /// Error statuses that every endpoint can return.
        may errors: Vec<Status>;
        /// The JSON paths of the message and the code in an error response.
        may error_body: ErrorBody;
        /// The rate limits of the service.
        may limits: Vec<Limit>;
        /// The response headers that report how much of a rate limit is left.
        may rate_limit_headers: Option<RateLimitHeaders>;
        /// The object around every series. Without an envelope, a series is a list.
        may envelope: Option<Envelope>;
        /// The params that select the time range of a history, on every endpoint that has them.
        may history: Option<History>;
        /// Named types of params and fields.
        may types: Vec<Type>;
        /// Params to which endpoints refer by name.
        may params: Vec<Param> as Form::With("evidence", "missing-key/evidence");
        /// Lists of shared params that several endpoints use.
        may param_sets: Vec<ParamSet>;
        /// Records that several groups share.
        may records: Vec<Record>;
    }
}

impl Service {
    /// Returns `true` if a response may lack the list of records of a body: by the body itself, or by the envelope if that
    /// has the path of the records.
    pub fn can_lack_records(&self, body: &Body) -> bool {
        match (&body.optional, &self.envelope) {
            (Some(optional), _) => **optional,
            (None, Some(envelope)) => envelope.optional && body.data_path().is_none(),
            (None, None) => false,
        }
    }

    pub(crate) fn param_ids(&self) -> impl Iterator<Item = &str> {
        self.params.iter().map(|param| param.id().as_str())
    }

    /// Returns the time field that every record of a series has, unless the body declares another field.
    pub fn envelope_time(&self) -> Option<&Field> {
        self.envelope.as_ref()?.time.as_ref()
    }

    /// Returns the end of every base URL; empty if there is none.
    pub fn base_url_suffix(&self) -> &str {
        self.base_url.as_ref().map_or("", |base_url| &base_url.suffix)
    }

    /// Returns the default format of timestamps; seconds if `time` is invalid.
    pub fn time_form(&self) -> TimeForm {
        TimeForm::of(self.time.unit, self.time.format).unwrap_or(TimeForm::Counted(TimeUnit::Seconds))
    }

    /// Returns a placeholder for a service whose file cannot be read.
    pub fn unknown() -> Option<Self> {
        let file = Arc::new(SourceFile::new("service.yaml".to_owned(), String::new()));
        Self::placeholder(&Location::new(&file, 0..0))
    }
}

map! {
    /// The end of every base URL. The user supplies the rest.
    BaseUrl, BASE_URL, "`base_url`" {
        /// The path at the end of every base URL.
        must suffix: String as Form::Path { takes_params: false };
        /// The source of these facts.
        must evidence: Evidence;
    }
}

map! {
    /// The default format of all timestamps: either `unit` or `format`.
    Time, TIME, "`time`" {
        /// The default `unit` of timestamps, if they are numbers.
        may unit: Option<TimeUnit>;
        /// The default `format` of timestamps, if they are text.
        may format: Option<TimeFormat>;
        /// The source of these facts.
        must evidence: Evidence;
    }
    never(Lacks("unit"), Lacks("format")): "time-format/absent";
    never(Has("unit"), Has("format")) at "format": "time-format/both";
}

map! {
    /// An error status of the service.
    Status, STATUS, "a status" {
        /// The HTTP status code.
        must status: Spanned<u32> as Form::Within(300, 599, "status-code");
        /// The label of the status in the API document, or `unknown`.
        may label: Known<String>;
        /// A description for users.
        may summary: String as Form::Prose;
        /// Advice for the user on how to fix the cause.
        may advice: String as Form::Prose;
        /// Further facts for users.
        may notes: String as Form::Prose;
        /// `true` if the service rate-limits requests with this status. It counts as 429, which needs no key.
        may rate_limited: bool;
        /// The source of these facts.
        must evidence: Evidence;
    }
}

/// The condition for a JSON path in a body.
const JSON_PATH: Form = Form::Like(r"^[^.]+(\.[^.]+)*$", "dotted-path/json");

map! {
    /// The body of an error response. Of several JSON paths, the first one that exists is used. With `success`, a
    /// status in every body decides. Otherwise, a response with a success status is an error if it has a message that
    /// is not empty and not a field of the catalogue; a series must in addition have no records and, if `code` is
    /// declared, an error code.
    ErrorBody, ERROR_BODY, "`error_body`" {
        /// The name of the body's schema in the API document.
        may name: Option<Text> as Form::Like("^[A-Z][A-Za-z0-9]*$", "type-name/schema");
        /// The source of this name, if it differs from the source of the JSON paths.
        may name_evidence: Option<Evidence>;
        /// JSON paths of the message, for example `detail.message`. A number is the index in a list, as in
        /// `errors.0.text`.
        must message: Vec<String> as JSON_PATH;
        /// JSON paths of the error code.
        may code: Vec<String> as JSON_PATH;
        /// The values of the code, or of the message if there is no `code`, that mean success, for example `[0, "OK"]`.
        /// A number equals its text; `"[]"` is an empty list. Any other value is an error, regardless of the HTTP
        /// status; a missing one is not.
        may success: Vec<Text> as Form::Scalar;
        /// The values, as for `success`, with which the service rate-limits a request, for example `["50011"]`. They
        /// count as status 429. Requires `success`.
        may rate_limited: Vec<Text> as Form::Scalar;
        /// The values, as for `success`, that mean that a series has no records, for example `[no_data]`.
        may no_data: Vec<Text> as Form::Scalar;
        /// The HTTP statuses that mean only that a series has no records, for example `[404]`.
        may no_data_statuses: Vec<u32> as Form::Within(200, 599, "status-code");
        /// The source of these facts.
        must evidence: Option<Evidence>;
    }
    never(Has("rate_limited"), ListsNothing("success")) at "rate_limited": "rate-limited";
}

impl ErrorBody {
    /// Returns the name of the schema with its evidence, which defaults to the evidence of the JSON paths.
    pub fn named(&self) -> Option<(&str, Evidence)> {
        Some((self.name.as_ref()?, self.name_evidence.or(self.evidence)?))
    }
}

map! {
    /// A rate limit. Customers of different kinds can have different rate limits.
    Limit, LIMIT, "a limit set" {
        /// The name of the rate limit.
        must name: Text;
        /// The maximum number of requests within `seconds`.
        must requests: u32 as Form::Within(1, u32::MAX, "empty-limit/requests");
        /// The length of the window in which `requests` are counted.
        must seconds: u32 as Form::Within(1, u32::MAX, "empty-limit/seconds");
        /// The maximum number of requests in flight. Omitted, or `unknown`, if no maximum is known.
        may concurrent: Known<u32> as Form::Within(1, u32::MAX, "empty-limit/concurrent");
        /// The customers to which the rate limit applies, as text, or `unknown`.
        may scope: Known<String> as Form::Prose;
        /// The groups and paths whose requests count; all if omitted.
        may endpoints: Vec<Text>;
        /// The source of these facts.
        must evidence: Evidence;
    }
    never(Has("endpoints"), ListsNothing("endpoints")) at "endpoints": "limit-without-endpoints";
    never(Has("endpoints"), IsNot("concurrent", "unknown")) at "concurrent": "limit-concurrent";
}

impl Limit {
    /// Returns the name of the constant with this rate limit.
    pub fn constant(&self) -> String {
        names::ident(&names::limit(&self.name), Case::Shouty).unwrap_or_default()
    }
}

map! {
    /// The headers that report how much of a rate limit is left. If nothing is left, the client waits until the limit
    /// has room again.
    RateLimitHeaders, RATE_LIMIT_HEADERS, "`rate_limit_headers`" {
        /// The header with the number of requests that are left.
        must remaining: String as HEADER_NAME;
        /// The header with the time at which the limit has room again.
        must reset: String as HEADER_NAME;
        /// The unit of this time.
        must reset_is: ResetUnit;
        /// The source of these facts.
        must evidence: Evidence;
    }
}

words! {
    /// The unit of the time at which a rate limit has room again.
    ResetUnit {
        /// The number of seconds from now.
        Seconds = "seconds",
        /// The number of seconds since 1970 in UTC.
        EpochSeconds = "epoch_seconds",
        /// The number of milliseconds since 1970 in UTC.
        EpochMilliseconds = "epoch_milliseconds",
    }
}

map! {
    /// The object around the records of every series.
    Envelope, ENVELOPE, "the envelope" {
        /// The JSON path of the records, for example `data` or `result.rows`.
        must data: String as JSON_PATH;
        /// `true` if the list of records can be missing or null in a response without records.
        may optional: bool;
        /// The time field of every record.
        may time: Option<Field>;
        /// The metadata of the response.
        may metadata: Option<Metadata>;
        /// The source of these facts.
        must evidence: Evidence;
    }
}

map! {
    /// The metadata of a response. It becomes the record `Metadata`.
    Metadata, METADATA, "`metadata`" {
        /// The JSON path of the metadata.
        must name: Text as JSON_PATH;
        /// The fields of the metadata. A field without `evidence` has the evidence of the envelope.
        must fields: Vec<Field>;
        /// The name of the field that lists the requested values that the endpoint does not support.
        may unsupported: Option<Text>;
    }
}

map! {
    /// A list of params. An endpoint that names the set has all of these params.
    ParamSet, PARAM_SET, "a param set" {
        /// The name by which endpoints refer to the set.
        must name: Text;
        /// Shared params, by id or name.
        must params: Vec<Text>;
    }
}

map! {
    /// The credentials of requests. Both keys are optional.
    Credentials, CREDENTIALS, "`credentials`" {
        /// An API key, sent with every request.
        may api_key: Option<ApiKey>;
        /// An access token, which the client requests before its first request.
        may client_credentials: Option<ClientCredentials>;
    }
}

/// The names of headers. RFC 9110, section 5.6.2: a field name is a token.
pub const HEADER_PATTERN: &str = "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$";

/// The condition for the name of a header.
const HEADER_NAME: Form = Form::Like(HEADER_PATTERN, "header-name/syntax");

/// The condition for text in a header.
const HEADER_VALUE: Form = Form::Like("^[ -~]*$", "header-value");

map! {
    /// The name and format of the API key. The user supplies the key itself.
    ApiKey, API_KEY, "`api_key`" {
        /// The header that carries the key. It may be `Authorization`, unless there are `client_credentials`.
        may header: Option<Text> as HEADER_NAME;
        /// The prefix of the key in the header, for example `'Bearer '`.
        may prefix: Option<String> as HEADER_VALUE;
        /// The query param that carries the key. Errors and events do not contain it.
        may query: Option<Text>;
        /// `true` if the key is `name:password` and is sent by HTTP Basic authentication. Not allowed with
        /// `client_credentials`.
        may basic: Option<Spanned<bool>>;
        /// `true` if the service also accepts requests without a key.
        may optional: bool;
        /// The source of these facts.
        must evidence: Evidence;
    }
    never(HasNotOne(&["header", "query", "basic"])): "key-carrier";
    never(Has("prefix"), HasAny(&["query", "basic"])) at "prefix": "key-prefix";
}

map! {
    /// A header that is sent with every request. Users can override its value.
    Header, HEADER, "a header" {
        /// The name of the header.
        must name: Text as HEADER_NAME;
        /// The default value of the header.
        must value: String as HEADER_VALUE;
        /// The source of these facts.
        must evidence: Evidence;
    }
}

map! {
    /// The client credentials grant of OAuth 2.0.
    ClientCredentials, CLIENT_CREDENTIALS, "`client_credentials`" {
        /// The path of the token endpoint, after the base URL.
        must path: Text as Form::Path { takes_params: true };
        /// The label of the token flow in the API document.
        must label: String;
        /// The fields of the token response.
        may reply: Vec<Field>;
        /// Error statuses of the token endpoint.
        may errors: Vec<Status>;
        /// Further facts for users.
        may notes: String as Form::Prose;
        /// The source of these facts.
        must evidence: Evidence;
    }
}
