#!/bin/sh
# Print the browser for the tests: $CHROME, else one on PATH, else install Debian's chromium.
# With --shell its headless shell comes first: the same Chromium without the windows, which take a
# third of the time in which a page loads.
set -eu
names="chromium chromium-browser google-chrome-stable google-chrome chrome"
here=$(dirname "$0")
find_one() {
    for name in ${CHROME:-} "$@"; do
        if command -v "$name"; then
            return 0
        fi
    done
    return 1
}
if [ "${1:-}" = --shell ]; then
    shell=chromium-headless-shell
    find_one "$shell" || { "$here/need-package.sh" "$shell" && find_one "$shell"; } || find_one $names
else
    find_one $names || { "$here/need-package.sh" chromium && find_one $names; }
fi
