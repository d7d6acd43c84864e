# Set-up shared by app/run, tests/run and .ci/run, which source this file. Needs bash; changes no shell options.
# shellcheck shell=bash

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
jobs=$(nproc 2>/dev/null || echo 2)

# The same cache entries serve checkouts in different places; what a compilation gets from precompiled headers is known by
# the headers' contents.
export CCACHE_BASEDIR="$root" CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros

say() { printf '[tessera] %s\n' "$*"; }

# listed_packages GROUP...: the names in app/packages.txt, of the groups: `build`, `tests`, `package`, …
listed_packages() {
    sed 's/#.*//' "$root/app/packages.txt" |
        awk -v groups=" $* " 'NF && index(groups, " " ($2 == "" ? "build" : $2) " ") {print $1}'
}

# Prints those of its arguments that are not installed packages.
missing_packages() {
    local package
    for package in "$@"; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
    done
}

# ensure_packages GROUP...: installs what is missing, as root or through sudo; says what is missing where it cannot.
ensure_packages() {
    local wanted missing become=()
    mapfile -t wanted < <(listed_packages "$@")
    if ! command -v dpkg-query >/dev/null; then
        say "not a Debian system: taking for granted what app/packages.txt lists"
        return 0
    fi
    mapfile -t missing < <(missing_packages "${wanted[@]}")
    if [ ${#missing[@]} -eq 0 ]; then
        say "packages: all ${#wanted[@]} are installed"
        return 0
    fi
    if [ "$(id -u)" -ne 0 ]; then
        become=(sudo)
        [ -t 0 ] || become=(sudo -n)
        if ! command -v sudo >/dev/null || ! "${become[@]}" true; then
            say "missing packages: ${missing[*]}"
            say "install them as root: apt-get install ${missing[*]}"
            return 1
        fi
    fi
    say "packages: installing ${missing[*]}"
    become+=(env DEBIAN_FRONTEND=noninteractive)
    "${become[@]}" apt-get -q update </dev/null &&
        "${become[@]}" apt-get -q -y --no-install-recommends install "${missing[@]}" </dev/null
}

# build_preset PRESET [TARGET...]: configures build/PRESET (with $cmake_options) and builds it, or only the targets.
cmake_options=()
build_preset() {
    local preset=$1 folder="$root/build/$1" source targets=()
    shift
    # A build folder that was copied along with the sources belongs to another place: start afresh.
    source=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$folder/CMakeCache.txt" 2>/dev/null || true)
    if [ -n "$source" ] && [ "$source" != "$root" ]; then
        rm -rf -- "$folder"
    fi
    [ $# -eq 0 ] || targets=(--target "$@")
    say "build: $preset, in build/$preset"
    (cd -- "$root" && cmake --preset "$preset" "${cmake_options[@]}" -Wno-dev --log-level=NOTICE >/dev/null) &&
        cmake --build "$folder" -j "$jobs" "${targets[@]}"
}
