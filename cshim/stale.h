/* What a login tells the account stage of the same handle: the value was right, but today's policy would refuse it. */
#ifndef UAF_STALE_H
#define UAF_STALE_H

#include <security/pam_modules.h>
#include <stdbool.h>

/* Notes it for this name. Where that fails nobody is asked for a new value: logged, and no reason to refuse a login. */
void stale_note(pam_handle_t *pamh, const char *user);

/* Whether it is noted for the name that is PAM_USER now: sudo and others change it on the way. */
bool stale_is_noted(pam_handle_t *pamh);

/* Takes the note back. */
void stale_forget(pam_handle_t *pamh);

#endif
