#pragma once

#include <stddef.h>
#include <stdint.h>
#include <tss2/tss2_esys.h>
#include <tss2/tss2_mu.h>
#include <tss2/tss2_tcti.h>

// Our own transport over one descriptor. The libraries see only its first member.
typedef struct {
  TSS2_TCTI_CONTEXT_COMMON_V1 common;
  int descriptor;
  // Whether the transport waits for an answer.
  int is_pending;
} chip_transport;
