//! Named types and their values as the catalogue writes them.

use crate::evolve::import::facts::{or_unknown, some};
use crate::evolve::import::plan::PlannedType;
use crate::evolve::naming::Taken;
use crate::evolve::tree::Tree;
use crate::names::{Case, Scope};

pub(super) fn named_type(name: &str, ty: &PlannedType, evidence: &str) -> Tree {
    let evidence = ty.said.evidence.as_deref().unwrap_or(evidence);
    let mut idents = Taken::default();
    let values = values(ty, ty.is_open, evidence, &mut idents, &[]);
    let (kind, _) = case_of(ty.is_open);
    Tree::map()
        .with("name", name)
        .with("kind", kind)
        .with("summary", or_unknown(ty.said.summary.clone()))
        .with("evidence", evidence)
        .with_some("shapes", ty.shapes.as_ref().map(Tree::of_value))
        .with_some("values", some(values))
}

fn case_of(is_open: bool) -> (&'static str, (Case, Scope)) {
    if is_open { ("identifier", (Case::Shouty, Scope::Constants)) } else { ("enum", (Case::Pascal, Scope::Variants)) }
}

/// Values that are not among the known ones.
pub(super) fn values(
    ty: &PlannedType,
    is_open: bool,
    inherited: &str,
    idents: &mut Taken,
    known: &[&str],
) -> Vec<Tree> {
    let (_, (case, scope)) = case_of(is_open);
    let new = ty.values.iter().filter(|value| !known.contains(&value.value.as_str()));
    new.map(|value| {
        let said = &value.said;
        Tree::map()
            .with("value", value.value.as_str())
            .with_some("ident", idents.chosen(&value.value, said.ident.as_deref(), case, scope))
            .with_some("summary", Some(said.summary.clone()).filter(|summary| !summary.is_empty()))
            .with_some("duration", said.duration.clone())
            .with_some("evidence", said.evidence.clone().filter(|own| own != inherited))
    })
    .collect()
}
