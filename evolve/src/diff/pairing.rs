//! Pairs of old and new things, found by one criterion after the other.

/// Things of both sides: the pairs, and those left over.
pub(super) struct Pairing<T> {
    /// Old things, each with the new one.
    pub(super) both: Vec<(T, T)>,
    /// Old things without a new one.
    pub(super) gone: Vec<T>,
    /// New things without an old one.
    pub(super) new: Vec<T>,
}

impl<T: Copy> Pairing<T> {
    pub(super) fn of(old: impl IntoIterator<Item = T>, new: impl IntoIterator<Item = T>) -> Self {
        Self { both: Vec::new(), gone: old.into_iter().collect(), new: new.into_iter().collect() }
    }

    /// Pairs things that are left over and alike; of several the first.
    pub(super) fn by(mut self, alike: impl Fn(T, T) -> bool) -> Self {
        for old in std::mem::take(&mut self.gone) {
            match self.new.iter().position(|new| alike(old, *new)) {
                Some(index) => self.both.push((old, self.new.remove(index))),
                None => self.gone.push(old),
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::Pairing;

    #[test]
    fn the_better_likeness_comes_first() {
        let pairing = Pairing::of(["ab", "cd", "ef"], ["Cx", "ab", "gh"])
            .by(|old, new| old == new)
            .by(|old, new| old.as_bytes()[0].eq_ignore_ascii_case(&new.as_bytes()[0]));
        assert_eq!(pairing.both, [("ab", "ab"), ("cd", "Cx")]);
        assert_eq!((pairing.gone, pairing.new), (vec!["ef"], vec!["gh"]));
    }
}
