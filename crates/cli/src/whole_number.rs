//! Whole numbers on the command line, such as a number of records.

/// Parses a whole number, for clap. The smallest valid number is `MIN`.
pub(crate) fn at_least<const MIN: u64>(text: &str) -> Result<u64, String> {
    match text.trim().parse() {
        Ok(number) if number >= MIN => Ok(number),
        _ => Err(format!("expected a whole number of at least {MIN}")),
    }
}
