//! Reproducible randomness: the same seed always yields the same value.

/// A seed: a hash of everything that a random value depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seed(u64);

/// The components of [`Seed::swing`]. Each has the length of its segments in seconds and its share of the amplitude. A
/// component is linear within a segment.
const SEGMENTS: [(i64, f64); 3] = [(900, 0.2), (14_400, 0.3), (259_200, 0.5)];

impl Seed {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(mix(seed))
    }

    /// The seed of a value that also depends on this text.
    pub(crate) fn name(self, name: &str) -> Self {
        // FNV-1a is stable across machines and versions, unlike the standard hasher.
        let mut hash = self.0;
        for byte in name.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        Self(mix(hash))
    }

    /// The seed of a value that also depends on this number.
    pub(crate) const fn number(self, number: i64) -> Self {
        Self(mix(self.0 ^ number.cast_unsigned().wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }

    /// A random value that is at least 0 and less than 1.
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    pub(crate) const fn unit(self) -> f64 {
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Selects one of these items; `None` if there are none.
    pub(crate) fn pick<T>(self, items: &[T]) -> Option<&T> {
        let count = u64::try_from(items.len()).ok()?;
        let index = self.0.checked_rem(count)?;
        items.get(usize::try_from(index).ok()?)
    }

    pub(crate) const fn bits(self) -> u64 {
        self.0
    }

    /// A value from 0 to 1 that changes slowly with `time`, which is in Unix seconds.
    pub(crate) fn swing(self, time: i64) -> f64 {
        let mut value = 0.0;
        for (length, share) in SEGMENTS {
            value += share * self.number(length).between_borders(time, length);
        }
        value
    }

    /// A value from 0 to 1 that is random at the borders of segments of this length, and linear between them.
    fn between_borders(self, time: i64, length: i64) -> f64 {
        let index = time.div_euclid(length);
        let from = self.number(index).unit();
        let to = self.number(index.saturating_add(1)).unit();
        #[expect(clippy::cast_precision_loss, reason = "a segment has fewer than 2^53 seconds")]
        let part = time.rem_euclid(length) as f64 / length as f64;
        from + (to - from) * part
    }
}

/// Scrambles a number with the finaliser of splitmix64: each bit of the input affects half of the output bits on
/// average.
const fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swing_changes_slowly_within_its_range() {
        let values = (0..5000).map(|step| Seed::new(4).swing(1_700_000_000 + 60 * step)).collect::<Vec<_>>();
        assert!(values.iter().all(|value| (0.0..1.0).contains(value)));
        assert!(values.windows(2).all(|pair| (pair[0] - pair[1]).abs() < 0.05));
        let spread = values.iter().fold((1.0_f64, 0.0_f64), |(low, high), value| (low.min(*value), high.max(*value)));
        assert!(spread.1 - spread.0 > 0.2, "{spread:?}");
    }
}
