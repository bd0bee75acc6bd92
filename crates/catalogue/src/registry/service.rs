//! The entries that all endpoints share: the service, its errors, its rate limits and the params of a history.

use std::time::Duration;

use super::leaked::{list, optional_text, text, texts};
use super::type_entries::{TypeEntries, evidence};
use crate::model::{
    self, Api, ApiKey, ClientCredentials, Envelope, ErrorBody, GroupBaseUrl, Header, History, KeyCarrier, Limit,
    RateLimitHeaders, RecordTime, Service, Status, Text,
};
use runtime::registry::{
    BaseUrlInfo, ClientCredentialsInfo, EnvelopeInfo, ErrorBodyInfo, HistoryInfo, LimitInfo, RateLimitHeadersInfo,
    ResetUnit, ServiceInfo, StatusInfo,
};

pub(super) fn service_info<'a>(api: &'a Api, types: &mut TypeEntries<'a>) -> ServiceInfo {
    let service = &api.service;
    let declared = &service.declared;
    let mut info = ServiceInfo::new(text(&declared.title));
    info.version = text(&declared.version);
    info.summary = text(&declared.summary);
    info.env_prefix = text(&declared.env_prefix);
    info.base_url_suffix = text(declared.base_url_suffix());
    info.base_urls = list(&api.group_base_urls(), |base_url| base_url_info(api, base_url));
    info.time_unit = declared.time_form().in_registry();
    if let Some(key) = &service.api_key {
        set_api_key(&mut info, key);
    }
    info.headers = list(&declared.headers, header);
    if let Some(flow) = &declared.credentials.client_credentials {
        info.client_credentials = Some(client_credentials_info(flow, service, types));
    }
    info.errors = list(&declared.errors, status_info);
    info.error_body = error_body_info(&declared.error_body);
    info.limits = list(&declared.limits, limit_info);
    info.rate_limit_headers = declared.rate_limit_headers.as_ref().map(rate_limit_headers_info);
    info.envelope = declared.envelope.as_ref().map(envelope_info);
    info.unsupported_values = declared.envelope.as_ref().and_then(unsupported_values);
    info.history = declared.history.as_ref().map(history_info);
    info
}

fn base_url_info(api: &Api, base_url: &GroupBaseUrl) -> BaseUrlInfo {
    let groups: Vec<_> = api.groups_on(base_url).collect();
    BaseUrlInfo {
        name: text(&base_url.name),
        suffix: text(base_url.suffix()),
        groups: list(&groups, |group| text(&group.ident)),
    }
}

fn set_api_key(info: &mut ServiceInfo, key: &ApiKey) {
    match &key.carrier {
        KeyCarrier::Header { name, prefix } => {
            info.api_key_header = Some(text(name));
            info.api_key_prefix = text(prefix);
        }
        KeyCarrier::Basic => {
            info.api_key_header = Some("authorization");
            info.api_key_prefix = "Basic ";
            info.api_key_basic = true;
        }
        KeyCarrier::Query(name) => info.api_key_query = Some(text(name)),
    }
    info.api_key_optional = key.optional;
}

/// The name is in lower case, because HTTP ignores the case of header names.
fn header(header: &Header) -> (&'static str, &'static str) {
    (text(&header.name.to_ascii_lowercase()), text(&header.value))
}

fn client_credentials_info<'a>(
    flow: &ClientCredentials,
    service: &'a Service,
    types: &mut TypeEntries<'a>,
) -> ClientCredentialsInfo {
    ClientCredentialsInfo {
        path: text(&flow.path),
        label: text(&flow.label),
        evidence: evidence(flow.evidence),
        reply: list(&service.token_fields, |field| types.field(field)),
        errors: list(&flow.errors, status_info),
        notes: text(&flow.notes),
    }
}

fn error_body_info(body: &ErrorBody) -> ErrorBodyInfo {
    ErrorBodyInfo {
        name: body.named().map(|(name, source)| (text(name), evidence(source))),
        message: texts(&body.message),
        code: texts(&body.code),
        success: texts(&body.success),
        rate_limited: texts(&body.rate_limited),
        no_data: texts(&body.no_data),
        no_data_statuses: list(&body.no_data_statuses, |status| http_status(*status)),
    }
}

/// The format of the catalogue allows only statuses of HTTP.
fn http_status(status: u32) -> u16 {
    u16::try_from(status).unwrap_or_default()
}

fn rate_limit_headers_info(headers: &RateLimitHeaders) -> RateLimitHeadersInfo {
    let reset_is = match headers.reset_is {
        model::ResetUnit::Seconds => ResetUnit::Seconds,
        model::ResetUnit::EpochSeconds => ResetUnit::EpochSeconds,
        model::ResetUnit::EpochMilliseconds => ResetUnit::EpochMilliseconds,
    };
    let remaining = text(&headers.remaining.to_ascii_lowercase());
    let reset = text(&headers.reset.to_ascii_lowercase());
    RateLimitHeadersInfo { remaining, reset, reset_is }
}

/// The name of the field that lists unsupported values.
fn unsupported_values(envelope: &Envelope) -> Option<&'static str> {
    envelope.metadata.as_ref()?.unsupported.as_ref().map(|name| text(name))
}

fn envelope_info(envelope: &Envelope) -> EnvelopeInfo {
    let metadata = envelope.metadata.as_ref().map(|metadata| text(&metadata.name));
    let time = envelope.time.as_ref().map(|field| text(&field.name));
    EnvelopeInfo { data: text(&envelope.data), metadata, time }
}

fn limit_info(limit: &Limit) -> LimitInfo {
    LimitInfo {
        name: text(&limit.name),
        requests: limit.requests,
        seconds: limit.seconds,
        concurrent: limit.concurrent.known().copied(),
        scope: optional_text(limit.scope.known()),
        endpoints: texts(&limit.endpoints),
        evidence: evidence(limit.evidence),
    }
}

fn status_info(status: &Status) -> StatusInfo {
    let mut info = StatusInfo::new(http_status(*status.status), evidence(status.evidence));
    info.label = optional_text(status.label.known());
    info.summary = text(&status.summary);
    info.advice = text(&status.advice);
    info.notes = text(&status.notes);
    info.rate_limited = status.rate_limited;
    info
}

pub(super) fn history_info(history: &History) -> HistoryInfo {
    HistoryInfo {
        from: param_name(history.from.as_ref()),
        to: param_name(history.to.as_ref()),
        limit: param_name(history.limit.as_ref()),
        step: param_name(history.step.as_ref()),
        every: history.every_step(),
        anchor: history.anchor_seconds(),
        oldest: history.oldest_seconds().map(Duration::from_secs),
        time_is_end: history.time_is == RecordTime::End,
        includes_start: history.includes_start,
        sort: history.order().map(|(param, oldest_first)| (text(param), text(oldest_first))),
        evidence: evidence(history.evidence),
    }
}

fn param_name(name: Option<&Text>) -> &'static str {
    match name {
        Some(name) => text(name),
        None => "",
    }
}
