#!/bin/bash
# Builds everything in release and lays it out in build/stage as `make install` copies it. Also builds
# build/tree/pam_uaf.so: the module that starts the programs of build/stage, for the demo and the tests.
#
#   --if-older    only if something that it is made from has changed since
set -euo pipefail
umask 022
cd "$(dirname "$0")/.."

: "${PREFIX:=/usr}" "${SWIFT:=swift}"
# Debian's compiler names the folder of its architecture; others print nothing, or know no such option.
multiarch=$("${CC:-cc}" -print-multiarch 2>/dev/null || true)
: "${PAMDIR:=$PREFIX/lib/${multiarch:+$multiarch/}security}" "${UNITDIR:=$PREFIX/lib/systemd/system}"
case $PREFIX in
  /*) ;;
  *)
    echo "build: PREFIX must be an absolute path, not '$PREFIX'" >&2
    exit 64
    ;;
esac
libexec=$PREFIX/libexec/pam-uaf
build=$PWD/build
stage=$build/stage
bin=$PREFIX/bin share=$PREFIX/share

# The stamp has the time of the build's start: files that change during the build count as changed.
made_of=(apparmor Sources Server/Sources cshim systemd man examples docs pam.d scripts/stage.sh scripts/release.sh
  gui scripts/gui.sh scripts/sbom.py scripts/supply debian/changelog Package.swift Server/Package.swift ./*.md)
if [[ ${1-} == --if-older && -f $build/stage.stamp && $(cat "$build/stage.prefix") == "$PREFIX" ]] &&
  [[ -z $(find "${made_of[@]}" -newer "$build/stage.stamp" -print -quit) ]]; then
  echo "build: $stage is up to date"
  exit 0
fi
mkdir -p "$build"
touch "$build/stage.begun"

# The compiler names a header, not the package that has it.
say_missing() {
  local missing
  missing=$(scripts/deps.sh --missing-to-build)
  if [[ -n $missing ]]; then
    echo "build: failed, and these packages are missing: $missing. \`make deps\` installs them." >&2
  fi
}
trap '(($? == 0)) || say_missing' EXIT

# shellcheck source=release.sh
. scripts/release.sh
for program in uaf-helper uaf-fetch uaf-chip uaf-finger uaf-name uafctl uaf-server; do build_program "$program"; done

# The path is relative: make reads a path with a space as two.
make -s -C cshim BUILD=../build/cshim/installed LIBEXECDIR="$libexec"
# A program that listens at the machine's own socket must not answer instead of the tree's programs.
make -s -C cshim BUILD=../build/cshim/tree LIBEXECDIR="$stage$libexec" SOCKET_PATH=/nonexistent/pam-uaf/helper.sock

place() { # source, path below the stage, mode
  install -D -m "$3" "$1" "$stage.new/$2"
}

rm -rf "$stage.new"
for program in uaf-helper uaf-fetch uaf-chip uaf-finger uaf-name; do place "$(built "$program")" "$libexec/$program" 0755; done
for program in uafctl uaf-server; do place "$(built "$program")" "$bin/$program" 0755; done
place "$build/cshim/installed/pam_uaf.so" "$PAMDIR/pam_uaf.so" 0644
strip --remove-section=.comment "$stage.new$libexec"/* "$stage.new$bin"/*
strip --strip-unneeded --remove-section=.comment "$stage.new$PAMDIR/pam_uaf.so"

PREFIX=$PREFIX scripts/gui.sh "$stage.new"

for unit in pam-uaf.socket pam-uaf.service pam-uaf-checkin.service pam-uaf-checkin.timer uaf-server.service; do
  source=systemd/$unit
  if [[ ! -f $source ]]; then source=$source.in; fi
  place "$source" "$UNITDIR/$unit" 0644
  sed -i "s|@LIBEXECDIR@|$libexec|; s|@BINDIR@|$bin|; s|@LIBDIR@|$PREFIX/lib|" "$stage.new$UNITDIR/$unit"
done
place systemd/uaf-server-certificate "$PREFIX/lib/uaf-server/certificate" 0755
for file in systemd/*.sysusers systemd/*.tmpfiles; do
  name=${file##*/}
  place "$file" "$PREFIX/lib/${name##*.}.d/${name%.*}.conf" 0644
done
place systemd/pam-uaf.rules "$share/polkit-1/rules.d/50-pam-uaf.rules" 0644

complete() { # program, shell, path
  install -d "$stage.new${3%/*}"
  # This is not a program: the shell reads it, and a first line that names an interpreter is a problem. It is always in English.
  LC_ALL=C "$(built "$1")" --generate-completion-script "$2" | sed '1{/^#!/d}' >"$stage.new$3"
}
for program in uafctl uaf-server; do
  complete "$program" bash "$share/bash-completion/completions/$program"
  complete "$program" zsh "$share/zsh/vendor-completions/_$program"
  complete "$program" fish "$share/fish/vendor_completions.d/$program.fish"
done

for document in README.md ARCHITECTURE.md CHANGELOG.md SECURITY.md; do
  if [[ -f $document ]]; then place "$document" "$share/doc/pam-uaf/$document" 0644; fi
done
for page in docs/*.{md,svg} docs/allowed_signers docs/runbooks/*.md docs/schemas/*.json; do
  place "$page" "$share/doc/pam-uaf/$page" 0644
done
for page in man/*; do place "$page" "$share/man/man${page##*.}/${page#man/}" 0644; done
find examples -type f | while IFS= read -r sample; do place "$sample" "$share/doc/pam-uaf/$sample" 0644; done
# The list of each package's components, and the notices for it.
PYTHONDONTWRITEBYTECODE=1 scripts/sbom.py write "$stage.new"
# Not where AppArmor looks: the package puts them there, and loads them.
for profile in apparmor/*; do place "$profile" "$share/pam-uaf/$profile" 0644; done
find pam.d -type f | while IFS= read -r stack; do place "$stack" "$share/pam-uaf/$stack" 0644; done

install -D -m 0644 "$build/cshim/tree/pam_uaf.so" "$build/tree/pam_uaf.so"
rm -rf "$stage"
mv "$stage.new" "$stage"
echo "$PREFIX" >"$build/stage.prefix"
mv "$build/stage.begun" "$build/stage.stamp"
echo "build: $stage"
