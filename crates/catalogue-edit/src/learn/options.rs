//! What is learned from: the responses of endpoints, and the options of the user.

use catalogue::spec::Evidence;

use crate::observed_query::ObservedQuery;
use crate::saved_response::SavedResponse;
use crate::sent_times::SentTimes;
use crate::sent_values::SentValues;

/// The responses to learn from, and the options.
#[derive(Clone, Debug)]
pub struct LearnOptions {
    /// The endpoints, each with its responses.
    pub endpoints: Vec<EndpointResponses>,
    /// The evidence of learned facts.
    pub evidence: Evidence,
    /// The names of the fields whose values become an enum, optionally with the name of the type: `side`,
    /// `side=OrderSide`.
    pub enums: Vec<String>,
    /// `true` accepts mock responses of the sandbox.
    pub accept_mock: bool,
}

/// An endpoint with its responses.
#[derive(Clone, Debug, Default)]
pub struct EndpointResponses {
    /// The endpoint: its path (`/buyVolume`), its name, its method name, or its group and method
    /// (`orderflow.buy_volume`).
    pub endpoint: String,
    /// The responses. Each consists of its origin, which messages mention, and its saved text: a JSON body with or
    /// without headers.
    pub responses: Vec<(String, Vec<u8>)>,
    /// The params in the queries of the requests, if they were recorded.
    pub query: ObservedQuery,
    /// The values that the requests have sent, if they were recorded.
    pub sent: SentValues,
    /// The times and steps that the requests have sent, if they were recorded.
    pub sent_times: SentTimes,
}

/// Reads the responses of an endpoint.
pub(crate) fn read(options: &LearnOptions, sample: &EndpointResponses) -> Result<Vec<SavedResponse>, String> {
    let mut responses = Vec::new();
    for (origin, bytes) in &sample.responses {
        let response = SavedResponse::read(origin, bytes).map_err(|why| format!("{origin}: {why}"))?;
        if response.is_mock && !options.accept_mock {
            return Err(format!(
                "{origin} is a mock response of the sandbox; to learn from it anyway, set the catalogue with `--spec`"
            ));
        }
        responses.push(response);
    }
    Ok(responses)
}
