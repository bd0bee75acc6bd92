//! Chance that can be looked up: the same seed and the same moment always give the same value.
//!
//! A [`Path`] is a sum of zigzag lines, each with hashed values at the borders of its cells and straight in
//! between, and each with longer cells than the one before. So a value takes a handful of hashes at any
//! moment, and the extremes of a span are found without walking through it.

use std::cell::Cell;

use super::lately::Lately;
use crate::number::{floor, real};

/// The source of chance: a hash of everything that a value depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seed(u64);

impl Seed {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(mix(seed))
    }

    /// The seed of a value that depends on a name too.
    pub(crate) fn name(self, name: &str) -> Self {
        // FNV-1a: the same on every machine and in every version, as the standard hasher is not.
        Self(mix(name.bytes().fold(self.0, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))))
    }

    /// The seed of a value that depends on a number too.
    pub(crate) const fn number(self, number: i64) -> Self {
        Self(mix(self.0 ^ number.cast_unsigned().wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }

    /// A value from 0 to 1.
    pub(crate) const fn unit(self) -> f64 {
        real((self.0 >> 11).cast_signed()) / real(1 << 53)
    }

    /// One of these things.
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
    /// How many times as long as a line's cells those of the next are.
    step: u8,
    /// Seconds of a cell, and how far the line swings; the shortest cells first.
    lines: [(f64, f64); MOST_LINES],
    count: usize,
}

const MOST_LINES: usize = 12;
/// Into how many parts a cell can fall.
const MOST_PARTS: usize = 16;

/// Rises or falls by less than a second a second: added to time, it makes time uneven.
// A line's slope is at most two swings a cell; five of 0.19 make 0.95.
pub(crate) static DRIFT: Noise = Noise::new(30.0, 16, 0.19 * 30.0 / 2.0, 16.0, 5);

/// Stays between -1 and 1, mostly near 0, and changes within hours as within weeks.
pub(crate) static SWING: Noise = Noise::new(900.0, 4, 1.0 / 7.0, 1.0, 7);

impl Noise {
    /// Walks like a price: by about `daily` in a day, and by the square root of ten times that in ten days.
    pub(crate) const fn walk(daily: f64) -> Self {
        // 53.67 is the square root of the 2880 finest cells that a day has.
        Self::new(30.0, 4, daily / 53.67, 2.0, MOST_LINES)
    }

    /// So many lines, each with cells `step` times as long as the one before, swinging `growth` times as far.
    const fn new(finest: f64, step: u8, first: f64, growth: f64, count: usize) -> Self {
        let mut lines = [(finest, first); MOST_LINES];
        let mut line = 1;
        while line < MOST_LINES {
            lines[line] = (lines[line - 1].0 * step as f64, lines[line - 1].1 * growth);
            line += 1;
        }
        Self { step, lines, count }
    }

    /// The same, with swings `factor` times as wide.
    pub(crate) const fn times(self, factor: f64) -> Self {
        let mut lines = self.lines;
        let mut line = 0;
        while line < MOST_LINES {
            lines[line].1 *= factor;
            line += 1;
        }
        Self { lines, ..self }
    }
}

/// A seed, and the share of its path.
pub(crate) type Strand = (Seed, f64);

/// One path, or the sum of several that share their cells.
///
/// A series asks for moments next to each other. So a path remembers the borders of its last lookups and its last two
/// values, which does not change any result.
#[derive(Debug)]
pub(crate) struct Path {
    noise: &'static Noise,
    strands: Vec<Strand>,
    lines: Vec<Line>,
    /// Values, by the bits of their moment.
    values: Lately<f64>,
}

/// The memory of a line.
#[derive(Debug)]
struct Line {
    /// The cell of the last lookup: its index and its two borders.
    cell: Cell<(i64, f64, f64)>,
    /// Borders by their index, each at the place that its lowest bits give.
    borders: [Cell<(i64, f64)>; KEPT],
}

/// A power of two, so that the place of a border is quickly found.
const KEPT: usize = 8;

impl Line {
    fn new() -> Self {
        // An index that no lookup reaches.
        let none = i64::MIN;
        Self { cell: Cell::new((none, 0.0, 0.0)), borders: [const { Cell::new((i64::MIN, 0.0)) }; KEPT] }
    }
}

impl Path {
    pub(crate) fn new(noise: &'static Noise, strands: impl Into<Vec<Strand>>) -> Self {
        let lines = (0..noise.count).map(|_| Line::new()).collect();
        Self { noise, strands: strands.into(), lines, values: Lately::default() }
    }

    /// The value at a moment.
    pub(crate) fn at(&self, moment: f64) -> f64 {
        self.values.at(moment.to_bits().cast_signed(), || self.lines_from(0, moment))
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
        let mut sum = 0.0;
        for (line, (kept, (cell, swing))) in self.lines.iter().zip(&self.noise.lines).enumerate().skip(first) {
            let place = moment / cell;
            let index = floor(place);
            let (mut known, mut left, mut right) = kept.cell.get();
            if known != index {
                (known, left, right) = (index, self.border(line, index), self.border(line, index + 1));
                kept.cell.set((known, left, right));
            }
            sum += swing * (left + (right - left) * (place - real(index)));
        }
        sum
    }

    /// The value of a line at the border before a cell, before its swing is applied.
    fn border(&self, line: usize, index: i64) -> f64 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "only the lowest bits are wanted")]
        let kept = &self.lines[line].borders[index as usize % KEPT];
        let (known, value) = kept.get();
        if known == index {
            return value;
        }
        let value = self.made(line, index);
        kept.set((index, value));
        value
    }

    fn made(&self, line: usize, index: i64) -> f64 {
        let number = index * 16 + i64::try_from(line).unwrap_or(0);
        self.strands.iter().map(|(seed, weight)| weight * (2.0 * seed.number(number).unit() - 1.0)).sum()
    }
}

/// The search for an extreme: a cell is entered only if its finer lines could lead beyond the best so far.
struct Search<'p> {
    path: &'p Path,
    sign: f64,
    from: f64,
    to: f64,
    best: f64,
    /// How far all lines finer than each one can lead together, with a bound for rounding.
    finer: [f64; MOST_LINES],
}

/// More than the rounding error between the two ways of computing a value.
const ROUNDING: f64 = 1e-9;

impl Search<'_> {
    fn run(path: &Path, sign: f64, from: f64, to: f64) -> f64 {
        let noise = path.noise;
        let weight: f64 = path.strands.iter().map(|(_, weight)| weight.abs()).sum();
        let mut finer = [ROUNDING * weight; MOST_LINES];
        for line in 1..noise.count {
            finer[line] = finer[line - 1] + noise.lines[line - 1].1 * weight;
        }
        let ends = (sign * path.at(from)).max(sign * path.at(to));
        let mut search = Search { path, sign, from, to, best: ends, finer };
        let top = (0..noise.count - 1).find(|line| noise.lines[*line].0 >= to - from).unwrap_or(noise.count - 1);
        let (cell, _) = noise.lines[top];
        for index in floor(from / cell)..=floor(to / cell) {
            let left = sign * path.lines_from(top, real(index) * cell);
            let right = sign * path.lines_from(top, real(index + 1) * cell);
            if search.is_inside(index, cell) && left.max(right) + search.finer[top] >= search.best {
                search.visit(top, index, left, right);
            }
        }
        search.best
    }

    /// Whether a part of a cell lies in the span; only the ends of the span are computed at the start.
    fn is_inside(&self, index: i64, cell: f64) -> bool {
        real(index + 1) * cell > self.from && real(index) * cell < self.to
    }

    /// Looks into a cell, between whose borders the line and all coarser ones lead from `left` to `right`.
    fn visit(&mut self, line: usize, index: i64, left: f64, right: f64) {
        let Some(finer) = line.checked_sub(1) else {
            return self.compare(index, left, right);
        };
        let (step, (cell, swing)) = (self.path.noise.step, self.path.noise.lines[finer]);
        let index = index * i64::from(step);
        let mut borders = [0.0; MOST_PARTS + 1];
        for (part, border) in (0..=step).zip(&mut borders) {
            let coarse = left + (right - left) * f64::from(part) / f64::from(step);
            *border = coarse + self.sign * swing * self.path.border(finer, index + i64::from(part));
        }
        let mut parts = [(0.0, 0); MOST_PARTS];
        let parts = &mut parts[..usize::from(step)];
        for (part, pair) in borders.windows(2).take(parts.len()).enumerate() {
            parts[part] = (pair[0].max(pair[1]), part);
        }
        // The most promising part first, so that the others need not be looked into.
        parts.sort_unstable_by(|(one, _), (other, _)| other.total_cmp(one));
        for (reach, part) in parts {
            if *reach + self.finer[finer] < self.best {
                return;
            }
            let index = index + i64::try_from(*part).unwrap_or(0);
            if self.is_inside(index, cell) {
                self.visit(finer, index, borders[*part], borders[*part + 1]);
            }
        }
    }

    /// Compares the borders of a cell of the finest line with the best so far.
    fn compare(&mut self, index: i64, left: f64, right: f64) {
        let (cell, _) = self.path.noise.lines[0];
        for (index, value) in [(index, left), (index + 1, right)] {
            let border = real(index) * cell;
            if (self.from..=self.to).contains(&border) && value + self.finer[0] >= self.best {
                // `value` was rounded in another order, so it is not used.
                self.best = self.best.max(self.sign * self.path.at(border));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: i64 = 1_700_000_100;

    #[test]
    fn extremes_are_those_of_every_border() {
        static WALK: Noise = Noise::walk(0.03);
        for (noise, cell) in [(&WALK, 30), (&SWING, 900)] {
            let path = Path::new(noise, [(Seed::new(1), 1.0), (Seed::new(2), -0.3)]);
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
        let path = Path::new(&DRIFT, [(Seed::new(3), 1.0)]);
        let moments = (0..5000).map(|step| real(START + 7 * step));
        let times = moments.map(|moment| moment + path.at(moment)).collect::<Vec<_>>();
        assert!(times.windows(2).all(|pair| pair[1] > pair[0]));
    }

    #[test]
    fn a_swing_stays_within_bounds_and_moves() {
        let path = Path::new(&SWING, [(Seed::new(4), 1.0)]);
        let values = (0..5000).map(|step| path.at(real(START + 600 * step))).collect::<Vec<_>>();
        assert!(values.iter().all(|value| value.abs() <= 1.0));
        assert!(values.iter().any(|value| *value > 0.1) && values.iter().any(|value| *value < -0.1));
    }
}
