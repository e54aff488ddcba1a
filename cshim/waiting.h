/* Waits for descriptors, measured by a clock that nobody can set. */
#ifndef UAF_WAITING_H
#define UAF_WAITING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/un.h>

#include "signals.h"

/* The current time of CLOCK_MONOTONIC in milliseconds. */
int64_t now_milliseconds(void);

/* Connects. If the socket's queue is full, a caller that is not root tries again for some time, at most until the deadline: if
   somebody keeps the queue full by connecting as fast as possible, there is room only for moments. Root does not try again,
   because the module can start a core for root. */
bool connect_patiently(int socket, const struct sockaddr_un *address, int64_t deadline);

/* Waits until the descriptor is ready, and returns true. Returns false if the deadline has passed (errno ETIMEDOUT), or if a
   signal interrupted the wait (errno EINTR). */
bool wait_ready(int descriptor, short events, int64_t deadline);

/* Like wait_ready, but also returns false (errno EINTR) if a blocked signal tells the host to end. As a blocked signal does not
   interrupt poll(2), this checks for one at regular intervals. */
bool wait_minding(int descriptor, short events, int64_t deadline, const struct signals *signals);

#endif
