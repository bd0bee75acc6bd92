//! Tests that the modules of every crate use each other in one direction.
//!
//! The order of the `mod` lines in a file is the order of the layers, lowest first: a module uses only modules that are
//! declared before it, in `lib.rs` or `main.rs` and in each folder. A file such as `history.rs` is a layer too: after the submodules
//! that it uses, and before those that use it. Paths are followed through re-exports to the module of the item.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The names from the root of the crate to a module or an item.
type Names = Vec<String>;

#[derive(Default)]
struct Module {
    /// The names of the submodules, in the order of their declarations.
    children: Names,
    imports: Vec<Import>,
    /// The paths in expressions and signatures.
    paths: Vec<Names>,
    /// The code without its declarations of imports and submodules.
    code: String,
}

/// A name that `use` introduces.
struct Import {
    name: String,
    path: Names,
    /// True for a re-export, which need not be used in the file itself.
    is_public: bool,
}

/// The modules by their paths.
struct Modules(BTreeMap<Names, Module>);

/// Returns the lines of code outside of comments and of items for tests only.
fn without_tests(source: &str) -> Vec<&str> {
    let (mut code, mut skipped) = (Vec::new(), None);
    for line in source.lines() {
        let indent = line.len() - line.trim_start().len();
        let text = line.trim();
        match skipped {
            None if text.starts_with("#[cfg(test)]") || text.starts_with("#[cfg(any(test,") => skipped = Some(indent),
            None if text.starts_with("//") => {}
            None => code.push(line),
            // `rustfmt` indents the last line of an item like its first.
            Some(outer) if indent == outer && text.ends_with(['}', ';']) => skipped = None,
            Some(_) => {}
        }
    }
    code
}

fn names(path: &str) -> Names {
    path.split("::").map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// Returns each path in a tree such as `a::{self, b as c}`, with the name that it introduces.
fn expand(tree: &str, prefix: &[String]) -> Vec<(String, Names)> {
    if let Some((head, group)) = tree.split_once('{') {
        let (prefix, mut depth) = ([prefix, &names(head)].concat(), 0);
        let group = group.trim_end().strip_suffix('}').expect("the end of a group");
        let trees = group.split(|letter| {
            depth += i32::from(letter == '{') - i32::from(letter == '}');
            letter == ',' && depth == 0
        });
        return trees.map(str::trim).filter(|tree| !tree.is_empty()).flat_map(|tree| expand(tree, &prefix)).collect();
    }
    let (path, alias) = tree.split_once(" as ").map_or((tree, None), |(path, alias)| (path, Some(alias)));
    let mut path = [prefix, &names(path)].concat();
    if path.last().is_some_and(|last| last == "self") {
        path.pop();
    }
    let name = alias.or(path.last().map(String::as_str)).unwrap_or_default().to_owned();
    vec![(name, path)]
}

impl Module {
    fn new(source: &str) -> Self {
        let (mut module, mut declaration) = (Self::default(), String::new());
        for line in without_tests(source) {
            let text = line.trim();
            let begins =
                |word: &str| text.starts_with(word) || (text.starts_with("pub") && text.contains(&format!(" {word}")));
            if !declaration.is_empty() || begins("use ") {
                declaration += text;
                if let Some((visibility, tree)) = declaration.strip_suffix(';').and_then(|all| all.split_once("use ")) {
                    let is_public = !visibility.is_empty();
                    let imports = expand(tree, &[]).into_iter();
                    module.imports.extend(imports.map(|(name, path)| Import { name, path, is_public }));
                    declaration.clear();
                }
            // An indented declaration is emitted code.
            } else if line == text && begins("mod ") && text.ends_with(';') {
                module.children.extend(text.trim_end_matches(';').rsplit(' ').next().map(str::to_owned));
            } else {
                // A macro for other crates names the items of this crate with `$crate`.
                module.code.extend([&line.replace("$crate::", ""), "\n"]);
            }
        }
        let words = module.code.split(|letter| !is_of_name(letter) && letter != ':');
        module.paths = words.map(|word| names(word.trim_matches(':'))).filter(|path| path.len() > 1).collect();
        module
    }

    fn mentions(&self, name: &str) -> bool {
        self.code.split(|letter| !is_of_name(letter)).any(|word| word == name)
    }
}

impl Modules {
    /// Reads the modules of a crate, beginning with its root file.
    fn read(root: &Path) -> Self {
        let folder = root.parent().expect("the folder of the root file");
        let mut modules = BTreeMap::new();
        let mut unread = vec![Vec::new()];
        while let Some(path) = unread.pop() {
            let file = if path.is_empty() { root.to_owned() } else { folder.join(path.join("/") + ".rs") };
            let module = Module::new(&fs::read_to_string(&file).expect("the file of a module"));
            unread.extend(module.children.iter().map(|child| [&path[..], std::slice::from_ref(child)].concat()));
            modules.insert(path, module);
        }
        Self(modules)
    }

    /// Returns the path from the root of the crate; `None` for a path into another crate.
    fn absolute(&self, module: &[String], path: &[String]) -> Option<Names> {
        let (head, rest) = path.split_first()?;
        let outer = module.split_last().map_or(module, |(_, outer)| outer);
        match head.as_str() {
            "crate" => Some(rest.to_vec()),
            "self" => Some([module, rest].concat()),
            "super" if rest.first().is_some_and(|next| next == "super") => self.absolute(outer, rest),
            "super" => Some([outer, rest].concat()),
            _ if self.0[module].children.contains(head) => Some([module, path].concat()),
            name => {
                let import = self.import(module, name).filter(|import| import.path[0] != name)?;
                Some([self.absolute(module, &import.path)?, rest.to_vec()].concat())
            }
        }
    }

    fn import(&self, module: &[String], name: &str) -> Option<&Import> {
        self.0[module].imports.iter().find(|import| import.name == name)
    }

    /// Returns the module that defines an item. Follows re-exports.
    fn home(&self, path: &[String]) -> Names {
        for (index, name) in path.iter().enumerate() {
            let (module, rest) = (&path[..index], &path[index + 1..]);
            if self.0[module].children.contains(name) {
                continue;
            }
            let import = self.import(module, name).and_then(|import| self.absolute(module, &import.path));
            return import.map_or(module.to_vec(), |import| self.home(&[&import, rest].concat()));
        }
        path.to_vec()
    }

    /// Returns each module with the modules that it uses.
    fn uses(&self) -> BTreeSet<(&Names, Names)> {
        let mut all = BTreeSet::new();
        for (path, module) in &self.0 {
            let imports = module.imports.iter().filter(|import| !import.is_public || module.mentions(&import.name));
            let used = imports.map(|import| &import.path).chain(&module.paths);
            all.extend(used.filter_map(|used| Some((path, self.home(&self.absolute(path, used)?)))));
        }
        all
    }

    /// Describes each use that is against the order of the declarations.
    fn wrong(&self) -> Vec<String> {
        let all = self.uses();
        let is_wrong = |user: &[String], used: &[String]| {
            let common = user.iter().zip(used).take_while(|(one, other)| one == other).count();
            let order = |path: &[String]| {
                let siblings = &self.0[&path[..common]].children;
                siblings.iter().position(|sibling| path.get(common) == Some(sibling))
            };
            match (order(user), order(used)) {
                (Some(own), Some(other)) => own < other,
                // A file uses its submodule, so the file is above it, and no earlier submodule may use the file.
                (None, Some(inner)) => all.iter().any(|(other, home)| {
                    home == user && other.starts_with(user) && order(other).is_some_and(|other| other <= inner)
                }),
                _ => false,
            }
        };
        let wrong = all.iter().filter(|(user, used)| is_wrong(user, used));
        wrong.map(|(user, used)| format!("`{}` uses `{}`", user.join("::"), used.join("::"))).collect()
    }
}

/// Returns the uses that are against the order, for modules given by their paths and sources.
fn wrong(files: &[(&str, &str)]) -> Vec<String> {
    Modules(files.iter().map(|(path, source)| (names(path), Module::new(source))).collect()).wrong()
}

/// Returns the root files of the project's crates.
fn crate_roots() -> Vec<PathBuf> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of the project");
    let mut folders = vec![project.join("codegen"), project.join("xtask")];
    for entry in fs::read_dir(project.join("crates")).expect("the folder of the crates") {
        folders.push(entry.expect("an entry of a folder").path());
    }
    let roots = folders.iter().flat_map(|folder| [folder.join("src/lib.rs"), folder.join("src/main.rs")]);
    roots.filter(|root| root.exists()).collect()
}

#[test]
fn modules_use_only_modules_that_are_declared_before_them() {
    let mut wrong = Vec::new();
    let mut uses = 0;
    for root in crate_roots() {
        let modules = Modules::read(&root);
        uses += modules.uses().len();
        for use_ in modules.wrong() {
            wrong.push(format!("{}: {use_}", root.display()));
        }
    }
    assert!(uses > 500, "only {uses} uses were found");
    assert!(
        wrong.is_empty(),
        "uses against the order of the declarations:
{}",
        wrong.join(
            "
"
        )
    );
}

#[test]
fn a_cycle_is_found_however_its_paths_are_written() {
    let folder = "pub(crate) mod low;\n\nmod high;\n\npub(crate) use high::{High, inner::Inner};";
    let high = "mod inner;\nuse super::low::Low;\npub struct High;";
    let check = |low| {
        wrong(&[
            ("", "mod other;\nmod folder;"),
            ("other", ""),
            ("folder", folder),
            ("folder::low", low),
            ("folder::high", high),
            ("folder::high::inner", ""),
        ])
    };
    for low in [
        "use super::high::High;",
        "use super::{Unknown, high::{self, High}};",
        "use crate::folder::high::High;",
        "use super::High;",
        "use super::{\n    High,\n};",
        "use crate::folder::High as Other;",
        "use super::High as _;",
        "fn f() -> super::High {}",
        "use crate::folder;\nfn f() -> folder::High {}",
        "use super::high;\nfn f() -> high::High {}",
        "pub use super::High;\nfn f() -> High {}",
        "#[cfg(test)]\nmod tests {\n    use super::*;\n}\nuse super::High;",
    ] {
        assert_eq!(check(low), ["`folder::low` uses `folder::high`"], "{low}");
    }
    assert_eq!(check("use super::Inner;"), ["`folder::low` uses `folder::high::inner`"]);
    for low in [
        "",
        "// use super::High;",
        "#[cfg(test)]\nuse super::High;",
        "pub use super::High;",
        "use std::high::High;",
        "use crate::other;",
    ] {
        assert!(check(low).is_empty(), "{low}");
    }
}

#[test]
fn a_file_is_between_the_submodules_that_it_uses_and_those_that_use_it() {
    let check = |order: &str, low: &str| {
        let file = format!("{order}\nuse low::Low;\npub struct File;");
        wrong(&[("", "mod file;"), ("file", &file), ("file::low", low), ("file::high", "use super::File;")])
    };
    assert!(check("mod low;\n\nmod high;", "").is_empty());
    assert_eq!(check("mod high;\n\nmod low;", ""), ["`file` uses `file::low`"]);
    assert_eq!(check("mod low;\n\nmod high;", "use super::File;"), ["`file` uses `file::low`"]);
}
