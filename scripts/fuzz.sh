#!/bin/bash
# Feeds every reader of outside data with a fuzzer's inputs: UAF messages, packets, configuration, texts, forms,
# the C module as a whole and the core as a whole. `make test` gives each a short run that is the same each time; for a longer
# one:
#
#   SECONDS_EACH=600 scripts/fuzz.sh [TARGET...]
#
# Seeds are in Tests/Fuzz/seeds; new inputs stay in build/fuzz. An input that ends the program is named
# in the last lines: add it to the seeds together with the fix.
set -euo pipefail
cd "$(dirname "$0")/.."

: "${SWIFTC:=swiftc}" "${RUNS:=}" "${SECONDS_EACH:=}"
folder=$PWD/build/fuzz
fuzzers() { # goal
  make --no-print-directory -s -j 2 -f Tests/Fuzz/Makefile BUILD=build/fuzz SWIFTC="$SWIFTC" "$@"
}
fuzzers all

declare -A programs dictionaries
known=()
while read -r target program dictionary; do
  known+=("$target")
  programs[$target]=$program
  dictionaries[$target]=$dictionary
done < <(fuzzers fuzzers)
targets=("$@")
if ((${#targets[@]} == 0)); then targets=("${known[@]}"); fi
for target in "${targets[@]}"; do
  if [[ -z ${programs[$target]-} ]]; then
    echo "fuzz: there is no target '$target': ${known[*]}" >&2
    exit 64
  fi
done
# The limits of one input, here as elsewhere.
mapfile -t limits < <(sed -n 's/^\([a-z_]*\) = \(.*\)/-\1=\2/p' Tests/Fuzz/limits.options)

# How many inputs a short run has, so that all runs together take about a minute.
runs_of() {
  case $1 in
    core | pastedCode) echo 1500 ;;
    certificate) echo 2000 ;;
    attestation | statement | checkIn) echo 5000 ;;
    shim | passcode | configuration) echo 10000 ;;
    *) echo 20000 ;;
  esac
}

# A trap must be reported and its input saved immediately: Swift's own backtrace can take minutes.
export SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=quarantine_size_mb=16

# The core's state between the calls is in a folder, in memory if possible.
state=$(mktemp -d -p "$([[ -w /dev/shm ]] && echo /dev/shm || echo "${TMPDIR:-/tmp}")")
trap 'rm -rf "$state"' EXIT

feed() { # target
  local target=$1 found=$folder/corpus/$1 limit=(-max_total_time="$SECONDS_EACH") executed covered
  # A short run is the same each time: it starts only from the seeds.
  if [[ -z $SECONDS_EACH ]]; then
    found=$(mktemp -d "$folder/short.XXXXXX")
    limit=(-runs="${RUNS:-$(runs_of "$target")}" -seed=1)
  fi
  mkdir -p "$found" "Tests/Fuzz/seeds/$target" "$state/$target"
  if ! FUZZ_TARGET=$target FUZZ_FOLDER=$state/$target "${programs[$target]}" "${limit[@]}" "${limits[@]}" \
    -print_final_stats=1 -dict="${dictionaries[$target]}" -artifact_prefix="$folder/$target-" "$found" \
    "Tests/Fuzz/seeds/$target" >"$folder/$target.log" 2>&1; then
    tail -n 40 "$folder/$target.log" >&2
    echo "fuzz: $target failed: the input is named above" >&2
    return 1
  fi
  if [[ -z $SECONDS_EACH ]]; then rm -rf "$found"; fi
  executed=$(sed -n 's/^stat::number_of_executed_units: *//p' "$folder/$target.log")
  covered=$(sed -n 's/.*cov: \([0-9]*\).*/\1/p' "$folder/$target.log" | tail -n 1)
  echo "fuzz: $target: $executed inputs, $covered edges covered, nothing found"
}

# One at a time for each processor: a target uses only one.
failed=0 running=0
for target in "${targets[@]}"; do
  if ((running == $(nproc))); then
    wait -n || failed=1
    running=$((running - 1))
  fi
  if ((failed)); then break; fi
  feed "$target" &
  running=$((running + 1))
done
for (( ; running > 0; running--)); do wait -n || failed=1; done
exit "$failed"
