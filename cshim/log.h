/* Lines of the log, in the form of pam_uaf(8). */
#ifndef UAF_LOG_H
#define UAF_LOG_H

#include <security/pam_modules.h>
#include <stddef.h>

#include "limits.h"

/* Room for UAF_LOG_BYTES_MAX bytes of a name, each written as \xHH, an ellipsis and the end. */
#define LOG_NAME_SIZE (UAF_LOG_BYTES_MAX * 4 + 4)

/* Writes a name or text in a form that is safe for a log: printable ASCII as it is, every other byte, the backslash, quotes
   and = as \xHH, cut after UAF_LOG_BYTES_MAX bytes. Returns out. bytes may be NULL when length is 0. */
const char *log_name(char out[LOG_NAME_SIZE], const void *bytes, size_t length);

/* Writes the line of a call that ends here, or how it ended: the code for PAM, and why. Text from outside must have
   been through log_name. */
__attribute__((format(printf, 4, 5))) void log_outcome(pam_handle_t *pamh, int priority, int code, const char *format,
                                                       ...);

#endif
