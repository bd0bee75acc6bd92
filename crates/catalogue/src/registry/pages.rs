//! The entry for the way from a page to the next.

use super::leaked::{optional_text, text};
use crate::model;
use runtime::registry::{NextPage, PagesInfo};

pub(super) fn pages_info(pages: &model::Pages) -> PagesInfo {
    let next = match &pages.next {
        model::NextPage::Cursor { path, param } => NextPage::Cursor { path: text(path), param: text(param) },
        model::NextPage::Link { path } => NextPage::Link { path: text(path) },
        model::NextPage::Offset { param, total } => {
            NextPage::Offset { param: text(param), total: optional_text(total.as_deref()) }
        }
        model::NextPage::Number { param, pages, total } => NextPage::Number {
            param: text(param),
            pages: optional_text(pages.as_deref()),
            total: optional_text(total.as_deref()),
        },
    };
    PagesInfo { next, size: optional_text(pages.size.as_deref()) }
}
