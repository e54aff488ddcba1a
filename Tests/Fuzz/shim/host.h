/* The PAM handle and the host behind it: items, data, the person's answers, and what is said to log and person. */
#ifndef FUZZ_HOST_H
#define FUZZ_HOST_H

#include <security/pam_modules.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HOST_ARGUMENTS 40

struct host {
  const char *items[PAM_OLDAUTHTOK + 16]; /* by their numbers */
  int user_code;                          /* what pam_get_user says where there is no user */
  bool no_conversation, account_unknown, other_spelling, lookup_fails, silent;
  bool conversation_failed; /* libpam could not say, since the last packet of the module */
  uint32_t uid;
  const char *arguments[HOST_ARGUMENTS + 1];
  const char *other_line[HOST_ARGUMENTS + 1]; /* the same arguments in another line of the stack */
  int argument_count;
  const char *answer; /* the last one of the person, or NULL */
  unsigned prompts, log_lines, delays, failed_lookups;
};

extern struct host host;

/* The handle there is. */
pam_handle_t *host_handle(void);

/* Begins a run with the facts of the script. */
void host_reset(void);

/* Ends the handle as pam_end(3) does: everything left in it is cleaned up. */
void host_end(void);

/* Whether root wrote this argument into the stack. */
bool host_has_argument(const char *argument);
/* Whether an argument of the line is nouserok, with or without a day. */
bool host_passes_unregistered(void);

#endif
