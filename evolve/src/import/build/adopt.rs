//! Types that OpenAPI has no word for: where a param's setter takes a moment, a count or an identifier on every endpoint
//! of the catalogue, a number or text of the same name is that as well.

use codegen::names::{self, Case};
use codegen::spec::TypeKind;

use super::{Builder, Slot, label};
use crate::import::plan::{PlannedParam, Taken, Ty};

impl Builder<'_> {
    /// Gives params the types that their setters have.
    pub(super) fn adopt_types(&mut self) {
        if self.plan.is_ours {
            return;
        }
        let mut shared = std::mem::take(&mut self.plan.shared);
        let mut endpoints = std::mem::take(&mut self.plan.endpoints);
        for param in &mut shared {
            self.adopt(param);
        }
        for taken in endpoints.iter_mut().filter_map(|endpoint| endpoint.params.as_mut()).flatten() {
            if let Taken::Own(param) = taken {
                self.adopt(param);
            }
        }
        (self.plan.shared, self.plan.endpoints) = (shared, endpoints);
    }

    fn adopt(&self, param: &mut PlannedParam) {
        let Ty::Builtin(said) = param.ty else { return };
        let Ok(ident) = names::ident(&param.name, Case::Snake) else { return };
        let Some(known) = self.setters.only_type(&ident, &param.name) else { return };
        let types = &self.desk.checked.service.types;
        let is_identifier = types.iter().any(|ty| ty.name == known && ty.kind == TypeKind::Identifier);
        let is_count = param.said.min.is_none_or(|min| min >= 0.0)
            && param.default.as_ref().is_none_or(|default| default.parse::<u32>().is_ok());
        let has_range = param.said.min.or(param.said.max).is_some();
        param.ty = match (said, known) {
            ("integer", "count") if is_count => Ty::Builtin("count"),
            ("integer", "timestamp") if !has_range => Ty::Builtin("timestamp"),
            ("string", known) if is_identifier => Ty::Known(known.to_owned()),
            _ => return,
        };
        param.said.min = param.said.min.filter(|min| known != "count" || *min != 0.0);
        param.adopted = Some(said);
    }

    /// Says which params have another type than the description says, where they are new.
    pub(super) fn say_adopted(&mut self, slots: &[Slot]) {
        let mut lines: Vec<(String, usize, String)> = Vec::new();
        for (endpoint, slot) in self.plan.endpoints.iter().zip(slots) {
            for param in endpoint.params.iter().flatten().map(|taken| self.plan.param(taken)) {
                let Some(said) = param.adopted else { continue };
                if self.met.has(slot, &param.name) {
                    continue;
                }
                let line = format!(
                    "`{}` is {} as on other endpoints, {said} in the description",
                    param.name,
                    self.ty(&param.ty)
                );
                match lines.iter_mut().find(|(known, ..)| *known == line) {
                    Some((_, times, _)) => *times += 1,
                    None => lines.push((line, 1, label(endpoint))),
                }
            }
        }
        for (line, times, first) in lines {
            let places = if times == 1 { format!("at {first}") } else { format!("{times} places, first at {first}") };
            self.desk.say(format!("{line} ({places})"));
        }
    }
}
