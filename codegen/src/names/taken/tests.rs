//! The names that the runtime has, read from its source.

use super::*;

/// The runtime's own names, read from its source: each must be known here as taken.
#[test]
fn what_the_runtime_uses_is_taken() {
    let modules_and_types = names_in("lib.rs", &mut |item, names| match item {
        syn::Item::Mod(module) => names.push((Scope::Groups, module.ident.to_string())),
        syn::Item::Use(item) => used_types(&item.tree, names),
        _ => {}
    });
    let client = names_in("client.rs", &mut |item, names| methods(item, "Client", Scope::Groups, names));
    let request = names_in("request.rs", &mut |item, names| methods(item, "Request", Scope::Setters, names));
    assert!(modules_and_types.len() > 20 && client.len() > 3 && request.len() > 3);
    for (scope, name) in modules_and_types.into_iter().chain(client).chain(request) {
        assert!(is_taken(scope, &name), "`{name}` belongs to the names that are taken as {scope:?}");
    }
}

/// What emitted files bring with them, read from our own: each must be known here as taken.
#[test]
fn what_emitted_files_use_is_taken() {
    let modules = names_in("generated/mod.rs", &mut |item, names| match item {
        syn::Item::Mod(module) if !matches!(module.vis, syn::Visibility::Public(_)) => {
            names.push((Scope::Groups, module.ident.to_string()));
        }
        _ => {}
    });
    let files = ["service/mod.rs", "service/params.rs", "service/records.rs", "service/types.rs", "orderflow.rs"];
    let types = files.iter().flat_map(|file| names_in(&format!("generated/{file}"), &mut imports_and_generics));
    let types: Vec<_> = types.filter(|(_, name)| name.starts_with(char::is_uppercase)).collect();
    assert!(modules.len() > 2 && types.len() > 20);
    for (scope, name) in modules.into_iter().chain(types) {
        assert!(is_taken(scope, &name), "`{name}` belongs to the names that are taken as {scope:?}");
    }
}

/// Types that come from modules of the runtime, and what generic code calls its own.
fn imports_and_generics(item: &syn::Item, names: &mut Names) {
    match item {
        syn::Item::Use(item) => match &item.tree {
            syn::UseTree::Path(root) if root.ident == "crate" && matches!(*root.tree, syn::UseTree::Path(_)) => {
                used_types(&root.tree, names);
            }
            _ => {}
        },
        syn::Item::Impl(item) => {
            names.extend(item.generics.type_params().map(|param| (Scope::Types, param.ident.to_string())));
        }
        _ => {}
    }
}

type Names = Vec<(Scope, String)>;

fn names_in(file: &str, collect: &mut dyn FnMut(&syn::Item, &mut Names)) -> Names {
    let path = format!("{}/../generated-client/src/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect(&path);
    let mut names = Vec::new();
    syn::parse_file(&text).expect("Rust").items.iter().for_each(|item| collect(item, &mut names));
    names
}

fn used_types(tree: &syn::UseTree, names: &mut Names) {
    match tree {
        syn::UseTree::Path(path) => used_types(&path.tree, names),
        syn::UseTree::Group(group) => group.items.iter().for_each(|tree| used_types(tree, names)),
        syn::UseTree::Name(name) => names.push((Scope::Types, name.ident.to_string())),
        _ => {}
    }
}

fn methods(item: &syn::Item, of: &str, scope: Scope, names: &mut Names) {
    let syn::Item::Impl(item) = item else { return };
    let is_of = matches!(&*item.self_ty, syn::Type::Path(path) if path.path.segments[0].ident == of);
    for member in item.items.iter().filter(|_| is_of) {
        if let syn::ImplItem::Fn(method) = member {
            names.push((scope, method.sig.ident.to_string()));
        }
    }
}
