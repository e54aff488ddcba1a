/* The executable that the module runs in, and the command that sudo is to run, for the text that is confirmed and signed. */
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* The path comes from the kernel, because the caller can choose the name with which a program is called. */
static size_t read_program(char *program, size_t capacity)
{
  const ssize_t length = readlink("/proc/self/exe", program, capacity);
  return length > 0 && (size_t)length < capacity ? (size_t)length : 0;
}

static size_t read_line(char *line, size_t capacity)
{
  size_t length = 0;
  const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (file < 0)
    return 0;
  while (length < capacity) {
    const ssize_t count = read(file, line + length, capacity - length);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      break;
    length += (size_t)count;
  }
  close(file);
  return length;
}

void command_read_program(struct command *command)
{
  command->program_length = read_program(command->program, sizeof command->program);
}

void command_read_line(struct command *command)
{
  command->line_length = read_line(command->line, sizeof command->line);
}
