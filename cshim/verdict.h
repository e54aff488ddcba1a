/* Decides which finished packets of the core the module accepts. */
#ifndef UAF_VERDICT_H
#define UAF_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "frame.h"

/* The content of a finished packet, and what the module knows of the conversation that it ends. */
struct verdict {
  enum frame_operation operation;
  int code;        /* the PAM code */
  uint32_t result; /* the number of a result in the core's table */
  bool stale;      /* the secret was correct, but the current policy would refuse it */
  bool prompted;   /* the core has sent a prompt */
  bool resumed;    /* the second pass of a change has begun */
  bool nouserok;   /* root has set this argument in the stack */
};

/* Whether code, result and staleValue belong together, here and now (docs/protocol.md, "What follows what"). */
bool verdict_belongs_together(const struct verdict *verdict);

#endif
