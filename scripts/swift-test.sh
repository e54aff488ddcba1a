#!/bin/bash
# Runs the Swift tests that `swift build --build-tests` made. If some fail, their names and what they expected are printed once
# more at the end: the tests run side by side, and the line that says what failed can be thousands of lines away.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
mkdir -p build
log=build/swift-test.log

"${SWIFT:-swift}" test --skip-build "$@" 2>&1 | tee "$log"
status=${PIPESTATUS[0]}
if ((status != 0)); then
  echo "swift tests: status $status; what failed:" >&2
  grep --extended-regexp --after-context=3 '^✘|error: |Fatal error' "$log" | grep --invert-match '^◇\|^✔' >&2
fi
exit "$status"
