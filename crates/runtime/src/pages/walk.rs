//! Decides which request follows a page, and whether the pages so far are all pages.
//!
//! The end of the pages is believed only if it does not contradict the responses. A cursor that repeats, a page that
//! repeats, and fewer records than announced are errors, because records are then missing or endless.

use std::borrow::Cow;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::link;
use crate::client::Untyped;
use crate::decode::{any, at_path};
use crate::error::{Error, ErrorKind, excerpt};
use crate::registry::{NextPage, PagesInfo, ParamInfo};
use crate::values::Value;

/// The default of the maximum number of pages.
const MAX_PAGES: u64 = 10_000;

/// The maximum number of pages without records in a row that lead to another page. A service that filters its records
/// after it has divided them into pages returns such pages.
const MAX_EMPTY_PAGES: u64 = 20;

/// The maximum number of bytes of a cursor that an error quotes.
const MAX_QUOTED: usize = 60;

/// The pages that were received, and the way to the next page.
#[derive(Clone, Debug)]
pub(crate) struct PageWalk {
    info: PagesInfo,
    /// The JSON path of the records.
    data: Option<&'static str>,
    pub(crate) max_pages: u64,
    /// The number of the first page, or the number of records before it.
    first: u64,
    pub(crate) pages: u64,
    /// The number of records on these pages, also of invalid ones.
    pub(crate) records: u64,
    /// The largest number of records, and of pages, that a response announced.
    pub(crate) total: Option<u64>,
    announced_pages: Option<u64>,
    /// The hashes of the cursors and links that were followed.
    followed: HashSet<u64>,
    empty_pages: u64,
    last_records: Option<u64>,
    /// True if the pages contradict each other, so that some are missing.
    pub(crate) has_failed: bool,
}

/// The facts in a response that lead to the next page.
#[derive(Clone, Debug, Default)]
pub(crate) struct PageFacts {
    /// The cursor or the link, as text.
    next: Option<String>,
    total: Option<u64>,
    pages: Option<u64>,
    /// The hash of the records, to detect that a page repeats; unused if a cursor or link leads to the next page.
    records: u64,
}

impl PageFacts {
    /// Reads the facts in a body. A body that is not JSON has none; decoding it fails anyway.
    pub(crate) fn of(info: &PagesInfo, data: Option<&str>, body: &[u8]) -> Self {
        let Ok(text) = std::str::from_utf8(body) else { return Self::default() };
        // Other members of the body can differ, because services repeat the number of the page.
        let records = || hash(data.and_then(|path| at_path(text, path)).unwrap_or(text));
        let mut facts = Self::default();
        match info.next {
            NextPage::Cursor { path, .. } | NextPage::Link { path } => facts.next = text_at(text, path),
            NextPage::Offset { total, .. } => {
                facts.records = records();
                facts.total = total.and_then(|path| count_at(text, path));
            }
            NextPage::Number { pages, total, .. } => {
                facts.records = records();
                facts.pages = pages.and_then(|path| count_at(text, path));
                facts.total = total.and_then(|path| count_at(text, path));
            }
        }
        facts
    }
}

impl PageWalk {
    /// Prepares the request for the first page; `None` if the endpoint has no pages.
    pub(crate) fn begin(request: Untyped) -> Option<(Self, Untyped)> {
        let endpoint = request.endpoint();
        let info = endpoint.pages?;
        let first = match info.next {
            NextPage::Cursor { .. } | NextPage::Link { .. } => 0,
            NextPage::Offset { param, .. } => number(&request, param).unwrap_or(0),
            NextPage::Number { param, .. } => number(&request, param).unwrap_or(1),
        };
        let request = match info.size {
            Some(size) if request.value(size).is_none() => with_largest_size(request, size),
            _ => request,
        };
        let envelope = request.connection().service.envelope.as_ref();
        let walk = Self {
            info,
            data: endpoint.data.or(envelope.map(|envelope| envelope.data)),
            max_pages: MAX_PAGES,
            first,
            pages: 0,
            records: 0,
            total: None,
            announced_pages: None,
            followed: HashSet::new(),
            empty_pages: 0,
            last_records: None,
            has_failed: false,
        };
        Some((walk, request))
    }

    /// The facts in the response to a request.
    pub(crate) fn facts(&self, body: &[u8]) -> PageFacts {
        PageFacts::of(&self.info, self.data, body)
    }

    /// Adds a page with this number of records, and returns the request for the next page; `None` if the page is the
    /// last. `request` is that of the page.
    pub(crate) fn next(
        &mut self,
        request: &Untyped,
        facts: PageFacts,
        records: usize,
    ) -> Result<Option<Untyped>, Error> {
        let next = match self.step(request, facts, records) {
            Ok(Some(_)) if self.pages >= self.max_pages => {
                let error = incomplete(format!("{} pages were received, and another page follows", self.pages));
                Err(error.with_hint("request a smaller part, or raise the maximum number of pages"))
            }
            next => next,
        };
        self.has_failed = next.is_err();
        next.map_err(|error| request.describe_in(error))
    }

    fn step(&mut self, request: &Untyped, facts: PageFacts, records: usize) -> Result<Option<Untyped>, Error> {
        let records = u64::try_from(records).unwrap_or(u64::MAX);
        self.pages += 1;
        self.records = self.records.saturating_add(records);
        self.total = self.total.max(facts.total);
        self.announced_pages = self.announced_pages.max(facts.pages);
        self.empty_pages = if records == 0 { self.empty_pages + 1 } else { 0 };
        match self.info.next {
            NextPage::Cursor { param, .. } => {
                let Some(cursor) = self.follow(facts.next)? else { return Ok(None) };
                Ok(Some(request.clone().set(Cow::Borrowed(param), Some(cursor))))
            }
            NextPage::Link { .. } => {
                let Some(link) = self.follow(facts.next)? else { return Ok(None) };
                let connection = request.connection();
                let current = request.path_and_query();
                let path = current.split('?').next().unwrap_or_default();
                let key_param = connection.service.api_key_query;
                let link = link::path_and_query(&link, request.base_url()?, path, key_param)?;
                Ok(Some(request.clone().linked(link)))
            }
            NextPage::Offset { param, .. } => self.count(request, param, self.records, records, &facts),
            NextPage::Number { param, .. } => self.count(request, param, self.pages, records, &facts),
        }
    }

    /// The cursor or link of the next page, or an error if it was followed before.
    fn follow(&mut self, next: Option<String>) -> Result<Option<String>, Error> {
        let Some(next) = next else { return Ok(None) };
        if !self.followed.insert(hash(&next)) {
            let shown = excerpt(next.split('?').next().unwrap_or_default(), MAX_QUOTED);
            let message = format!("page {} leads to a page that was already received: {shown:?}", self.pages);
            return Err(incomplete(message).with_hint("the pages after it are missing; request a smaller part"));
        }
        if self.empty_pages > MAX_EMPTY_PAGES {
            let message = format!("{} pages in a row have no records, and the last leads to another", self.empty_pages);
            return Err(incomplete(message));
        }
        Ok(Some(next))
    }

    /// The request for the next page, which is `passed` pages or records after the first.
    fn count(
        &mut self,
        request: &Untyped,
        param: &'static str,
        passed: u64,
        records: u64,
        facts: &PageFacts,
    ) -> Result<Option<Untyped>, Error> {
        if self.last_records.replace(facts.records) == Some(facts.records) && records > 0 {
            let message = format!("pages {} and {} are equal", self.pages - 1, self.pages);
            let hint = format!("the service seems to ignore `{param}`");
            return Err(incomplete(message).with_hint(hint));
        }
        let known_records = self.announced_records();
        let is_whole = match (known_records, self.pages_left()) {
            (_, Some(left)) => left == 0,
            (Some(total), None) => self.records >= total,
            (None, None) => records == 0,
        };
        if is_whole {
            return self.check_total(known_records);
        }
        // A page can be empty because the service filters its records. It then still announces the pages after it.
        let is_before_others = facts.pages.is_some() && facts.pages == self.announced_pages;
        if records == 0 && (!is_before_others || self.empty_pages > MAX_EMPTY_PAGES) {
            return Err(self.missing(known_records));
        }
        let next = self.first.saturating_add(passed);
        Ok(Some(request.clone().set(Cow::Borrowed(param), Some(next.to_string()))))
    }

    /// The number of announced records from the first page on; `None` if it is unknown.
    fn announced_records(&self) -> Option<u64> {
        let total = self.total?;
        match self.info.next {
            NextPage::Offset { .. } => Some(total.saturating_sub(self.first)),
            // The number of records on the pages before the first one is unknown.
            _ if self.first > 1 => None,
            _ => Some(total),
        }
    }

    /// The number of announced pages after the current one; `None` if no response announced a number.
    fn pages_left(&self) -> Option<u64> {
        // The first page is 1, or 0 if the param counts from 0.
        let before = self.first.saturating_sub(1);
        Some(self.announced_pages?.saturating_sub(before).saturating_sub(self.pages))
    }

    /// Returns an error if all announced pages have fewer records than announced.
    fn check_total(&self, known_records: Option<u64>) -> Result<Option<Untyped>, Error> {
        match known_records {
            Some(total) if self.records < total => Err(self.missing(known_records)),
            _ => Ok(None),
        }
    }

    /// Returns the error for pages that end earlier than announced.
    fn missing(&self, known_records: Option<u64>) -> Error {
        let announced = match (known_records, self.announced_pages) {
            (Some(total), _) => format!("{total} records"),
            (None, pages) => format!("{} pages", pages.unwrap_or_default()),
        };
        let received = format!("{} pages with {} records", self.pages, self.records);
        let error = incomplete(format!("the service announced {announced}, and returned {received}"));
        error.with_hint("records may have been removed meanwhile; request the pages again")
    }
}

fn incomplete(message: String) -> Error {
    Error::new(ErrorKind::Incomplete, message)
}

/// The request for the largest pages that the service is known to accept, if any is known.
fn with_largest_size(request: Untyped, size: &'static str) -> Untyped {
    match request.endpoint().param(size).and_then(ParamInfo::largest) {
        Some(largest) => request.set(Cow::Borrowed(size), Some(largest.to_string())),
        None => request,
    }
}

/// The number in a param of the request, or else its default.
fn number(request: &Untyped, param: &str) -> Option<u64> {
    let default = request.endpoint().param(param).and_then(|param| param.default);
    request.value(param).or(default)?.parse().ok()
}

/// The cursor or link at a path; `None` if there is none. Services write null, `""` or `false` on the last page.
fn text_at(body: &str, path: &str) -> Option<String> {
    match any(at_path(body, path)?).ok()? {
        Value::String(text) if !text.is_empty() => Some(text),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The number at a path, which can be in quotes.
fn count_at(body: &str, path: &str) -> Option<u64> {
    let text = at_path(body, path)?;
    text.trim_matches('"').parse().ok()
}

fn hash(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
