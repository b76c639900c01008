#!/bin/sh
# Print the browser for the tests: $CHROME, else one on PATH, else install Debian's chromium.
set -eu
names="chromium chromium-browser google-chrome-stable google-chrome chrome"
find_one() {
    for name in ${CHROME:-} $names; do
        if command -v "$name"; then
            return 0
        fi
    done
    return 1
}
find_one || { "$(dirname "$0")/need-package.sh" chromium && find_one; }
