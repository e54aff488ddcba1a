/* The connection to the core: reached over its socket or started, read with a deadline, and brought to an end. */
#ifndef UAF_HELPER_H
#define UAF_HELPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "signals.h"

/* How an exchange with the core went. Everything but HELPER_OK ends the conversation. */
enum helper_status {
  HELPER_OK,             /* each function says below what went well */
  HELPER_ENDED,          /* it closed its socket, or died */
  HELPER_SILENT,         /* it sent nothing for longer than allowed */
  HELPER_TIMED_OUT,      /* the call took longer than timeout= */
  HELPER_PROTOCOL_ERROR, /* it sent a cut packet, descriptors, or something while it had to wait */
  HELPER_FAILED,         /* a system call failed: what and error say which and why */
  HELPER_GIVEN_UP        /* the host was told to end */
};

struct helper {
  int socket;            /* -1 when closed */
  int pidfd;             /* -1 unless started by us */
  bool started;          /* by us, not reached over the socket */
  bool born_at_root;     /* started in the root of the cgroups, for which some kernels kill it */
  int64_t call_deadline; /* milliseconds of CLOCK_MONOTONIC; INT64_MAX for none */
  struct signals
    signals;        /* while they are blocked, a signal that should end the host also ends the wait for the core */
  const char *what; /* the system call that failed last */
  int error;        /* its errno */
};

/* Reaches the core over its socket; if there is none and the caller is root, starts it. timeout_seconds is for the
   whole call, 0 for none. Returns false with what and error set; the helper must be closed in either case. */
bool helper_open(struct helper *helper, unsigned timeout_seconds);

/* Whether another core may be started instead of one that ends without a message: the caller is root, and this one was reached
   over the socket or born in the root of the cgroups. */
bool helper_is_replaceable(const struct helper *helper);

/* Drops a core that said nothing, and starts a new one: always for a core at the socket, and for one that was born in the root of
   the cgroups if the kernel killed it. The new core is moved there. Returns false if no new core may be started, or if it cannot
   be started. */
bool helper_start_instead(struct helper *helper, enum helper_status status);

/* Sets a new limit for the call: this many seconds from now on; 0 for none. */
void helper_limit(struct helper *helper, unsigned timeout_seconds);

/* Sends one packet. Waits while the core does not read, for at most as long as it may be silent. HELPER_OK: it was sent. */
enum helper_status helper_send(struct helper *helper, const uint8_t *packet, size_t length);

/* Receives one packet of 1 to capacity bytes. HELPER_OK: it was received. */
enum helper_status helper_receive(struct helper *helper, uint8_t *packet, size_t capacity, size_t *length);

/* Waits for a packet and leaves it to be received. HELPER_OK: there is one. */
enum helper_status helper_await(struct helper *helper);

/* Checks that the core sent nothing while it had to wait for us. HELPER_OK: it sent nothing, and is still there. */
enum helper_status helper_check_quiet(struct helper *helper);

/* Ends the conversation and the process we started. A process that failed is killed immediately; any other first gets a
   moment to end by itself. Leaves no descriptor and no zombie behind. May be called twice. */
void helper_close(struct helper *helper, bool at_once);

/* For a forked copy of the caller: closes its own descriptors and leaves the conversation and the process to the process
   that opened them. */
void helper_forget(struct helper *helper);

/* Between fork and exec: turns the child into the core with the given socket (above 2) as its descriptor 3. */
_Noreturn void child_become_helper(int socket, bool at_root);

#endif
