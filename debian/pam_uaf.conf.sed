# Makes the file of /etc/security out of the sample: every key behind a "#", so that installing it decides nothing but what a
# new passcode has to be like. The headers of sections stay, but for [server], which must not be there without its addresses.
1,/^$/c\
# The configuration of pam_uaf: see pam_uaf.conf(5). Each login reads it. Every key is here, after a "#", with its\
# default or an example. As installed, this file only sets the rules for new passcodes. Without a server nobody can log in\
# through pam_uaf. To begin, remove the "#" from [server] and its two addresses. An unknown key or a bad value is an error\
# that names the line, and every login through pam_uaf is refused until it is corrected.\

s/^\[server\]/#&/
/^(min_length|equal_character|ascending_descending|two_(equal_)?character_repeat) *=/!s/^[a-z_]+ *=/#&/
