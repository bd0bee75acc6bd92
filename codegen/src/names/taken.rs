//! The names that the runtime has for itself, by where they stand; nothing emitted may be called like them.

/// Where a name would stand, as far as the runtime has names there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Methods of `Client`, each the accessor of a group, and modules of the crate.
    Groups,
    /// Methods of a request, each the setter of a param.
    Setters,
    /// Arguments of a method.
    Arguments,
    /// Fields of a record.
    Fields,
    /// Types at the root of the crate and in every group module.
    Types,
    /// Variants and constants of an enum.
    Variants,
    /// Methods and constants of an identifier.
    Constants,
    /// Methods of a group's handle.
    Endpoints,
}

/// Whether the runtime uses a name itself.
pub(crate) fn is_taken(scope: Scope, ident: &str) -> bool {
    let taken: &[&str] = match scope {
        Scope::Groups => TAKEN_GROUPS,
        Scope::Setters => TAKEN_SETTERS,
        Scope::Arguments => &[],
        Scope::Fields => &["unknown_fields"],
        Scope::Types => TAKEN_TYPES,
        Scope::Variants => &["ALL", "INFO", "Unknown", "as_str"],
        Scope::Constants => TAKEN_CONSTANTS,
        Scope::Endpoints => TAKEN_ENDPOINTS,
    };
    // The traits of the setters stand beside the types of a group.
    taken.contains(&ident) || (scope == Scope::Types && ident.starts_with("Takes"))
}

/// Modules of the runtime, methods of `Client`, and what every value has.
const TAKEN_GROUPS: &[&str] = &[
    "alloc",
    "background",
    "base_url",
    "blocking",
    "body",
    "borrow",
    "builder",
    "call",
    "cause",
    "check",
    "client",
    "clone",
    "core",
    "credentials",
    "decode",
    "endpoint",
    "environment",
    "error",
    "every_setter",
    "examples",
    "excerpt",
    "field_error",
    "fmt",
    "from",
    "from_env",
    "gate",
    "generated",
    "history",
    "into",
    "mask",
    "new",
    "number",
    "observe",
    "observer",
    "outlet",
    "properties",
    "params",
    "raw",
    "record",
    "records",
    "registry",
    "request",
    "requests",
    "response",
    "retry",
    "retry_after",
    "secret",
    "send",
    "serde_json",
    "series",
    "service",
    "setter",
    "slot",
    "spans",
    "status",
    "std",
    "timestamp",
    "to_owned",
    "token",
    "transport",
    "trip",
    "try_into",
    "types",
    "unknown_fields",
    "wire",
];

const TAKEN_SETTERS: &[&str] = &[
    "await",
    "body",
    "borrow",
    "client",
    "clone",
    "decode",
    "endpoint",
    "eq",
    "fmt",
    "from",
    "history",
    "info",
    "into",
    "into_future",
    "new",
    "of",
    "params",
    "path",
    "path_and_query",
    "query",
    "raw",
    "reply_blocking",
    "response",
    "response_blocking",
    "send",
    "send_blocking",
    "timeout",
    "to_owned",
    "to_string",
    "url",
    "with",
    "with_list",
];

/// What every value can do, besides what identifiers can.
const TAKEN_CONSTANTS: &[&str] = &[
    "INFO",
    "as_str",
    "borrow",
    "clone",
    "cmp",
    "eq",
    "fmt",
    "from",
    "hash",
    "into",
    "ne",
    "new",
    "partial_cmp",
    "to_owned",
    "to_string",
    "to_wire",
    "try_from",
    "try_into",
    "write_wire",
];

const TAKEN_ENDPOINTS: &[&str] =
    &["borrow", "client", "clone", "fmt", "from", "into", "new", "self_", "to_owned", "try_into"];

/// Types of the runtime, the prelude's names and what emitted files import.
const TAKEN_TYPES: &[&str] = &[
    "BasicEncoding",
    "Body",
    "BodyInfo",
    "Box",
    "Builder",
    "Call",
    "Client",
    "ClientCredentialsInfo",
    "Clone",
    "Copy",
    "Cow",
    "Debug",
    "DecodeError",
    "Default",
    "Display",
    "E",
    "Endpoint",
    "EndpointInfo",
    "EnvelopeInfo",
    "Err",
    "Error",
    "ErrorBodyInfo",
    "ErrorKind",
    "Event",
    "Evidence",
    "FieldError",
    "FieldInfo",
    "From",
    "GROUPS",
    "Gate",
    "GroupInfo",
    "Into",
    "IntoIterator",
    "Item",
    "Iterator",
    "LimitInfo",
    "Metadata",
    "NamedType",
    "None",
    "Observer",
    "Ok",
    "Option",
    "OutOfRange",
    "ParamInfo",
    "ParamList",
    "ParamLocation",
    "ParseTimestampError",
    "Pending",
    "Range",
    "RateLimit",
    "Raw",
    "Record",
    "RecordInfo",
    "Request",
    "Response",
    "Result",
    "Retry",
    "Row",
    "SERVICE",
    "Secret",
    "Self_",
    "Send",
    "Series",
    "ServiceInfo",
    "Some",
    "StatusInfo",
    "String",
    "SuffixInfo",
    "Sync",
    "TimeUnit",
    "Timestamp",
    "ToString",
    "ToWire",
    "Transport",
    "TypeInfo",
    "UnknownFields",
    "Value",
    "ValueInfo",
    "ValueType",
    "Vec",
    "Window",
];

#[cfg(test)]
mod tests {
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
}
