/tmp/wt-bench/bench/target/debug/deps/is_terminal_polyfill-444084a97841608f.d: /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/is_terminal_polyfill-1.70.2/src/lib.rs

/tmp/wt-bench/bench/target/debug/deps/libis_terminal_polyfill-444084a97841608f.rmeta: /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/is_terminal_polyfill-1.70.2/src/lib.rs

/root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/is_terminal_polyfill-1.70.2/src/lib.rs:
