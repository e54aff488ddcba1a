/* The signals that end a host, while it waits for the verdict on a text that was confirmed. */
#ifndef UAF_SIGNALS_H
#define UAF_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

struct signals {
  bool are_held;
  sigset_t ending, host_mask;
};

/* Blocks the signals that the host does not ignore. sudo's handlers only note a signal, and without this, the core would continue
   to confirm a command that never runs. The host gets every blocked signal afterwards. */
void signals_hold(struct signals *signals);

/* Unblocks them; does nothing if none is blocked. */
void signals_release(struct signals *signals);

/* Whether one of the blocked signals has come. */
bool signals_end_host(const struct signals *signals);

#endif
