/* What a login tells the account stage of the same handle: the secret was correct, but the current policy would refuse it. */
#ifndef UAF_STALE_H
#define UAF_STALE_H

#include <security/pam_modules.h>
#include <stdbool.h>

/* Notes it for this name. If that fails, it is logged, the login continues, and nobody is asked for a new value. */
void stale_note(pam_handle_t *pamh, const char *user);

/* Whether it is noted for the present PAM_USER. sudo and others change PAM_USER between the stages. */
bool stale_is_noted(pam_handle_t *pamh);

/* Removes the note. */
void stale_forget(pam_handle_t *pamh);

#endif
