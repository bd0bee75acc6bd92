//! Numbers that are drawn for generated cases.

/// Draws numbers that depend only on the seed.
#[derive(Clone, Debug)]
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, limit: i64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i64::try_from(self.0 >> 33).unwrap() % limit
    }

    /// Returns true once in `times`.
    pub(crate) fn once_in(&mut self, times: i64) -> bool {
        self.below(times) == 0
    }
}
