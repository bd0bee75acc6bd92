//! Resolves the time zones of timestamps without an offset.

use super::Resolver;
use crate::model::Type;
use crate::spanned::Text;
use crate::time_unit::{TimeForm, TimeFormat};

impl Resolver<'_> {
    /// The type of a field in its time zone, which only timestamps in the format `iso8601` have.
    pub(super) fn in_zone(&mut self, ty: Type, zone: &Text) -> Type {
        if ty.time_form() != Some(TimeForm::Written(TimeFormat::Iso8601)) {
            self.error("zone/format", zone.at(), &[]);
        } else if !runtime::is_time_zone(zone) {
            self.error("zone/unknown", zone.at(), &[zone]);
        } else {
            // The name is leaked, as in a registry, because formats are copied.
            return ty.timed_in(TimeForm::Local(String::leak(zone.to_string())));
        }
        ty
    }
}
