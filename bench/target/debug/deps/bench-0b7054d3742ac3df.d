/tmp/wt-bench/bench/target/debug/deps/bench-0b7054d3742ac3df.d: /tmp/wt-bench/clippy.toml src/main.rs src/budget.rs src/callgrind.rs src/command.rs src/report.rs src/rows.rs src/rows/build.rs src/rows/decode.rs src/rows/generator.rs src/rows/request.rs src/rows/weight.rs src/scratch.rs src/server.rs src/timing.rs Cargo.toml

/tmp/wt-bench/bench/target/debug/deps/libbench-0b7054d3742ac3df.rmeta: /tmp/wt-bench/clippy.toml src/main.rs src/budget.rs src/callgrind.rs src/command.rs src/report.rs src/rows.rs src/rows/build.rs src/rows/decode.rs src/rows/generator.rs src/rows/request.rs src/rows/weight.rs src/scratch.rs src/server.rs src/timing.rs Cargo.toml

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
