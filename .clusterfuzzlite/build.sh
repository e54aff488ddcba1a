#!/bin/bash
# Puts the fuzzers together as OSS-Fuzz and ClusterFuzzLite want them: for each a program with its name in $OUT, and beside it
# NAME_seed_corpus.zip, NAME.dict and NAME.options. Their images say in the environment where everything is, which compilers and
# flags make the code in C, and what calls it; the Swift toolchain makes the rest. docs/testing.md, "Fuzzing elsewhere", says more.
#
# SANITIZER: address; coverage, for their reports; undefined, for the two fuzzers of the module alone, since swiftc has no such
# sanitizer. Any other ends with 64.
set -euo pipefail

: "${SRC:?}" "${OUT:?}" "${WORK:?}" "${CC:?}" "${CXX:?}" "${CFLAGS?}" "${CXXFLAGS?}" "${LIB_FUZZING_ENGINE:?}"

refuse() { # why
  echo "build.sh: $1" >&2
  exit 64
}

case ${SANITIZER:=address} in
  address) instrumented=address programs=(fuzz fuzz-shim) ;;
  coverage) instrumented=coverage programs=(fuzz fuzz-shim) ;;
  undefined) instrumented=address programs=(fuzz-shim) ;;
  *) refuse "no fuzzer can be built with SANITIZER=$SANITIZER" ;;
esac
if [[ ${FUZZING_ENGINE:=libfuzzer} != libfuzzer ]]; then refuse "swiftc knows no other engine than libfuzzer"; fi
if [[ ${FUZZING_LANGUAGE:=swift} != swift ]]; then refuse "the language is swift, not $FUZZING_LANGUAGE"; fi

cd "$SRC/pam-uaf"
build=$WORK/$SANITIZER
# The C in the program of Swift has the runtime of Swift's compiler, so it is compiled by the clang beside that one.
toolchain=$(dirname "$(readlink -f "$(command -v swiftc)")")
fuzz() { # goal of the Makefile
  make --no-print-directory -s -j "$(nproc)" -f Tests/Fuzz/Makefile BUILD="$build" SANITIZER="$instrumented" \
    CLANG="$toolchain/clang" MODULE_CC="$CC" MODULE_LD="$CXX $CXXFLAGS" MODULE_FLAGS="$CFLAGS" \
    MODULE_ENGINE="$LIB_FUZZING_ENGINE" MODULE_BUILD="$build/module" "$@"
}
fuzz "${programs[@]/#/$build/}"

mkdir -p "$OUT/lib"
while read -r name program dictionary; do
  if [[ " ${programs[*]} " != *" ${program##*/} "* ]]; then continue; fi
  # One program serves many fuzzers by its name. A second name of the same file takes no room.
  if [[ ! -e $OUT/.${program##*/} ]]; then cp "$program" "$OUT/.${program##*/}"; fi
  ln -f "$OUT/.${program##*/}" "$OUT/$name"
  cp "$dictionary" "$OUT/$name.dict"
  cp Tests/Fuzz/limits.options "$OUT/$name.options"
  rm -f "$OUT/${name}_seed_corpus.zip"
  zip -q -X -j "$OUT/${name}_seed_corpus.zip" Tests/Fuzz/seeds/"$name"/*
done < <(fuzz fuzzers)

# The fuzzers run in another image, which has glibc and nothing else of what they need.
for program in "${programs[@]}"; do
  # Of the program where it was built: there it finds none of the copies.
  ldd "$build/$program" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' |
    grep -vE '/(libc|libm|libdl|librt|libpthread|libresolv)\.so\.' | xargs -r cp -L -t "$OUT/lib"
  rm "$OUT/.$program"
done
if [[ -x /usr/local/bin/llvm-symbolizer-swift ]]; then cp /usr/local/bin/llvm-symbolizer-swift "$OUT/llvm-symbolizer"; fi
