/* What a process was told to do, as the core gets it. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "command.h"

/* Runs this program by another name, with an argument, and has it check what it reads. */
static int run(const char *name, const char *argument)
{
  const pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", name, "--read", argument, (char *)NULL);
    _exit(127);
  }
  int status = -1;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* In the program that was run: the file by its path, the arguments byte by byte with their NULs. */
static int read_as_child(int argc, char **argv)
{
  struct command command;
  command_read_program(&command);
  command_read_line(&command);
  const size_t expected = strlen(argv[0]) + 1 + strlen(argv[1]) + 1 + strlen(argv[2]) + 1;
  const size_t length = expected < sizeof command.line ? expected : sizeof command.line;
  static const char name[] = "/test-command";
  const size_t end = sizeof name - 1;
  /* The kernel has them one behind the other. */
  const bool is_line = argc == 3 && command.line_length == length && memcmp(command.line, argv[0], length) == 0;
  const bool is_file = command.program_length > end && command.program[0] == '/' &&
                       memcmp(command.program + command.program_length - end, name, end) == 0;
  return is_line && is_file ? 0 : 1;
}

static void reads_its_own_process(void)
{
  CHECK(run("test-command", "argument") == 0);
  CHECK(run("test-command", "") == 0);
  CHECK(run("test-command", "two words\nand 'quotes'") == 0);
}

static void names_the_file_whatever_it_is_called(void)
{
  CHECK(run("ls", "-s") == 0);
  CHECK(run("", "") == 0);
}

static void cuts_a_line_that_is_too_long(void)
{
  char argument[2 * UAF_COMMAND_MAX];
  for (size_t length = UAF_COMMAND_MAX - 30; length < sizeof argument; length += 10) {
    memset(argument, 'x', length);
    argument[length] = '\0';
    CHECK(run("sudo", argument) == 0);
  }
}

int main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "--read") == 0)
    return read_as_child(argc, argv);
  test("reads the arguments of its own process", reads_its_own_process);
  test("names the file that runs, whatever name the caller gave it", names_the_file_whatever_it_is_called);
  test("cuts a line that is too long at its end, and never beyond its room", cuts_a_line_that_is_too_long);
  return check_summary();
}
