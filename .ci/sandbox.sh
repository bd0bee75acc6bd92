# Sourced by scripts in `.ci/checks/`: builds the sandbox; `start_sandbox` runs it on a free port until the script ends.
target="$(realpath "${CARGO_TARGET_DIR:-target}")"
folder="$(mktemp -d)"
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$folder"' EXIT
cargo build --quiet --package sandbox-program

# Starts a sandbox with these arguments, and sets `sandbox_url` and `sandbox` (the process id).
start_sandbox() {
    "$target/debug/sandbox" --port 0 "$@" >"$folder/sandbox" &
    sandbox=$!
    sandbox_url=""
    while [ -z "$sandbox_url" ]; do
        sleep 0.1
        kill -0 "$sandbox"
        sandbox_url="$(grep -o -m1 'http://[^ ]*' "$folder/sandbox" | head -1 || true)"
    done
}
