#!/bin/bash
# Runs the Swift tests that `swift build --build-tests` made: those of the client's package, then those of the server's with the
# whole logins. If some fail, their names and what they expected are printed again at the end: the tests run side by side, and
# the line that says what failed can be thousands of lines away.
#
# There is one time limit for all tests (LIMIT, in minutes). A test has no limit of its own: all tests start at the same time and
# share the processors, so a test's duration only shows how busy the machine is. A test that did not end within the limit is
# named.
#
# The tests' files are in memory if there is enough of it: the databases wait for the disk so often that the tests would take
# three times as long, or longer on a machine whose disk others use.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build

# KiB of memory that the tests' files may take, and as much again for the tests.
room=$((4 << 20))
# In a mount namespace of its own, so that the mount ends with it.
if [[ ${1-} == --in-memory ]]; then
  shift
  in_memory=yes
elif ((EUID == 0)) && unshare --mount true 2>/dev/null &&
  (($(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo) >= 2 * room)); then
  exec unshare --mount --propagation private scripts/swift-test.sh --in-memory "$@"
fi
log=build/swift-test.log
limit=${LIMIT:-35}

# Every test's files are in here, and must be gone at the end. SwiftPM leaves its own folders.
TMPDIR=$(mktemp --directory /tmp/uaf-tests.XXXXXX)
export TMPDIR
trap 'umount --lazy "$TMPDIR" 2>/dev/null || true; rm -rf "$TMPDIR"' EXIT
if [[ -n ${in_memory-} ]]; then
  mount -t tmpfs -o "size=${room}k" tmpfs "$TMPDIR" || echo "swift tests: no memory for their files: they are on the disk" >&2
fi
chmod 711 "$TMPDIR"

status=0
: >"$log"
for package in . Server; do
  # timeout(1) treats 0 as no limit.
  rest=$((limit * 60 - SECONDS))
  timeout --kill-after=30s "$((rest > 0 ? rest : 1))s" "${SWIFT:-swift}" test --package-path "$package" --skip-build "$@" 2>&1 |
    tee -a "$log" || status=$?
  if ((status == 124 || status == 137)); then break; fi
done
if ((status == 124 || status == 137)); then
  echo "swift tests: not ended within $limit minutes:" >&2
  comm -23 <(sed -n 's/^◇ Test \(.*\) started\.$/\1/p' "$log" | grep -v '^case ' | sort -u) \
    <(sed -nE 's/^[✔✘] Test (.*) (passed|failed) after .*/\1/p' "$log" | sed -E 's/ with [0-9]+ test cases?$//' | sort -u) >&2
elif ((status != 0)); then
  echo "swift tests: status $status; what failed:" >&2
  grep --extended-regexp --after-context=3 '^✘|error: |Fatal error' "$log" | grep --invert-match '^◇ Test case\|^✔' >&2 || true
fi
left() { find "$TMPDIR" -mindepth 1 -maxdepth 1 ! -name 'TemporaryDirectory.*' ! -name '*.lock' -printf '%f\n'; }
# A database that the tests started ends after them, and removes its folder.
for ((tries = 100; tries > 0 && status == 0; tries--)); do
  [[ -n $(left) ]] || break
  sleep 0.2
done
if ((status == 0)) && [[ -n $(left) ]]; then
  echo 'swift tests: passed, but left files behind:' >&2
  left >&2
  exit 1
fi
exit "$status"
