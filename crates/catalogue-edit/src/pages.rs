//! Recognizes how the pages of an endpoint follow each other: by the members beside the records, and by the params.
//! Descriptions have no values of members, so `import::candidates` judges the same names alone.

use catalogue::spec::{Pages, Param, Text};
use heck::ToSnakeCase;

use crate::drafted_type::TIMESTAMP;

/// The names of members with a cursor. A name that begins with `next_` is one of these without the prefix.
const CURSORS: &str =
    "continuation continuation_token cursor end_cursor marker next page_cursor page_token scroll_id token";
/// The names of params that send a cursor, the most certain first.
const CURSOR_PARAMS: &str = "cursor page_token page_cursor next_token continuation_token continuation pagination_token \
    starting_after start_after after marker scroll_id token";
/// The names of members with the URL of the next page.
pub(crate) const LINKS: &str =
    "next next_href next_link next_page next_page_link next_page_uri next_page_url next_uri next_url";
/// The names of params for the number of records before a page.
pub(crate) const OFFSETS: &str = "offset skip start_index starting_index";
/// The names of params for the number of a page.
pub(crate) const NUMBERS: &str = "current_page page page_index page_no page_num page_number";
/// The names of params for the number of records on a page, the most certain first.
pub(crate) const SIZES: &str =
    "page_size per_page results_per_page items_per_page page_limit limit max_results size length count rows take";
/// The names of members with the number of pages.
pub(crate) const PAGE_COUNTS: &str =
    "last_page num_pages number_of_pages page_count page_total pages total_page total_pages";
/// The names of members with the number of records on all pages.
pub(crate) const TOTALS: &str =
    "num_found record_count total total_count total_elements total_items total_records total_results";
/// The names of members that say whether there is another page.
const MORE: &str = "has_more has_next has_next_page is_truncated more more_data";

/// What a response has beside its records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    /// Its JSON path.
    pub(crate) path: String,
    pub(crate) content: MemberContent,
}

/// The content of a member, the most telling last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum MemberContent {
    /// Null, or an empty text.
    Nothing,
    Other,
    Number,
    /// A number of records that is greater than that of the page, so it counts those of all pages.
    MoreThanThePage,
    Text,
    Url,
}

impl Member {
    fn name(&self) -> String {
        self.path.rsplit('.').next().unwrap_or_default().to_snake_case()
    }

    fn is_named(&self, words: &str) -> bool {
        is_among(words, &self.name())
    }

    fn is_cursor(&self) -> bool {
        let name = self.name();
        if names_next_cursor(&name) {
            return !matches!(self.content, MemberContent::Other | MemberContent::Url);
        }
        let is_sure = name.contains("cursor") || name.contains("token") || name.contains("continuation");
        let is_number = matches!(self.content, MemberContent::Number | MemberContent::MoreThanThePage);
        is_among(CURSORS, &name) && (self.content == MemberContent::Text || (is_sure && is_number))
    }

    fn is_link(&self) -> bool {
        let names_url = ["url", "uri", "link", "href"].iter().any(|word| self.name().ends_with(word));
        let is_empty_link = self.content == MemberContent::Nothing && names_url;
        self.is_named(LINKS) && (self.content == MemberContent::Url || is_empty_link)
    }

    fn is_total(&self) -> bool {
        let counts = matches!(self.content, MemberContent::Number | MemberContent::MoreThanThePage);
        counts && (self.is_named(TOTALS) || (self.is_named("count") && self.content == MemberContent::MoreThanThePage))
    }
}

/// The pages of an endpoint, as far as its params and the members of its responses show them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Recognized {
    /// Everything that leads to the next page.
    Pages(Box<Pages>),
    /// The cause why it is not certain, and the line to add if it is right.
    Candidate { cause: String, line: String },
}

/// Recognizes the pages of an endpoint; `None` if nothing shows that it has any.
pub(crate) fn recognize(params: &[Param], members: &[Member]) -> Option<Recognized> {
    let size = named(params, SIZES).into_iter().find(|param| is_count(param)).map(|param| param.name.clone());
    let link = members.iter().find(|member| member.is_link()).map(|member| member.path.as_str().into());
    let cursor =
        members.iter().filter(|member| member.is_cursor()).max_by_key(|member| member.name().starts_with("next"));
    let param = cursor.and_then(|cursor| cursor_param(params, &cursor.name()));
    if let (Some(cursor), Some(param)) = (cursor, param) {
        let cursor = Some(cursor.path.as_str().into());
        return Some(Recognized::Pages(Box::new(Pages { cursor, param: Some(param), size, ..Pages::default() })));
    }
    if link.is_some() {
        return Some(Recognized::Pages(Box::new(Pages { next: link, size, ..Pages::default() })));
    }
    if let Some(cursor) = cursor {
        let cause = format!("the response has the cursor `{}`, but no param is known that sends it", cursor.path);
        let cursor = Some(cursor.path.as_str().into());
        return Some(candidate(cause, &Pages { cursor, param: Some("PARAM".into()), size, ..Pages::default() }));
    }
    by_position(params, members, size.as_ref())
}

/// Recognizes pages that are requested by their number, or by the number of records before them.
fn by_position(params: &[Param], members: &[Member], size: Option<&Text>) -> Option<Recognized> {
    let path = |found: Option<&Member>| found.map(|member| Text::from(member.path.as_str()));
    let total = path(members.iter().find(|member| member.is_total()));
    let is_page_count = |member: &&Member| member.is_named(PAGE_COUNTS) && member.content >= MemberContent::Number;
    let pages = path(members.iter().find(is_page_count));
    let page = named(params, NUMBERS).into_iter().find(|param| is_count(param));
    let offset = named(params, OFFSETS).into_iter().find(|param| is_count(param));
    let size = size.cloned();
    let found = match (page, offset) {
        (Some(page), _) => Pages { page: Some(page.name.clone()), pages, total, size, ..Pages::default() },
        (None, Some(offset)) => Pages { offset: Some(offset.name.clone()), total, size, ..Pages::default() },
        (None, None) => return more_pages(members),
    };
    if page.is_some_and(begins_with_zero) {
        return Some(candidate(
            "its first page may have the number 0, but the client begins with 1".to_owned(),
            &found,
        ));
    }
    // An offset always counts from 0; without a total, a page without records is the last.
    if found.page.is_some() && found.total.is_none() && found.pages.is_none() {
        let cause = "a param selects a page, but the response does not count the pages or the records".to_owned();
        return Some(candidate(cause, &found));
    }
    Some(Recognized::Pages(Box::new(found)))
}

/// Recognizes members of a response that show further pages, if no param is known that selects a page.
fn more_pages(members: &[Member]) -> Option<Recognized> {
    let place =
        |words: &str| members.iter().find(|member| member.is_named(words) && member.content != MemberContent::Url);
    if let Some(offset) = place(OFFSETS) {
        let total = members.iter().find(|member| member.is_total()).map(|member| member.path.as_str().into());
        let cause = format!("the response has `{}`, but no param is known that sets it", offset.path);
        return Some(candidate(cause, &Pages { offset: Some(offset.name().into()), total, ..Pages::default() }));
    }
    // A member `pages` alone may be a fact about a book.
    let is_page_count =
        |member: &&Member| member.is_named(PAGE_COUNTS) && (member.name() != "pages" || place(NUMBERS).is_some());
    let more = place(MORE).or_else(|| members.iter().find(is_page_count))?;
    let cause = format!("the response has `{}`, but no param is known that selects a page", more.path);
    Some(candidate(cause, &Pages { page: Some("PARAM".into()), ..Pages::default() }))
}

fn candidate(cause: String, pages: &Pages) -> Recognized {
    Recognized::Candidate { cause, line: line(pages) }
}

/// Returns the line of a catalogue with these pages.
pub(crate) fn line(pages: &Pages) -> String {
    let keys = [
        ("cursor", &pages.cursor),
        ("param", &pages.param),
        ("next", &pages.next),
        ("offset", &pages.offset),
        ("page", &pages.page),
        ("pages", &pages.pages),
        ("total", &pages.total),
        ("size", &pages.size),
    ];
    let mut written = Vec::new();
    for (key, value) in keys {
        written.extend(value.as_ref().map(|value| format!("{key}: {}", value.as_str())));
    }
    format!("pages: {{{}}}", written.join(", "))
}

/// Returns the param that sends the cursor of a member with this name.
pub(crate) fn cursor_param(params: &[Param], member: &str) -> Option<Text> {
    let own = member.strip_prefix("next_").unwrap_or(member);
    let words = format!("{member} {own} {CURSOR_PARAMS}");
    let can_send = |param: &&Param| param.const_value.is_none() && *param.ty != TIMESTAMP;
    named(params, &words).into_iter().find(can_send).map(|param| param.name.clone())
}

/// Returns the params with these names, in the order of the names.
pub(crate) fn named<'p>(params: &'p [Param], words: &str) -> Vec<&'p Param> {
    let mut found = Vec::new();
    for word in words.split_whitespace() {
        found.extend(params.iter().filter(|param| param.name.to_snake_case() == word));
    }
    found
}

fn is_count(param: &Param) -> bool {
    param.const_value.is_none() && matches!(param.ty.as_str(), "count" | "integer")
}

fn begins_with_zero(param: &Param) -> bool {
    let min = param.range.as_ref().and_then(|range| range.min.as_deref());
    let is_zero = |default: &Text| default.as_str() == "0";
    min.is_some_and(|min| *min <= 0.0) || param.default.as_ref().is_some_and(is_zero)
}

/// Returns whether a member with this name can have a cursor.
pub(crate) fn names_cursor(name: &str) -> bool {
    is_among(CURSORS, name) || names_next_cursor(name)
}

fn names_next_cursor(name: &str) -> bool {
    name.strip_prefix("next_").is_some_and(|rest| is_among(CURSORS, rest) || rest == "page")
}

pub(crate) fn is_among(words: &str, name: &str) -> bool {
    words.split_whitespace().any(|word| word == name)
}
