# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # variables that demo.sh and telling.sh share
# The demo's own machine: a folder with a configuration, a PAM service, an account and a server. The real
# machine provides only its programs and libraries.

work=   # the folder
server= # the server's process
port=0  # where it listens: 0 lets the system choose
passcode=amber-kite-47

# Ends the demo with advice if a required program or library is missing.
require_programs() {
  local program library
  stage=$root/build/stage$(cat "$root/build/stage.prefix" 2>/dev/null || true)
  module=$root/build/tree/pam_uaf.so
  for program in "$stage"/bin/uafctl "$stage"/bin/uaf-server "$stage"/libexec/pam-uaf/uaf-{helper,fetch} "$module"; do
    if [[ ! -f $program ]]; then give_up "$program is not there: run 'make build' first"; fi
  done
  if ! command -v pamtester >/dev/null; then give_up "there is no pamtester: run 'make deps', or install pamtester"; fi
  for library in libpam_wrapper libnss_wrapper; do
    # Has the loader itself search for the library: if it does not find it, it prints a message and continues.
    if [[ -n $(LD_PRELOAD=$library.so "$BASH" -c : 2>&1) ]]; then
      give_up "there is no $library.so: run 'make deps', or install ${library/_/-}"
    fi
  done
}

# A folder that only root can reach. /tmp belongs to root and is sticky, as the core requires for the folders above its files.
make_folder() {
  work=$(mktemp -d /tmp/pam-uaf-demo.XXXXXX)
  cd "$work" || give_up "$work cannot be entered"
  mkdir bin pam.d state
  # libpam reads a path with a space as two words.
  ln -s "$module" pam_uaf.so
  printf '%s\n' 'root:x:0:0::/root:/bin/sh' 'mina:x:4242:4242:Mina:/nonexistent:/bin/sh' >passwd
  printf '%s\n' 'root:x:0:' 'mina:x:4242:' >group
  make_command uafctl "LD_PRELOAD=libnss_wrapper.so" "$stage/bin/uafctl"
  make_command pamtester "LD_PRELOAD=libpam_wrapper.so:libnss_wrapper.so PAM_WRAPPER=1 PAM_WRAPPER_SERVICE_DIR='$work/pam.d'" \
    "$(command -v pamtester)"
  make_command uaf-server '' "$stage/bin/uaf-server"
  PATH=$work/bin:$PATH
}

# Commands that are called as on any machine, but know the account mina and the folder's PAM services.
make_command() { # name, environment, program
  cat >"bin/$1" <<END
#!/bin/sh
exec env NSS_WRAPPER_PASSWD='$work/passwd' NSS_WRAPPER_GROUP='$work/group' $2 '$3' "\$@"
END
  chmod 700 "bin/$1"
}

write_configuration() {
  cat >conf <<END
authenticators = ["passcode"]
[server]
request_url  = "https://127.0.0.1:$port/uaf/get"
response_url = "https://127.0.0.1:$port/uaf/respond"
ca_file      = "$work/server/ca.pem"
[state]
directory = "$work/state"
[lock]
retry_count_to_lock = 3
lock_time           = $lock_time   # so short only because the server is this machine
max_lock_count      = 1
[passcode]
min_length = 8
[passcode.rules]
equal_character            = true
ascending_descending       = true
two_character_repeat       = true
two_equal_character_repeat = true
[passcode.ignore]
"mina" = "Not your own name, please."
[passcode.regex]
'^(?=.*[A-Za-z])(?=.*\d).{8,}\$' = "At least 8 characters, letters and digits."
END
  cat >pam.d/demo <<END
auth    required $work/pam_uaf.so conf=$work/conf
account required pam_permit.so
END
  # libpam opens this service too, and pam_wrapper complains if it is missing.
  printf '%s required pam_deny.so\n' auth account >pam.d/other
}

# Starts the server, on the port it had before, and waits until it says that it listens.
start_server() {
  local waited=0
  printf '    $ %s\n' "uaf-server serve --state server --listen 127.0.0.1:$port --development"
  # Otherwise, the last server's line could still be there.
  rm -f listening
  uaf-server serve --state server --listen "127.0.0.1:$port" --development >listening 2>>server.log </dev/null &
  server=$!
  until grep -q '^listening on ' listening 2>/dev/null; do
    waited=$((waited + 1))
    if ! kill -0 "$server" 2>/dev/null || ((waited > 600)); then
      cat server.log >&2
      give_up "the server did not start; above is what it says of it"
    fi
    sleep 0.1
  done
  shown "$(<listening)"
  port=$(sed -n 's/^listening on .*:\([0-9]*\)$/\1/p' listening)
}

# Ends this server process, and no other.
stop_server() {
  local waited=0
  if [[ -z $server ]]; then return 0; fi
  kill "$server" 2>/dev/null || true
  while kill -0 "$server" 2>/dev/null && ((waited < 100)); do
    waited=$((waited + 1))
    sleep 0.1
  done
  kill -KILL "$server" 2>/dev/null || true
  wait "$server" 2>/dev/null || true
  server=
}

issue_code() {
  printf '    $ uaf-server enrol mina --state server >code\n'
  status=0
  uaf-server enrol mina --state server >code 2>heard </dev/null || status=$?
  heard=$(<heard)
  show_heard
}

# The seconds that a lock of mina will still last.
lock_seconds() {
  uafctl --conf conf status mina --json </dev/null | sed -n 's/.*"type":"passcode"[^}]*"remainingLockSeconds":\([0-9]*\).*/\1/p'
}

# Waits until the core says that the lock is over: the core's clock decides, not ours.
await_unlock() {
  local left waited=0
  left=$(lock_seconds)
  printf '    ... waiting for the lock to end: %s s\n' "${left:-?}"
  while left=$(lock_seconds) && [[ $left != 0 ]]; do
    waited=$((waited + 1))
    if ((waited > 120 + 2 * lock_time)); then give_up "the lock of $lock_time s does not end: ${left:-no} s left"; fi
    sleep 0.5
  done
}

clean_up() {
  stop_server
  if [[ -n $work ]]; then
    cd /
    rm -rf "$work"
  fi
}
