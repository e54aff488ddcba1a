#!/bin/bash
# Runs commands side by side, each in its own shell. The first one's output is shown as it comes, the output of the others when
# all of them have ended. Fails if one fails.
#
#   scripts/together.sh COMMAND...
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
first=$1
shift
pids=()
for number in $(seq 1 $#); do
  bash -c "${!number}" >"$folder/$number" 2>&1 &
  pids+=($!)
done
status=0
bash -c "$first" || status=$?
for number in $(seq 1 $#); do
  wait "${pids[number - 1]}" || status=$?
  echo "${!number}"
  cat "$folder/$number"
done
exit "$status"
