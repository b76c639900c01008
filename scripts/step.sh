#!/bin/sh
# Run a step of the installation, and say what is done and how long it usually takes.
#
# step.sh WORDS SECONDS LOG COMMAND...
# The command's output goes to LOG, and is shown when it fails. On a terminal the line counts up.
words=$1 usual=$2 log=$3
shift 3
began=$(date +%s)
[ -t 1 ] || printf '%s (usually about %s s)\n' "$words" "$usual"
"$@" > "$log" 2>&1 &
pid=$!
trap 'kill "$pid" 2>/dev/null; exit 130' INT TERM
while kill -0 "$pid" 2>/dev/null; do
    [ -t 1 ] && printf '\r%s: %s s (usually about %s s)' "$words" "$(($(date +%s) - began))" "$usual"
    sleep 1
done
wait "$pid"
code=$?
took=$(($(date +%s) - began))
if [ "$code" = 0 ]; then
    [ -t 1 ] && printf '\r%s: done in %s s                          \n' "$words" "$took"
    exit 0
fi
printf '\n%s failed after %s s:\n' "$words" "$took" >&2
tail -30 "$log" >&2
exit "$code"
