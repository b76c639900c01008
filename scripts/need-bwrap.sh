#!/bin/sh
# The sandbox of one of the published agents that the long tests drive; Debian's package.
set -eu
command -v bwrap >/dev/null || "$(dirname "$0")/need-package.sh" bubblewrap
