// The arguments of the programs of a login, without what Swift's runtime does to find them. Needs glibc.

#pragma once

// Answers Swift's `CommandLine`, in place of the function of Swift's runtime. That one looks for the arguments on the stack at
// the start of each program, whether anybody asks or not, and reads /proc/self/maps to know where the stack ends: 0.3 ms of
// the start of uaf-fetch.
//
// Sets `count` to the number of arguments. Returns them and a null pointer; they live as long as the program.
char **_swift_stdlib_getUnsafeArgvArgc(int *count);
