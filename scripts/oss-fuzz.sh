#!/bin/bash
# Has .clusterfuzzlite/build.sh put the fuzzers together as it does in the images of OSS-Fuzz and ClusterFuzzLite, and tries each as
# these do before they accept it. Their images are not needed: SRC, OUT and WORK are temporary folders, and the compilers are ours.
#
#   SECONDS_EACH=5 scripts/oss-fuzz.sh [FUZZER...]     the named fuzzers, or all; each fuzzes for that long
#
# What scripts/fuzz.sh has compiled is used; without it, this takes some minutes more. At the end, a bug is planted into a copy of a
# reader in Swift and of one in C, and their fuzzers must find it.
set -euo pipefail
cd "$(dirname "$0")/.."

: "${SECONDS_EACH:=5}"
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
export SRC=$made/src WORK=$made/work

fail() { # what
  echo "oss-fuzz: $1" >&2
  exit 1
}

# A copy, because the bugs must not be planted here; with its times, so that make sees what is older.
mkdir -p "$SRC/pam-uaf" "$WORK/address"
git ls-files -z --cached --others --exclude-standard -- Sources Server/Sources cshim Tests/Fuzz .clusterfuzzlite |
  xargs -0 cp --archive --parents --target-directory="$SRC/pam-uaf"
cp .clusterfuzzlite/build.sh "$SRC/build.sh"
find build/fuzz -maxdepth 1 '(' -name '*.o' -o -name '*.swift*' ')' -exec cp --archive --target-directory="$WORK/address" {} + \
  2>/dev/null || true

# The environment of their images; the flags are those of gcr.io/oss-fuzz-base/base-builder.
build() { # sanitizer, folder
  local flags=(-O1 -fno-omit-frame-pointer -gline-tables-only -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION -fsanitize=fuzzer-no-link)
  case $1 in
    address) flags+=(-fsanitize=address -fsanitize-address-use-after-scope) ;;
    undefined)
      flags+=("-fsanitize=array-bounds,bool,builtin,enum,function,integer-divide-by-zero,null,object-size,return")
      flags+=("-fsanitize=returns-nonnull-attribute,shift,signed-integer-overflow,unreachable,vla-bound" -fno-sanitize-recover=all)
      ;;
  esac
  mkdir -p "$2"
  # Not with gold, which warns about each function of the sanitizer.
  CC=clang CXX="clang++ -fuse-ld=lld" CFLAGS="${flags[*]}" CXXFLAGS="${flags[*]}" LIB_FUZZING_ENGINE=-fsanitize=fuzzer \
    FUZZING_ENGINE=libfuzzer FUZZING_LANGUAGE=swift SANITIZER=$1 OUT=$2 bash -eu "$SRC/build.sh"
}

# The folder in which no fuzzer finds anything of ours, and the environment of a machine that has no Swift. Only root can hide it.
mkdir -p "$made/elsewhere"
runtime=$(dirname "$(readlink -f "$(command -v swiftc)")")/../lib/swift/linux
hidden=()
if unshare --mount true 2>/dev/null; then
  # shellcheck disable=SC2016 # the inner shell's
  hidden=(unshare --mount --propagation private bash -c 'mount -t tmpfs none "$0" && exec "$@"' "$(realpath "$runtime")")
else
  echo "oss-fuzz: only root can hide Swift's libraries from the fuzzers: they may find those"
fi
alone() { # program, arguments
  (cd "$made/elsewhere" && env -i PATH=/usr/bin:/bin SWIFT_BACKTRACE=enable=no "${hidden[@]}" "$@") >"$made/log" 2>&1
}

# The calls to a sanitizer in a program, as bad_build_check counts them.
calls() { # program, sanitizer
  objdump -dC "$1" | grep -cE "callq? +[0-9a-f]+ <__$2" || true
}

try() { # folder, fuzzer
  local program=$1/$2 seeds=$made/seeds/$2 count library
  file -L "$program" | grep -q ELF || fail "$2 is no program"
  for library in $(ldd "$program" | sed -n 's/.* => \/.*\/\([^ ]*\) .*/\1/p'); do
    case $library in
      libc.so.* | libm.so.* | libdl.so.* | librt.so.* | libpthread.so.* | libresolv.so.*) ;;
      *) [[ -f $1/lib/$library ]] || fail "$2 needs $library, which is not in lib" ;;
    esac
  done
  alone "$program" -runs=4 -seed=1337 || fail "$2 does not start: $(tail -n 5 "$made/log")"
  grep -q "^Done 4 runs" "$made/log" || fail "$2 does not end: $(tail -n 5 "$made/log")"
  rm -rf "$seeds"
  mkdir -p "$seeds"
  unzip -q -d "$seeds" "$1/$2_seed_corpus.zip"
  count=$(find "$seeds" -type f | wc -l)
  [[ $count == $(find "Tests/Fuzz/seeds/$2" -type f | wc -l) ]] || fail "$2 has $count seeds, which is not what we have"
  mapfile -t options < <(sed -n 's/^\([a-z_]*\) = \(.*\)/-\1=\2/p' "$1/$2.options")
  ((${#options[@]} > 0)) || fail "$2 has no options"
  alone "$program" -runs=0 "${options[@]}" -dict="$program.dict" "$seeds" || fail "$2 fails on a seed: $(tail -n 20 "$made/log")"
  grep -q "files: *$count " "$made/log" || fail "$2 has not read its $count seeds"
  grep -q "^Dictionary: [1-9]" "$made/log" || fail "$2 has not read its dictionary"
  alone "$program" -max_total_time="$SECONDS_EACH" "${options[@]}" -dict="$program.dict" -artifact_prefix="$made/" "$seeds" ||
    fail "$2 found something: $(tail -n 20 "$made/log")"
  echo "oss-fuzz: $2: $count seeds, $(sed -n 's/^Done \([0-9]*\) runs.*/\1/p' "$made/log") inputs"
}

# Plants a bug into the copy of a reader. Its fuzzer must find it from its seeds; status 77 is libFuzzer's for a crash.
planted() { # file, sed's expression, fuzzer
  local before status=0
  before=$(sha256sum "$SRC/pam-uaf/$1")
  sed -i "$2" "$SRC/pam-uaf/$1"
  [[ $before != $(sha256sum "$SRC/pam-uaf/$1") ]] || fail "$1 no longer has the line into which a bug is planted"
  build address "$made/planted"
  mkdir -p "$made/seeds/$3"
  unzip -q -o -d "$made/seeds/$3" "$made/planted/$3_seed_corpus.zip"
  alone "$made/planted/$3" -max_total_time=120 -max_len=8192 -artifact_prefix="$made/" -dict="$made/planted/$3.dict" \
    "$made/seeds/$3" || status=$?
  ((status != 0)) || fail "$3 does not find the bug that was planted into $1"
  grep -qE "AddressSanitizer|deadly signal" "$made/log" || fail "$3 ended without finding the planted bug: $(tail -n 5 "$made/log")"
  echo "oss-fuzz: $3 finds the bug that was planted into $1"
}

build address "$made/built"
# Moved, as theirs are: no path of the build may matter.
mv "$made/built" "$made/out"
names=("$@")
if ((${#names[@]} == 0)); then
  mapfile -t names < <(make --no-print-directory -s -f Tests/Fuzz/Makefile fuzzers | cut -d' ' -f1)
  [[ $(find "$made/out" -name '*.options' | wc -l) == "${#names[@]}" ]] || fail "not every fuzzer was put together, or one too many"
fi
# As bad_build_check has it: everything under the sanitizer that was asked for, and nothing under another.
for name in json frame; do
  (($(calls "$made/out/$name" asan) >= 1000)) || fail "$name is not under AddressSanitizer"
  (($(calls "$made/out/$name" ubsan) <= 200)) || fail "$name is under a second sanitizer"
done
for name in "${names[@]}"; do try "$made/out" "$name"; done

build undefined "$made/undefined"
for name in frame shim; do try "$made/undefined" "$name"; done
[[ ! -e $made/undefined/json ]] || fail "a fuzzer in Swift was built with a sanitizer that swiftc does not have"
for sanitizer in thread memory; do
  status=0
  build "$sanitizer" "$made/refused" 2>"$made/log" || status=$?
  ((status == 64)) || fail "SANITIZER=$sanitizer is not refused"
done

planted Server/Sources/UAFConsole/Requests/FormFields.swift 's/guard (1\.\.\.32)\.contains(name\.count)/guard (0...32).contains(name.count)/' multipart
planted cshim/frame.c 's/size > length - at || //' frame
echo "oss-fuzz: ${#names[@]} fuzzers as OSS-Fuzz takes them"
