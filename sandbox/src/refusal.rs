//! Requests that are not served: a status, a message for a person, a code for a program.
//!
//! The body has the shape that the registry reports for errors. The code that refuses a request chooses the status.

use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use generated_client::{SERVICE, Value};
use serde_json::Map;

/// Why a request is not served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    status: StatusCode,
    code: &'static str,
    message: String,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into() }
    }

    /// A param has a wrong value.
    pub(crate) fn param(message: impl Into<String>) -> Self {
        Self::unprocessable("invalid_param", message)
    }

    /// The params cannot be processed.
    pub(crate) fn unprocessable(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, message)
    }

    fn body(&self) -> Value {
        let mut body = Map::new();
        for (places, text) in
            [(SERVICE.error_body.message, self.message.as_str()), (SERVICE.error_body.code, self.code)]
        {
            if let Some(place) = places.first() {
                put(&mut body, place, text);
            }
        }
        Value::Object(body)
    }
}

/// Puts a text at a dotted place.
fn put(body: &mut Map<String, Value>, place: &str, text: &str) {
    match place.split_once('.') {
        None => {
            body.insert(place.to_owned(), text.into());
        }
        Some((outer, rest)) => {
            if let Value::Object(inner) = body.entry(outer).or_insert_with(|| Value::Object(Map::new())) {
                put(inner, rest, text);
            }
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.status, [(CONTENT_TYPE, "application/json")], self.body().to_string()).into_response()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_has_the_reported_shape() {
        let body = Refusal::param("`limit` is no count: \"x\"").body();
        let expected = serde_json::json!({
            "detail": {"message": "`limit` is no count: \"x\"", "error_code": "invalid_param"}
        });
        assert_eq!(body, expected);
    }
}
