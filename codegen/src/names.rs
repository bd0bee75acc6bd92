//! From the catalogue's names to Rust's: casing, keywords, leading digits, names that are taken.
//!
//! Every Rust name of the emitted code comes from here. Whether two names collide is for `check` to say.

use heck::{ToShoutySnakeCase, ToSnakeCase, ToUpperCamelCase};

/// What a Rust name is for, which decides how it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    /// Methods, fields, modules: `volume_ratio`.
    Snake,
    /// Types and variants: `VolumeRatio`.
    Pascal,
    /// Constants: `BINANCE_SPOT`.
    Shouty,
}

/// Turns a name into a Rust identifier, or says why it cannot.
///
/// A leading number changes places with the word after it: `15m` is `M15`.
pub(crate) fn ident(name: &str, case: Case) -> Result<String, String> {
    if let Some(character) = name.chars().find(|character| !character.is_ascii()) {
        return Err(format!("`{character}` cannot stand in a Rust name"));
    }
    let name = move_leading_digits(name)?;
    let ident = match case {
        Case::Snake => name.to_snake_case(),
        Case::Pascal => name.to_upper_camel_case(),
        Case::Shouty => name.to_shouty_snake_case(),
    };
    if ident.is_empty() {
        return Err("nothing is left of it as a Rust name".to_owned());
    }
    Ok(escape_keyword(ident))
}

/// Whether a name that the author chose is one that can be used as it is.
pub(crate) fn is_ident(name: &str, case: Case) -> bool {
    let begins = |c: char| if case == Case::Snake { c.is_ascii_lowercase() } else { c.is_ascii_uppercase() };
    let goes_on = |c: char| match case {
        Case::Pascal => c.is_ascii_alphanumeric(),
        Case::Snake | Case::Shouty => begins(c) || c.is_ascii_digit() || c == '_',
    };
    name.starts_with(begins) && name.chars().all(goes_on) && !name.contains("__") && !is_keyword(name)
}

/// The type of a group's handle. The suffix keeps it apart from an endpoint named like its group.
pub(crate) fn handle(module: &str) -> String {
    module.to_upper_camel_case() + "Group"
}

/// The type of an endpoint's record.
pub(crate) fn record(endpoint_type: &str) -> String {
    endpoint_type.to_owned() + "Record"
}

/// The trait of the endpoints that have a setter.
pub(crate) fn takes(setter: &str) -> String {
    "Takes".to_owned() + &setter.to_upper_camel_case()
}

fn move_leading_digits(name: &str) -> Result<String, String> {
    let start = name.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
    let rest = start.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = &start[..start.len() - rest.len()];
    if digits.is_empty() {
        return Ok(name.to_owned());
    }
    let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    match &rest[..end] {
        "" => Err("a Rust name cannot begin with a digit".to_owned()),
        word => Ok(format!("{word}{digits}{}", &rest[end..])),
    }
}

fn escape_keyword(ident: String) -> String {
    if is_keyword(&ident) { ident + "_" } else { ident }
}

/// Strict and reserved keywords of every edition, and the two that nothing may be called.
fn is_keyword(ident: &str) -> bool {
    KEYWORDS.contains(&ident)
}

const KEYWORDS: &[&str] = &[
    "Self", "_", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do",
    "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro",
    "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super",
    "trait", "true", "try", "type", "typeof", "union", "unsafe", "unsized", "use", "virtual", "where", "while",
    "yield",
];

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

/// What becomes the constant of a limit set.
pub(crate) fn limit(name: &str) -> String {
    format!("set {name}")
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

const TAKEN_ENDPOINTS: &[&str] = &["borrow", "client", "clone", "fmt", "from", "into", "new", "self_", "to_owned"];

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
    "Transport",
    "TypeInfo",
    "UnknownFields",
    "Value",
    "ValueInfo",
    "ValueType",
    "Vec",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, case: Case, expected: Result<&str, &str>) {
        let actual = ident(name, case);
        assert_eq!(actual.as_deref().map_err(String::as_str), expected, "{name}");
    }

    #[test]
    fn names_are_written_as_people_write_them_in_rust() {
        use Case::{Pascal, Shouty, Snake};
        for (name, snake, pascal) in [
            ("Volume Ratio", "volume_ratio", "VolumeRatio"),
            ("volumeRatio", "volume_ratio", "VolumeRatio"),
            ("anchoredCVD", "anchored_cvd", "AnchoredCvd"),
            ("Anchored CLSD", "anchored_clsd", "AnchoredClsd"),
            ("Anchored OI Delta", "anchored_oi_delta", "AnchoredOiDelta"),
            ("Leaderboard ROE Profit", "leaderboard_roe_profit", "LeaderboardRoeProfit"),
            ("WBTC Mint Burn", "wbtc_mint_burn", "WbtcMintBurn"),
            ("Liquidation Levels TV", "liquidation_levels_tv", "LiquidationLevelsTv"),
            ("Premium P2P", "premium_p2p", "PremiumP2p"),
            ("Fear & Greed", "fear_greed", "FearGreed"),
            ("ubRatio", "ub_ratio", "UbRatio"),
            ("pdEq", "pd_eq", "PdEq"),
            ("longs_shorts", "longs_shorts", "LongsShorts"),
            ("unsupportedExchanges", "unsupported_exchanges", "UnsupportedExchanges"),
            ("x-api-key", "x_api_key", "XApiKey"),
            ("24h Volume", "h24_volume", "H24Volume"),
            ("../x", "x", "X"),
            ("r#type", "r_type", "RType"),
        ] {
            check(name, Snake, Ok(snake));
            check(name, Pascal, Ok(pascal));
        }
        check("1h", Pascal, Ok("H1"));
        check("15m", Pascal, Ok("M15"));
        check("all", Pascal, Ok("All"));
        check("binance_perp_stable", Shouty, Ok("BINANCE_PERP_STABLE"));
        check("BTC", Shouty, Ok("BTC"));
        check("1INCH", Shouty, Ok("INCH1"));
    }

    #[test]
    fn what_cannot_be_a_name_is_refused() {
        for name in ["1", "007", "-1.5"] {
            check(name, Case::Pascal, Err("a Rust name cannot begin with a digit"));
        }
        for name in ["", "-", "&", "***"] {
            check(name, Case::Snake, Err("nothing is left of it as a Rust name"));
        }
        check("größe", Case::Snake, Err("`ö` cannot stand in a Rust name"));
    }

    #[test]
    fn keywords_get_an_underscore() {
        for keyword in KEYWORDS {
            let expected = format!("{}_", keyword.to_snake_case());
            if *keyword != "_" {
                check(keyword, Case::Snake, Ok(&expected));
            }
            assert!(!is_ident(keyword, Case::Snake), "{keyword}");
        }
        check("Self", Case::Pascal, Ok("Self_"));
        for word in KEYWORDS.iter().filter(|word| **word != "_") {
            let escaped = ident(word, Case::Snake).expect(word);
            assert!(syn::parse_str::<syn::Ident>(&escaped).is_ok(), "{escaped}");
        }
    }

    #[test]
    fn a_chosen_name_has_the_right_case() {
        for (name, case, expected) in [
            ("volume_ratio", Case::Snake, true),
            ("volumeRatio", Case::Snake, false),
            ("type", Case::Snake, false),
            ("1st", Case::Snake, false),
            ("", Case::Snake, false),
            ("B1", Case::Pascal, true),
            ("b1", Case::Pascal, false),
            ("Self", Case::Pascal, false),
            ("A_B", Case::Pascal, false),
            ("A_B", Case::Shouty, true),
        ] {
            assert_eq!(is_ident(name, case), expected, "{name}");
        }
    }

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
