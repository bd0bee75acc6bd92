//! Types of the catalogue against those of the description: where they agree, and how each is called in messages.

use codegen::spec::{self, TypeKind};
use codegen::type_expr::{Builtin, TypeExpr};

use super::Comparison;
use super::facts::{Spot, some_of};
use crate::edit::Step;
use crate::import::plan::{Said, Ty};
use crate::keys::SERVICE;

impl Comparison<'_> {
    /// How two types differ, if they do, with what goes by the type that is not taken over.
    pub(super) fn differing(&self, known: &str, ty: &Ty, said: &Said, default: Option<&str>) -> Option<String> {
        let expr = TypeExpr::parse(known);
        if expr.as_ref().is_some_and(|expr| self.agrees(expr, ty, said.min)) {
            return None;
        }
        let known = expr.map_or_else(|| known.to_owned(), |expr| self.known_in_words(&expr));
        let bound = |key: &str, bound: Option<f64>| bound.map(|bound| format!("{key} {bound}"));
        let default = default.map(|default| format!("default {default}"));
        let more: Vec<_> = [bound("min", said.min), bound("max", said.max), default].into_iter().flatten().collect();
        let more = if more.is_empty() { String::new() } else { format!(" with {}", more.join(", ")) };
        Some(format!("{}{more} in the description, {known} here", self.said_in_words(ty)))
    }

    fn agrees(&self, known: &TypeExpr<'_>, said: &Ty, min: Option<f64>) -> bool {
        match (known, said) {
            // That it has no type for it is noted where it was read.
            (_, Ty::Builtin("any")) => true,
            (TypeExpr::Name(name), Ty::Known(said)) => name == said,
            (TypeExpr::List(known), Ty::List(said)) => self.agrees(known, said, min),
            (TypeExpr::Name(name), Ty::Record(_)) => self.type_named(name).is_none(),
            (TypeExpr::Name(name), Ty::Named(index)) => self.type_named(name).is_some_and(|ty| {
                let is_met = self.met.types.get(index).is_some_and(|(met, _)| met == name);
                let has = |value: &str| ty.values.iter().any(|known| known.value == value);
                is_met || ty.kind == TypeKind::Identifier || self.values(*index).all(has)
            }),
            // An identifier is text, and OpenAPI has no word for moments and counts.
            (TypeExpr::Name(name), Ty::Builtin("string")) => {
                self.type_named(name).is_some_and(|ty| ty.kind == TypeKind::Identifier)
            }
            (TypeExpr::Builtin(Builtin::Count), Ty::Builtin("integer")) => min.is_none_or(|min| min >= 0.0),
            (TypeExpr::Builtin(known), Ty::Builtin(said)) => {
                builtin(*known) == *said || (*known == Builtin::Timestamp && *said == "integer")
            }
            _ => false,
        }
    }

    fn type_named(&self, name: &str) -> Option<&spec::Type> {
        self.checked.service.types.iter().find(|ty| ty.name == name)
    }

    fn values(&self, index: usize) -> impl Iterator<Item = &str> {
        self.plan.types[index].values.iter().map(|value| value.value.as_str())
    }

    fn known_in_words(&self, ty: &TypeExpr<'_>) -> String {
        match ty {
            TypeExpr::Builtin(known) => builtin(*known).to_owned(),
            TypeExpr::List(item) => format!("a list of {}", self.known_in_words(item)),
            TypeExpr::Name(name) => match self.type_named(name).map(|ty| ty.kind) {
                Some(TypeKind::Enum) => format!("enum `{name}`"),
                Some(TypeKind::Identifier) => format!("identifier `{name}`"),
                None => format!("record `{name}`"),
            },
        }
    }

    fn said_in_words(&self, ty: &Ty) -> String {
        match ty {
            Ty::Builtin(name) => (*name).to_owned(),
            Ty::Known(_) => "string".to_owned(),
            Ty::List(item) => format!("a list of {}", self.said_in_words(item)),
            Ty::Record(_) => "an object".to_owned(),
            Ty::Named(index) => format!("one of {}", some_of(&self.values(*index).collect::<Vec<_>>())),
        }
    }

    /// Types that both know: what they mean, and values that stand here and not in the description.
    pub(super) fn named_types(&mut self) {
        let (checked, plan) = (self.checked, self.plan);
        for (index, (name, of)) in &self.met.types {
            let Some(place) = checked.service.types.iter().position(|ty| ty.name == *name) else { continue };
            let ty = &checked.service.types[place];
            let path = vec![Step::Key("types"), Step::Item(place)];
            let spot = Spot { file: SERVICE.to_owned(), path, name: format!("`{name}`"), of: String::new() };
            self.facts.summary(&spot, &ty.summary, &plan.types[*index].said.summary);
            if ty.kind == TypeKind::Identifier {
                continue;
            }
            let values: Vec<&str> = self.plan.types[*index].values.iter().map(|value| value.value.as_str()).collect();
            let missing: Vec<&str> =
                ty.values.iter().map(|value| value.value.as_str()).filter(|value| !values.contains(value)).collect();
            if !missing.is_empty() {
                let text = format!("no {} in the description, which `{name}` has here", some_of(&missing));
                self.facts.differ("values", of, text);
            }
        }
    }
}

fn builtin(builtin: Builtin) -> &'static str {
    codegen::type_expr::BUILTINS.iter().find(|(_, known)| *known == builtin).map_or("any", |(name, _)| name)
}
