# shellcheck shell=sh
# For the tests: a server on loopback, and a person with a passcode who may use sudo.

person=uaf-tester rescuer=uaf-test-rescuer
passcode=amber-kite-47 password=unix-Password-77
configuration=/etc/security/pam_uaf.conf
# Where README.Debian puts it: if AppArmor's profile is enforced, it lets the core read nothing in the test's own folder.
authority=/etc/pam-uaf/uaf-tester.pem
state=$AUTOPKGTEST_TMP/server

fail() {
  cat "$AUTOPKGTEST_TMP"/*.log >&2 || true
  echo "FAIL: $1" >&2
  exit 1
}

# Starts the server that the package brings, with a certificate that it makes for a trial.
start_server() {
  : >"$AUTOPKGTEST_TMP/server.log"
  uaf-server serve --state "$state" --development --listen 127.0.0.1:8443 >"$AUTOPKGTEST_TMP/server.log" 2>&1 &
  server=$!
  tries=0 # of 0.1 seconds
  until grep -q 'listening on' "$AUTOPKGTEST_TMP/server.log"; do
    kill -0 "$server" 2>/dev/null || fail "the server has ended: $(cat "$AUTOPKGTEST_TMP/server.log")"
    tries=$((tries + 1))
    if [ "$tries" -gt 300 ]; then fail "the server does not listen after 30 seconds"; fi
    sleep 0.1
  done
  install -D -m 0644 "$state/ca.pem" "$authority"
}

# Edits the package's configuration as README.Debian says.
configure() {
  cp -p "$configuration" "$AUTOPKGTEST_TMP/configuration"
  sed -i -e '0,/^#\[server\]/s//[server]/' \
    -e '0,/^#request_url *=.*/s||request_url = "https://127.0.0.1:8443/uaf/get"|' \
    -e '0,/^#response_url *=.*/s||response_url = "https://127.0.0.1:8443/uaf/respond"|' \
    -e "0,/^#ca_file *=.*/s||ca_file = \"$authority\"|" \
    -e '0,/^#kdf_cost *=.*/s//kdf_cost = 14/' "$configuration"
}

# The person, and somebody of uaf-rescue, without whom no stack is enabled.
make_person() {
  if ! getent group uaf-rescue >/dev/null; then
    groupadd --system uaf-rescue
    made_group=yes
  fi
  useradd --groups uaf-rescue,sudo "$rescuer"
  echo "$rescuer:$password" | chpasswd
  useradd --create-home --groups sudo "$person"
  echo "$person:$password" | chpasswd
  echo "Defaults:$person passwd_tries=1, timestamp_timeout=0, lecture=never" >/etc/sudoers.d/uaf-tester
  chmod 0440 /etc/sudoers.d/uaf-tester
}

register() {
  # It contains a code for whoever has it.
  (umask 077 && uaf-server enrol "$person" --state "$state" --server https://127.0.0.1:8443/uaf >"$AUTOPKGTEST_TMP/payload")
  printf '%s\n%s\n' "$passcode" "$passcode" |
    uafctl register "$person" passcode --payload "$AUTOPKGTEST_TMP/payload" || fail "the passcode was not registered"
}

# Whether sudo lets the person in with an answer.
sudo_takes() { # answer
  # What sudo and libpam say goes to the log of the test.
  said=$(printf '%s\n' "$1" | runuser -u "$person" -- sudo -S -k echo let-in 2>>"$AUTOPKGTEST_TMP/sudo.log") || return 1
  [ "$said" = let-in ]
}

# The files of /etc/pam.d with their sums.
stacks() { (cd /etc/pam.d && sha256sum -- *); }

# Leaves the machine as it was found, as far as the package is concerned.
tidy() {
  status=$?
  if [ -n "${server-}" ]; then
    kill "$server" 2>/dev/null || true
    wait "$server" || true
  fi
  if [ -x /usr/bin/uafctl ]; then
    uafctl pam disable --all >&2 || true
    uafctl forget "$person" >&2 || true
  fi
  if [ -f "$configuration" ] && [ -f "$AUTOPKGTEST_TMP/configuration" ]; then
    cp -p "$AUTOPKGTEST_TMP/configuration" "$configuration"
  fi
  rm -f /etc/sudoers.d/uaf-tester "$authority"
  rmdir /etc/pam-uaf 2>/dev/null || true
  for name in "$person" "$rescuer"; do
    if id "$name" >/dev/null 2>&1; then userdel --remove "$name" 2>/dev/null || true; fi
  done
  if [ "${made_group-}" = yes ]; then groupdel uaf-rescue || true; fi
  exit "$status"
}
