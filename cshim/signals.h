/* Handles the signals that end a host while it waits for the verdict on a text that was confirmed. */
#ifndef UAF_SIGNALS_H
#define UAF_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

struct signals {
  bool are_held;
  sigset_t ending, host_mask;
};

/* Blocks the signals that the host does not ignore. The handlers of sudo only record a signal, so without this function, the
   core would go on to confirm a command that then never runs. The host gets every blocked signal afterwards. */
void signals_hold(struct signals *signals);

/* Unblocks the signals; does nothing if none is blocked. */
void signals_release(struct signals *signals);

/* Whether one of the blocked signals is pending. */
bool signals_end_host(const struct signals *signals);

#endif
