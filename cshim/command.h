/* The command line of the process that the module runs in. */
#ifndef UAF_COMMAND_H
#define UAF_COMMAND_H

#include <stddef.h>

#include "limits.h"

/* The program's file, and the arguments as the kernel has them: each followed by a NUL, the program's name first.
   A length of 0 means that it could not be read. Nothing is decided here: the core makes a text from it. */
struct command {
  char program[UAF_PROGRAM_MAX];
  size_t program_length;
  char line[UAF_COMMAND_MAX];
  size_t line_length;
};

/* A file's name that is too long is left out. */
void command_read_program(struct command *command);

/* A line that is too long is cut to fit; the core then refuses it, because nobody is asked to confirm that
   much. */
void command_read_line(struct command *command);

#endif
