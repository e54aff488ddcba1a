#!/bin/bash
# Runs commands side by side, each in a shell of its own, and prints what each said when it has ended. Fails if one fails.
#
#   scripts/together.sh COMMAND...
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
pids=()
for number in $(seq 1 $#); do
  bash -c "${!number}" >"$folder/$number" 2>&1 &
  pids+=($!)
done
status=0
for number in $(seq 1 $#); do
  echo "${!number}"
  wait "${pids[number - 1]}" || status=$?
  cat "$folder/$number"
done
exit "$status"
