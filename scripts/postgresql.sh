#!/bin/bash
# PostgreSQL for tests, without a trace on the machine. Installing Debian's package would make a cluster and start it. So a
# PostgreSQL that the machine has is used directly; otherwise, the package is unpacked under build/postgresql.
#
#   bin             print the folder with initdb, postgres and pg_ctl
#   run [SETTING…]  start a new cluster in a separate folder under TMPDIR, print the folder, which is also its socket's, and
#                   serve until standard input ends; then the cluster is stopped and the folder removed. Its superuser
#                   is "postgres", without a password. A SETTING is NAME=VALUE of postgresql.conf
#
# FETCH=1 unpacks the package even if the machine has a PostgreSQL.
set -euo pipefail
cd "$(dirname "$0")/.."
unpacked=$PWD/build/postgresql
oldest=13

fail() {
  echo "postgresql: $*" >&2
  exit 1
}

# The newest of some folders that has a server of at least the oldest version.
newest() {
  local folder version
  while IFS= read -r folder; do
    version=$(sed -n 's/.*(PostgreSQL) \([0-9]*\).*/\1/p' <<<"$("$folder/postgres" --version 2>/dev/null)")
    if ((${version:-0} >= oldest)); then
      echo "$folder"
      return
    fi
  done < <(printf '%s\n' "$@" | sort --version-sort --reverse)
  return 1
}

find_unpacked() { LD_LIBRARY_PATH=$(libraries) newest "$unpacked"/usr/lib/postgresql/*/bin; }

libraries() { printf '%s' "$unpacked/usr/lib/$(uname -m)-linux-gnu"; }

# Unpacks the server, and the libraries that it needs and the machine lacks. LLVM is left out: only compiled queries need it.
fetch() {
  local package depends=() name
  command -v apt-get >/dev/null || fail "there is no PostgreSQL $oldest or newer here, and no apt-get to fetch one"
  package=$(apt-cache depends postgresql 2>/dev/null | sed -n 's/^ *Depends: \(postgresql-[0-9]*\)$/\1/p')
  [[ -n $package ]] || fail "apt knows no package postgresql: try 'apt-get update'"
  while IFS= read -r name; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null) == installed ]] || depends+=("$name")
  done < <(apt-cache depends "$package" | sed -n 's/^ *Depends: \(lib[^ ]*\)$/\1/p' | grep -v '^libllvm')
  rm -rf "$unpacked"
  mkdir -p "$unpacked/packages"
  (
    cd "$unpacked/packages"
    apt-get -q download "$package" ${depends[@]+"${depends[@]}"} >&2 || exit
    for name in *.deb; do dpkg -x "$name" ..; done
  ) || fail "$package could not be fetched and unpacked: apt-get says above why"
  rm -rf "$unpacked/packages"
}

bin() {
  if [[ -z ${FETCH-} ]] && newest /usr/lib/postgresql/*/bin; then return; fi
  if [[ -z ${FETCH-} ]] && command -v postgres >/dev/null && newest "$(dirname "$(command -v postgres)")"; then return; fi
  # Two test runs must not unpack at the same time.
  mkdir -p build
  exec 9>build/postgresql.lock
  flock 9
  find_unpacked || { fetch && find_unpacked; } || fail "the package that was unpacked has no PostgreSQL $oldest or newer"
  exec 9>&-
}

run() {
  local bin folder user=() setting
  bin=$(bin)
  folder=$(mktemp -d "${TMPDIR:-/tmp}/uaf-postgresql-XXXXXX")
  # shellcheck disable=SC2064
  trap "rm -rf '$folder'" EXIT
  # initdb refuses root. No other program of this user runs while tests do, and it owns only the folder.
  if ((EUID == 0)); then
    user=(setpriv --reuid=nobody --regid=nogroup --clear-groups)
    # A checkout may be in a folder that only root can read.
    if ! "${user[@]}" test -x "$bin/postgres"; then
      cp -a "$unpacked" "$folder/programs"
      bin=$folder/programs${bin#"$unpacked"}
      unpacked=$folder/programs
    fi
    chown nobody:nogroup "$folder"
  fi
  if [[ $bin == "$unpacked"/* ]]; then
    user=(env "LD_LIBRARY_PATH=$(libraries)${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "${user[@]}")
  fi
  cd "$folder"
  "${user[@]}" "$bin/initdb" --pgdata "$folder/data" --username postgres --auth trust --encoding UTF8 --locale C \
    --no-sync >"$folder/initdb.log" 2>&1 || fail "initdb: $(tail -n 3 "$folder/initdb.log")"
  {
    printf '%s\n' "listen_addresses = ''" "unix_socket_directories = '$folder'" 'max_connections = 200' 'jit = off' \
      'shared_buffers = 32MB' "timezone = 'GMT'" "log_timezone = 'GMT'"
    for setting in "$@"; do printf "%s = '%s'\n" "${setting%%=*}" "${setting#*=}"; done
  } >>"$folder/data/postgresql.conf"
  # A long time limit, for a busy machine.
  export PGCTLTIMEOUT=600
  "${user[@]}" "$bin/pg_ctl" --pgdata "$folder/data" --log "$folder/log" --wait start >"$folder/start.log" 2>&1 </dev/null ||
    fail "the cluster does not start: $(tail -n 3 "$folder/log" 2>/dev/null || tail -n 3 "$folder/start.log")"
  # shellcheck disable=SC2064
  trap "${user[*]} '$bin/pg_ctl' --pgdata '$folder/data' --mode immediate --wait stop >/dev/null 2>&1; rm -rf '$folder'" EXIT
  trap 'exit 1' INT TERM HUP
  echo "$folder"
  cat >/dev/null
}

case ${1-} in
  bin) bin ;;
  run) run "${@:2}" ;;
  *) fail "name bin or run" ;;
esac
