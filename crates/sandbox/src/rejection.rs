//! Rejections of requests: a status, a message for users and a code for programs.
//!
//! The body has the layout that the registry declares for errors. The module that rejects a request chooses the status.

use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use runtime::Value;
use runtime::registry::{ErrorBodyInfo, ServiceInfo};
use serde_json::Map;

use crate::json::put;

/// The reason that a request is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rejection {
    status: StatusCode,
    code: &'static str,
    message: String,
}

impl Rejection {
    pub(crate) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into() }
    }

    /// Creates a rejection of a wrong value of a param.
    pub(crate) fn param(message: impl Into<String>) -> Self {
        Self::unprocessable("invalid_param", message)
    }

    /// Creates a rejection of params that cannot be processed.
    pub(crate) fn unprocessable(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, message)
    }

    /// The response, whose body has the layout of the service's errors.
    pub(crate) fn response(&self, service: &ServiceInfo) -> Response {
        (self.status, [(CONTENT_TYPE, "application/json")], self.body(&service.error_body).to_string()).into_response()
    }

    fn body(&self, layout: &ErrorBodyInfo) -> Value {
        let mut body = Value::Object(Map::new());
        if let Some(path) = layout.message.first() {
            put(&mut body, path, self.message.as_str().into());
        }
        if let Some(path) = layout.code.first() {
            put(&mut body, path, self.code.into());
        }
        body
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_has_the_layout_of_the_registry() {
        let service = ServiceInfo {
            error_body: ErrorBodyInfo::new(&["detail.message", "error"]).code(&["detail.error_code"]),
            ..ServiceInfo::new("A service")
        };
        let body = Rejection::param("`limit` has to be a count, not \"x\"").body(&service.error_body);
        let expected = serde_json::json!({
            "detail": {"message": "`limit` has to be a count, not \"x\"", "error_code": "invalid_param"}
        });
        assert_eq!(body, expected);
    }
}
