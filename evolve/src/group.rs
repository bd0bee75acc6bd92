//! The file of a new group.

use super::tree::Tree;

/// Its text: title, summary and records, then the endpoints with a blank line between them.
pub(super) fn file(head: &Tree, endpoints: &[Tree]) -> String {
    let mut text = head.block(0).join("\n");
    if endpoints.is_empty() {
        return text + "\nendpoints: []\n";
    }
    text += "\nendpoints:\n";
    let endpoints = endpoints.iter().map(|endpoint| endpoint.item(0, false).join("\n") + "\n");
    text + &endpoints.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_are_set_apart() {
        let endpoint = |name: &str| Tree::map().with("name", name).with("params", Vec::new()).with("body", "unknown");
        let head = Tree::map().with("title", "Market").with("summary", "What: it does.");
        let expected = "\
title: Market
summary: 'What: it does.'
endpoints:
- name: A
  params: []
  body: unknown

- name: B
  params: []
  body: unknown
";
        assert_eq!(file(&head, &[endpoint("A"), endpoint("B")]), expected);
        assert_eq!(file(&head, &[]), "title: Market\nsummary: 'What: it does.'\nendpoints: []\n");
    }
}
