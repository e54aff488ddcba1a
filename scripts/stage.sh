#!/bin/bash
# Builds everything in release and lays it out in build/stage as `make install` copies it. Also builds
# build/tree/pam_uaf.so: the module that starts the programs of build/stage, for the demo and the tests.
set -euo pipefail
umask 022
cd "$(dirname "$0")/.."

: "${PREFIX:=/usr}" "${SWIFT:=swift}"
: "${PAMDIR:=$PREFIX/lib/$(gcc -print-multiarch)/security}" "${UNITDIR:=$PREFIX/lib/systemd/system}"
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

for product in uaf-helper uaf-fetch uafctl uaf-server; do
  "$SWIFT" build -c release --static-swift-stdlib --product "$product"
done
programs=$("$SWIFT" build -c release --static-swift-stdlib --show-bin-path)

make -s -C cshim BUILD="$build/cshim/installed" LIBEXECDIR="$libexec"
# Whatever listens at the machine's own socket must not answer for the tree's programs.
make -s -C cshim BUILD="$build/cshim/tree" LIBEXECDIR="$stage$libexec" SOCKET_PATH=/nonexistent/pam-uaf/helper.sock

place() { # source, path below the stage, mode
  install -D -m "$3" "$1" "$stage.new/$2"
}

rm -rf "$stage.new"
for program in uaf-helper uaf-fetch; do place "$programs/$program" "$libexec/$program" 0755; done
for program in uafctl uaf-server; do place "$programs/$program" "$PREFIX/bin/$program" 0755; done
place "$build/cshim/installed/pam_uaf.so" "$PAMDIR/pam_uaf.so" 0644
strip "$stage.new$libexec"/* "$stage.new$PREFIX/bin"/*
strip --strip-unneeded "$stage.new$PAMDIR/pam_uaf.so"

place systemd/pam-uaf.socket "$UNITDIR/pam-uaf.socket" 0644
place systemd/pam-uaf@.service.in "$UNITDIR/pam-uaf@.service" 0644
sed -i "s|@LIBEXECDIR@|$libexec|" "$stage.new$UNITDIR/pam-uaf@.service"
for document in README.md ARCHITECTURE.md CONFORMANCE.md POLICIES.md PROTOCOL.md SECURITY.md THREATS.md; do
  if [[ -f $document ]]; then place "$document" "$PREFIX/share/doc/pam-uaf/$document" 0644; fi
done
for page in man/*; do place "$page" "$PREFIX/share/man/man${page##*.}/${page#man/}" 0644; done
for sample in examples/*; do
  if [[ -f $sample ]]; then place "$sample" "$PREFIX/share/doc/pam-uaf/$sample" 0644; fi
done
find pam.d -type f | while IFS= read -r stack; do place "$stack" "$PREFIX/share/pam-uaf/$stack" 0644; done

install -D -m 0644 "$build/cshim/tree/pam_uaf.so" "$build/tree/pam_uaf.so"
rm -rf "$stage"
mv "$stage.new" "$stage"
echo "$PREFIX" >"$build/stage.prefix"
echo "build: $stage"
