# shellcheck shell=bash
# How the programs are built for release, for the scripts that source this file: the same bytes in every folder.
# Sets `release`, the arguments of swift, and `programs` and `server_programs`, the folders in which those of the client's package
# and of the server's are built. The folder this runs in is the checkout.

: "${SWIFT:=swift}"
checkout=$(pwd -P)
# Every address is looked up when a program starts, and the memory that contains the addresses is read-only from then on.
release=(build -c release --static-swift-stdlib -Xlinker -z -Xlinker now -Xlinker -z -Xlinker relro)
# The program's own folder is not searched for libraries. Symbols that only a later loaded library could look up are left out.
release+=(--disable-local-rpath -Xlinker --no-export-dynamic -Xlinker --gc-sections)
# The programs contain no path of the checkout: `#file` and `__FILE__` begin with a dot instead.
release+=(-Xswiftc -file-prefix-map -Xswiftc "$checkout=." -Xcc "-ffile-prefix-map=$checkout=.")
# Information for a debugger names files of the compiler's cache, whose names depend on the path. It would be stripped anyway, but
# the build ID is made from it. The same goes for the checksums by which the compiler knows whether to generate code again.
release+=(-debug-info-format none -Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen)
programs=$("$SWIFT" "${release[@]}" --show-bin-path)
server_programs=$("$SWIFT" "${release[@]}" --package-path Server --show-bin-path)

# Makes the folder with the static libstdc++ and libgcc, whose parts that Swift's runtime uses are linked into the programs of a
# login. As a shared library, libstdc++ would cost each start of a program 2,700 lookups of symbols and 36 pages.
static_runtime() {
  local folder=$checkout/build/static-runtime
  mkdir -p "$folder"
  ln -sf "$("${CXX:-c++}" -print-file-name=libstdc++.a)" "$folder/"
  # The part of libgcc_s that libgcc.a does not have.
  ln -sf "$("${CC:-cc}" -print-file-name=libgcc_eh.a)" "$folder/libgcc_s.a"
  echo "$folder"
}

# The file that a program is built as.
built() { # program
  case $1 in
    uaf-server) echo "$server_programs/$1" ;;
    *) echo "$programs/$1" ;;
  esac
}

# Builds one program. The linker writes into PROGRAM.map what it linked: scripts/sbom.py reads it.
build_program() { # program
  local file more=()
  file=$(built "$1")
  if [[ ! -f $file.map ]]; then rm -f "$file"; fi
  case $1 in
    uaf-helper | uaf-fetch | uaf-chip | uaf-finger | uaf-name) more=(-Xlinker "-L$(static_runtime)") ;;
    uaf-server) more=(--package-path Server) ;;
  esac
  "$SWIFT" "${release[@]}" "${more[@]}" -Xlinker "-Map=$file.map" --product "$1"
}
