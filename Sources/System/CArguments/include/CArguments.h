// The arguments of the programs of a login, without the search that Swift's runtime does. Needs glibc.

#pragma once

// Provides the arguments of Swift's `CommandLine`, in place of the function of Swift's runtime. That function searches for the
// arguments on the stack at the start of each program, even if nobody asks for them, and reads /proc/self/maps to know where
// the stack ends: 0.3 ms of the start of uaf-fetch.
//
// Sets `count` to the number of arguments. Returns the arguments, followed by a null pointer; they live as long as the program.
char **_swift_stdlib_getUnsafeArgvArgc(int *count);
