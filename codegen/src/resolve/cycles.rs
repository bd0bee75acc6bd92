//! Detects records that contain themselves, directly or through other records.

use std::collections::{HashMap, HashSet};

use crate::spec;
use crate::type_expr::TypeExpr;

/// The records that each record of a file contains.
pub(super) struct Contents<'a>(HashMap<&'a str, Vec<Content<'a>>>);

/// A record in a field of another record.
struct Content<'a> {
    record: &'a str,
    /// Whether the field is a list or a map. Only such a field can contain its own record, because it can be empty.
    is_in_list: bool,
}

impl<'a> Contents<'a> {
    pub(super) fn of(records: &'a [spec::Record]) -> Self {
        let content = |field: &'a spec::Field| {
            let expr = TypeExpr::parse(&field.ty)?;
            Some(Content { record: expr.innermost().name()?, is_in_list: is_list(&expr) })
        };
        let contents = |record: &'a spec::Record| record.fields.iter().filter_map(content).collect();
        Self(records.iter().map(|record| (record.name.as_str(), contents(record))).collect())
    }

    /// Returns whether each value of a record contains another value of the same record.
    pub(super) fn is_endless(&self, record: &str) -> bool {
        self.reaches(record, record, |content| !content.is_in_list)
    }

    /// Returns whether a field of `record` with this type is a list or map whose items can contain `record`.
    pub(super) fn is_recursive(&self, record: &str, ty: &str) -> bool {
        let Some(expr) = TypeExpr::parse(ty).filter(is_list) else { return false };
        expr.innermost().name().is_some_and(|item| item == record || self.reaches(item, record, |_| true))
    }

    /// Returns whether a record contains another one, in fields that pass the filter.
    fn reaches(&self, from: &str, to: &str, is_followed: impl Fn(&Content<'_>) -> bool) -> bool {
        let (mut waiting, mut seen) = (vec![from], HashSet::new());
        while let Some(record) = waiting.pop() {
            for content in self.0.get(record).into_iter().flatten().filter(|content| is_followed(content)) {
                if content.record == to {
                    return true;
                }
                if seen.insert(content.record) {
                    waiting.push(content.record);
                }
            }
        }
        false
    }
}

fn is_list(expr: &TypeExpr<'_>) -> bool {
    match expr {
        TypeExpr::List(_) | TypeExpr::Map(_) => true,
        TypeExpr::Option(given) => is_list(given),
        TypeExpr::Builtin(_) | TypeExpr::Name(_) => false,
    }
}
