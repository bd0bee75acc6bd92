//! The names of members and params by which pages are recognized.

use catalogue::spec::{Param, Text};
use heck::ToSnakeCase;

use crate::drafted_type::TIMESTAMP;
use crate::word_lists::is_among;

/// The names of members with a cursor. A name that begins with `next_` is one of these without the prefix.
pub(crate) const CURSORS: &str =
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
pub(crate) const MORE: &str = "has_more has_next has_next_page is_truncated more more_data";

/// The param that sends the cursor of a member with this name.
pub(crate) fn cursor_param(params: &[Param], member: &str) -> Option<Text> {
    let own = member.strip_prefix("next_").unwrap_or(member);
    let words = format!("{member} {own} {CURSOR_PARAMS}");
    for param in named(params, &words) {
        if param.const_value.is_none() && *param.ty != TIMESTAMP {
            return Some(param.name.clone());
        }
    }
    None
}

/// The params with these names, in the order of the names.
pub(crate) fn named<'p>(params: &'p [Param], words: &str) -> Vec<&'p Param> {
    let mut found = Vec::new();
    for word in words.split_whitespace() {
        for param in params {
            if param.name.to_snake_case() == word {
                found.push(param);
            }
        }
    }
    found
}

/// `true` if a member with this name can have a cursor.
pub(crate) fn names_cursor(name: &str) -> bool {
    is_among(CURSORS, name) || names_next_cursor(name)
}

pub(crate) fn names_next_cursor(name: &str) -> bool {
    let Some(rest) = name.strip_prefix("next_") else { return false };
    is_among(CURSORS, rest) || rest == "page"
}
