//! The interval that a record covers, in Unix seconds.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    pub(crate) start: i64,
    pub(crate) end: i64,
}

impl Interval {
    /// The interval of a record that describes one time.
    pub(crate) const fn at(time: i64) -> Self {
        Self { start: time, end: time }
    }
}
