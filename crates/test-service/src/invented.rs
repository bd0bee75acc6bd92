//! A service with two groups and three endpoints, written like generated code.

use ::runtime::record::{Record, UnknownFields};
use ::runtime::registry::{
    BodyInfo, ClientCredentialsInfo, EndpointInfo, EnvelopeInfo, ErrorBodyInfo, Evidence, FieldInfo, GroupInfo,
    HistoryInfo, LimitInfo, ParamInfo, RecordInfo, Registry, ServiceInfo, StatusInfo, Step, TimeUnit, TypeInfo,
    ValueInfo, ValueType,
};
use ::runtime::wire::{IntoParam, IntoParamList, NamedType, UnknownValue};
use ::runtime::{Endpoint, Timestamp, Value};

/// The service.
pub static SERVICE: ServiceInfo = ServiceInfo {
    version: "v2",
    env_prefix: "INVENTED",
    base_url_suffix: "/v2",
    api_key_header: Some("x-api-key"),
    client_credentials: Some(ClientCredentialsInfo {
        path: "/oauth2/token",
        label: "Authentication",
        evidence: Evidence::Documented,
        reply: &[],
        errors: &[
            StatusInfo {
                summary: "The Basic credentials were not accepted.",
                advice: "Encode client id, colon and client secret as base64, check both values, and send them with the Basic scheme; Bearer is for data requests.",
                ..StatusInfo::new(401, Evidence::Documented)
            },
            StatusInfo {
                summary: "There was no API key in the request, or not a valid one.",
                advice: "Send the API key with the token request too.",
                ..StatusInfo::new(403, Evidence::Documented)
            },
            StatusInfo {
                summary: "The body was not declared as a form.",
                advice: "Declare the body as `application/x-www-form-urlencoded`.",
                ..StatusInfo::new(415, Evidence::Documented)
            },
        ],
        notes: "",
    }),
    errors: &[
        StatusInfo {
            label: Some("Bad Request"),
            summary: "The service did not accept the request.",
            ..StatusInfo::new(400, Evidence::Documented)
        },
        StatusInfo {
            summary: "A credential is missing, wrong or expired.",
            advice: "Check the API key and, where a token is used, the client id and the client secret.",
            ..StatusInfo::new(401, Evidence::Reported)
        },
        StatusInfo {
            summary: "There was no API key, or one that is not accepted.",
            advice: "Check the API key, and whether it may be used for this.",
            ..StatusInfo::new(403, Evidence::Reported)
        },
        StatusInfo {
            label: Some("Unauthorized"),
            summary: "The service could not work with the params as they are.",
            ..StatusInfo::new(422, Evidence::Documented)
        },
        StatusInfo { summary: "More requests came than the limits allow.", ..StatusInfo::new(429, Evidence::Reported) },
        StatusInfo {
            label: Some("Forbidden"),
            summary: "The service failed.",
            ..StatusInfo::new(500, Evidence::Documented)
        },
    ],
    error_body: ErrorBodyInfo::new(&["detail.message", "error.message", "error", "message"])
        .code(&["detail.error_code"]),
    limits: &[
        LimitInfo {
            name: "A",
            requests: 10,
            seconds: 1,
            concurrent: Some(20),
            evidence: Evidence::Documented,
            scope: None,
            endpoints: &[],
        },
        LimitInfo {
            name: "B",
            requests: 600,
            seconds: 60,
            concurrent: Some(10),
            evidence: Evidence::Documented,
            scope: None,
            endpoints: &[],
        },
    ],
    envelope: Some(EnvelopeInfo { data: "data", metadata: Some("metadata"), time: Some("openDate") }),
    unsupported_values: Some("unsupportedExchanges"),
    history: Some(HistoryInfo {
        from: "startTime",
        to: "endTime",
        limit: "limit",
        step: "timeframe",
        every: None,
        anchor: None,
        oldest: None,
        time_is_end: false,
        includes_start: false,
        evidence: Evidence::Documented,
        sort: Some(("sort", "asc")),
    }),
    ..ServiceInfo::new("An invented service")
};

::runtime::define_client!(crate "invented", env "INVENTED", service SERVICE, metadata Metadata);

/// Every group.
pub static GROUPS: &[&GroupInfo] = &[&MARKET, &SYSTEM];

/// The service with all its groups.
pub static REGISTRY: Registry = Registry::new(&SERVICE, GROUPS, Metadata::INFO);

static MARKET: GroupInfo = GroupInfo {
    ident: "market",
    title: "Market",
    summary: "",
    aliases: &[],
    notes: "",
    endpoints: &[Ratio::INFO, Levels::INFO],
};
static SYSTEM: GroupInfo =
    GroupInfo { ident: "system", title: "System", summary: "", aliases: &[], notes: "", endpoints: &[Health::INFO] };

/// The service's metadata of a response.
#[derive(Clone)]
#[non_exhaustive]
pub struct Metadata {
    /// The exchanges from which the values were computed.
    pub exchanges: Vec<Exchange>,
    /// The requested exchanges that the endpoint does not support.
    pub unsupported_exchanges: Vec<Exchange>,
    /// Fields that this version does not know.
    pub unknown_fields: UnknownFields,
}

impl Metadata {
    /// The requested values that the endpoint does not support.
    pub fn unsupported(&self) -> Vec<String> {
        self.unsupported_exchanges.iter().map(ToString::to_string).collect()
    }
}

impl Record for Metadata {
    const INFO: &'static RecordInfo = &RecordInfo::new(
        "Metadata",
        &[
            FieldInfo {
                optional: true,
                ..FieldInfo::new(
                    "exchanges",
                    "exchanges",
                    ValueType::List(&ValueType::named::<Exchange>()),
                    Evidence::Documented,
                )
            },
            FieldInfo {
                optional: true,
                ..FieldInfo::new(
                    "unsupported_exchanges",
                    "unsupportedExchanges",
                    ValueType::List(&ValueType::named::<Exchange>()),
                    Evidence::Documented,
                )
            },
        ],
    );
}

::runtime::fields!(Metadata => exchanges = 0, unsupported_exchanges = 1);

/// An exchange.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Exchange(::std::borrow::Cow<'static, str>);

impl Exchange {
    /// `north_spot`: the spot market of the north.
    pub const NORTH_SPOT: Self = Self(::std::borrow::Cow::Borrowed("north_spot"));
}

::runtime::named_type!(identifier Exchange);

impl NamedType for Exchange {
    const INFO: &'static TypeInfo = &TypeInfo {
        open: true,
        ..TypeInfo::new(
            "Exchange",
            &[ValueInfo::new("north_spot", "The spot market of the north.", Evidence::Documented)],
        )
    };
}

/// The length of an interval.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Timeframe {
    /// One minute.
    M1,
    /// One hour.
    H1,
    /// A value that is not in this enum.
    Unknown(UnknownValue),
}

::runtime::named_type!(enum Timeframe => M1 = "1m", H1 = "1h");
::runtime::named_type!(duration Timeframe);

impl NamedType for Timeframe {
    const INFO: &'static TypeInfo = &TypeInfo::new(
        "Timeframe",
        &[
            ValueInfo { step: Some(Step::seconds(60)), ..ValueInfo::new("1m", "", Evidence::Documented) },
            ValueInfo { step: Some(Step::seconds(3600)), ..ValueInfo::new("1h", "", Evidence::Documented) },
        ],
    );
}

/// The endpoints of [`Client::market`].
#[derive(Clone, Copy, Debug)]
pub struct MarketGroup<'a> {
    client: &'a Client,
}

impl Client {
    /// The endpoints for market data.
    pub fn market(&self) -> MarketGroup<'_> {
        MarketGroup { client: self }
    }

    /// The endpoints for the state of the service.
    pub fn system(&self) -> SystemGroup<'_> {
        SystemGroup { client: self }
    }
}

impl MarketGroup<'_> {
    /// `GET /ratio`: a series of [`RatioRecord`].
    pub fn ratio(&self) -> Request<Ratio> {
        Request::new(self.client)
    }

    /// `GET /levels`: a series of records whose fields are unknown.
    pub fn levels(&self) -> Request<Levels> {
        Request::new(self.client)
    }
}

/// The endpoint of [`MarketGroup::ratio`].
#[derive(Clone, Copy, Debug)]
pub struct Ratio;

impl ::runtime::emitted::Marker for Ratio {}

impl Endpoint for Ratio {
    type Body = Series<RatioRecord>;
    const INFO: &'static EndpointInfo = &EndpointInfo {
        path: Some("/ratio"),
        param_lists: Some(&[PARAMS]),
        body: BodyInfo::Series {
            record: Some(RecordInfo::of::<RatioRecord>()),
            time: Some("openDate"),
            evidence: Evidence::Documented,
        },
        ..EndpointInfo::new("market", "ratio", "Ratio")
    };
}

/// The endpoint of [`MarketGroup::levels`].
#[derive(Clone, Copy, Debug)]
pub struct Levels;

impl ::runtime::emitted::Marker for Levels {}

impl Endpoint for Levels {
    type Body = Series<Value>;
    const INFO: &'static EndpointInfo = &EndpointInfo {
        path: Some("/levels"),
        param_lists: Some(&[PARAMS]),
        body: BodyInfo::Series { record: None, time: Some("openDate"), evidence: Evidence::Documented },
        ..EndpointInfo::new("market", "levels", "Levels")
    };
}

impl ::runtime::history::HasHistory for Ratio {}
impl ::runtime::history::HasHistory for Levels {}

const PARAMS: &[ParamInfo] = &[
    ParamInfo {
        required: Some(Evidence::Reported),
        ..ParamInfo::new("symbol", "symbol", ValueType::String, Evidence::Documented)
    },
    ParamInfo {
        list_setter: Some("exchanges"),
        ..ParamInfo::new("exchange", "exchange", ValueType::named::<Exchange>(), Evidence::Documented)
    },
    ParamInfo {
        required: Some(Evidence::Reported),
        ..ParamInfo::new("timeframe", "timeframe", ValueType::named::<Timeframe>(), Evidence::Documented)
    },
    ParamInfo {
        allowed_values: &["5", "50", "500"],
        ..ParamInfo::new("limit", "limit", ValueType::Count, Evidence::Documented)
    },
    ParamInfo::new("start_time", "startTime", ValueType::Timestamp(TimeUnit::Seconds), Evidence::Documented),
    ParamInfo::new("end_time", "endTime", ValueType::Timestamp(TimeUnit::Seconds), Evidence::Documented),
    ParamInfo::new("sort", "sort", ValueType::String, Evidence::Documented),
];

/// Endpoints that accept the params of the group `market`.
pub trait TakesMarket: Endpoint {}

::runtime::takes!(Ratio => TakesMarket);
::runtime::takes!(Levels => TakesMarket);

impl<E: TakesMarket> Request<E> {
    /// The symbol.
    pub fn symbol<Via>(self, symbol: impl IntoParam<String, Via>) -> Self {
        self.with::<String, Via>("symbol", symbol)
    }

    /// The exchange.
    pub fn exchange<Via>(self, exchange: impl IntoParam<Exchange, Via>) -> Self {
        self.with::<Exchange, Via>("exchange", exchange)
    }

    /// The exchanges.
    pub fn exchanges<Via>(self, exchanges: impl IntoParamList<Exchange, Via>) -> Self {
        self.with_list::<Exchange, Via>("exchange", exchanges)
    }

    /// The length of an interval.
    pub fn timeframe<Via>(self, timeframe: impl IntoParam<Timeframe, Via>) -> Self {
        self.with::<Timeframe, Via>("timeframe", timeframe)
    }

    /// The maximum number of records.
    pub fn limit(self, limit: impl Into<Option<u64>>) -> Self {
        self.with::<u64, _>("limit", limit.into())
    }

    /// The order of the records, `asc` or `desc`.
    pub fn sort<Via>(self, sort: impl IntoParam<String, Via>) -> Self {
        self.with::<String, Via>("sort", sort)
    }

    /// The start of the time range.
    pub fn start_time<Via>(self, start_time: impl IntoParam<Timestamp, Via>) -> Self {
        self.with::<Timestamp, Via>("startTime", start_time)
    }

    /// The end of the time range.
    pub fn end_time<Via>(self, end_time: impl IntoParam<Timestamp, Via>) -> Self {
        self.with::<Timestamp, Via>("endTime", end_time)
    }
}

/// One record of the ratio.
#[derive(Clone)]
#[non_exhaustive]
pub struct RatioRecord {
    /// The start of the interval.
    pub open_date: Timestamp,
    /// The ratio.
    pub ratio: f64,
    /// Fields that this version does not know.
    pub unknown_fields: UnknownFields,
}

impl Record for RatioRecord {
    const INFO: &'static RecordInfo = &RecordInfo::new(
        "RatioRecord",
        &[
            FieldInfo::new("open_date", "openDate", ValueType::Timestamp(TimeUnit::Seconds), Evidence::Documented),
            FieldInfo::new("ratio", "ratio", ValueType::Number, Evidence::Documented),
        ],
    );
}

::runtime::fields!(RatioRecord => open_date = 0, ratio = 1);

/// The endpoints of [`Client::system`].
#[derive(Clone, Copy, Debug)]
pub struct SystemGroup<'a> {
    client: &'a Client,
}

impl SystemGroup<'_> {
    /// `GET /health`: a body whose fields are unknown.
    pub fn health(&self) -> Request<Health> {
        Request::new(self.client)
    }
}

/// The endpoint of [`SystemGroup::health`].
#[derive(Clone, Copy, Debug)]
pub struct Health;

impl ::runtime::emitted::Marker for Health {}

impl Endpoint for Health {
    type Body = Value;
    const INFO: &'static EndpointInfo =
        &EndpointInfo { path: Some("/health"), ..EndpointInfo::new("system", "health", "Health") };
}

/// The limits of the service.
pub mod limits {
    use ::runtime::RateLimit;
    use ::runtime::emitted::LimitWindow;

    /// Rate limit A: 10 requests a second, 20 in flight.
    pub const SET_A: RateLimit = RateLimit::set(&[LimitWindow::of(10, 1, &[])], Some(20));
    /// Rate limit B: 600 requests a minute, 10 in flight.
    pub const SET_B: RateLimit = RateLimit::set(&[LimitWindow::of(600, 60, &[])], Some(10));

    /// A limit that satisfies both rate limits.
    pub fn all() -> RateLimit {
        RateLimit::all(super::SERVICE.limits)
    }
}

/// Creates a request for an endpoint that a test defines. In generated code, only the methods of groups create requests.
pub fn request<E: Endpoint>(client: &Client) -> Request<E> {
    Request::new(client)
}
