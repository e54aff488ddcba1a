#!/bin/bash
# Builds a second time in a different folder, and compares every byte with this build. Different names, time zone, language and
# file mode mask are used; the toolchain and the system's packages are the same.
#
# Swift's compiler writes the length of a source's whole path next to the shortened path if a closure must not escape
# (GRDB and Hummingbird have such places, our sources have none). So the packages are compared with a folder whose path is as
# long as this one's, and `core` with a longer one.
#
#   scripts/reproducible.sh           both packages: minutes
#   scripts/reproducible.sh core      the module and uaf-helper only; nothing if these were compared before
set -euo pipefail
cd "$(dirname "$0")/.."

what=${1-packages}
here=$PWD
there=$here/build/reproducible/a-folder-with-another-name
libexec=/usr/libexec/pam-uaf
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(sed -n 's/^ -- .*>  //p;T;q' debian/changelog | date -u -f - +%s)}

# shellcheck source=publish/same-length.sh
. scripts/publish/same-length.sh

copy_tree() { # also what SwiftPM has fetched: nothing is fetched again
  rm -rf "$there"
  mkdir -p "$there/.build" "$there/Server/.build"
  git ls-files -z --cached --others --exclude-standard | xargs -0 cp -a --parents -t "$there"
  cp -a .build/checkouts .build/workspace-state.json "$there/.build/"
  # SwiftPM's state for the server names the folder of the client's package, which is different there, so it resolves again:
  # Package.resolved keeps the versions the same.
  if [[ $what == packages ]]; then
    cp -a Server/.build/checkouts Server/.build/workspace-state.json "$there/Server/.build/"
    cp -a Server/Package.resolved "$there/Server/"
  fi
}

elsewhere() ( # command
  cd "$there"
  umask 077
  export TZ=Pacific/Chatham LC_ALL=C.UTF-8 HOME=$there/home
  "$@"
)

sections_of() { readelf -SW "$1" | sed -n 's/^ *\[ *[0-9]*\] \([^ ]*\) .*/\1/p'; }

# Shows the differences of two files: sections of a program, files of a package, strings.
explain() { # here, there
  local section inside
  case $1 in
    *.deb)
      inside=$(mktemp -d)
      dpkg-deb --raw-extract "$1" "$inside/1"
      dpkg-deb --raw-extract "$2" "$inside/2"
      diff -rq "$inside/1" "$inside/2" | sed "s|$inside/||g; s|^|    |" || true
      rm -rf "$inside"
      return
      ;;
  esac
  if readelf -h "$1" >/dev/null 2>&1; then
    for section in $(sections_of "$1"); do
      cmp -s <(readelf -x "$section" "$1" 2>/dev/null) <(readelf -x "$section" "$2" 2>/dev/null) ||
        echo "    section $section"
    done
  fi
  diff <(strings -a "$1" | sort -u) <(strings -a "$2" | sort -u) | sed -n 's/^[<>]/    string &/p' | head -20 || true
}

different=0
compare() { # file here, file there, name
  local one two
  one=$(sha256sum <"$1") two=$(sha256sum <"$2")
  if [[ $one == "$two" ]]; then
    echo "reproducible: ${one%% *} $3"
    return
  fi
  echo "reproducible: $3 differs: ${one%% *} here, ${two%% *} there"
  explain "$1" "$2"
  different=1
}

core() {
  local program=build/stage$libexec/uaf-helper module made
  module=$(find build/stage -name pam_uaf.so)
  made=$(sha256sum "$program" "$module" scripts/release.sh cshim/Makefile)
  if [[ -f build/reproducible/compared && $made == "$(<build/reproducible/compared)" ]]; then
    echo "reproducible: uaf-helper and pam_uaf.so were compared before"
    return
  fi
  copy_tree
  # shellcheck disable=SC2016
  elsewhere bash -euo pipefail -c '. scripts/release.sh; build_program uaf-helper; cp "$programs/uaf-helper" core
    make -s -C cshim BUILD=../build/cshim/installed LIBEXECDIR="$1"; cp build/cshim/installed/pam_uaf.so module' - "$libexec" \
    >build/reproducible/log 2>&1 || {
    tail -n 20 build/reproducible/log
    return 1
  }
  strip --remove-section=.comment "$there/core"
  strip --strip-unneeded --remove-section=.comment "$there/module"
  compare "$program" "$there/core" uaf-helper
  compare "$module" "$there/module" pam_uaf.so
  rm -rf "$there"
  if ((different == 0)); then echo "$made" >build/reproducible/compared; fi
}

packages() {
  local file
  there=$(folder_of_length ${#here})
  trap 'rm -rf "$there"' EXIT
  scripts/deb.sh
  copy_tree
  elsewhere scripts/deb.sh >build/reproducible/log 2>&1 || {
    tail -n 20 build/reproducible/log
    return 1
  }
  diff <(cd build/stage && find . -type f | sort) <(cd "$there/build/stage" && find . -type f | sort) || different=1
  while IFS= read -r file; do compare "build/stage/$file" "$there/build/stage/$file" "${file#./}"; done \
    < <(cd build/stage && find . -type f | sort)
  for file in build/packages/*.deb; do compare "$file" "$there/build/packages/${file##*/}" "${file##*/}"; done
}

mkdir -p build/reproducible
case $what in
  core) core ;;
  packages) packages ;;
  *)
    echo "reproducible: '$what' is nothing to compare: core, or nothing" >&2
    exit 64
    ;;
esac
if ((different)); then
  echo "reproducible: two builds of the same sources differ"
  exit 1
fi
