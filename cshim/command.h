/* What the process the module is in was told to do. */
#ifndef UAF_COMMAND_H
#define UAF_COMMAND_H

#include <stddef.h>

#include "limits.h"

/* The program's file, and the arguments as the kernel has them: each with a NUL behind it, the program's name first.
   A length of 0 means that it could not be read. Nothing is decided here: the core puts it into words. */
struct command {
  char program[UAF_PROGRAM_MAX];
  size_t program_length;
  char line[UAF_COMMAND_MAX];
  size_t line_length;
};

/* Reads both. A line longer than there is room for fills it: nobody is asked to confirm that much, and the core
   refuses it. The name of a file that has no room is left out. */
void command_read(struct command *command);

#endif
