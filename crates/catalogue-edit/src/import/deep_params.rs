//! Reads params of the style `deepObject`: an object whose properties are separate params in the query, such as
//! `filter[coin]=BTC`.

use catalogue::is_line;
use catalogue::spec::Param;
use serde_yaml::Value;

use super::Reader;
use super::document::text;
use super::omissions::Weight;
use crate::draft::{innermost, record_in, telling};

impl<'d> Reader<'d> {
    /// The params of an object; `None` if the param has another style.
    pub(super) fn deep_params(&mut self, param: &'d Value, pointer: &str) -> Option<Vec<Param>> {
        let schema = param.get("schema").filter(|_| text(param, "style") == Some("deepObject"))?;
        let name = text(param, "name").filter(|_| text(param, "in") == Some("query"))?;
        let is_required = param.get("required").and_then(Value::as_bool) == Some(true);
        let mut params = Vec::new();
        for (key, property, at, is_key_required) in self.document.properties(schema, &format!("{pointer}/schema")) {
            let ty = self.value(property, &key, &at);
            let full = format!("{name}[{key}]");
            if record_in(&ty).is_some() || innermost(&ty) != ty || ty == "decimal" || !is_line(&full) {
                self.omissions.add(Weight::Missing, "params that are objects or lists of lists", &at);
                continue;
            }
            let facts = self.facts(None, property, &ty, &at);
            let required = (is_required && is_key_required).then_some(self.options.evidence);
            params.push(Param {
                summary: telling(facts.summary, &full),
                name: full.into(),
                ty: facts.ty,
                required,
                example: facts.example,
                range: facts.range,
                unit: facts.unit,
                format: facts.format,
                ..Param::default()
            });
        }
        Some(params)
    }
}
