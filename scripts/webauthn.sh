#!/bin/bash
# Starts third-party relying parties for WebAuthn, and prints a table of what each accepts and refuses. What was sent and answered
# is in build/webauthn/exchanges.
#
#   DIST=trixie     in another release of Debian (scripts/dist.sh)
#   scripts/webauthn.sh quick                   the two small parties only
#   scripts/webauthn.sh privacyidea-login ...   only these rows
#
# The parties come from PyPI and from Debian's packages: none of them is installed on this machine.
set -euo pipefail
cd "$(dirname "$0")/.."
if [[ -n ${DIST-} ]]; then exec env -u DIST scripts/dist.sh "$DIST" "scripts/${0##*/}" "$@"; fi
built=$PWD/build/webauthn
mkdir -p "$built"

# install FOLDER PACKAGE ...: a folder of its own with these packages, each of one version; made again when they change.
install() {
  local folder=$built/$1 made
  shift
  made="$(python3 --version) $*"
  if [[ -f $folder/made-of && $(<"$folder/made-of") == "$made" ]]; then return; fi
  echo "webauthn: installing into ${folder#"$PWD"/}: $*"
  rm -rf "$folder"
  if python3 -m venv "$folder" &&
    timeout 900 "$folder/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: granian==2.8.7 "$@"; then
    echo "$made" >"$folder/made-of"
  else
    rm -rf "$folder"
    echo "webauthn: ${folder#"$PWD"/} could not be made: what needs it is skipped" >&2
  fi
}

# Compiles the party in Go. The compiler and the sources are 84 MB of packages and 490 MB unpacked; only the program is kept.
compile() {
  local folder=$built/go source=Tests/Acceptance/webauthn/parties/go/party.go made compiler packages
  made=$(sha256sum "$source")
  if [[ -f $built/go-party && -f $built/go-party.of && $(<"$built/go-party.of") == "$made" ]]; then return; fi
  compiler=$(apt-cache depends golang-go | sed -n 's/^ *Depends: \(golang-[0-9.]*-go\)$/\1/p')
  packages=("$compiler" "${compiler%-go}-src" golang-github-{duo-labs-webauthn,cloudflare-cfssl,fxamacker-cbor}-dev)
  packages+=(golang-github-{golang-jwt-jwt,google-uuid,mitchellh-mapstructure,x448-float16}-dev golang-golang-x-crypto-dev)
  packages+=(golang-golang-x-sys-dev)
  echo "webauthn: compiling $source with $compiler"
  rm -rf "$folder"
  mkdir -p "$folder/root"
  (cd "$folder" && timeout 600 apt-get -q -o Debug::NoLocking=1 download "${packages[@]}") >"$folder.log" 2>&1 || return
  for archive in "$folder"/*.deb; do dpkg-deb -x "$archive" "$folder/root"; done
  timeout 600 env -i PATH=/usr/bin:/bin HOME="$folder" GOROOT="$folder/root/usr/lib/go-${compiler//[!0-9.]/}" \
    GOPATH="$folder/root/usr/share/gocode" GO111MODULE=off GOCACHE="$folder/cache" CGO_ENABLED=0 \
    "$folder/root/usr/lib/go-${compiler//[!0-9.]/}/bin/go" build -trimpath -o "$built/go-party" "$source" >>"$folder.log" 2>&1 || return
  echo "$made" >"$built/go-party.of"
}

install small webauthn==3.0.1 fido2==2.2.1 cryptography==50.0.2
# A client; it needs an older release of fido2.
install soft soft-webauthn==0.1.4 fido2==1.2.0 cryptography==44.0.3
if [[ ${1-} != quick ]]; then
  install django django-otp-webauthn==0.10.3 'django-allauth[headless,mfa]==65.21.1' Django==5.2.19 django-otp==1.7.5 \
    webauthn==3.0.1 fido2==2.2.1 cryptography==50.0.2
  install privacyidea privacyidea==3.14 webauthn==3.0.1 SQLAlchemy==2.1.9 Flask==3.1.3 Flask-SQLAlchemy==3.1.1 \
    cryptography==50.0.2
  # Flask-Principal has no wheel.
  install flask Flask-Security==5.9.2 webauthn==3.0.1 Flask==3.1.3 Flask-SQLAlchemy==3.1.1 SQLAlchemy==2.1.9 \
    argon2-cffi==25.1.0 nh3==0.3.8 cryptography==50.0.2 --no-binary Flask-Principal Flask-Principal==0.4.0
  if ! compile; then
    rm -f "$built/go-party"
    echo "webauthn: the party in Go could not be made (${built#"$PWD"/}/go.log): its rows are skipped" >&2
  fi
  rm -rf "$built/go"
fi
exec Tests/Acceptance/throw-away.sh webauthn 'sudo glewlwyd libauthen-webauthn-perl' "$@"
