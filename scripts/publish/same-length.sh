# shellcheck shell=bash
# For the scripts that build a second time: the length of the checkout's path is part of uaf-server (docs/packagers.md).

# Makes a new folder for temporary files whose path has that many characters, and prints it.
folder_of_length() { # length
  local base length folder
  for base in "${TMPDIR:-/tmp}" /tmp; do
    length=$(($1 - ${#base} - 1))
    if ((length >= 1)); then
      folder=$base/$(head -c "$length" < <(tr -dc a-z0-9 </dev/urandom))
      if mkdir -m 0755 "$folder"; then
        echo "$folder"
        return
      fi
    fi
  done
  echo "no folder for temporary files has a path of $1 characters: it would have to be shorter than $((${#base} + 2))" >&2
  return 1
}
