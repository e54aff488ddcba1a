/* Lines of the log, in the format that pam_uaf(8) describes. */
#ifndef UAF_LOG_H
#define UAF_LOG_H

#include <security/pam_modules.h>
#include <stddef.h>

#include "limits.h"

/* Room for UAF_LOG_BYTES_MAX bytes of a name, each written as \xHH, an ellipsis, and the final NUL. */
#define LOG_NAME_SIZE (UAF_LOG_BYTES_MAX * 4 + 4)

/* Writes a name or text in a form that is safe for a log: printable ASCII stays as it is, except the backslash, quotes and =.
   These and all other bytes are written as \xHH. After UAF_LOG_BYTES_MAX bytes, the rest is cut off. Returns out. bytes may be
   NULL if length is 0. */
const char *log_name(char out[LOG_NAME_SIZE], const void *bytes, size_t length);

/* Logs the end of a call: the PAM code, and the reason. Texts from outside must have been made safe with log_name. */
__attribute__((format(printf, 4, 5))) void log_outcome(pam_handle_t *pamh, int priority, int code, const char *format,
                                                       ...);

#endif
