# shellcheck shell=bash
# For the suites with machines of their own.

# The package of the window is left out: a server has no toolkit. Makes a bare Debian with the programs that log people in and the packages that ours depend on, but without ours.
bare() { # release, folder of our packages, tar, further packages ...
  local package needed
  # The first of each alternative, without its version.
  mapfile -t needed < <(for package in "$2"/{libpam-uaf,uaf-server}_*.deb; do dpkg-deb --field "$package" Depends; done |
    tr ',' '\n' | sed 's/[|(].*//; s/ //g' | sort -u)
  scripts/dist/root.sh "$1" bare "$3" dbus libpam-modules libpam-runtime login openssh-client openssh-server openssl passwd \
    pkexec polkitd sudo systemd systemd-sysv "${@:4}" "${needed[@]}"
}
