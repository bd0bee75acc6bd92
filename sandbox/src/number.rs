//! Between whole numbers and reals.
//!
//! Amounts are counted in whole units (lots, cents, ticks), so that sums and differences are exact;
//! here they become the numbers of a reply. Nothing about markets is known here.

/// A count as a real; exact up to 2^53, which no amount here reaches.
#[expect(clippy::cast_precision_loss, reason = "amounts stay below 2^53")]
pub(crate) const fn real(count: i64) -> f64 {
    count as f64
}

/// The whole number at or below a real.
#[expect(clippy::cast_possible_truncation, reason = "amounts stay below 2^53, and a cast saturates")]
pub(crate) fn floor(value: f64) -> i64 {
    // Most processors that this is compiled for have no instruction for `f64::floor`.
    let toward_zero = value as i64;
    toward_zero.saturating_sub(i64::from(real(toward_zero) > value))
}

/// The whole number next to a real.
pub(crate) fn round(value: f64) -> i64 {
    floor(value + 0.5)
}

/// `units` times 10^-`decimals`, as the number that prints shortest.
pub(crate) fn scaled(units: i64, decimals: i32) -> f64 {
    let units = real(units);
    // A power of ten is exact, so one division or multiplication rounds once.
    if decimals < 0 { units * 10_f64.powi(-decimals) } else { units / 10_f64.powi(decimals) }
}

/// How many units of 10^-`decimals` come next to a real.
pub(crate) fn units(value: f64, decimals: i32) -> i64 {
    round(value * 10_f64.powi(decimals))
}

/// A real with so many decimals.
pub(crate) fn rounded(value: f64, decimals: i32) -> f64 {
    scaled(units(value, decimals), decimals)
}

/// The difference of two amounts as a share of their sum, from -1 to 1.
pub(crate) fn balance(plus: f64, minus: f64) -> f64 {
    let both = plus + minus;
    if both == 0.0 { 0.0 } else { (plus - minus) / both }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_print_as_they_were_counted() {
        let table = [((6_012_345, 2), "60123.45"), ((-1, 3), "-0.001"), ((12, -2), "1200"), ((0, 5), "0")];
        for ((units, decimals), expected) in table {
            assert_eq!(scaled(units, decimals).to_string(), expected);
        }
        assert_eq!((round(0.5), round(-0.6), floor(-0.1)), (1, -1, -1));
    }
}
