/* The note that a login leaves for the account stage of the same handle: the secret was correct, but the current policy would
   refuse it. */
#ifndef UAF_STALE_H
#define UAF_STALE_H

#include <security/pam_modules.h>
#include <stdbool.h>

/* Leaves the note for this name. If that fails, it is logged, and the login continues; the person is then not asked for a new
   secret. */
void stale_note(pam_handle_t *pamh, const char *user);

/* Whether there is a note for the current PAM_USER. sudo and other hosts change PAM_USER between the stages. */
bool stale_is_noted(pam_handle_t *pamh);

/* Removes the note. */
void stale_forget(pam_handle_t *pamh);

#endif
