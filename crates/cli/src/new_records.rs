//! The new records of a series for `poll`: each after the end of its interval or, without a regular step, those that a
//! request each minute returns.

use std::time::Duration;

use runtime::history::{Follow, History, Page, Pages, Update};
use runtime::record::AnyRecord;
use runtime::{Dynamic, Error, Request, Timestamp};
use tokio::time::{Instant, sleep_until};

use crate::time_arg;

/// The time between two requests for records without a regular step.
const PAUSE: Duration = Duration::from_secs(60);

/// The new records of a series.
pub(crate) enum NewRecords {
    Followed(Box<Follow<Dynamic>>),
    Requested(RequestedRecords),
}

impl NewRecords {
    pub(crate) fn followed(request: Request<Dynamic>, from: Timestamp) -> Self {
        Self::Followed(Box::new(Follow::new(request, from)))
    }

    /// The records of a series without a regular step.
    pub(crate) fn requested(request: Request<Dynamic>, from: Timestamp) -> Self {
        let due = Instant::now();
        Self::Requested(RequestedRecords { request, from, last: Vec::new(), pages: None, repeated: Vec::new(), due })
    }

    /// Waits for the next update. After a retryable error, the next call requests the records again.
    pub(crate) async fn next(&mut self) -> Result<Update<AnyRecord>, Error> {
        match self {
            Self::Followed(follower) => follower.next().await,
            Self::Requested(requested) => Ok(Update::Records(requested.next().await?)),
        }
    }
}

/// The records from a time on, requested again and again.
pub(crate) struct RequestedRecords {
    request: Request<Dynamic>,
    /// The time of the last record.
    from: Timestamp,
    /// The records of that time, which the next request returns again. Several of them can be equal.
    last: Vec<AnyRecord>,
    /// The pages of the current request.
    pages: Option<Pages<AnyRecord>>,
    /// The records of an earlier request that the current one has not returned yet.
    repeated: Vec<AnyRecord>,
    /// The time of the next request.
    due: Instant,
}

impl RequestedRecords {
    async fn next(&mut self) -> Result<Page<AnyRecord>, Error> {
        loop {
            let Some(pages) = &mut self.pages else {
                sleep_until(self.due).await;
                self.due = Instant::now() + PAUSE;
                self.repeated.clone_from(&self.last);
                self.pages = Some(History::new(self.request.clone(), self.from..time_arg::OPEN).pages());
                continue;
            };
            match pages.next().await {
                Some(Ok(mut page)) => {
                    self.remove_known(&mut page);
                    if !page.records.is_empty() {
                        return Ok(page);
                    }
                }
                Some(Err(error)) => {
                    self.pages = None;
                    self.due += error.long_pause().unwrap_or_default();
                    return Err(error);
                }
                None => self.pages = None,
            }
        }
    }

    /// Removes the records that an earlier request has returned: each once, because the service can have equal records.
    fn remove_known(&mut self, page: &mut Page<AnyRecord>) {
        let mut times = Vec::new();
        let mut records = Vec::new();
        for (time, record) in page.times.drain(..).zip(page.records.drain(..)) {
            if let Some(known) = self.repeated.iter().position(|known| *known == record) {
                self.repeated.swap_remove(known);
                continue;
            }
            if time > self.from {
                self.from = time;
                self.last.clear();
            }
            self.last.push(record.clone());
            times.push(time);
            records.push(record);
        }
        page.times = times;
        page.records = records;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use runtime::AnyClient as Client;
    use runtime::registry::{
        BodyInfo, EndpointInfo, Evidence, FieldInfo, HistoryInfo, HistorySource, ParamInfo, RecordInfo, ServiceInfo,
        TimeUnit, ValueType,
    };
    use runtime::transport::{Headers, HttpRequest, HttpResponse, from_fn};
    use runtime::{RateLimit, Retry};

    use super::*;

    static SERVICE: ServiceInfo = ServiceInfo::new("Releases");
    static HISTORY: HistoryInfo = HistoryInfo {
        from: "from",
        to: "",
        limit: "",
        step: "",
        every: None,
        anchor: None,
        oldest: None,
        time_is_end: false,
        includes_start: true,
        sort: None,
        evidence: Evidence::Documented,
    };
    const TIME: ValueType = ValueType::Timestamp(TimeUnit::Seconds);
    static RECORD: RecordInfo = RecordInfo::new(
        "Release",
        &[
            FieldInfo::new("at", "at", TIME, Evidence::Documented),
            FieldInfo::new("value", "value", ValueType::Integer, Evidence::Documented),
        ],
    );
    const PARAMS: &[ParamInfo] = &[ParamInfo::new("from", "from", TIME, Evidence::Documented)];
    static RELEASES: EndpointInfo = EndpointInfo {
        path: Some("/releases"),
        data: Some("."),
        body: BodyInfo::Series { record: Some(&RECORD), time: Some("at"), evidence: Evidence::Documented },
        history_source: HistorySource::Endpoint(&HISTORY),
        ..EndpointInfo::of("statistics", "releases").accepts(&[PARAMS])
    };

    /// The status of the service, and its records as JSON.
    type Response = Arc<Mutex<(u16, &'static str)>>;

    fn client(response: &Response) -> Client {
        let response = response.clone();
        let transport = from_fn(move |_: HttpRequest| {
            let (status, body) = *response.lock().unwrap();
            async move { Ok(HttpResponse::new(status, Headers::new(), body)) }
        });
        let builder = Client::builder(&SERVICE, "https://example.invalid").transport(transport);
        builder.retry(Retry::none()).rate_limit(RateLimit::none()).build().unwrap()
    }

    /// The records up to the one with this value.
    async fn until(records: &mut NewRecords, value: u64) -> String {
        let last = format!("\"value\":{value}}}]");
        let mut all = String::new();
        while !all.ends_with(&last) {
            let update = records.next().await.unwrap();
            all += &serde_json::to_string(update.records()).unwrap();
        }
        all.replace("][", ",")
    }

    #[tokio::test(start_paused = true)]
    async fn each_record_is_returned_once() {
        let response: Response = Arc::new(Mutex::new((200, r#"[{"at":100,"value":1},{"at":200,"value":2}]"#)));
        let request = client(&response).endpoint(&RELEASES);
        let mut records = NewRecords::requested(request, Timestamp::from_unix_seconds(50));
        let begun = Instant::now();
        assert_eq!(until(&mut records, 2).await, r#"[{"at":100,"value":1},{"at":200,"value":2}]"#);
        assert_eq!(begun.elapsed(), Duration::ZERO);

        // Another record of the last time, and a later one.
        *response.lock().unwrap() = (200, r#"[{"at":200,"value":2},{"at":200,"value":3},{"at":300,"value":4}]"#);
        assert_eq!(until(&mut records, 4).await, r#"[{"at":200,"value":3},{"at":300,"value":4}]"#);
        assert!(begun.elapsed() >= PAUSE && begun.elapsed() < 2 * PAUSE);

        // Equal records of a new time and of a known time.
        *response.lock().unwrap() = (200, r#"[{"at":300,"value":4},{"at":300,"value":4},{"at":310,"value":0}]"#);
        assert_eq!(until(&mut records, 0).await, r#"[{"at":300,"value":4},{"at":310,"value":0}]"#);
        let equal = r#"[{"at":310,"value":0},{"at":320,"value":5},{"at":320,"value":5},{"at":330,"value":4}]"#;
        *response.lock().unwrap() = (200, equal);
        assert_eq!(until(&mut records, 4).await, equal.replace(r#"{"at":310,"value":0},"#, ""));

        // A request that has failed is repeated.
        *response.lock().unwrap() = (503, "");
        assert!(records.next().await.unwrap_err().is_retryable());
        *response.lock().unwrap() = (200, r#"[{"at":330,"value":4},{"at":400,"value":5}]"#);
        assert_eq!(until(&mut records, 5).await, r#"[{"at":400,"value":5}]"#);
    }
}
