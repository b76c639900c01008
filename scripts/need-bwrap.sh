#!/bin/sh
# What keeps sandboxes at the full level; one of the published agents needs it, too. Debian's package.
set -eu
command -v bwrap >/dev/null || "$(dirname "$0")/need-package.sh" bubblewrap
