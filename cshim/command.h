/* The command line of the process that the module runs in. */
#ifndef UAF_COMMAND_H
#define UAF_COMMAND_H

#include <stddef.h>

#include "limits.h"

/* The path of the executable, and its arguments as the kernel has them: the program's name first, each followed by a NUL. A
   length of 0 means that the bytes could not be read. They are not interpreted here: the core makes a text from them. */
struct command {
  char program[UAF_PROGRAM_MAX];
  size_t program_length;
  char line[UAF_COMMAND_MAX];
  size_t line_length;
};

/* Reads the path of the executable. A path that is too long counts as one that could not be read. */
void command_read_program(struct command *command);

/* Reads the arguments. A line that is too long is cut off; the core then refuses it, because it is too long for a person to
   confirm. */
void command_read_line(struct command *command);

#endif
