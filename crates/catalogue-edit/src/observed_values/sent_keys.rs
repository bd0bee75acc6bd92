//! Marks the objects whose keys are values of requests.

use super::Observed;

impl Observed {
    /// Marks the objects, here and in all values below, whose keys are all values that a request has sent.
    pub(crate) fn mark_sent_keys(&mut self, is_sent: &impl Fn(&str) -> bool) {
        self.has_sent_keys = !self.fields.is_empty() && self.fields.keys().all(|key| is_sent(key));
        if let Some(items) = &mut self.items {
            items.mark_sent_keys(is_sent);
        }
        if let Some(values) = &mut self.under_keys {
            values.mark_sent_keys(is_sent);
        }
        for values in &mut self.by_index {
            values.mark_sent_keys(is_sent);
        }
        for values in self.fields.values_mut() {
            values.mark_sent_keys(is_sent);
        }
    }
}
