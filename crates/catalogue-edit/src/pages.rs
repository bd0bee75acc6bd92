//! Recognizes how the pages of an endpoint follow each other: by the members beside the records, and by the params.
//! Descriptions have no values of members, so `import::candidates` judges the same names alone.

use catalogue::spec::{Pages, Param, Text};
use heck::ToSnakeCase;

use crate::page_names::{
    CURSORS, LINKS, MORE, NUMBERS, OFFSETS, PAGE_COUNTS, SIZES, TOTALS, cursor_param, named, names_next_cursor,
};
use crate::word_lists::is_among;

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
        let name = self.name();
        let is_named_like_url = ["url", "uri", "link", "href"].iter().any(|word| name.ends_with(word));
        let is_empty_link = self.content == MemberContent::Nothing && is_named_like_url;
        is_among(LINKS, &name) && (self.content == MemberContent::Url || is_empty_link)
    }

    fn is_total(&self) -> bool {
        match self.content {
            MemberContent::MoreThanThePage => self.is_named(TOTALS) || self.is_named("count"),
            MemberContent::Number => self.is_named(TOTALS),
            _ => false,
        }
    }

    fn is_page_count(&self) -> bool {
        self.is_named(PAGE_COUNTS)
    }

    fn path(&self) -> Text {
        self.path.as_str().into()
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

impl Recognized {
    fn candidate(cause: impl Into<String>, pages: &Pages) -> Self {
        Self::Candidate { cause: cause.into(), line: line(pages) }
    }
}

impl From<Pages> for Recognized {
    fn from(pages: Pages) -> Self {
        Self::Pages(Box::new(pages))
    }
}

/// Recognizes the pages of an endpoint; `None` if nothing shows that it has any.
pub(crate) fn recognize(params: &[Param], members: &[Member]) -> Option<Recognized> {
    let size = count_among(params, SIZES).map(|param| param.name.clone());
    let cursor = best_cursor(members);
    if let Some(cursor) = cursor
        && let Some(param) = cursor_param(params, &cursor.name())
    {
        return Some(Pages { cursor: Some(cursor.path()), param: Some(param), size, ..Pages::default() }.into());
    }
    if let Some(link) = members.iter().find(|member| member.is_link()) {
        return Some(Pages { next: Some(link.path()), size, ..Pages::default() }.into());
    }
    if let Some(cursor) = cursor {
        let cause = format!("the response has the cursor `{}`, but no param is known that sends it", cursor.path);
        let param = Some("PARAM".into());
        let pages = Pages { cursor: Some(cursor.path()), param, size, ..Pages::default() };
        return Some(Recognized::candidate(cause, &pages));
    }
    by_position(params, members, size)
}

/// The last member with a cursor, preferably one whose name begins with `next`.
fn best_cursor(members: &[Member]) -> Option<&Member> {
    let mut best: Option<&Member> = None;
    for member in members {
        if !member.is_cursor() {
            continue;
        }
        let is_next = member.name().starts_with("next");
        let is_worse = best.is_some_and(|best| best.name().starts_with("next")) && !is_next;
        if !is_worse {
            best = Some(member);
        }
    }
    best
}

/// Recognizes pages that are requested by their number, or by the number of records before them.
fn by_position(params: &[Param], members: &[Member], size: Option<Text>) -> Option<Recognized> {
    let total = members.iter().find(|member| member.is_total()).map(Member::path);
    if let Some(page) = count_among(params, NUMBERS) {
        let counted = members.iter().find(|member| member.is_page_count() && member.content >= MemberContent::Number);
        let pages =
            Pages { page: Some(page.name.clone()), pages: counted.map(Member::path), total, size, ..Pages::default() };
        return Some(numbered(page, pages));
    }
    if let Some(offset) = count_among(params, OFFSETS) {
        // An offset always counts from 0; without a total, a page without records is the last.
        return Some(Pages { offset: Some(offset.name.clone()), total, size, ..Pages::default() }.into());
    }
    more_pages(members)
}

/// Pages that a param selects by their number.
fn numbered(page: &Param, pages: Pages) -> Recognized {
    if begins_with_zero(page) {
        return Recognized::candidate("its first page may have the number 0, but the client begins with 1", &pages);
    }
    if pages.total.is_none() && pages.pages.is_none() {
        let cause = "a param selects a page, but the response does not count the pages or the records";
        return Recognized::candidate(cause, &pages);
    }
    pages.into()
}

/// Recognizes members of a response that show further pages, if no param is known that selects a page.
fn more_pages(members: &[Member]) -> Option<Recognized> {
    if let Some(offset) = value_among(members, OFFSETS) {
        let total = members.iter().find(|member| member.is_total()).map(Member::path);
        let cause = format!("the response has `{}`, but no param is known that sets it", offset.path);
        let pages = Pages { offset: Some(offset.name().into()), total, ..Pages::default() };
        return Some(Recognized::candidate(cause, &pages));
    }
    let more = match value_among(members, MORE) {
        Some(more) => more,
        None => page_count(members)?,
    };
    let cause = format!("the response has `{}`, but no param is known that selects a page", more.path);
    Some(Recognized::candidate(cause, &Pages { page: Some("PARAM".into()), ..Pages::default() }))
}

/// The member with the number of pages. A member `pages` alone may be a fact about a book.
fn page_count(members: &[Member]) -> Option<&Member> {
    let has_number = value_among(members, NUMBERS).is_some();
    members.iter().find(|member| member.is_page_count() && (member.name() != "pages" || has_number))
}

/// The first member with one of these names that is no URL.
fn value_among<'m>(members: &'m [Member], words: &str) -> Option<&'m Member> {
    members.iter().find(|member| member.is_named(words) && member.content != MemberContent::Url)
}

/// The line of a catalogue with these pages.
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
        if let Some(value) = value {
            written.push(format!("{key}: {}", value.as_str()));
        }
    }
    format!("pages: {{{}}}", written.join(", "))
}

/// The first param with one of these names that is an integer.
fn count_among<'p>(params: &'p [Param], words: &str) -> Option<&'p Param> {
    named(params, words).into_iter().find(|param| is_count(param))
}

fn is_count(param: &Param) -> bool {
    param.const_value.is_none() && matches!(param.ty.as_str(), "count" | "integer")
}

fn begins_with_zero(param: &Param) -> bool {
    if let Some(range) = &param.range
        && let Some(min) = range.min.as_deref()
        && *min <= 0.0
    {
        return true;
    }
    param.default.as_ref().is_some_and(|default| default.as_str() == "0")
}
