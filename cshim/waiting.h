/* Waiting for a descriptor, by a clock that nobody can set. */
#ifndef UAF_WAITING_H
#define UAF_WAITING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/un.h>

#include "signals.h"

/* Milliseconds of CLOCK_MONOTONIC. */
int64_t now_milliseconds(void);

/* Connects. A caller that is not root tries again while the queue is full, for a while and at most until the deadline:
   somebody who connects as fast as possible fills the queue, and a place is free only for a moment. Root does not try
   again: root can start a core. */
bool connect_patiently(int socket, const struct sockaddr_un *address, int64_t deadline);

/* Waits until the descriptor is ready or the deadline has passed. In the second case, it returns false, with errno ETIMEDOUT, or
   EINTR. */
bool wait_ready(int descriptor, short events, int64_t deadline);

/* As wait_ready, but also returns false, with errno EINTR, when a blocked signal tells the host to end. It checks for one now and
   then, because a blocked signal does not interrupt poll(2). */
bool wait_minding(int descriptor, short events, int64_t deadline, const struct signals *signals);

#endif
