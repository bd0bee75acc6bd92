//! Error causes without secrets.
//!
//! The text of a cause from another crate may contain a secret. If the cause or one of its own causes contains one, all
//! of them are replaced by their masked texts. Otherwise the cause keeps its type, so that callers can examine it.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use crate::secrets::Redact;

pub(crate) type Cause = Arc<dyn Error + Send + Sync>;

/// Returns the cause with secrets masked.
pub(crate) fn without_secrets(cause: Cause, credentials: &dyn Redact) -> Cause {
    // An error of this crate also has headers and a body, which its text omits or shortens; they are masked too.
    if let Some(error) = cause.downcast_ref::<crate::Error>() {
        return Arc::new(error.clone().without_secrets(credentials));
    }
    let all = || std::iter::successors(Some(&*cause as &(dyn Error + 'static)), |cause| (*cause).source());
    let shows = |text: String| masked(text.clone(), credentials) != text;
    if !all().any(|cause| shows(format!("{cause} {cause:#} {cause:?}"))) {
        return cause;
    }
    let mut texts: Vec<_> = all().map(|cause| masked(cause.to_string(), credentials)).collect();
    let innermost = Masked { text: texts.pop().unwrap_or_default(), cause: None };
    let outermost =
        texts.into_iter().rev().fold(innermost, |cause, text| Masked { text, cause: Some(Box::new(cause)) });
    Arc::new(outermost)
}

fn masked(mut text: String, credentials: &dyn Redact) -> String {
    credentials.redact(&mut text);
    text
}

/// The masked text of one cause in a chain of causes that contained a secret.
#[derive(Debug)]
struct Masked {
    text: String,
    cause: Option<Box<Self>>,
}

impl fmt::Display for Masked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Error for Masked {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.as_deref().map(|cause| cause as _)
    }
}
