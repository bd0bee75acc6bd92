#!/bin/sh
# Installs derivs from a release: `curl --proto '=https' -fsSL URL/install.sh | sh`.
#
# Downloads the archive for this machine, compares its SHA-256 checksum, and puts the program into ~/.local/bin.
# DERIVS_INSTALL_DIR names another folder, DERIVS_VERSION another version, and DERIVS_DOWNLOADS another address of the archives.
# A release replaces the words @REPOSITORY@ and @VERSION@.
set -eu

repository='@REPOSITORY@'
version="${DERIVS_VERSION:-@VERSION@}"
downloads="${DERIVS_DOWNLOADS:-https://github.com/$repository/releases/download/$version}"
folder="${DERIVS_INSTALL_DIR:-$HOME/.local/bin}"

fail() {
    echo "install.sh: $1" >&2
    exit 1
}

target() {
    case "$(uname -m)" in
        x86_64 | amd64) machine=x86_64 ;;
        aarch64 | arm64) machine=aarch64 ;;
        *) fail "no archive for the processor $(uname -m); build from source with Cargo" ;;
    esac
    case "$(uname -s)" in
        # The program with musl runs on every Linux.
        Linux) echo "$machine-unknown-linux-musl" ;;
        Darwin) echo "$machine-apple-darwin" ;;
        *) fail "no archive for $(uname -s); on Windows, use the .zip file of the release" ;;
    esac
}

download() {
    if command -v curl >/dev/null; then
        curl --fail --silent --show-error --location --output "$2" "$1"
    elif command -v wget >/dev/null; then
        wget --quiet --output-document="$2" "$1"
    else
        fail "neither curl nor wget is installed"
    fi || fail "cannot download $1"
}

checksum() {
    if command -v sha256sum >/dev/null; then
        sha256sum "$1"
    elif command -v shasum >/dev/null; then
        shasum -a 256 "$1"
    else
        fail "neither sha256sum nor shasum is installed"
    fi
}

# The script runs from here on, so that a download that ends early runs nothing.
main() {
    target="$(target)"
    name="derivs-$version-$target"
    new="$folder/derivs.new"
    for tool in mktemp tar gzip; do command -v "$tool" >/dev/null || fail "$tool is not installed"; done
    [ ! -d "$folder/derivs" ] || fail "$folder/derivs is a folder"
    temporary="$(mktemp -d)"
    trap 'rm -rf "$temporary" "$new"' EXIT
    trap 'exit 1' HUP INT TERM
    download "$downloads/$name.tar.gz" "$temporary/archive"
    download "$downloads/$name.tar.gz.sha256" "$temporary/expected"
    checksum "$temporary/archive" >"$temporary/actual"
    expected="$(cut -d' ' -f1 "$temporary/expected")"
    actual="$(cut -d' ' -f1 "$temporary/actual")"
    [ "$actual" = "$expected" ] || fail "the checksum of $name.tar.gz is $actual, expected $expected"
    tar -xzf "$temporary/archive" -C "$temporary" || fail "cannot unpack $name.tar.gz"
    { mkdir -p "$folder" && cp "$temporary/$name/derivs" "$new" && chmod 755 "$new"; } ||
        fail "cannot write to $folder; DERIVS_INSTALL_DIR names another folder"
    # A program that does not run on this machine replaces no other.
    "$new" --version || fail "the program of $name.tar.gz does not run on this machine"
    # A program that runs at the moment is not overwritten, but replaced.
    mv "$new" "$folder/derivs"
    echo "installed $folder/derivs"
    case ":$PATH:" in
        *":$folder:"*) ;;
        *) echo "add the folder to your PATH: export PATH=\"$folder:\$PATH\"" ;;
    esac
}

main "$@"
