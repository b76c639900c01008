#!/bin/sh
# Install a Debian package where that is allowed; say the one command where not.
set -eu
package=$1
command="apt-get install --yes --no-install-recommends $package"
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "$package is missing. Install it, on Debian with: sudo $command" >&2
    exit 1
fi
export DEBIAN_FRONTEND=noninteractive
for attempt in 1 2 3; do
    if apt-get update -qq >&2 && $command -qq >&2; then
        exit 0
    fi
    echo "Installing $package failed (attempt $attempt of 3)." >&2
    sleep $((attempt * 5))
done
exit 1
