//! How a catalogue changes, and what its changes mean.

pub mod diff;
