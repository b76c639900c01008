#!/bin/sh
# Print the first Python that really runs and is new enough. A version manager's
# shim may stand on PATH for a version that is not installed.
for name in python3.13 python3.12 python3.11 python3 python; do
    if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
        echo "$name"
        exit 0
    fi
done
echo "No Python 3.11 or newer on PATH. Install one, or name it: make PYTHON=/path/to/python3.11 ..." >&2
exit 1
