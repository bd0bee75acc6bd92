//! Reads params of the style `deepObject`: an object whose properties are separate params in the query, such as
//! `filter[coin]=BTC`.

use catalogue::is_line;
use catalogue::spec::Param;
use serde_yaml::Value;

use super::description_reader::DescriptionReader;
use super::omissions::Weight;
use super::schema_layers::Property;
use super::tree::{is_true, text};
use crate::draft::summary_unless_repeated;
use crate::drafted_type::{innermost, record_index};

impl<'d> DescriptionReader<'d> {
    /// The params of an object; `None` if the param has another style.
    pub(super) fn deep_params(&mut self, declaration: &'d Value, pointer: &str) -> Option<Vec<Param>> {
        if text(declaration, "style") != Some("deepObject") || text(declaration, "in") != Some("query") {
            return None;
        }
        let schema = declaration.get("schema")?;
        let object = text(declaration, "name")?;
        let is_required = is_true(declaration, "required");
        let properties = self.document.properties(schema, &format!("{pointer}/schema"));
        if properties.is_empty() {
            self.omissions.add(Weight::Missing, "params that are objects without properties", pointer);
        }
        let mut params = Vec::new();
        for property in properties {
            if let Some(mut param) = self.deep_param(object, &property) {
                param.required = param.required.filter(|_| is_required);
                params.push(param);
            }
        }
        Some(params)
    }

    /// The param of a property, which is required if its object is.
    fn deep_param(&mut self, object: &str, property: &Property<'d>) -> Option<Param> {
        let ty = self.type_at(property.schema, &property.name, &property.pointer);
        let name = format!("{object}[{}]", property.name);
        if record_index(&ty).is_some() || innermost(&ty) != ty || ty == "decimal" || !is_line(&name) {
            self.omissions.add(Weight::Missing, "params that are objects or lists of lists", &property.pointer);
            return None;
        }
        let facts = self.facts(None, property.schema, &ty, &property.pointer);
        Some(Param {
            summary: summary_unless_repeated(facts.summary, &name),
            name: name.into(),
            ty: facts.ty,
            required: property.is_required.then_some(self.options.evidence),
            example: facts.example,
            range: facts.range,
            unit: facts.unit,
            format: facts.format,
            ..Param::default()
        })
    }
}
