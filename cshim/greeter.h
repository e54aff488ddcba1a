/* GDM's extension of PAM's conversation by which its greeter shows a list that one chooses from, instead of a prompt for a
   number. */
#ifndef UAF_GREETER_H
#define UAF_GREETER_H

#include <security/pam_modules.h>
#include <stdbool.h>

#include "frame.h"

/* How a greeter answered a list. */
enum greeter_answer {
  GREETER_CHOSE,   /* one of the options */
  GREETER_NOTHING, /* something that is none of them */
  GREETER_FAILED   /* the conversation failed, or the person gave up */
};

/* Whether the host of this service shows lists. True only in a process of root that is not a setuid program, for one of GDM's
   services: nobody else may have a host take binary prompts. */
bool greeter_shows_lists(struct frame_bytes service);

/* Has the greeter show the options of a prompt under its text. The number of the chosen one, counted from 1, is stored in number.
   */
enum greeter_answer greeter_ask(pam_handle_t *pamh, const struct frame_message *prompt, unsigned *number);

#endif
