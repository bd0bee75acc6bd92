//! Detects records that contain themselves, directly or through other records.

use std::collections::HashMap;

use crate::spec;
use crate::type_expr::TypeExpr;

/// Returns, for each record, `true` if a value of the record can contain another value of the same record.
pub(super) fn contain_themselves(records: &[spec::Record]) -> Vec<bool> {
    let index: HashMap<&str, usize> =
        records.iter().enumerate().rev().map(|(index, record)| (record.name.as_str(), index)).collect();
    let inner = |record: &spec::Record| -> Vec<usize> {
        let exprs = record.fields.iter().filter_map(|field| TypeExpr::parse(&field.ty));
        exprs.filter_map(|expr| index.get(expr.innermost().name()?).copied()).collect()
    };
    let below: Vec<Vec<usize>> = records.iter().map(inner).collect();
    let mut above = vec![Vec::new(); records.len()];
    for (record, inner) in below.iter().enumerate() {
        for inner in inner {
            above[*inner].push(record);
        }
    }
    // Kosaraju's algorithm: the reversed edges are visited in reverse post-order of the edges. All records reached from
    // one start form a strongly connected component.
    let mut contained = vec![false; records.len()];
    let mut is_visited = vec![false; records.len()];
    let mut order = Vec::new();
    for start in 0..records.len() {
        visit(start, &below, &mut is_visited, &mut order);
    }
    is_visited.fill(false);
    while let Some(start) = order.pop() {
        let mut cycle = Vec::new();
        visit(start, &above, &mut is_visited, &mut cycle);
        let is_cycle = cycle.len() > 1 || below[start].contains(&start);
        for record in cycle {
            contained[record] = is_cycle;
        }
    }
    contained
}

/// Visits all unvisited nodes reachable from `start`, and lists them in post-order.
fn visit(start: usize, edges: &[Vec<usize>], is_visited: &mut [bool], left: &mut Vec<usize>) {
    let mut way = Vec::new();
    if !std::mem::replace(&mut is_visited[start], true) {
        way.push((start, edges[start].iter()));
    }
    while let Some((node, next)) = way.last_mut() {
        match next.next() {
            Some(next) if !std::mem::replace(&mut is_visited[*next], true) => way.push((*next, edges[*next].iter())),
            Some(_) => {}
            None => {
                left.push(*node);
                way.pop();
            }
        }
    }
}
