/* Which last messages of the core the module accepts. */
#ifndef UAF_VERDICT_H
#define UAF_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "frame.h"

/* A finished packet, and what the module knows of the conversation that it ends. */
struct verdict {
  enum frame_operation operation;
  int code;        /* PAM's code */
  uint32_t result; /* a result in the core's table */
  bool stale;      /* the secret was correct, but today's policy would refuse it */
  bool prompted;   /* the core asked something */
  bool resumed;    /* of a change: its second pass */
  bool nouserok;   /* root wrote it into the stack */
};

/* Whether code, result and staleValue belong together, here and now (docs/protocol.md, "What follows what"). */
bool verdict_belongs_together(const struct verdict *verdict);

#endif
