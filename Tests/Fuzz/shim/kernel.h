/* The system calls of the module, played by the script: descriptors, the socket and what the core sends over it, the
 * core's process, and time, which passes only when somebody waits. */
#ifndef FUZZ_KERNEL_H
#define FUZZ_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kernel {
  /* Said by the facts. */
  bool socket_missing, peer_is_other, reaped_by_host, core_lingers, core_frozen, low_descriptors, ends_in_silence,
    another_caller, host_is_root;
  const char *locale;
  const char *extensions; /* of the greeter, as its variable names them */
  const uint8_t *command;
  size_t command_length;
  /* Happening. */
  int64_t now;    /* milliseconds */
  int64_t waited; /* of them for the core */
  bool child_started, child_ended, child_killed, child_reaped, child_is_lost, in_copy;
  long slack;  /* nanoseconds by which a wait may end late */
  bool direct; /* the core was started by the module, not reached */
  /* The last packet that was handed to the module, and what is known of those before. */
  const uint8_t *last;
  size_t last_length;
  unsigned received, sent;
  bool prompted;
};

extern struct kernel kernel;

/* What the host's caller allows its waits to be late. */
#define KERNEL_SLACK 40000000000L

/* Begins a run; the facts are set afterwards. */
void kernel_reset(void);

/* How many descriptors are open. */
unsigned kernel_descriptors(void);

/* What the module sent is shown to this function (module.c). */
void module_sent(const uint8_t *packet, size_t length);

#endif
