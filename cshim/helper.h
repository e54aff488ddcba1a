/* The connection to the core: connecting to its socket or starting it, exchanging packets with a deadline, and ending it. */
#ifndef UAF_HELPER_H
#define UAF_HELPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "signals.h"

/* The outcome of an exchange with the core. Everything but HELPER_OK ends the conversation. */
enum helper_status {
  HELPER_OK,             /* success; each function says below what that means */
  HELPER_ENDED,          /* the core closed its socket, or died */
  HELPER_SILENT,         /* the core sent nothing for longer than allowed */
  HELPER_TIMED_OUT,      /* the call took longer than timeout= */
  HELPER_PROTOCOL_ERROR, /* a truncated packet, descriptors, or a packet while the core had to wait */
  HELPER_FAILED,         /* a system call failed: see what and error */
  HELPER_GIVEN_UP        /* the host was told to end */
};

struct helper {
  int socket;            /* -1 if closed */
  int pidfd;             /* -1 unless we started the core */
  bool started;          /* whether we started it, not reached it over the socket */
  bool born_at_root;     /* created in the root of the cgroups, for which some kernels kill it */
  int64_t call_deadline; /* milliseconds of CLOCK_MONOTONIC; INT64_MAX for no deadline */
  struct signals
    signals;        /* while they are blocked, a signal that should end the host also ends the wait for the core */
  const char *what; /* the system call that failed last */
  int error;        /* the errno of that call */
};

/* Connects to the core's socket. If there is none and the caller is root, starts the core. timeout_seconds is the limit for the
   whole call; 0 means no limit. If this fails, returns false, with what and error set. The helper must be closed in either
   case. */
bool helper_open(struct helper *helper, unsigned timeout_seconds);

/* Whether another core may be started if this one ends without a message: the caller is root, and this core was reached over
   the socket or created in the root of the cgroups. */
bool helper_is_replaceable(const struct helper *helper);

/* Gives up a core that has sent nothing, and starts a new one. This is always allowed for a core at the socket; for one that
   was created in the root of the cgroups, only if the kernel killed it. The new core is moved to that root after its start.
   Returns false if a new core is not allowed or cannot be started. */
bool helper_start_instead(struct helper *helper, enum helper_status status);

/* Sets a new limit for the call: this many seconds from now on; 0 means no limit. */
void helper_limit(struct helper *helper, unsigned timeout_seconds);

/* Sends one packet. If the core does not read, waits at most as long as a core may be silent. HELPER_OK: the packet was sent.
   */
enum helper_status helper_send(struct helper *helper, const uint8_t *packet, size_t length);

/* Receives one packet of 1 to capacity bytes. HELPER_OK: a packet was received. */
enum helper_status helper_receive(struct helper *helper, uint8_t *packet, size_t capacity, size_t *length);

/* Waits for a packet without receiving it. HELPER_OK: there is a packet. */
enum helper_status helper_await(struct helper *helper);

/* Checks that the core has sent nothing while it had to wait for us. HELPER_OK: it has sent nothing, and is still connected. */
enum helper_status helper_check_quiet(struct helper *helper);

/* Ends the conversation, and the process if we started it. If at_once is true, the process is killed immediately; otherwise it
   first gets some time to end by itself. No descriptor and no zombie is left. This may be called twice. */
void helper_close(struct helper *helper, bool at_once);

/* For a forked copy of the caller: closes the copy's own descriptors, and does not touch the conversation and the core, which
   belong to the original process. */
void helper_forget(struct helper *helper);

/* Called in the child after fork: becomes the core by exec, with the given socket (above 2) as descriptor 3. */
_Noreturn void child_become_helper(int socket, bool at_root);

#endif
