//! The warnings of `poll` about records that do not fit the catalogue or the request, once for each series.

use dataset::{SeriesRequest, StreamedFields};
use runtime::record::AnyRecord;

use crate::log::Log;
use crate::progress::{listed, quotations};
use crate::table::readable;

/// The fields of the records of all series that are followed.
pub(crate) struct FollowedFields {
    series: Vec<StreamedFields>,
}

impl FollowedFields {
    pub(crate) fn new(series: &[SeriesRequest]) -> Self {
        Self { series: series.iter().map(StreamedFields::new).collect() }
    }

    /// Notes the records of a series. Warns if they are the first of the series that do not fit.
    pub(crate) fn note(&mut self, index: usize, label: &str, records: &[AnyRecord], log: Log) {
        let Some(fields) = self.series.get_mut(index) else { return };
        let had_invalid = fields.invalid() > 0;
        let had_contradicted = !fields.contradicted().is_empty();
        for record in records {
            fields.add(record);
        }
        if !had_invalid && fields.invalid() > 0 {
            log.warning(&readable(&format!("{label}: records with an invalid value, which is null")));
        }
        if !had_contradicted && !fields.contradicted().is_empty() {
            let params: Vec<_> = fields.contradicted().keys().cloned().collect();
            let params = listed(&quotations(&params));
            log.warning(&readable(&format!("{label}: records with another {params} than was requested")));
        }
    }
}
