//! Compares the lists of reserved names with the names that the runtime and our emitted files use.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::*;

type Names = BTreeSet<String>;

fn check(title: &str, used: &Names, what: &str) {
    let listed: Names = section(title).into_iter().map(str::to_owned).collect();
    let missing: Vec<_> = used.difference(&listed).collect();
    assert!(missing.is_empty(), "{what} are used but not reserved: {missing:?}");
    let idle: Vec<_> = listed.difference(used).collect();
    assert!(idle.is_empty(), "{what} are reserved but not used: {idle:?}");
}

#[test]
fn modules_are_reserved() {
    let mut used = names(&shown_of_the_runtime(), char::is_lowercase);
    used.extend(modules_of("src/lib.rs", |_| true));
    // The public modules of the emitted root are groups. Their names are not reserved, so they are excluded.
    used.extend(modules_of("src/generated/mod.rs", |module| !matches!(module.vis, syn::Visibility::Public(_))));
    used.extend(modules_of("src/generated/service/mod.rs", |_| true));
    // This module exists only if the catalogue has an endpoint with a path.
    used.insert("examples".to_owned());
    check("modules", &used, "modules");
}

#[test]
fn methods_are_reserved() {
    let file = |name: &str| read(&root().join("crates/runtime/src/define_client").join(name));
    let macros = ["client.rs", "request.rs"].map(file).concat();
    let of_client = methods_of("Client", &macros);
    let of_request = methods_of("Request<E>", &macros);
    assert!(of_client.len() > 2 && of_request.len() > 5);
    check("client", &of_client, "methods of `Client`");
    check("request", &of_request, "methods of `Request`");
    let planned: Vec<_> =
        section("planned for requests").into_iter().filter(|name| of_request.contains(*name)).collect();
    assert!(planned.is_empty(), "listed as planned, but they exist already: {planned:?}");
}

#[test]
fn test_functions_are_reserved() {
    let text = read(&client().join("src/generated/requests.rs"));
    let imported =
        text.lines().find_map(|line| line.strip_prefix("use ::sandbox::request_checks::")).expect("an import");
    let mut used = names(imported, char::is_lowercase);
    used.insert("every_setter".to_owned());
    assert!(text.contains("fn every_setter()"));
    check("test functions", &used, "functions of the emitted tests");
}

#[test]
fn types_are_reserved() {
    let mut used = names(&shown_of_the_runtime(), char::is_uppercase);
    used.extend(["Client", "Request", "Series", "Metadata", "GROUPS", "REGISTRY", "SERVICE"].map(str::to_owned));
    // The names that every emitted file imports.
    let text = read(&root().join("crates/runtime/src/emitted.rs"));
    let (_, prelude) = text.split_once("pub mod prelude {").expect("the imports of emitted files");
    used.extend(names(prelude.split("\n}\n").next().unwrap_or_default(), char::is_uppercase));
    check("types", &used, "types");
}

#[test]
fn prelude_names_are_reserved() {
    let prelude = [
        "AsRef",
        "Box",
        "Clone",
        "Copy",
        "Default",
        "Drop",
        "Err",
        "Extend",
        "Fn",
        "From",
        "FromIterator",
        "Into",
        "IntoIterator",
        "Iterator",
        "None",
        "Ok",
        "Option",
        "Result",
        "Some",
        "String",
        "ToOwned",
        "ToString",
        "TryFrom",
        "TryInto",
        "Vec",
    ];
    let mut used = Names::new();
    for path in rust_files(&client().join("src/generated")) {
        let code: proc_macro2::TokenStream = read(&path).parse().expect("Rust");
        words(code, &mut |word| {
            if prelude.contains(&word) {
                used.insert(word.to_owned());
            }
        });
    }
    // Setters for lists of numbers use this trait, but our catalogue has no such setter.
    used.insert("IntoIterator".to_owned());
    check("prelude", &used, "names of the prelude");
}

/// Visits the identifiers in code, except those after `::` and derived traits.
fn words(code: proc_macro2::TokenStream, visit: &mut dyn FnMut(&str)) {
    let tokens: Vec<_> = code.into_iter().collect();
    for (index, token) in tokens.iter().enumerate() {
        let before = |steps: usize| index.checked_sub(steps).map(|index| tokens[index].to_string());
        match token {
            proc_macro2::TokenTree::Group(group) if before(1).as_deref() != Some("derive") => {
                words(group.stream(), visit);
            }
            proc_macro2::TokenTree::Ident(word)
                if before(1).as_deref() != Some(":") || before(2).as_deref() != Some(":") =>
            {
                visit(&word.to_string());
            }
            _ => {}
        }
    }
}

fn rust_files(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { rust_files(&path) } else { vec![path] }).collect()
}

/// The list of names that a client re-exports from the runtime in its `lib.rs`.
fn shown_of_the_runtime() -> String {
    let text = read(&client().join("src/lib.rs"));
    let (_, list) = text.split_once("pub use ::runtime::{").expect("the re-exports of the runtime");
    list.split('}').next().unwrap_or_default().to_owned()
}

fn names(list: &str, is_first: fn(char) -> bool) -> Names {
    let words = list.split(|character: char| !character.is_alphanumeric() && character != '_');
    words.filter(|word| word.starts_with(is_first)).map(str::to_owned).collect()
}

fn modules_of(file: &str, is_meant: fn(&syn::ItemMod) -> bool) -> Vec<String> {
    let file = syn::parse_file(&read(&client().join(file))).expect("Rust");
    let modules = file.items.iter().filter_map(|item| match item {
        syn::Item::Mod(module) if is_meant(module) => Some(module.ident.to_string()),
        _ => None,
    });
    modules.collect()
}

/// The methods of a type in the body of a macro. The macro is searched as text, because the Rust parser cannot parse
/// its body.
fn methods_of(ty: &str, text: &str) -> Names {
    let (mut is_inside, mut names) = (false, Names::new());
    for line in text.lines().map(str::trim) {
        if line.starts_with("impl") {
            let (_, of) = line.rsplit_once(" for ").unwrap_or(("", line));
            let is_foreign_trait = line.contains("::std::") && !line.contains("IntoFuture");
            let is_our_trait = line.contains("emitted::") && line.contains(" for ");
            is_inside = !is_foreign_trait && !is_our_trait && of.trim_end_matches(" {").ends_with(ty);
        }
        let function =
            line.split_once("fn ").filter(|(before, _)| !before.starts_with("//") && !before.starts_with("#[doc"));
        let name = function.and_then(|(_, rest)| rest.split(['(', '<']).next());
        names.extend(name.filter(|_| is_inside).map(str::to_owned));
    }
    names
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn client() -> std::path::PathBuf {
    root().join("generated-client")
}

fn root() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
