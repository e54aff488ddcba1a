/* The command line of sudo, for the text that is confirmed and signed. */
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "limits.h"

/* A text being written; what has no room is left out. */
struct text {
  char *bytes;
  size_t capacity, length;
};

static void add(struct text *text, const char *bytes, size_t length)
{
  const size_t room = text->capacity - text->length;
  const size_t count = length < room ? length : room;
  memcpy(text->bytes + text->length, bytes, count);
  text->length += count;
}

/* Whether a shell takes every character as it is. */
static bool is_plain(const char *argument, size_t length)
{
  static const char others[] = "_@%+=:,./-";
  for (size_t i = 0; i < length; i++) {
    const char c = argument[i];
    const bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!is_word && memchr(others, c, sizeof others - 1) == NULL)
      return false;
  }
  return length > 0;
}

static void add_argument(struct text *text, const char *argument, size_t length)
{
  if (is_plain(argument, length)) {
    add(text, argument, length);
    return;
  }
  add(text, "'", 1);
  for (size_t i = 0; i < length; i++)
    if (argument[i] == '\'')
      add(text, "'\\''", 4);
    else
      add(text, argument + i, 1);
  add(text, "'", 1);
}

size_t command_quote(const char *arguments, size_t length, char *text, size_t capacity)
{
  struct text written = {text, capacity, 0};
  for (size_t start = 0; start < length;) {
    const size_t count = strnlen(arguments + start, length - start);
    if (start > 0)
      add(&written, " ", 1);
    add_argument(&written, arguments + start, count);
    start += count + 1;
  }
  return written.length;
}

size_t command_read(char *text, size_t capacity)
{
  /* Every byte read becomes one byte written or more, so what has no room here would have none there. */
  char arguments[UAF_COMMAND_MAX];
  size_t length = 0;
  const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (file < 0)
    return 0;
  while (length < sizeof arguments) {
    const ssize_t count = read(file, arguments + length, sizeof arguments - length);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      break;
    length += (size_t)count;
  }
  close(file);
  return command_quote(arguments, length, text, capacity);
}
