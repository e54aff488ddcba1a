/* The internals of a conversation: its state, and the messages of both sides. Only for conversation.c. */
#ifndef UAF_TALK_H
#define UAF_TALK_H

#include <security/pam_modules.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "begin.h"
#include "command.h"
#include "frame.h"
#include "helper.h"
#include "limits.h"
#include "options.h"

/* How a conversation ended. */
enum talk_end {
  END_NONE,          /* it has not ended: it continues, or is paused */
  END_VERDICT,       /* with a verdict */
  END_WRONG_VERDICT, /* with a verdict whose parts do not belong together */
  END_BROKEN,        /* without a verdict, because of any other failure */
  END_OUT_OF_TIME,   /* without a verdict: the time of timeout= was over */
  END_GIVEN_UP       /* without a verdict: the host was told to end, after a text was confirmed */
};

/* The structure is large and contains answers, so it is cleared before it is freed. */
struct conversation {
  pam_handle_t *pamh;
  pid_t owner; /* the process that began the conversation */
  char *user;
  enum frame_operation operation;
  struct options options;
  struct helper helper;
  enum frame_state state; /* which packets may come next */
  enum talk_end end;
  bool silent, by_root, prompted, first_pass_tried;
  bool lists;   /* the host shows lists, and the core was told so */
  bool keyring; /* the host may get the password of a keyring, and the core was told so */
  bool resumed; /* the second pass of a change has begun */
  bool stale;   /* it succeeded, and the core reported the secret as stale */
  unsigned variable_count;
  char variables[UAF_VARIABLES_MAX][UAF_VARIABLE_NAME_MAX + 1 + UAF_VARIABLE_VALUE_MAX + 1];
  char password[UAF_KEYRING_MAX + 1]; /* of the keyring; empty if the core has sent none */
  uint8_t packet[UAF_PACKET_MAX];
  struct command command;
  struct begin_account account;
};

/* Processes the core's messages until it has finished, or waits for the second pass of a change. Returns a PAM code. */
int talk_hear(struct conversation *talk);

/* Sends the front end's reply to prompt or ready. The core must have waited for it: if it has sent something meanwhile, that is
   an error. If the conversation cannot continue, logs the reason and returns false. */
bool talk_reply(struct conversation *talk, enum frame_type type, const char *answer);

/* Sends the packet that was just written and clears it. A length of 0 means that it could not be written. */
bool talk_send(struct conversation *talk, enum frame_type type, size_t length, const char *during);

/* Ends a conversation after an error, and logs the reason. Always returns false, so that callers can return the result. */
bool talk_broken(struct conversation *talk, enum helper_status status, const char *during);

#endif
