/* Waiting for a descriptor, by a clock that nobody sets. */
#ifndef UAF_WAITING_H
#define UAF_WAITING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/un.h>

#include "signals.h"

/* Milliseconds of CLOCK_MONOTONIC. */
int64_t now_milliseconds(void);

/* Connects. Without root it tries again for a while where the queue is full, until the deadline at the latest: somebody who
   connects as fast as he can fills it, and a place there is free for a moment only. Root needs none. */
bool connect_patiently(int socket, const struct sockaddr_un *address, int64_t deadline);

/* Waits until the descriptor is ready or the deadline has passed. Returns false then, with errno ETIMEDOUT, or EINTR. */
bool wait_ready(int descriptor, short events, int64_t deadline);

/* The same; also returns false, with errno EINTR, when a blocked signal tells the host to end. It looks for one now and
   then, because a blocked signal does not interrupt poll(2). */
bool wait_minding(int descriptor, short events, int64_t deadline, const struct signals *signals);

#endif
