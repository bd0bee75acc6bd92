//! What all endpoints share, with its texts folded.

use super::types::Scope;
use super::{fields, known_meaning, lower_field, meaning, prose, snake};
use crate::model::{ApiKey, ClientCredentials, Envelope, ErrorBody, Field, Limit, Service, Status};
use crate::names::{self, Case};
use crate::spec;

pub(super) fn lower_service(scope: Scope<'_>) -> Service {
    let service = scope.service;
    Service {
        title: service.title.clone(),
        version: service.version.clone(),
        summary: meaning(&service.summary),
        env_prefix: service.env_prefix.clone(),
        base_url_suffix: service.base_url.as_ref().map(|base_url| base_url.suffix.clone()).unwrap_or_default(),
        base_url_evidence: service.base_url.as_ref().map(|base_url| base_url.evidence),
        time_unit: service.time.unit,
        time_evidence: service.time.evidence,
        api_key: service
            .credentials
            .api_key
            .as_ref()
            .map(|key| ApiKey { header: key.header.to_ascii_lowercase(), evidence: key.evidence }),
        client_credentials: service.credentials.client_credentials.as_ref().map(|flow| ClientCredentials {
            path: flow.path.clone(),
            label: flow.label.clone(),
            evidence: flow.evidence,
            reply: fields(scope, &flow.reply, flow.evidence),
            errors: flow.errors.iter().map(status).collect(),
            notes: prose(&flow.notes),
        }),
        errors: service.errors.iter().map(status).collect(),
        error_body: ErrorBody {
            name: error_schema(&service.error_body),
            message: service.error_body.message.clone(),
            code: service.error_body.code.clone(),
            evidence: service.error_body.evidence,
        },
        limits: service.limits.iter().map(limit).collect(),
        envelope: service.envelope.as_ref().map(|envelope| Envelope {
            data: envelope.data.clone(),
            metadata: envelope.metadata.as_ref().map(|metadata| metadata.name.clone()),
            unsupported: envelope.metadata.as_ref().and_then(unsupported),
            time: envelope_time(scope),
            evidence: envelope.evidence,
        }),
    }
}

/// The field that every record of a series has, unless its endpoint says otherwise.
pub(super) fn envelope_time(scope: Scope<'_>) -> Option<Field> {
    let envelope = scope.service.envelope.as_ref()?;
    let time = lower_field(scope, envelope.time.as_ref()?, envelope.evidence);
    Some(Field { is_envelope_time: true, ..time })
}

/// The name is known as the places are, unless it says otherwise.
fn error_schema(body: &spec::ErrorBody) -> Option<(String, spec::Evidence)> {
    Some((body.name.clone()?, body.named_by.or(body.evidence)?))
}

fn status(status: &spec::Status) -> Status {
    Status {
        status: u16::try_from(status.status).unwrap_or_default(),
        label: status.label.known().cloned(),
        summary: known_meaning(&status.summary),
        advice: prose(&status.advice),
        notes: prose(&status.notes),
        evidence: status.evidence,
    }
}

fn limit(limit: &spec::Limit) -> Limit {
    let number = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    Limit {
        name: limit.name.clone(),
        constant: names::ident(&names::limit(&limit.name), Case::Shouty).unwrap_or_default(),
        requests: number(limit.requests),
        seconds: number(limit.seconds),
        concurrent: number(limit.concurrent),
        applies_to: limit.applies_to.known().map(|text| prose(text)),
        evidence: limit.evidence,
    }
}

fn unsupported(metadata: &spec::Metadata) -> Option<String> {
    let field = metadata.fields.iter().find(|field| Some(&field.name) == metadata.unsupported.as_ref())?;
    Some(snake(&field.name, field.ident.as_ref()))
}
