//! What is imported: a description, and the options of the user.

use catalogue::spec::Evidence;

/// A description to import, with the options.
#[derive(Clone, Debug)]
pub struct Import {
    /// The text of an OpenAPI 3.0, 3.1 or 3.2 description, or of a Swagger 2.0 description, in JSON or YAML.
    pub text: String,
    /// The evidence of imported facts.
    pub evidence: Evidence,
    /// `true` imports summaries and descriptions too.
    pub summaries: bool,
    /// The only hosts whose endpoints are imported, if paths have servers of their own; that of the service is the first.
    /// Without any, the endpoints of all hosts are imported, and the host of the service is that of the first server.
    pub hosts: Vec<String>,
}
