# Prints each line of Swift with an `unsafe` expression for which no reason is given: a comment "SAFETY:" in the same
# function, or right above it, at most 20 lines up. Used by check.sh.

FNR == 1 { reason = -reach - 1; comment = 0 }
BEGIN { reach = 20 }

/^ *\/\// {
  if (!comment) comment = FNR
  if (/SAFETY: /) reason = FNR
  next
}

{
  # For a declaration, only a reason right above it counts.
  if (/^ *((@[a-z]+|[a-z]+(\([a-z]+\))?) )*(func |init[?(<]|deinit|subscript)/ || /^(  )?([a-z]+(\([a-z]+\))? )*(var|let) /)
    if (!comment || reason < comment) reason = -reach - 1
  if ($0 !~ /^ *(@[a-z]+ *)*$/) comment = 0
  code = $0
  gsub(/"[^"]*"/, "", code)
  sub(/\/\/.*/, "", code)
  if (code ~ /(^|[^A-Za-z@.`])unsafe [^)]/ && FNR - reason > reach)
    print FILENAME ":" FNR ": no SAFETY: line gives the reason for 'unsafe'"
}
