//! One of the two sides that are compared, the catalogue or the draft: its params and fields in a form that can be
//! compared.

use catalogue::names::OTHERS;
use catalogue::spec::{Endpoint, Evidence, Field, ListFormat, Param, ParamEntry, Record, TypeKind};
use catalogue::type_expr::{Builtin, TypeExpr};

use crate::content::{Content, EntryPosition};

/// A param or a field.
pub(super) struct Member {
    /// The definition. A field is compared like a param that is never sent.
    pub(super) facts: Param,
    /// `true` for a field that can be missing.
    pub(super) optional: bool,
    /// The JSON type of the values; for a list or map, followed by the types of the items.
    pub(super) kinds: Vec<&'static str>,
    /// The values of the type, if the type is an enum.
    pub(super) values: Vec<String>,
}

impl Member {
    /// The format of several values, if a param accepts several.
    pub(super) fn list_format(&self) -> Option<ListFormat> {
        if self.facts.list_setter.is_some() { Some(self.facts.list_as) } else { None }
    }
}

/// The catalogue or the draft, with the module in which names are looked up.
#[derive(Clone, Copy)]
pub(super) struct ComparedSide<'a> {
    pub(super) content: &'a Content,
    pub(super) module: &'a str,
}

impl<'a> ComparedSide<'a> {
    /// The params to which an endpoint refers; `None` if they are unknown. A param that this side does not define has
    /// the type `any`.
    pub(super) fn params(&self, endpoint: &Endpoint) -> Option<Vec<Member>> {
        let mut members = Vec::new();
        for param in self.content.params_of(endpoint)? {
            members.push(self.member(param, false));
        }
        for entry in endpoint.params.known()? {
            if let ParamEntry::Name(name) = entry
                && self.content.defined(entry).is_empty()
            {
                let undefined = Param { name: name.clone(), ty: "any".into(), ..Param::default() };
                members.push(self.member(undefined, false));
            }
        }
        Some(members)
    }

    /// The kind of an entire body, if it is known.
    pub(super) fn body_kind(&self, endpoint: &Endpoint) -> Option<String> {
        let body = endpoint.body.known()?;
        if body.object.is_some() {
            return Some("an object".to_owned());
        }
        if body.series.is_some() {
            return Some("a series".to_owned());
        }
        match self.kinds(body.ty.as_ref()?)[0] {
            "any" => None,
            "list" => Some("a list".to_owned()),
            "object" => Some("a map".to_owned()),
            kind => Some(format!("one {kind}")),
        }
    }

    /// The fields that a body lists, or the fields of its record. A body of another type counts as one field.
    pub(super) fn fields_of_body(&self, endpoint: &Endpoint) -> Option<Vec<Member>> {
        let body = endpoint.body.known()?;
        if let Some(ty) = &body.ty
            && self.kinds(ty) != ["any"]
        {
            let all = Param { name: "the entire body".into(), ty: ty.clone(), ..Param::default() };
            return Some(vec![self.member(all, false)]);
        }
        let record = self.content.body_record(self.module, endpoint)?;
        Some(self.fields_of_record(&record))
    }

    /// The fields of a record, and the field for the members that it does not list.
    pub(super) fn fields_of_record(&self, record: &Record) -> Vec<Member> {
        let mut members = self.fields(&record.fields, record.evidence);
        if let Some(ty) = &record.others {
            let evidence = Some(record.evidence);
            let facts = Param { name: OTHERS.into(), ty: ty.clone(), evidence, ..Param::default() };
            members.push(self.member(facts, true));
        }
        members
    }

    /// The members for fields, which have the evidence `inherited` unless they declare another one.
    pub(super) fn fields(&self, fields: &[Field], inherited: Evidence) -> Vec<Member> {
        let mut members = Vec::new();
        for field in fields {
            let facts = Param {
                name: field.name.clone(),
                ty: field.ty.clone(),
                range: field.range.clone(),
                evidence: field.evidence.or(Some(inherited)),
                ..Param::default()
            };
            members.push(self.member(facts, field.optional));
        }
        members
    }

    /// The record to which the type of a field refers.
    pub(super) fn record(&self, field: &Member) -> Option<(EntryPosition, &'a Record)> {
        let expr = TypeExpr::parse(&field.facts.ty)?;
        self.content.record(self.module, &expr.innermost().to_string())
    }

    fn member(&self, facts: Param, optional: bool) -> Member {
        let kinds = self.kinds(&facts.ty);
        let values = self.enum_values(&facts.ty);
        Member { facts, optional, kinds, values }
    }

    /// The values of an enum, or of the enum in a list or map.
    fn enum_values(&self, ty: &str) -> Vec<String> {
        let mut values = Vec::new();
        let Some(expr) = TypeExpr::parse(ty) else { return values };
        if let Some(ty) = self.content.ty(&expr.innermost().to_string())
            && ty.kind == TypeKind::Enum
        {
            for value in &ty.values {
                values.push(value.value.to_string());
            }
        }
        values
    }

    /// The JSON type of a type in the catalogue; for a list or map, followed by the types of the items. Types are
    /// compared by their JSON types, because other differences are not necessarily contradictions.
    fn kinds(&self, ty: &str) -> Vec<&'static str> {
        let mut kinds = Vec::new();
        match TypeExpr::parse(ty) {
            Some(expr) => self.add_kinds(&expr, &mut kinds),
            None => kinds.push("any"),
        }
        kinds
    }

    fn add_kinds(&self, expr: &TypeExpr<'_>, kinds: &mut Vec<&'static str>) {
        match expr {
            // A timestamp or a decimal may be a number or a string.
            TypeExpr::Builtin(Builtin::Any | Builtin::Decimal | Builtin::Timestamp(_)) => kinds.push("any"),
            TypeExpr::Builtin(Builtin::Count) => kinds.push("integer"),
            TypeExpr::Builtin(builtin) => kinds.push(builtin.name()),
            TypeExpr::List(item) => {
                kinds.push("list");
                self.add_kinds(item, kinds);
            }
            TypeExpr::Map(item) => {
                kinds.push("object");
                self.add_kinds(item, kinds);
            }
            TypeExpr::Option(inner) => self.add_kinds(inner, kinds),
            TypeExpr::Name(name) => kinds.push(self.kind_of_name(name)),
        }
    }

    fn kind_of_name(&self, name: &str) -> &'static str {
        if self.content.ty(name).is_some() {
            return "string";
        }
        match self.content.record(self.module, name) {
            Some((_, record)) if record.positional => "list",
            _ => "object",
        }
    }
}
