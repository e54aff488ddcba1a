/* The PAM conversation: shows texts to the person and asks for entries. */
#ifndef UAF_CONVERSE_H
#define UAF_CONVERSE_H

#include <security/pam_modules.h>
#include <stdbool.h>

#include "frame.h"

/* Whether the host has a conversation function at all. */
bool converse_is_possible(pam_handle_t *pamh);

/* Shows a text (PAM_ERROR_MSG or PAM_TEXT_INFO). Returns whether the host accepted it. */
bool converse_show(pam_handle_t *pamh, int style, struct frame_bytes text);

/* Shows a prompt (PAM_PROMPT_ECHO_OFF or _ON). Returns the answer, which must be freed with converse_forget. Returns NULL if
   there is no answer: the host has no conversation function, the function failed, or the person gave up. */
char *converse_ask(pam_handle_t *pamh, int style, struct frame_bytes text);

/* Sends a message that is no text (PAM_BINARY_PROMPT). The host must be known to understand it. Returns whether the host
   accepted it; answer is then what the host answered, to be freed, or NULL. */
bool converse_binary(pam_handle_t *pamh, const void *request, void **answer);

/* Clears an answer and frees it. NULL is allowed. */
void converse_forget(char *answer);

/* The password that an earlier module left in this item (PAM_AUTHTOK or PAM_OLDAUTHTOK), or NULL if it could not be a stored
   secret. The memory belongs to libpam. */
const char *converse_first_pass(pam_handle_t *pamh, int type);

#endif
