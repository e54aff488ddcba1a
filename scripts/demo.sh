#!/bin/bash
# Shows a PAM login that a FIDO UAF server decides, from enrolment to deregistration, and checks every step of it.
#
# libpam, the module, the core, the server and the waiting are real. The machine is not changed: pam_wrapper gives
# libpam its own service folder, nss_wrapper provides an account, and conf= gives the module its own state.
#
#   DEMO=shell   stops after the tour, with the server running, for trying things by hand
set -euo pipefail
# shellcheck source-path=SCRIPTDIR
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    echo "demo: the core of a login runs as root, and there is no sudo here: run this as root" >&2
    exit 1
  fi
  echo "demo: the core of a login runs as root: going on through sudo"
  exec sudo -- env DEMO="${DEMO-}" NO_COLOR="${NO_COLOR-}" bash "$root/scripts/demo.sh"
fi

# The checks below look for English texts in the output; the files that are made are only for root.
export LC_ALL=C.UTF-8
unset LANGUAGE
umask 077

# shellcheck source=demo/telling.sh
source "$root/scripts/demo/telling.sh"
# shellcheck source=demo/machine.sh
source "$root/scripts/demo/machine.sh"

# Longer than the two to three seconds libpam waits after a wrong entry, so that the lock can be seen.
lock_time=10

finish() {
  local result=$?
  # The cleanup must run to its end, whatever fails.
  set +e
  trap - EXIT
  trap '' INT TERM HUP
  clean_up
  # The demo ended early, for a reason that no check has counted.
  if ((result != 0 && failed == 0)); then failed=1; fi
  printf '\ndemo: %d passed, %d failed\n' "$passed" "$failed"
  if ((failed > 0 && result == 0)); then result=1; fi
  exit "$result"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP

prepare() {
  begin "Start a FIDO server" \
    "It makes itself a certificate for this machine, and keeps its accounts in SQLite."
  start_server
  check "the server listens"

  begin "Prepare the machine" \
    "One configuration, and one line in a PAM service called 'demo'. 'init' makes the key" \
    "that binds everything kept here to this machine."
  write_configuration
  printf '    conf:\n'
  sed 's/^/    | /' conf
  printf '    pam.d/demo:\n'
  sed 's/^/    | /' pam.d/demo
  run '' uafctl --conf conf init
  must_end_with 0
  check "the machine has its key"
}

register() {
  begin "Let mina enrol" "The server's administrator issues an enrolment code that is good once, and hands it over in private."
  issue_code
  must_end_with 0
  if [[ $(wc -l <code) != 1 ]]; then problems+=("the code had to be one line"); fi
  check "the code is a line of $(($(wc -c <code) - 1)) characters: server, name, secret, certificate authority"

  begin "Register a passcode" \
    "Two that the policy of the configuration refuses, then a good one, twice. Nothing of" \
    "it leaves the machine: the server gets a public key."
  local typed=$'123456\nmina-has-9-cats\n'$passcode$'\n'$passcode
  run "$typed" uafctl --conf conf register mina --code code
  must_end_with 0
  if [[ $(grep -c '^New passcode for' <<<"$heard") != 3 ]]; then
    problems+=("the first two passcodes had to be refused, and no other")
  fi
  check "refused by the policy twice, then registered"
  run '' uaf-server users --state server
  must_say $'mina\t1\t0'
  check "the server has one key of mina"
}

log_in() {
  begin "Log in" "pamtester is the program that asks libpam, as sudo, sshd and login do."
  login "$passcode" PAM_SUCCESS '' "the right passcode is accepted"

  begin "Mistype"
  login 'amber-kite-74' PAM_AUTH_ERR '2 tries left' "a wrong one is refused, and the tries left are told"
}

# The document for programs, with line breaks for readability.
show_status() {
  local document
  printf '    $ uafctl --conf conf status mina --json\n'
  hear '' uafctl --conf conf status mina --json
  document=$heard
  heard=$(sed -E 's/,("authenticators"|"state"|"permanent":[a-z]*,"remainingTries"|"remote")/,\n\1/g' <<<"$heard")
  show_heard
  heard=$document
  must_end_with 0
  must_say '"stateName":"Authenticator_State_Locked","permanent":false'
}

lock() {
  begin "Mistype too often" "retry_count_to_lock = 3."
  login 'amber-kite-46' PAM_AUTH_ERR '1 try left' "one try is left"
  login 'amber-kite-45' PAM_MAXTRIES 'Locked after wrong entries: try again in' "locked, with the seconds that are left"
  show_status
  check "programs can ask how it stands"

  begin "Know the passcode, but too late"
  login "$passcode" PAM_MAXTRIES 'Locked after wrong entries: try again in' "locked is locked: nobody is even asked"

  begin "Wait" "lock_time = $lock_time."
  await_unlock
  login "$passcode" PAM_SUCCESS '' "after the lock the right passcode is accepted"
}

lock_for_good() {
  local guess
  begin "Guess on" "max_lock_count = 1: after one lock the next is for good."
  for guess in 1 2; do login "guess-number-$guess" PAM_AUTH_ERR 'left' "refused"; done
  login "guess-number-3" PAM_MAXTRIES 'try again in' "locked for the first time"
  await_unlock
  for guess in 4 5; do login "guess-number-$guess" PAM_AUTH_ERR 'left' "refused"; done
  login "guess-number-6" PAM_MAXTRIES 'Locked permanently' "locked for good"
  login "$passcode" PAM_MAXTRIES 'Locked permanently' "the right passcode is refused as well"
  run '' uafctl --conf conf status mina
  must_say 'locked for good'
  check "and it says who can help"

  begin "Have root unlock"
  run '' uafctl --conf conf unlock mina
  must_end_with 0
  check "unlocked"
  login "$passcode" PAM_SUCCESS '' "the right passcode is accepted again"
}

lose_the_server() {
  begin "Lose the server" \
    "No answer is not a yes. PAM has a code of its own for it, so that the stack can decide what follows."
  printf '    $ kill %s   # the server\n' "$server"
  stop_server
  login "$passcode" PAM_AUTHINFO_UNAVAIL 'No answer from the server' "the right passcode is refused for want of an answer"

  begin "Find it again"
  start_server
  login "$passcode" PAM_SUCCESS '' "with the server back, the right passcode is accepted"
}

change() {
  local next=copper-boat-12
  begin "Change the passcode" "The old one first, which is an attempt; the server has no part in it."
  run "$passcode"$'\n'"$next"$'\n'"$next" uafctl --conf conf change mina
  must_end_with 0
  check "changed"
  login "$passcode" PAM_AUTH_ERR '2 tries left' "the old one is refused"
  passcode=$next
  login "$passcode" PAM_SUCCESS '' "the new one is accepted"
}

draw() {
  begin "Draw a pattern as well" "One authenticator vouches for the next. A line from 1 to 3 passes over 2, and takes it along."
  sed -i 's/^authenticators = .*/authenticators = ["passcode", "pattern"]/' conf
  run "$passcode"$'\n12369\n12369' uafctl --conf conf register mina pattern
  must_end_with 0
  check "the pattern is registered"
  sed -i "s|conf=$work/conf|& authenticator=pattern|" pam.d/demo
  login 139 PAM_SUCCESS '' "139 is 12369, and opens the door"
  login 14789 PAM_AUTH_ERR '2 tries left' "another pattern does not, and has a lock of its own"
}

deregister() {
  begin "Deregister" "The passcode proves who asks; then the server deletes its key, and the machine deletes its own."
  sed -i 's/ authenticator=pattern//' pam.d/demo
  sed -i 's/^authenticators = .*/authenticators = ["passcode"]/' conf
  run "$passcode" uafctl --conf conf deregister --all --user mina
  must_end_with 0
  check "deregistered"
  login "$passcode" PAM_USER_UNKNOWN 'not registered' "what opened the door does so no more"
  run '' uaf-server users --state server
  must_say $'mina\t0\t0'
  check "the server has no key of mina"
}

# Leaves everything running until the person at the terminal has seen enough.
stay() {
  begin "Try it by hand" "Registering mina once more, with the passcode $passcode."
  issue_code
  run "$passcode"$'\n'"$passcode" uafctl --conf conf register mina --code code
  must_end_with 0
  check "registered"
  cat <<END

    The server is running. In another shell of root:

      cd $work && PATH=\$PWD/bin:\$PATH
      pamtester demo mina authenticate           # the passcode is $passcode
      uafctl --conf conf status mina             # and: uafctl --help
      uafctl --conf conf unlock mina
      uafctl --conf conf deregister mina
      uaf-server enrol mina --state server >code
      uafctl --conf conf register mina --code code
      uaf-server users --state server            # and: uaf-server --help
      tail -f server.log

    Enter ends it, and removes the folder.
END
  # Ctrl-C does the same as Enter here.
  trap 'exit 0' INT TERM HUP
  read -r || true
}

require_programs
make_folder
echo "A login that a FIDO UAF server decides. Everything is in $work, where these commands"
echo "are run; [brackets] hold what was typed, which a terminal would not show."
prepare
register
log_in
lock
lock_for_good
lose_the_server
change
draw
deregister
if [[ ${DEMO-} == shell ]]; then stay; fi
