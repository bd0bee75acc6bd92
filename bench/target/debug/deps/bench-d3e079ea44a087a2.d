/tmp/wt-bench/bench/target/debug/deps/bench-d3e079ea44a087a2.d: /tmp/wt-bench/clippy.toml src/main.rs src/budget.rs src/callgrind.rs src/command.rs src/report.rs src/rows.rs src/rows/build.rs src/rows/decode.rs src/rows/generator.rs src/rows/request.rs src/rows/weight.rs src/scratch.rs src/server.rs src/timing.rs Cargo.toml

/tmp/wt-bench/bench/target/debug/deps/libbench-d3e079ea44a087a2.rmeta: /tmp/wt-bench/clippy.toml src/main.rs src/budget.rs src/callgrind.rs src/command.rs src/report.rs src/rows.rs src/rows/build.rs src/rows/decode.rs src/rows/generator.rs src/rows/request.rs src/rows/weight.rs src/scratch.rs src/server.rs src/timing.rs Cargo.toml

/tmp/wt-bench/clippy.toml:
src/main.rs:
src/budget.rs:
src/callgrind.rs:
src/command.rs:
src/report.rs:
src/rows.rs:
src/rows/build.rs:
src/rows/decode.rs:
src/rows/generator.rs:
src/rows/request.rs:
src/rows/weight.rs:
src/scratch.rs:
src/server.rs:
src/timing.rs:
Cargo.toml:

# env-dep:CARGO_MANIFEST_DIR=/tmp/wt-bench/bench
# env-dep:CLIPPY_ARGS=--deny__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__
# env-dep:CLIPPY_CONF_DIR
