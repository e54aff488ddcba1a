#!/bin/bash
# Runs commands side by side, each in its own shell. The first one's output is shown as it comes, the output of the others when
# all of them have ended. Fails if one fails. A failure is noted in build/together.failed at once: if a limit ends all of it
# later, its status is that of the limit.
#
#   scripts/together.sh COMMAND...
set -euo pipefail

# Says how long a command took.
timed() { # command
  local began=$SECONDS status=0
  bash -c "$1" || status=$?
  # 143: ended by that limit.
  if ((status != 0 && status != 143)); then
    mkdir -p build
    echo "status $status: $1" >>build/together.failed
  fi
  echo "together: $(((SECONDS - began) / 60)) minutes $(((SECONDS - began) % 60)) seconds: $1"
  return "$status"
}

rm -f build/together.failed
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
first=$1
shift
pids=()
for number in $(seq 1 $#); do
  timed "${!number}" >"$folder/$number" 2>&1 &
  pids+=($!)
done
status=0
timed "$first" || status=$?
for number in $(seq 1 $#); do
  wait "${pids[number - 1]}" || status=$?
  echo "${!number}"
  cat "$folder/$number"
done
exit "$status"
