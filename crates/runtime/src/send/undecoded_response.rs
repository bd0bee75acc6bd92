//! A response before its body is decoded as the type of the endpoint.

use std::sync::Arc;
use std::time::Duration;

use super::connection::Connection;
use crate::decode::{self, BadRecords, DecodeError, RecordList, Row, error_body};
use crate::dispatch::RequestContext;
use crate::dispatch::observer::{Event, RequestParams};
use crate::error::Error;
use crate::registry::{BodyInfo, RecordInfo};
use crate::request::{RequestKind, RequestTarget};
use crate::transport::{HttpResponse, ResponseBody};
use crate::values::Timestamp;

/// A successful response, with the context for an error about its body.
///
/// This type is public only because the signature of [`Body::read`] contains it. It is not exported, so users cannot
/// refer to it.
pub struct UndecodedResponse {
    pub(super) connection: Arc<Connection>,
    pub(super) target: RequestTarget,
    /// The option of the request.
    pub(super) bad_records: BadRecords,
    /// The response; its body is JSON.
    pub(super) response: HttpResponse,
    /// The body as the service sent it.
    pub(super) sent_body: ResponseBody,
    /// A time that the service had reached when it created the response.
    pub(crate) reached: Timestamp,
    /// Whether the time of the service was disputed after this response, so that it may have reached a later time.
    pub(crate) is_time_disputed: bool,
    pub(super) context: RequestContext,
}

/// A successful response, or the error of a request.
pub(crate) type UndecodedResult = Result<Box<UndecodedResponse>, Error>;

impl UndecodedResponse {
    /// Returns how long the request waited in total: for a token, in the rate-limit queue, and between attempts.
    pub(crate) fn waited(&self) -> Duration {
        self.context.timing().waited
    }

    /// Returns the bytes of the body.
    pub(crate) fn body(&self) -> &[u8] {
        &self.response.body
    }

    /// Returns the body as text, or an error if it is not UTF-8 or contains an error of the service.
    pub(super) fn text(&self) -> Result<&str, DecodeError> {
        let text = std::str::from_utf8(&self.response.body);
        let text = text.map_err(|error| DecodeError::not_utf8(&error))?;
        let record = match self.target.endpoint.body {
            // `read_series` checks the body of a series after decoding it.
            BodyInfo::Series { .. } => return Ok(text),
            BodyInfo::Object { record, .. } => Some(record),
            BodyInfo::Unknown => None,
        };
        if error_body::is_error(text, record, &self.connection.service.error_body) {
            return Err(DecodeError::of_service());
        }
        Ok(text)
    }

    /// Reads the body as one record.
    pub(super) fn object(&self, record: &'static RecordInfo) -> Result<Row<'_>, DecodeError> {
        let row = decode::object(self.text()?, record)?;
        self.report_misfits(row.misfits);
        Ok(row)
    }

    /// Notifies the observer of values that do not fit undocumented fields.
    pub(super) fn report_misfits(&self, values: usize) {
        if values > 0 {
            self.report(|request, params| Event::UnexpectedValues { request, params, values });
        }
    }

    /// Notifies the observer of fields that had values in earlier responses.
    pub(super) fn report_missing(&self, table: Option<&'static RecordInfo>, records: &dyn RecordList) {
        let Some(table) = table else { return };
        if !self.context.observers.has_receiver() {
            return;
        }
        let missing = self.connection.sent_fields.note(self.target.endpoint, table, records);
        for field in missing.fields {
            let new = missing.new.clone();
            self.report(|request, params| Event::FieldMissing { request, params, field, new });
        }
    }

    /// Notifies the observer of an event of the body.
    pub(super) fn report(&self, event: impl FnOnce(RequestKind, RequestParams) -> Event) {
        let observers = &self.context.observers;
        observers.notify(&event(self.context.request(), observers.params()));
    }

    /// Creates the error for a body that does not match the endpoint.
    #[cold]
    #[allow(clippy::needless_pass_by_value)] // No caller uses `error` afterwards.
    pub(super) fn decode_error(self: Box<Self>, mut error: DecodeError) -> Error {
        let Self { connection, target, response, sent_body, context, .. } = *self;
        let HttpResponse { status, headers, body, .. } = response;
        if status == 204 && *body == *b"null" {
            // This body stands for the missing body of the response.
            error = DecodeError::new("it is empty".to_owned());
        }
        // The message of the service is used only if the body has no records. If the body has records, one of them
        // failed to decode, and the message does not explain that failure.
        let is_series = matches!(target.endpoint.body, BodyInfo::Series { .. });
        let lacks_data = error.lacks_data() || !is_series;
        let mut message = None;
        if lacks_data {
            message = error_body::find(&body, connection.service.error_body.message);
        }
        let error = error.into_error(&sent_body, message).with_response(status, headers).after(context.timing());
        context.failed(&error);
        connection.with_request(error, &target)
    }
}

// Omits the headers and the body, because they may contain a secret, and nothing is masked yet.
crate::debug::opaque_debug!(UndecodedResponse);
