#include "CArguments.h"

#include <stddef.h>

static char *none[] = {NULL};
static char **arguments = none;
static int argument_count;

// glibc calls constructors with what it gives to main. /proc/self/cmdline is not the same: for a program that was started as
// the argument of the dynamic linker, it begins with the linker's name. First of all, because Swift's runtime may ask in a
// constructor of its own.
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
