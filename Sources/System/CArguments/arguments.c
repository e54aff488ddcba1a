#include "CArguments.h"

#include <stddef.h>

static char *none[] = {NULL};
static char **arguments = none;
static int argument_count;

// glibc calls constructors with the arguments of main. /proc/self/cmdline is not the same: for a program that was started as
// the argument of the dynamic linker, it begins with the linker's name. Runs before all other constructors, because Swift's
// runtime may ask for the arguments in one.
__attribute__((constructor(101))) static void keep_arguments(int count, char **values)
{
  arguments = values;
  argument_count = count;
}

char **_swift_stdlib_getUnsafeArgvArgc(int *count)
{
  *count = argument_count;
  return arguments;
}
