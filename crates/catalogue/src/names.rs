//! Converts names of the catalogue to Rust names, and handles case, keywords and leading digits.
//!
//! All Rust names of the emitted code are derived here. `reserved.rs` lists the names that emitted code cannot use, and
//! `resolve` detects collisions.

mod reserved;

use heck::{ToShoutySnakeCase, ToSnakeCase, ToUpperCamelCase};

use crate::pattern::is_like;
pub use reserved::{Scope, is_taken};

/// The name of the field for the members that a record does not list, on the wire and in Rust.
pub const OTHERS: &str = "others";

/// The letter case of a Rust name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// Methods, fields, modules: `volume_ratio`.
    Snake,
    /// Types and variants: `VolumeRatio`.
    Pascal,
    /// Constants: `BINANCE_SPOT`.
    Shouty,
}

/// Converts a name to a Rust identifier; the error is the reason why this is impossible.
///
/// Letters outside ASCII are transliterated: `Größe` becomes `Grosse`. A leading number moves after the next word:
/// `15m` becomes `M15`. The number of an item, as in `1. open`, is omitted.
pub fn ident(name: &str, case: Case) -> Result<String, String> {
    let name = ascii(name);
    let name = move_leading_digits(without_item_numbers(&name))?;
    let ident = match case {
        Case::Snake => name.to_snake_case(),
        Case::Pascal => name.to_upper_camel_case(),
        Case::Shouty => name.to_shouty_snake_case(),
    };
    if ident.is_empty() {
        return Err("it has no letters or digits".to_owned());
    }
    Ok(if is_keyword(&ident) { ident + "_" } else { ident })
}

/// Transliterates a name to ASCII.
pub fn ascii(name: &str) -> String {
    any_ascii::any_ascii(name)
}

/// Returns the Rust name of an entry: `ident` if the author has set this name, otherwise a name derived from `name`.
pub fn chosen(ident: Option<&String>, name: &str, case: Case) -> Option<String> {
    ident.cloned().or_else(|| self::ident(name, case).ok())
}

impl Case {
    /// Returns the pattern of names in this case. Snake-case and upper-case names may end in an underscore, because an
    /// underscore is appended to a name that is a Rust keyword.
    pub fn pattern(self) -> &'static str {
        match self {
            Self::Snake => "^[a-z](_?[a-z0-9])*_?$",
            Self::Pascal => "^[A-Z][A-Za-z0-9]*$",
            Self::Shouty => "^[A-Z](_?[A-Z0-9])*_?$",
        }
    }

    /// Returns an example of a name in this case.
    pub fn example(self) -> &'static str {
        match self {
            Self::Snake => "my_name",
            Self::Pascal => "MyName",
            Self::Shouty => "MY_NAME",
        }
    }
}

/// Returns `true` if a name that the author has chosen is a valid Rust name with this letter case.
pub fn is_ident(name: &str, case: Case) -> bool {
    is_like(case.pattern(), name) && !is_keyword(name)
}

/// Returns the type name of a group's handle. The suffix avoids a collision with the type of an endpoint that has the
/// same name as the group.
pub fn handle(module: &str) -> String {
    module.to_upper_camel_case() + "Group"
}

/// Returns the type name of an endpoint's record.
pub fn record(endpoint_type: &str) -> String {
    endpoint_type.to_owned() + "Record"
}

/// Returns the name of the trait that endpoints with a setter implement.
pub fn takes(setter: &str) -> String {
    "Takes".to_owned() + &setter.to_upper_camel_case()
}

/// Returns `set NAME`. The name of the constant for a limit set, such as `SET_A`, is derived from this text.
pub fn limit(name: &str) -> String {
    format!("set {name}")
}

/// The maximum length of the name of a group, and of an endpoint in it. Both together, with an interval and an extension, are
/// the name of a file or folder, for which file systems allow 255 bytes.
pub const MAX_FILE_NAME: usize = 100;

/// Returns `true` if an emitted crate can have this name: a valid Rust name that none of its dependencies has.
pub fn is_crate(ident: &str) -> bool {
    is_like("^[A-Za-z_][A-Za-z0-9_]*$", ident) && !is_keyword(ident) && !is_taken(Scope::Crates, ident)
}

/// Removes the numbers of items at the start of a name, as in `1. open`.
fn without_item_numbers(name: &str) -> &str {
    let mut name = name;
    loop {
        let rest = name.trim_start_matches(|c: char| c.is_ascii_digit());
        let has_number = rest.len() < name.len();
        match rest.strip_prefix(". ") {
            Some(item) if has_number => name = item,
            _ => return name,
        }
    }
}

/// Moves leading digits after the first word, because a Rust name cannot begin with a digit.
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

/// `true` if Rust does not allow a name: a keyword of any edition, `union` or `_`.
fn is_keyword(ident: &str) -> bool {
    is_taken(Scope::Keywords, ident)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, case: Case, expected: Result<&str, &str>) {
        let actual = ident(name, case);
        assert_eq!(actual.as_deref().map_err(String::as_str), expected, "{name}");
    }

    #[test]
    fn crate_name_is_an_identifier_that_no_dependency_has() {
        for (name, expected) in [
            ("market_client", true),
            ("_client2", true),
            ("Client", true),
            ("2client", false),
            ("market-client", false),
            ("a.b", false),
            ("", false),
            ("crate", false),
            ("std", false),
            ("tokio", false),
        ] {
            assert_eq!(is_crate(name), expected, "{name}");
        }
    }

    #[test]
    fn names_follow_rust_conventions() {
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
            ("1. open", "open", "Open"),
            ("2. 24h Volume", "h24_volume", "H24Volume"),
            ("../x", "x", "X"),
            ("r#type", "r_type", "RType"),
            ("Größe", "grosse", "Grosse"),
            ("Привет мир", "privet_mir", "PrivetMir"),
            ("行情", "xing_qing", "XingQing"),
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
    fn invalid_names_are_rejected() {
        for name in ["1", "007", "-1.5", "1. 2"] {
            check(name, Case::Pascal, Err("a Rust name cannot begin with a digit"));
        }
        for name in ["", "-", "&", "***"] {
            check(name, Case::Snake, Err("it has no letters or digits"));
        }
    }

    #[test]
    fn keywords_get_an_underscore() {
        for keyword in reserved::section("keywords") {
            let expected = format!("{}_", keyword.to_snake_case());
            if keyword != "_" {
                check(keyword, Case::Snake, Ok(&expected));
            }
            assert!(!is_ident(keyword, Case::Snake), "{keyword}");
        }
        check("Self", Case::Pascal, Ok("Self_"));
        for word in reserved::section("keywords").into_iter().filter(|word| *word != "_") {
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
}
