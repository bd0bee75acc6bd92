//! Recognizes long ids, keys and tokens, and other segments of paths that may be secrets, and hides them in messages.

use heck::ToSnakeCase;

/// The minimum length of an id, key or token.
const MIN_ID_LENGTH: usize = 16;
/// The minimum number of random characters in it.
const MIN_RANDOM: usize = 8;
/// The maximum length of short parts of names, and the maximum number of digits in them.
const MAX_SHORT_PART: usize = 5;
const MAX_SHORT_DIGITS: usize = 3;
/// The minimum number of letters in a word, and the maximum number of consonants in a row.
const MIN_LETTERS: usize = 3;
const MAX_CONSONANTS: usize = 4;

/// `true` if a text is long and has many characters that are not in words, as ids, keys and tokens do.
pub(crate) fn is_long_id(text: &str) -> bool {
    let mut random = 0;
    for part in text.split(|letter: char| !letter.is_ascii_alphanumeric()) {
        if !is_short(part) {
            random += part.to_snake_case().split('_').map(random_characters).sum::<usize>();
        }
    }
    text.len() >= MIN_ID_LENGTH && random >= MIN_RANDOM
}

/// `true` for a part such as `24h` or `v2`, which names have too.
fn is_short(part: &str) -> bool {
    let digits = part.bytes().filter(u8::is_ascii_digit).count();
    let has_upper = part.bytes().any(|byte| byte.is_ascii_uppercase());
    let has_lower = part.bytes().any(|byte| byte.is_ascii_lowercase());
    part.len() <= MAX_SHORT_PART && digits <= MAX_SHORT_DIGITS && !(has_upper && has_lower)
}

/// The number of characters that are not in a word. Names have few digits, and only at the start or end of words, as in
/// `web3Trades`, so digits count twice, and a word with other digits counts as a whole.
fn random_characters(text: &str) -> usize {
    let word = text.trim_matches(|letter: char| letter.is_ascii_digit());
    let has_inner_digit = word.bytes().any(|byte| byte.is_ascii_digit());
    let digits = 2 * (text.len() - word.len());
    if has_inner_digit || !is_word(word) { digits + word.len() } else { digits }
}

/// `true` if letters have a vowel and few consonants in a row, as words do.
fn is_word(letters: &str) -> bool {
    let mut consonants = letters.split(['a', 'e', 'i', 'o', 'u', 'y']);
    let has_vowel = consonants.clone().nth(1).is_some();
    has_vowel && letters.len() >= MIN_LETTERS && consonants.all(|row| row.len() <= MAX_CONSONANTS)
}

/// `true` if a segment of a path may be a secret: a long id, a value with its name, such as `session=abc`, or an address
/// of mail.
pub(crate) fn may_be_secret(segment: &str) -> bool {
    is_long_id(segment) || segment.contains(['=', '@'])
}

/// A path for messages, in which `…` is in place of segments that may be secrets.
pub(crate) fn shown_path<'s>(segments: impl IntoIterator<Item = &'s str>) -> String {
    let mut shown = String::new();
    for segment in segments {
        shown.push('/');
        shown += if may_be_secret(segment) { "…" } else { segment };
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAPITALS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const SMALL: &str = "abcdefghijklmnopqrstuvwxyz";
    const TOKENS: usize = 2000;

    #[test]
    fn names_are_no_long_ids() {
        for name in [
            "change_1h_24h_7d_30d",
            "percent_change_24h_7d_30d_60d_90d",
            "include_24hr_last_updated_at",
            "coins_top_100_of_250",
            "volume_1min_5min_15min",
            "stablecoinPremiumP2P",
            "defaultFundingRate1H",
            "listOrdersByUserIdInCurrency",
            "instruments_linear_symbol_type",
            "TIME_SERIES_DAILY_ADJUSTED",
            "globallongshortaccountratio",
            "資金調達率の履歴",
        ] {
            assert!(!is_long_id(name), "{name}");
        }
    }

    #[test]
    fn most_random_tokens_are_long_ids() {
        let base64 = format!("{CAPITALS}{SMALL}0123456789-_");
        let base32 = format!("{CAPITALS}234567");
        let letters = format!("{CAPITALS}{SMALL}");
        for (alphabet, length, missed_of_100) in [
            ("0123456789abcdef", 16, 1),
            (&base64, 16, 7),
            (&base64, 22, 2),
            (&base64, 32, 1),
            (&base32, 16, 3),
            (&base32, 24, 1),
            (&letters, 16, 25),
            (&letters, 32, 2),
            (SMALL, 16, 25),
            (CAPITALS, 32, 5),
        ] {
            let mut missed = random_texts(alphabet, length);
            missed.retain(|token| !is_long_id(token));
            assert!(missed.len() * 100 < missed_of_100 * TOKENS, "{alphabet} {length}: {}", missed.len());
        }
    }

    /// Texts of random characters, the same in each run.
    fn random_texts(alphabet: &str, length: usize) -> Vec<String> {
        let alphabet: Vec<char> = alphabet.chars().collect();
        let mut state: u64 = 1;
        let mut random_character = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            alphabet[(state >> 33) as usize % alphabet.len()]
        };
        let mut texts = Vec::new();
        for _ in 0..TOKENS {
            texts.push((0..length).map(|_| random_character()).collect());
        }
        texts
    }
}
