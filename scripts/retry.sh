#!/bin/sh
# Run a command that uses the network up to three times.
for attempt in 1 2 3; do
    "$@" && exit 0
    echo "Attempt $attempt of 3 failed: $*" >&2
    sleep $((attempt * 3))
done
exit 1
