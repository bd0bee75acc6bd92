//! Declares `credentials` and `headers` of `service.yaml`, which add headers and params to every request.

use super::{Evidence, Field, Status};
use crate::catalogue_format::Condition::{Has, HasAny, HasNotOne};
use crate::catalogue_format::{Form, map};
use crate::spanned::{Spanned, Text};

map! {
    /// The credentials of requests. Both keys are optional.
    Credentials, CREDENTIALS, "`credentials`" {
        /// An API key, sent with every request.
        may api_key: Option<ApiKey>;
        /// An access token, which the client requests before its first request.
        may client_credentials: Option<ClientCredentials>;
    }
}

/// The names of headers. RFC 9110, section 5.6.2: a field name is a token.
pub const HEADER_PATTERN: &str = "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$";

/// The condition for the name of a header.
const HEADER_NAME: Form = Form::Like(HEADER_PATTERN, "header-name/syntax");

/// The condition for text in a header.
const HEADER_VALUE: Form = Form::Like("^[ -~]*$", "header-value");

map! {
    /// The name and format of the API key. The user supplies the key itself.
    ApiKey, API_KEY, "`api_key`" {
        /// The header that carries the key. It may be `Authorization`, unless there are `client_credentials`.
        may header: Option<Text> as HEADER_NAME;
        /// The prefix of the key in the header, for example `'Bearer '`.
        may prefix: Option<String> as HEADER_VALUE;
        /// The query param that carries the key. Only the transport adds the key to the URL, so that errors and events
        /// do not contain the key.
        may query: Option<Text>;
        /// `true` if the key is `name:password` and is sent by HTTP Basic authentication. Not allowed with
        /// `client_credentials`.
        may basic: Option<Spanned<bool>>;
        /// `true` if the service also accepts requests without a key.
        may optional: bool;
        /// The source of these facts.
        must evidence: Evidence;
    }
    never(HasNotOne(&["header", "query", "basic"])): "key-carrier";
    never(Has("prefix"), HasAny(&["query", "basic"])) at "prefix": "key-prefix";
}

map! {
    /// A header that is sent with every request. Users can override its value.
    Header, HEADER, "a header" {
        /// The name of the header.
        must name: Text as HEADER_NAME;
        /// The default value of the header.
        must value: String as HEADER_VALUE;
        /// The source of these facts.
        must evidence: Evidence;
    }
}

map! {
    /// The client credentials grant of OAuth 2.0.
    ClientCredentials, CLIENT_CREDENTIALS, "`client_credentials`" {
        /// The path of the token endpoint, after the base URL.
        must path: Text as Form::Path { takes_params: true };
        /// The label of the token flow in the API document.
        must label: String;
        /// The fields of the token response.
        may reply: Vec<Field>;
        /// Error statuses of the token endpoint.
        may errors: Vec<Status>;
        /// Further facts for users.
        may notes: String as Form::Prose;
        /// The source of these facts.
        must evidence: Evidence;
    }
}
