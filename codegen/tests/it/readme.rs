//! Tests that the examples in `spec/README.md` are valid catalogues.

/// Returns the YAML blocks of a page, without their indentation.
fn blocks(page: &str) -> Vec<String> {
    let starts = page.match_indices("```yaml\n");
    let indented = starts.map(|(start, fence)| {
        let indent = page[..start].chars().rev().take_while(|character| *character == ' ').count();
        let text = page[start + fence.len()..].split("```").next().unwrap_or_default();
        text.trim_end().lines().map(|line| line.get(indent..).unwrap_or_default().to_owned() + "\n").collect()
    });
    indented.collect()
}

fn check(service: &str, group: &str) {
    let catalogue = codegen::load_texts(&[("orderflow.yaml", group), ("service.yaml", service)]);
    if let Err(diagnostics) = codegen::resolve(&catalogue) {
        panic!("{diagnostics}");
    }
}

#[test]
fn format_examples_have_no_errors() {
    let blocks = blocks(include_str!("../../../spec/README.md"));
    let [entry, group, service] = blocks.as_slice() else { panic!("{} blocks", blocks.len()) };
    check(service, group);
    check(service, &format!("title: Orderflow\nsummary: Orders.\nendpoints:\n{entry}"));
}
