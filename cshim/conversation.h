/* The conversation with the core: it receives the core's messages, sends the person's answers, and ends with one verdict. */
#ifndef UAF_CONVERSATION_H
#define UAF_CONVERSATION_H

#include <security/pam_modules.h>
#include <stdbool.h>

#include "frame.h"

struct conversation;

/* Begins a conversation about PAM_USER, which is read once. A login is processed up to its verdict. A change is processed until
   the old secret is verified; then this returns PAM_SUCCESS, and the conversation is paused. Returns a PAM code; a failure is
   logged and shown to the person. In every case, the caller must end *talk, which may be NULL. */
int conversation_begin(pam_handle_t *pamh, enum frame_operation operation, int flags, int argc, const char *const *argv,
                       struct conversation **talk);

/* Continues a paused conversation up to its verdict, with the flags and arguments of the current PAM call. */
int conversation_resume(struct conversation *talk, int flags, int argc, const char *const *argv);

/* Whether the conversation is paused: the core waits for a resume packet. */
bool conversation_is_paused(const struct conversation *talk);

/* Whether this process began the conversation. False in a forked copy of that process. */
bool conversation_is_ours(const struct conversation *talk);

/* Whether the conversation ended with success, and the core reported the secret as stale. */
bool conversation_found_stale(const struct conversation *talk);

/* The name of the user that the conversation is about, as it was in PAM_USER. */
const char *conversation_user(const struct conversation *talk);

/* Ends and frees the conversation; the core stops immediately. A forked copy of the process that began it frees only
   its own memory and descriptors. NULL is allowed. */
void conversation_end(struct conversation *talk);

#endif
