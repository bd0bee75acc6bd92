//! Divides the records of a response into pages, as the registry describes them.

use std::ops::Range;

use runtime::Value;
use runtime::registry::{EndpointInfo, NextPage, PagesInfo, ParamInfo};

use crate::query::{LINK_PARAM, Query};

/// The number of records on a page if the request has no size.
const DEFAULT_SIZE: usize = 50;

/// A page of a response.
#[derive(Debug)]
pub(crate) struct Page {
    /// The positions of its records among all records.
    pub(crate) records: Range<usize>,
    /// The facts that lead to the next page: JSON paths in the body, and their values.
    pub(crate) facts: Vec<(&'static str, Value)>,
}

/// `true` if a param only selects a page.
pub(crate) fn is_page_param(endpoint: &EndpointInfo, param: &ParamInfo) -> bool {
    let Some(pages) = endpoint.pages else { return false };
    [pages.next.param(), pages.size].contains(&Some(param.wire_name))
}

/// The requested page of `count` records. `link` is the path and query of the request.
pub(crate) fn page(pages: &PagesInfo, query: &Query, count: usize, link: &str) -> Page {
    let size = requested_size(pages, query).unwrap_or(DEFAULT_SIZE).max(1);
    let start = requested_start(pages.next, query, link, size).unwrap_or(0).min(count);
    let end = start.saturating_add(size).min(count);
    let is_last = end == count;
    let mut facts = Vec::new();
    match pages.next {
        NextPage::Cursor { .. } | NextPage::Link { .. } if is_last => {}
        NextPage::Cursor { path, .. } => facts.push((path, end.to_string().into())),
        NextPage::Link { path } => facts.push((path, with_position(link, end).into())),
        NextPage::Offset { total, .. } => add_fact(&mut facts, total, count),
        NextPage::Number { pages, total, .. } => {
            add_fact(&mut facts, pages, count.div_ceil(size));
            add_fact(&mut facts, total, count);
        }
    }
    Page { records: start..end, facts }
}

fn requested_size(pages: &PagesInfo, query: &Query) -> Option<usize> {
    number(query, pages.size?)
}

/// The position of the first record on the requested page.
fn requested_start(next: NextPage, query: &Query, link: &str, size: usize) -> Option<usize> {
    match next {
        NextPage::Cursor { param, .. } | NextPage::Offset { param, .. } => number(query, param),
        NextPage::Number { param, .. } => Some(number(query, param)?.saturating_sub(1).saturating_mul(size)),
        NextPage::Link { .. } => position_in_link(link),
    }
}

/// Adds a count, if the service sends it.
fn add_fact(facts: &mut Vec<(&'static str, Value)>, path: Option<&'static str>, count: usize) {
    if let Some(path) = path {
        facts.push((path, count.into()));
    }
}

fn number(query: &Query, param: &str) -> Option<usize> {
    query.text(param)?.parse().ok()
}

/// The position of the first record in a link to a page.
fn position_in_link(link: &str) -> Option<usize> {
    let (_, query) = link.split_once('?')?;
    for param in query.split('&') {
        if let Some((LINK_PARAM, position)) = param.split_once('=') {
            return position.parse().ok();
        }
    }
    None
}

/// The link with another position of the first record.
fn with_position(link: &str, position: usize) -> String {
    let (path, query) = link.split_once('?').unwrap_or((link, ""));
    let mut params = Vec::new();
    for param in query.split('&') {
        if !param.is_empty() && param.split('=').next() != Some(LINK_PARAM) {
            params.push(param.to_owned());
        }
    }
    params.push(format!("{LINK_PARAM}={position}"));
    format!("{path}?{}", params.join("&"))
}
