//! The last two results of a function that is called with the same arguments again and again.
//!
//! An interval begins where the one before it ends, and anchored series ask for their anchor in between, so two
//! are enough.

use std::cell::Cell;

/// The results for the last two moments.
#[derive(Debug, Default)]
pub(crate) struct Lately<T: Copy>(Cell<[Option<(i64, T)>; 2]>);

impl<T: Copy> Lately<T> {
    /// The result for a moment, which has to be the same at each call.
    pub(crate) fn at(&self, moment: i64, find: impl FnOnce() -> T) -> T {
        let [last, before] = self.0.get();
        let found = match (last, before) {
            (Some((known, found)), _) if known == moment => return found,
            (_, Some((known, found))) if known == moment => found,
            _ => find(),
        };
        self.0.set([Some((moment, found)), last]);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_are_remembered() {
        let (lately, asked) = (Lately::default(), Cell::new(0));
        let ask = |moment| {
            lately.at(moment, || {
                asked.set(asked.get() + 1);
                10 * moment
            })
        };
        let table = [(1, 1), (1, 1), (2, 2), (1, 2), (3, 3), (1, 3), (2, 4), (3, 5)];
        for (moment, times) in table {
            assert_eq!((ask(moment), asked.get()), (10 * moment, times));
        }
    }
}
