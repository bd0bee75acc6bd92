//! Detects records that contain themselves, directly or through other records.

use std::collections::HashMap;

use crate::spec;
use crate::type_expr::TypeExpr;

/// The records of a file that are part of a cycle, or on a path from one cycle to another.
pub(super) struct Cycles<'a> {
    index: HashMap<&'a str, usize>,
    /// For each record, `true` if it is in a cycle, or between two cycles. A cycle may contain fields of all types.
    all: Vec<bool>,
    /// The same for cycles without lists and maps. A record in such a cycle would be infinitely large, whereas a list
    /// or a map can be empty.
    endless: Vec<bool>,
}

impl<'a> Cycles<'a> {
    pub(super) fn of(records: &'a [spec::Record]) -> Self {
        let names = records.iter().enumerate().rev();
        let index: HashMap<&str, usize> = names.map(|(index, record)| (record.name.as_str(), index)).collect();
        let cycles = |with_lists: bool| {
            let contents = |record: &spec::Record| {
                let exprs = record.fields.iter().filter_map(|field| TypeExpr::parse(&field.ty));
                let followed = exprs.filter(|expr| with_lists || !expr.is_list());
                followed.filter_map(|expr| index.get(expr.innermost().name()?).copied()).collect()
            };
            in_cycles(&records.iter().map(contents).collect::<Vec<_>>())
        };
        Self { all: cycles(true), endless: cycles(false), index }
    }

    /// Returns `true` if a record contains itself outside of a list or a map.
    pub(super) fn is_endless(&self, record: &str) -> bool {
        self.index.get(record).is_some_and(|index| self.endless[*index])
    }

    /// Returns `true` if a field of `record` with this type is a list or map whose items may contain `record`.
    pub(super) fn is_recursive(&self, record: &str, ty: &str) -> bool {
        let item = TypeExpr::parse(ty).filter(TypeExpr::is_list).and_then(|expr| expr.innermost().name());
        [Some(record), item].iter().all(|name| name.and_then(|name| self.index.get(name)).is_some_and(|i| self.all[*i]))
    }
}

/// Returns `true` for each node that is in a cycle, or on a path from one cycle to another. First, nodes without
/// outgoing edges are removed until no such node is left. Then, nodes without incoming edges are removed in the same
/// way. Only the nodes that remain yield `true`.
fn in_cycles(below: &[Vec<usize>]) -> Vec<bool> {
    let mut above = vec![Vec::new(); below.len()];
    for (node, inner) in below.iter().enumerate() {
        for inner in inner {
            above[*inner].push(node);
        }
    }
    let mut remains = vec![true; below.len()];
    for (edges, reversed) in [(below, &above[..]), (&above, below)] {
        let mut left: Vec<usize> = edges.iter().map(|to| to.iter().filter(|node| remains[**node]).count()).collect();
        let mut waiting: Vec<usize> = (0..left.len()).filter(|node| remains[*node] && left[*node] == 0).collect();
        while let Some(node) = waiting.pop() {
            remains[node] = false;
            for other in &reversed[node] {
                left[*other] -= 1;
                waiting.extend((left[*other] == 0 && remains[*other]).then_some(*other));
            }
        }
    }
    remains
}

#[cfg(test)]
mod tests {
    use super::in_cycles;

    #[test]
    fn only_cycles_and_the_nodes_between_them_remain() {
        for (below, expected) in [
            (vec![vec![1], vec![2], vec![]], vec![false, false, false]),
            (vec![vec![1], vec![0], vec![0]], vec![true, true, false]),
            (vec![vec![0, 1], vec![2], vec![2, 3], vec![]], vec![true, true, true, false]),
        ] {
            assert_eq!(in_cycles(&below), expected, "{below:?}");
        }
    }
}
