//! Tests of the rate limiter with every schedule, and in a simulation.

mod every_schedule;
mod simulation;
