/* Anybody who tries to log in can choose the name, and logs are read on terminals and by scripts. So names are escaped. */
#include "log.h"

#include <security/pam_ext.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

const char *log_name(char out[LOG_NAME_SIZE], const void *bytes, size_t length)
{
  static const char digits[] = "0123456789abcdef";
  const uint8_t *from = bytes;
  size_t at = 0;
  for (size_t i = 0; i < length && i < UAF_LOG_BYTES_MAX; i++) {
    const uint8_t byte = from[i];
    if (byte >= ' ' && byte < 0x7f && strchr("\\\"=", byte) == NULL) {
      out[at++] = (char)byte;
      continue;
    }
    out[at++] = '\\';
    out[at++] = 'x';
    out[at++] = digits[byte >> 4];
    out[at++] = digits[byte & 0xf];
  }
  memcpy(out + at, length > UAF_LOG_BYTES_MAX ? "..." : "", length > UAF_LOG_BYTES_MAX ? 4 : 1);
  return out;
}

void log_outcome(pam_handle_t *pamh, int priority, int code, const char *format, ...)
{
  char detail[LOG_NAME_SIZE + 256];
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(detail, sizeof detail, format, arguments);
  va_end(arguments);
  pam_syslog(pamh, priority, "event=module pam=%d detail=\"%s\"", code, length < 0 ? "" : detail);
}
