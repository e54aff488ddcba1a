#pragma once

#include <stddef.h>
#include <stdint.h>
#include <tss2/tss2_esys.h>
#include <tss2/tss2_mu.h>
#include <tss2/tss2_tcti.h>

// A transport of our own over one descriptor. The libraries see its first member alone.
typedef struct {
  TSS2_TCTI_CONTEXT_COMMON_V1 common;
  int descriptor;
  // Whether an answer is awaited.
  int is_pending;
} chip_transport;
