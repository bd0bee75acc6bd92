//! A registry for the tests. It has series with known and with unknown fields, and several versions of one endpoint.

use runtime::record::{Record, UnknownFields};
use runtime::registry::{
    BodyInfo, EndpointInfo, EnvelopeInfo, Evidence, FieldInfo, HistoryInfo, HistorySource, ListFormat, ParamInfo,
    Range, RecordInfo, ServiceInfo, Step, TimeUnit, TypeInfo, ValueInfo, ValueType,
};

const DOCUMENTED: Evidence = Evidence::Documented;

const HISTORY: HistoryInfo = HistoryInfo {
    from: "startTime",
    to: "endTime",
    limit: "limit",
    step: "timeframe",
    every: None,
    anchor: None,
    oldest: None,
    time_is_end: false,
    includes_start: false,
    evidence: DOCUMENTED,
    sort: None,
};

static WITHOUT_STEP: HistoryInfo = HistoryInfo { step: "", ..HISTORY };

pub(crate) static SERVICE: ServiceInfo = ServiceInfo {
    env_prefix: "TABLES_TEST",
    base_url_suffix: "/v2",
    api_key_header: Some("x-api-key"),
    envelope: Some(EnvelopeInfo { data: "data", metadata: Some("metadata"), time: Some("openDate") }),
    history: Some(HISTORY),
    ..ServiceInfo::new("A service of the tests")
};

runtime::define_client!(crate "tables_test", env "TABLES_TEST", service SERVICE, metadata Metadata);

/// Metadata of a response.
#[derive(Clone)]
pub(crate) struct Metadata {
    /// The coins of the response.
    pub(crate) coins: Vec<String>,
    /// Fields that are not in the catalogue.
    pub(crate) unknown_fields: UnknownFields,
}

impl Metadata {
    /// The requested values that the endpoint does not support.
    #[allow(clippy::unused_self)] // `define_client!` calls it as a method.
    pub(crate) fn unsupported(&self) -> Vec<String> {
        Vec::new()
    }
}

impl Record for Metadata {
    const INFO: &'static RecordInfo = &RecordInfo::new(
        "Metadata",
        &[FieldInfo {
            optional: true,
            ..FieldInfo::new("coins", "coins", ValueType::List(&ValueType::String), DOCUMENTED)
        }],
    );
}

runtime::fields!(Metadata => coins = 0);

static TIMEFRAMES: TypeInfo = TypeInfo::new(
    "Timeframe",
    &[
        ValueInfo { step: Some(Step::seconds(60)), ..ValueInfo::new("1m", "", DOCUMENTED) },
        ValueInfo { step: Some(Step::seconds(900)), ..ValueInfo::new("15m", "", DOCUMENTED) },
        ValueInfo { step: Some(Step::seconds(3600)), ..ValueInfo::new("1h", "", DOCUMENTED) },
        ValueInfo { step: Some(Step::seconds(86_400)), ..ValueInfo::new("1d", "", DOCUMENTED) },
        ValueInfo { step: Some(Step::BusinessDays), ..ValueInfo::new("weekday", "", DOCUMENTED) },
        ValueInfo { step: Some(Step::seconds(604_800)), ..ValueInfo::new("1w", "", DOCUMENTED) },
        ValueInfo { step: Some(Step::Months(1)), ..ValueInfo::new("1M", "", DOCUMENTED) },
        ValueInfo { step: Some(Step::Months(3)), ..ValueInfo::new("quarter", "", DOCUMENTED) },
        ValueInfo { step: Some(Step::Months(12)), ..ValueInfo::new("year", "", DOCUMENTED) },
    ],
);

const PARAMS: &[ParamInfo] = &[
    ParamInfo {
        list_as: ListFormat::Repeated,
        ..ParamInfo::new("exchange", "exchange", ValueType::String, DOCUMENTED)
    },
    ParamInfo { required: Some(DOCUMENTED), ..ParamInfo::new("coin", "coin", ValueType::String, DOCUMENTED) },
    ParamInfo {
        required: Some(DOCUMENTED),
        ..ParamInfo::new("timeframe", "timeframe", ValueType::Named(&TIMEFRAMES), DOCUMENTED)
    },
    ParamInfo { allowed_values: &["1000"], ..ParamInfo::new("limit", "limit", ValueType::Count, DOCUMENTED) },
    ParamInfo::new("start_time", "startTime", ValueType::Timestamp(TimeUnit::Seconds), DOCUMENTED),
    ParamInfo::new("end_time", "endTime", ValueType::Timestamp(TimeUnit::Seconds), DOCUMENTED),
];

/// The params of an endpoint whose records have no regular step.
const IRREGULAR_PARAMS: &[ParamInfo] = &[
    ParamInfo { required: Some(DOCUMENTED), ..ParamInfo::new("coin", "coin", ValueType::String, DOCUMENTED) },
    ParamInfo { allowed_values: &["1000"], ..ParamInfo::new("limit", "limit", ValueType::Count, DOCUMENTED) },
    ParamInfo::new("start_time", "startTime", ValueType::Timestamp(TimeUnit::Seconds), DOCUMENTED),
    ParamInfo::new("end_time", "endTime", ValueType::Timestamp(TimeUnit::Seconds), DOCUMENTED),
];

const fn series(name: &'static str, path: &'static str, record: Option<&'static RecordInfo>) -> EndpointInfo {
    EndpointInfo {
        path: Some(path),
        param_lists: Some(&[PARAMS]),
        body: BodyInfo::Series { record, time: Some("openDate"), evidence: DOCUMENTED },
        ..EndpointInfo::new("orderflow", name, "A series")
    }
}

const TIME: FieldInfo = FieldInfo::new("open_date", "openDate", ValueType::Timestamp(TimeUnit::Seconds), DOCUMENTED);

const fn number(name: &'static str, ty: ValueType) -> FieldInfo {
    FieldInfo::new(name, name, ty, DOCUMENTED)
}

static RATIO_RECORD: RecordInfo = RecordInfo::new("Ratio", &[TIME, number("volumeRatio", ValueType::Number)]);
static DELTA_RECORD: RecordInfo = RecordInfo::new("Delta", &[TIME, number("volumeDelta", ValueType::Number)]);
static COUNT_RECORD: RecordInfo = RecordInfo::new("Count", &[TIME, number("volumeRatio", ValueType::Integer)]);
static TEXT_RECORD: RecordInfo = RecordInfo::new("Text", &[TIME, number("volumeRatio", ValueType::String)]);
static OPTIONAL_RECORD: RecordInfo =
    RecordInfo::new("Optional", &[TIME, FieldInfo { optional: true, ..number("volumeRatio", ValueType::Number) }]);
static RANGED_RECORD: RecordInfo = RecordInfo::new(
    "Ranged",
    &[TIME, FieldInfo { range: Range { min: None, max: Some(0.5) }, ..number("volumeRatio", ValueType::Number) }],
);
static WIDE_RECORD: RecordInfo = RecordInfo::new(
    "Wide",
    &[
        TIME,
        number("volumeRatio", ValueType::Number),
        FieldInfo { optional: true, ..number("share", ValueType::Number) },
    ],
);

/// An endpoint whose records have a time and a number.
pub(crate) static RATIO: EndpointInfo = series("volume_ratio", "/volumeRatio", Some(&RATIO_RECORD));
pub(crate) static DELTA: EndpointInfo = series("volume_delta", "/volumeDelta", Some(&DELTA_RECORD));
/// The endpoint of [`RATIO`] in another catalogue, in which the number is a whole number.
pub(crate) static COUNT: EndpointInfo = series("volume_ratio", "/volumeRatio", Some(&COUNT_RECORD));
/// The endpoint of [`RATIO`] in another catalogue, in which the number is a string.
pub(crate) static TEXT: EndpointInfo = series("volume_ratio", "/volumeRatio", Some(&TEXT_RECORD));
/// The endpoint of [`RATIO`] in a catalogue with an additional field.
pub(crate) static WIDE: EndpointInfo = series("volume_ratio", "/volumeRatio", Some(&WIDE_RECORD));
/// The endpoint of [`RATIO`] in a catalogue in which the number may be null.
pub(crate) static OPTIONAL: EndpointInfo = series("volume_ratio", "/volumeRatio", Some(&OPTIONAL_RECORD));
/// The endpoint of [`RATIO`] in a catalogue with a range of the number.
pub(crate) static RANGED: EndpointInfo = series("volume_ratio", "/volumeRatio", Some(&RANGED_RECORD));
/// Another endpoint, with a string field that has the same name as the numeric field of [`RATIO`].
pub(crate) static NOTES: EndpointInfo = series("notes", "/notes", Some(&TEXT_RECORD));
static LABELLED_RECORD: RecordInfo = RecordInfo::new(
    "Labelled",
    &[
        TIME,
        number("coin", ValueType::Integer),
        number("exchange", ValueType::Boolean),
        number("share", ValueType::Number),
        number("timeframe", ValueType::String),
    ],
);

/// An endpoint whose records have fields with the names of params.
pub(crate) static LABELLED: EndpointInfo = series("labelled", "/labelled", Some(&LABELLED_RECORD));
static STRIKE_RECORD: RecordInfo =
    RecordInfo::new("Strike", &[TIME, number("strike", ValueType::String), number("volumeRatio", ValueType::Number)]);

/// An endpoint whose records are identified by their time and a field.
pub(crate) static STRIKES: EndpointInfo =
    EndpointInfo { key: &["strike"], ..series("strikes", "/strikes", Some(&STRIKE_RECORD)) };
/// The endpoint of [`STRIKES`] in a catalogue without its key.
pub(crate) static STRIKES_WITHOUT_KEY: EndpointInfo = series("strikes", "/strikes", Some(&STRIKE_RECORD));
/// An endpoint with the same records, whose key is unknown.
pub(crate) static TRADES: EndpointInfo = series("trades", "/trades", Some(&STRIKE_RECORD));
/// An endpoint whose fields are unknown.
pub(crate) static LEVELS: EndpointInfo = series("levels", "/levels", None);
/// An endpoint whose records have no regular step.
pub(crate) static RELEASES: EndpointInfo = EndpointInfo {
    param_lists: Some(&[IRREGULAR_PARAMS]),
    history_source: HistorySource::Endpoint(&WITHOUT_STEP),
    ..series("releases", "/releases", Some(&RATIO_RECORD))
};
