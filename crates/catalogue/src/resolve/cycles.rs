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
        let mut index = HashMap::new();
        for (position, record) in records.iter().enumerate() {
            index.entry(record.name.as_str()).or_insert(position);
        }
        let mut contents = Vec::new();
        let mut contents_outside_lists = Vec::new();
        for record in records {
            let mut all = Vec::new();
            let mut outside_lists = Vec::new();
            for field in &record.fields {
                let Some(expr) = TypeExpr::parse(&field.ty) else { continue };
                let Some(inner) = expr.innermost().name().and_then(|name| index.get(name)) else { continue };
                all.push(*inner);
                if !expr.is_list() {
                    outside_lists.push(*inner);
                }
            }
            contents.push(all);
            contents_outside_lists.push(outside_lists);
        }
        Self { all: in_cycles(&contents), endless: in_cycles(&contents_outside_lists), index }
    }

    /// `true` if a record contains itself outside of a list or a map.
    pub(super) fn is_endless(&self, record: &str) -> bool {
        self.index.get(record).is_some_and(|index| self.endless[*index])
    }

    /// `true` if a field of `record` with this type is a list or map whose items may contain `record`.
    pub(super) fn is_recursive(&self, record: &str, ty: &str) -> bool {
        let Some(expr) = TypeExpr::parse(ty) else { return false };
        let Some(item) = expr.innermost().name() else { return false };
        expr.is_list() && self.is_in_cycle(record) && self.is_in_cycle(item)
    }

    fn is_in_cycle(&self, record: &str) -> bool {
        self.index.get(record).is_some_and(|index| self.all[*index])
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
        let mut left = Vec::new();
        let mut waiting = Vec::new();
        for (node, targets) in edges.iter().enumerate() {
            let count = targets.iter().filter(|target| remains[**target]).count();
            left.push(count);
            if count == 0 && remains[node] {
                waiting.push(node);
            }
        }
        while let Some(node) = waiting.pop() {
            remains[node] = false;
            for other in &reversed[node] {
                left[*other] -= 1;
                if left[*other] == 0 && remains[*other] {
                    waiting.push(*other);
                }
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
