/* The targets, and the module's functions. */
#ifndef FUZZ_MODULE_H
#define FUZZ_MODULE_H

#include <security/pam_modules.h>
#include <stddef.h>
#include <stdint.h>

/* The reader and the writers of packets. */
void fuzz_frame(const uint8_t *bytes, size_t size);

/* The module as a whole. */
void fuzz_module(const uint8_t *bytes, size_t size);

#endif
