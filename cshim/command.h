/* The command line of the process the module is in. */
#ifndef UAF_COMMAND_H
#define UAF_COMMAND_H

#include <stddef.h>

/* Writes the command line as a shell would take it: arguments with a space between them, quoted where they are not
   plain. Returns its length, 0 where it cannot be read. It is cut at capacity bytes: a longer one is beyond what
   anybody is asked to confirm, and the core refuses it. */
size_t command_read(char *text, size_t capacity);

/* The same of NUL-terminated arguments, one behind the other. */
size_t command_quote(const char *arguments, size_t length, char *text, size_t capacity);

#endif
