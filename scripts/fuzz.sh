#!/bin/bash
# Feeds the readers of UAF messages with what a fuzzer thinks of. `make test` gives each a short run that is the same each
# time; for a longer one:
#
#   SECONDS_EACH=600 scripts/fuzz.sh [TARGET...]
#
# Seeds are in Tests/Fuzz/seeds; what is found on the way stays in build/fuzz. An input that ends the program is named
# in the last lines: put it into the seeds together with the correction.
set -euo pipefail
cd "$(dirname "$0")/.."

: "${SWIFTC:=swiftc}" "${RUNS:=20000}" "${SECONDS_EACH:=}"
folder=$PWD/build/fuzz
mkdir -p "$folder"

sources=(Tests/Fuzz/*.swift)
mapfile -t -O "${#sources[@]}" sources < <(find Sources/UAFMessages -name '*.swift' | sort)
if [[ ! -x $folder/fuzz ]] || [[ -n $(find "${sources[@]}" -newer "$folder/fuzz") ]]; then
  "$SWIFTC" -O -g -use-ld=lld -swift-version 6 -sanitize=fuzzer,address -parse-as-library -module-name Fuzz \
    -suppress-warnings -o "$folder/fuzz" "${sources[@]}"
fi

targets=("$@")
if ((${#targets[@]} == 0)); then
  mapfile -t targets < <(sed -n 's/^  case \([a-zA-Z0-9]*\)$/\1/p' Tests/Fuzz/FuzzTarget.swift)
fi
if [[ -n $SECONDS_EACH ]]; then
  limit=(-max_total_time="$SECONDS_EACH")
else
  limit=(-runs="$RUNS" -seed=1)
fi

for target in "${targets[@]}"; do
  mkdir -p "$folder/corpus/$target"
  found=$folder/corpus/$target
  # A short run is the same each time: it starts from the seeds alone.
  if [[ -z $SECONDS_EACH ]]; then found=$(mktemp -d "$folder/short.XXXXXX"); fi
  if ! FUZZ_TARGET=$target "$folder/fuzz" "${limit[@]}" -max_len=8192 -timeout=5 -rss_limit_mb=1024 -print_final_stats=1 \
    -dict=Tests/Fuzz/uaf.dict -artifact_prefix="$folder/$target-" "$found" "Tests/Fuzz/seeds/$target" \
    >"$folder/$target.log" 2>&1; then
    tail -n 40 "$folder/$target.log" >&2
    echo "fuzz: $target failed: the input is named above" >&2
    exit 1
  fi
  if [[ -z $SECONDS_EACH ]]; then rm -rf "$found"; fi
  executed=$(sed -n 's/^stat::number_of_executed_units: *//p' "$folder/$target.log")
  covered=$(sed -n 's/.*cov: \([0-9]*\).*/\1/p' "$folder/$target.log" | tail -n 1)
  echo "fuzz: $target: $executed inputs, $covered edges covered, nothing found"
done
