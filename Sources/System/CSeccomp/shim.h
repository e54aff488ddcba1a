#pragma once

#include <seccomp.h>

/* Wrapped because the originals are macros that Swift cannot import. */

static inline uint32_t filter_allow(void) { return SCMP_ACT_ALLOW; }
static inline uint32_t filter_error(uint16_t number) { return SCMP_ACT_ERRNO(number); }
