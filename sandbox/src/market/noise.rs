//! Chance that can be looked up: the same seed and the same moment always give the same value.
//!
//! A [`Path`] is a sum of zigzag lines, each with hashed values at the borders of its cells and straight in
//! between, and each with longer cells than the one before. So a value takes a handful of hashes at any
//! moment, and the extremes of a span are found without walking through it. No state is kept.

use crate::number::{floor, real};

/// Where chance comes from: a hash of what a value depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seed(u64);

impl Seed {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(mix(seed))
    }

    /// What depends on a name too.
    pub(crate) fn name(self, name: &str) -> Self {
        // FNV-1a: the same on every machine and in every version, as the standard hasher is not.
        Self(mix(name.bytes().fold(self.0, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))))
    }

    /// What depends on a number too.
    pub(crate) const fn number(self, number: i64) -> Self {
        Self(mix(self.0 ^ number.cast_unsigned().wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }

    /// A value from 0 to 1.
    pub(crate) const fn unit(self) -> f64 {
        real((self.0 >> 11).cast_signed()) / real(1 << 53)
    }

    /// One of so many things.
    pub(crate) fn pick<T>(self, things: &[T]) -> Option<&T> {
        let index = floor(self.unit() * real(i64::try_from(things.len()).ok()?));
        things.get(usize::try_from(index).ok()?)
    }

    pub(crate) const fn bits(self) -> u64 {
        self.0
    }
}

/// The finaliser of splitmix64: every bit of the input moves half the bits of the output.
const fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// How long the cells of a path are, and how far its lines swing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Noise {
    /// Seconds of the shortest cell.
    finest: f64,
    /// How many times as long the next cell is.
    step: i64,
    /// How far the line with the shortest cells swings.
    first: f64,
    /// How many times as far the next one swings.
    growth: f64,
    lines: usize,
}

const MOST_LINES: usize = 12;

impl Noise {
    /// Wanders off as a price does: by about `daily` in a day, by its square root of ten in ten days.
    pub(crate) const fn walk(daily: f64) -> Self {
        // 53.67 is the square root of the 2880 finest cells that a day has.
        Self { finest: 30.0, step: 4, first: daily / 53.67, growth: 2.0, lines: MOST_LINES }
    }

    /// Stays between -1 and 1, mostly near 0, and changes within hours as within weeks.
    pub(crate) const fn swing() -> Self {
        Self { finest: 900.0, step: 4, first: 1.0 / 7.0, growth: 1.0, lines: 7 }
    }

    /// Rises or falls by less than a second a second: added to time, it makes time uneven.
    pub(crate) const fn drift() -> Self {
        // A line's slope is at most two swings a cell; five of 0.19 make 0.95.
        Self { finest: 30.0, step: 16, first: 0.19 * 30.0 / 2.0, growth: 16.0, lines: 5 }
    }

    /// The same, so many times as far.
    pub(crate) const fn times(self, factor: f64) -> Self {
        Self { first: self.first * factor, ..self }
    }

    /// Length of the cells and swing of each line.
    fn all(&self) -> [(f64, f64); MOST_LINES] {
        let mut line = (self.finest, self.first);
        [(); MOST_LINES].map(|()| {
            let (cell, swing) = line;
            line = (cell * real(self.step), swing * self.growth);
            (cell, swing)
        })
    }
}

/// A seed, and how much of its path is wanted.
pub(crate) type Strand = (Seed, f64);

/// One path, or the sum of several that share their cells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path<'a> {
    pub(crate) noise: &'a Noise,
    pub(crate) strands: &'a [Strand],
}

impl Path<'_> {
    /// The value at a moment.
    pub(crate) fn at(&self, moment: f64) -> f64 {
        self.lines_from(0, moment)
    }

    /// The largest value from one moment to another.
    pub(crate) fn highest(&self, from: i64, to: i64) -> f64 {
        Search::run(self, 1.0, real(from), real(to))
    }

    /// The smallest value from one moment to another.
    pub(crate) fn lowest(&self, from: i64, to: i64) -> f64 {
        -Search::run(self, -1.0, real(from), real(to))
    }

    /// The sum of the lines from this one on.
    fn lines_from(&self, first: usize, moment: f64) -> f64 {
        let lines = self.noise.all().into_iter().enumerate().take(self.noise.lines).skip(first);
        let values = lines.map(|(line, (cell, swing))| {
            let place = moment / cell;
            let index = floor(place);
            let (left, right) = (self.border(line, index), self.border(line, index + 1));
            swing * (left + (right - left) * (place - real(index)))
        });
        values.sum()
    }

    /// The value of a line at the border before a cell, before its swing is applied.
    fn border(&self, line: usize, index: i64) -> f64 {
        let place = index * 16 + i64::try_from(line).unwrap_or(0);
        self.strands.iter().map(|(seed, weight)| weight * (2.0 * seed.number(place).unit() - 1.0)).sum()
    }
}

/// The way to an extreme: a cell is looked into only while its finer lines could lead beyond the best so far.
struct Search<'p> {
    path: &'p Path<'p>,
    sign: f64,
    from: f64,
    to: f64,
    best: f64,
    lines: [(f64, f64); MOST_LINES],
    /// How far all lines finer than each one can lead together.
    finer: [f64; MOST_LINES],
}

impl Search<'_> {
    fn run(path: &Path<'_>, sign: f64, from: f64, to: f64) -> f64 {
        let (noise, lines) = (path.noise, path.noise.all());
        let weight: f64 = path.strands.iter().map(|(_, weight)| weight.abs()).sum();
        let mut finer = [0.0; MOST_LINES];
        for line in 1..noise.lines {
            finer[line] = finer[line - 1] + lines[line - 1].1 * weight;
        }
        let ends = (sign * path.at(from)).max(sign * path.at(to));
        let mut search = Search { path, sign, from, to, best: ends, lines, finer };
        let top = (0..noise.lines - 1).find(|line| lines[*line].0 >= to - from).unwrap_or(noise.lines - 1);
        let cell = lines[top].0;
        for index in floor(from / cell)..=floor(to / cell) {
            let left = sign * path.lines_from(top, real(index) * cell);
            let right = sign * path.lines_from(top, real(index + 1) * cell);
            search.visit(top, index, left, right);
        }
        search.best
    }

    /// Looks into a cell, between whose borders the line and all coarser ones lead from `left` to `right`.
    fn visit(&mut self, line: usize, index: i64, left: f64, right: f64) {
        let (cell, _) = self.lines[line];
        let (start, end) = (real(index) * cell, real(index + 1) * cell);
        // The allowance covers what rounding does to the way down.
        let reach = left.max(right) + self.finer[line] * 1.000_001;
        if end < self.from || start > self.to || reach < self.best {
            return;
        }
        let Some(finer) = line.checked_sub(1) else {
            for border in [start, end].into_iter().filter(|border| (self.from..=self.to).contains(border)) {
                // Not `left` or `right`: another way down would round them differently.
                self.best = self.best.max(self.sign * self.path.at(border));
            }
            return;
        };
        let step = self.path.noise.step;
        let swing = self.sign * self.lines[finer].1;
        let border = |part: i64| {
            let coarse = left + (right - left) * real(part) / real(step);
            coarse + swing * self.path.border(finer, index * step + part)
        };
        let mut parts = (0..step).map(|part| (part, border(part), border(part + 1))).collect::<Vec<_>>();
        // The most promising part first, so that the others need not be looked into.
        parts.sort_by(|(_, l, r), (_, left, right)| left.max(*right).total_cmp(&l.max(*r)));
        for (part, left, right) in parts {
            self.visit(finer, index * step + part, left, right);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: i64 = 1_700_000_100;

    #[test]
    fn extremes_are_those_of_every_border() {
        for (noise, cell) in [(Noise::walk(0.03), 30), (Noise::swing(), 900)] {
            let strands = [(Seed::new(1), 1.0), (Seed::new(2), -0.3)];
            let path = Path { noise: &noise, strands: &strands };
            for (shift, length) in [(0, 60), (60, 300), (30, 3600), (840, 14_400), (3_600, 86_400), (0, 604_800)] {
                let (from, to) = (START + shift, START + shift + length);
                let first = from + (cell - from.rem_euclid(cell)) % cell;
                let moments = [from, to].into_iter().chain((first..=to).step_by(usize::try_from(cell).unwrap()));
                let values = moments.map(|moment| path.at(real(moment))).collect::<Vec<_>>();
                assert_eq!(path.highest(from, to).to_bits(), values.iter().copied().fold(f64::MIN, f64::max).to_bits());
                assert_eq!(path.lowest(from, to).to_bits(), values.iter().copied().fold(f64::MAX, f64::min).to_bits());
            }
        }
    }

    #[test]
    fn a_drift_never_turns_time_back() {
        let path = Path { noise: &Noise::drift(), strands: &[(Seed::new(3), 1.0)] };
        let moments = (0..5000).map(|step| real(START + 7 * step));
        let times = moments.map(|moment| moment + path.at(moment)).collect::<Vec<_>>();
        assert!(times.windows(2).all(|pair| pair[1] > pair[0]));
    }

    #[test]
    fn a_swing_stays_within_bounds_and_moves() {
        let path = Path { noise: &Noise::swing(), strands: &[(Seed::new(4), 1.0)] };
        let values = (0..5000).map(|step| path.at(real(START + 600 * step))).collect::<Vec<_>>();
        assert!(values.iter().all(|value| value.abs() <= 1.0));
        assert!(values.iter().any(|value| *value > 0.1) && values.iter().any(|value| *value < -0.1));
    }
}
