# shellcheck shell=bash
# shellcheck disable=SC2034 # demo.sh and machine.sh use what is set here
# How the demo runs a command, shows it, and checks the result.

passed=0
failed=0
step=0
problems=()
heard=   # the output of the last command
status=0 # its exit status
answer=  # what PAM answered to the last login

if [[ -t 1 && -z ${NO_COLOR-} ]]; then
  bold=$'\e[1m' green=$'\e[32m' red=$'\e[31m' plain=$'\e[0m'
else
  bold='' green='' red='' plain=''
fi

# The texts of pam_strerror(3), each with the name and number of its code.
declare -A pam_codes=(
  ['successfully authenticated']='PAM_SUCCESS, 0'
  ['Error in service module']='PAM_SERVICE_ERR, 3'
  ['System error']='PAM_SYSTEM_ERR, 4'
  ['Permission denied']='PAM_PERM_DENIED, 6'
  ['Authentication failure']='PAM_AUTH_ERR, 7'
  ['Authentication service cannot retrieve authentication info']='PAM_AUTHINFO_UNAVAIL, 9'
  ['User not known to the underlying authentication module']='PAM_USER_UNKNOWN, 10'
  ['Have exhausted maximum number of retries for service']='PAM_MAXTRIES, 11'
  ['Conversation error']='PAM_CONV_ERR, 19'
  ['Module is unknown']='PAM_MODULE_UNKNOWN, 28'
)

# Begins a step of the tour: its title, then lines of explanation.
begin() {
  step=$((step + 1))
  printf '\n%s%2d. %s%s\n' "$bold" "$step" "$1" "$plain"
  shift
  if (($#)); then printf '    %s\n' "$@"; fi
}

shown() { expand -t 12 <<<"$1" | sed 's/^/    | /'; }

# Shows the output. The typed text is not echoed after a prompt, so each prompt is shown with the next argument in brackets.
# pamtester's own lines are left out here: login() shows them.
show_heard() {
  local line
  while IFS= read -r line; do
    if [[ $line =~ ^((Passcode|Pattern|New|Current passcode)[^:]*:)\ ?(.*)$ ]]; then
      shown "${BASH_REMATCH[1]} [${1-}]"
      line=${BASH_REMATCH[3]}
      shift || true
      if [[ -z $line ]]; then continue; fi
    fi
    if [[ -n $line && $line != pamtester:* ]]; then shown "$line"; fi
  done <<<"$heard"
}

# Runs a command without showing it; the text to type is the first argument, one line for each entry.
hear() {
  local typed=$1
  shift
  status=0
  heard=$("$@" 2>&1 <<<"$typed") || status=$?
}

# Runs a command and shows it.
run() {
  local typed=$1 lines
  shift
  printf '    $ %s\n' "$*"
  hear "$typed" "$@"
  mapfile -t lines <<<"$typed"
  show_heard "${lines[@]}"
}

# Requires this in the last command's output ...
must_say() {
  if [[ $heard != *"$1"* ]]; then problems+=("nothing was said of \"$1\""); fi
}

# ... and this exit status.
must_end_with() {
  if ((status != $1)); then problems+=("it ended with status $status instead of $1"); fi
}

# Counts the failures since the last check.
check() { # claim
  local problem
  if ((${#problems[@]} == 0)); then
    passed=$((passed + 1))
    printf '    %sok%s    %s\n' "$green" "$plain" "$1"
    return 0
  fi
  failed=$((failed + 1))
  printf '    %sFAIL%s  %s\n' "$red" "$plain" "$1"
  for problem in "${problems[@]}"; do printf '          %s\n' "$problem"; done
  problems=()
}

# A login through libpam: the entries, the required PAM code, the required text for the person, the claim.
login() {
  local typed=$1 code=$2 told=$3 claim=$4 last
  run "$typed" pamtester demo mina authenticate
  last=${heard##*pamtester: }
  answer=${pam_codes[$last]-}
  printf '    PAM   %s (%s)\n' "$last" "${answer:-a code this demo does not know}"
  if [[ ${answer%%,*} != "$code" ]]; then problems+=("PAM had to answer $code"); fi
  if [[ -n $told ]]; then must_say "$told"; fi
  check "$claim"
}

# Ends the demo because it cannot continue.
give_up() {
  failed=$((failed + 1))
  printf '%sdemo: %s%s\n' "$red" "$1" "$plain" >&2
  exit 1
}
