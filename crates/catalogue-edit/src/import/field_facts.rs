//! Reads the facts about a value that are not its type: its summary, example, range, unit and format.

use catalogue::is_line;
use catalogue::model::{TimeForm, TimeUnit};
use catalogue::spec::{Field, Range};
use serde_yaml::Value;

use super::description_reader::DescriptionReader;
use super::number_types::is_beyond_type;
use super::omissions::Weight;
use super::schema_facts::type_of;
use super::schema_layers::Property;
use super::tree::text_of;
use crate::draft::summary_unless_repeated;
use crate::drafted_type::{TIMESTAMP, innermost, is_number, record_index, type_index};

impl<'d> DescriptionReader<'d> {
    pub(super) fn field(&mut self, property: &Property<'d>) -> Field {
        let Property { name, schema, pointer, is_required } = property;
        let ty = self.type_at(schema, name, pointer);
        if self.document.default_of(schema).is_some() {
            self.omissions.add(Weight::Fact, "the `default` of a field", pointer);
        }
        let facts = self.facts(None, schema, &ty, pointer);
        Field {
            name: name.as_str().into(),
            also_named: self.also_named(schema),
            summary: summary_unless_repeated(facts.summary, name),
            optional: !is_required || self.document.is_nullable(schema),
            evidence: self.stated_evidence(schema),
            ..facts
        }
    }

    /// A field without a name, with the facts of a schema, and of the param that contains it, if any. The nearest
    /// declaration of each fact applies: that of the param, of the schema, or of a schema to which the schema refers or
    /// that it combines.
    pub(super) fn facts(&mut self, param: Option<&'d Value>, schema: &'d Value, ty: &str, pointer: &str) -> Field {
        let declarations = self.declarations(param, schema, ty);
        let levels = self.document.levels(schema);
        let has_format = self.document.timestamp_format(schema).filter(|_| innermost(ty) == TIMESTAMP);
        let mut facts = Field {
            ty: ty.into(),
            summary: self.first_summary(&declarations),
            unit: self.other_unit(&levels).map(|unit| unit.word().into()),
            format: has_format.map(Into::into),
            range: self.range(&levels, ty, pointer).map(Into::into),
            ..Field::default()
        };
        let can_be_quoted = is_number(innermost(ty)) || innermost(ty) == TIMESTAMP;
        if has_format.is_none() && can_be_quoted && is_text(&levels) {
            facts.quoted = Some(true.into());
        }
        if let Some(example) = first_example(&declarations) {
            if self.fits(&example, &facts) {
                facts.example = Some(example.into());
            } else {
                self.omissions.add(Weight::Fact, "an example that is not a value of its type", pointer);
            }
        }
        facts
    }

    /// The declarations of a value, nearest first. A named type or record declares its facts itself, so those of its
    /// schema are not repeated.
    fn declarations(&self, param: Option<&'d Value>, schema: &'d Value, ty: &str) -> Vec<&'d Value> {
        let mut declarations = Vec::from_iter(param);
        for layer in self.document.layers(schema, "") {
            declarations.push(layer.schema);
            let is_named = type_index(ty).or(record_index(ty)).is_some() && innermost(ty) == ty;
            if is_named {
                break;
            }
        }
        declarations
    }

    fn first_summary(&self, declarations: &[&Value]) -> String {
        for declaration in declarations {
            let summary = self.summary(declaration, &["description"]);
            if !summary.is_empty() {
                return summary;
            }
        }
        String::new()
    }

    /// The unit of a timestamp, if it is not that of the service.
    fn other_unit(&self, levels: &[&Value]) -> Option<TimeUnit> {
        let unit = levels.iter().find_map(|level| self.document.declared_unit(level))?;
        let is_default = TimeForm::Counted(unit) == self.catalogue.service.time_form();
        if is_default { None } else { Some(unit) }
    }

    /// The range, unless it does not suit the type or allows no number. A minimum that the type implies is omitted.
    fn range(&mut self, levels: &[&Value], ty: &str, pointer: &str) -> Option<Range> {
        let mut min = first_limit(levels, "minimum");
        let mut max = first_limit(levels, "maximum");
        if let (Some(min), Some(max)) = (min, max)
            && min > max
        {
            self.omissions.add(Weight::Fact, "a `minimum` above the `maximum`", pointer);
            return None;
        }
        if !is_number(ty) {
            return None;
        }
        min = min.filter(|min| !is_beyond_type(ty, *min));
        max = max.filter(|max| !is_beyond_type(ty, *max));
        if ty == "count" && min == Some(0.0) {
            min = None;
        }
        if min.is_none() && max.is_none() {
            return None;
        }
        Some(Range { min: min.map(Into::into), max: max.map(Into::into) })
    }
}

/// The first limit that is a number.
fn first_limit(levels: &[&Value], key: &str) -> Option<f64> {
    for level in levels {
        if let Some(limit) = level.get(key).and_then(Value::as_f64)
            && limit.is_finite()
        {
            return Some(limit);
        }
    }
    None
}

/// `true` if values are texts: the innermost schema with a type is a string.
fn is_text(levels: &[&Value]) -> bool {
    let mut innermost = "";
    for level in levels {
        let ty = type_of(level);
        if !ty.is_empty() {
            innermost = ty;
        }
    }
    innermost == "string"
}

fn first_example(declarations: &[&Value]) -> Option<String> {
    for declaration in declarations {
        let listed = declaration.get("example").or(declaration.get("examples"));
        if let Some(example) = listed.and_then(example) {
            return Some(example);
        }
    }
    None
}

/// The example of a value, or the first of several examples, if it has one line.
fn example(value: &Value) -> Option<String> {
    let text = match value {
        Value::Sequence(several) => match several.first()? {
            Value::Sequence(_) => return None,
            first => return example(first),
        },
        Value::Mapping(_) | Value::Null | Value::Tagged(_) => return None,
        one => text_of(one),
    };
    if is_line(&text) { Some(text) } else { None }
}
