//! Named types and their values as the catalogue writes them.

use crate::import::facts::{or_unknown, some};
use crate::import::plan::PlannedType;
use crate::naming::{Taken, value_names};
use crate::tree::Tree;

pub(super) fn named_type(name: &str, ty: &PlannedType, evidence: &str) -> Tree {
    let evidence = ty.said.evidence.as_deref().unwrap_or(evidence);
    let mut idents = Taken::default();
    let values = values(ty, evidence, &mut idents);
    let kind = if ty.is_open { "identifier" } else { "enum" };
    Tree::map()
        .with("name", name)
        .with("kind", kind)
        .with("summary", or_unknown(ty.said.summary.clone()))
        .with("evidence", evidence)
        .with_some("shapes", ty.shapes.as_ref().map(Tree::of_value))
        .with_some("values", some(values))
}

fn values(ty: &PlannedType, inherited: &str, idents: &mut Taken) -> Vec<Tree> {
    let (case, scope) = value_names(ty.is_open);
    let values = ty.values.iter().map(|value| {
        let said = &value.said;
        Tree::map()
            .with("value", value.value.as_str())
            .with_some("ident", idents.chosen(&value.value, said.ident.as_deref(), case, scope))
            .with_some("summary", Some(said.summary.clone()).filter(|summary| !summary.is_empty()))
            .with_some("evidence", said.evidence.clone().filter(|own| own != inherited))
    });
    values.collect()
}
