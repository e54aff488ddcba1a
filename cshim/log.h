/* Names in log lines. */
#ifndef UAF_LOG_H
#define UAF_LOG_H

#include <stddef.h>

#include "limits.h"

/* Room for UAF_LOG_BYTES_MAX bytes of a name, each written as \xHH, an ellipsis and the end. */
#define LOG_NAME_SIZE (UAF_LOG_BYTES_MAX * 4 + 4)

/* Writes what of a name or text may stand in a log: printable ASCII as it is, every other byte and the backslash as
   \xHH, cut after UAF_LOG_BYTES_MAX bytes. Returns out. bytes may be NULL when length is 0. */
const char *log_name(char out[LOG_NAME_SIZE], const void *bytes, size_t length);

#endif
