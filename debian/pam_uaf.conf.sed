# Makes the file of /etc/security out of the sample: every key behind a "#", so that installing it decides nothing but what a
# new passcode has to be like. The headers of sections stay, but for [server], which must not be there without its addresses.
1,/^$/c\
# The configuration of pam_uaf: see pam_uaf.conf(5). Read anew at each login. Every key is here, behind a "#", with its\
# default or an example. As installed, this file decides only what a new passcode has to be like, and without a server nobody\
# is let in. To begin, take the "#" from [server] and its two addresses. An unknown key or a bad value is an error that names\
# the line, and nobody is let in until it is corrected.\

s/^\[server\]/#&/
/^(min_length|equal_character|ascending_descending|two_(equal_)?character_repeat) *=/!s/^[a-z_]+ *=/#&/
