/* The command line as it is confirmed. */
#include <string.h>

#include "check.h"
#include "command.h"
#include "limits.h"

/* Whether the arguments, each with its NUL, are written as the text. */
static bool writes(const char *arguments, size_t length, const char *expected)
{
  char text[UAF_COMMAND_MAX];
  const size_t written = command_quote(arguments, length, text, sizeof text);
  return written == strlen(expected) && memcmp(text, expected, written) == 0;
}

#define WRITES(arguments, expected) CHECK(writes(arguments, sizeof arguments, expected))

static void leaves_plain_arguments(void)
{
  WRITES("sudo\0systemctl\0restart\0nginx", "sudo systemctl restart nginx");
  WRITES("sudo\0-u\0maria\0PATH=/bin:/usr/bin\0a@b%c+d,e", "sudo -u maria PATH=/bin:/usr/bin a@b%c+d,e");
}

static void tells_one_argument_from_two(void)
{
  WRITES("rm\0a b", "rm 'a b'");
  WRITES("rm\0a\0b", "rm a b");
  WRITES("sh\0-c\0rm -rf /; echo", "sh -c 'rm -rf /; echo'");
  WRITES("echo\0", "echo ''");
  WRITES("echo\0it's", "echo 'it'\\''s'");
  WRITES("echo\0'", "echo ''\\'''");
  WRITES("echo\0\\\0$x\0\xff\x1b[2J", "echo '\\' '$x' '\xff\x1b[2J'");
}

static void cuts_what_is_too_long_at_its_end(void)
{
  char arguments[300], text[101];
  for (size_t room = 0; room < sizeof text; room++) {
    memset(text, '!', sizeof text);
    memset(arguments, room % 2 == 0 ? 'a' : '\'', sizeof arguments);
    CHECK(command_quote(arguments, sizeof arguments, text, room) == room);
    CHECK(text[room] == '!');
  }
  CHECK(command_quote(arguments, 0, text, sizeof text) == 0);
}

static void reads_its_own_process(void)
{
  char text[UAF_COMMAND_MAX];
  const size_t length = command_read(text, sizeof text);
  CHECK(length > 0 && memmem(text, length, "test-command", strlen("test-command")) != NULL);
}

int main(void)
{
  test("leaves plain arguments as they are", leaves_plain_arguments);
  test("tells one argument from two, and a quote from its end", tells_one_argument_from_two);
  test("cuts what is too long at its end, and never beyond its room", cuts_what_is_too_long_at_its_end);
  test("reads the command line of its own process", reads_its_own_process);
  return check_summary();
}
