/* The signals that end a host, while it waits for the verdict on a text that was confirmed. */
#ifndef UAF_SIGNALS_H
#define UAF_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

struct signals {
  bool are_held;
  sigset_t ending, host_mask;
};

/* Holds back those that the host does not ignore: sudo's handlers only take note of one, and the core would go on for a
   command that never runs. Nothing of them is taken away. */
void signals_hold(struct signals *signals);

/* Lets the host have them again; harmless where none is held. */
void signals_release(struct signals *signals);

/* Whether one has come that is held. */
bool signals_end_host(const struct signals *signals);

#endif
