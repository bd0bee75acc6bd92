# For scripts in `.ci/checks/`: builds the sandbox, and starts it on a free port until the script ends.
target="$(realpath "${CARGO_TARGET_DIR:-target}")"
folder="$(mktemp -d)"
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$folder"' EXIT
cargo build --quiet --package sandbox-program

# Starts a sandbox with these arguments; sets `sandbox_url` and `sandbox`, its process.
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
