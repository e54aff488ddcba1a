/* The smallest test runner: each test is a sentence and runs in a process of its own, so that it may change limits,
   ids, signals and descriptors. Output: "ok N - sentence" or "not ok N - sentence", then "N passed, N failed". */
#ifndef CHECK_H
#define CHECK_H

#include <stdbool.h>
#include <stdio.h>

/* Notes a failure, with its place, when the condition does not hold; the test goes on. */
#define CHECK(condition) check((condition), #condition, __FILE__, __LINE__)

/* What was compared is shown when the strings differ. */
#define CHECK_TEXT(seen, expected) check_text((seen), (expected), __FILE__, __LINE__)

void check(bool holds, const char *condition, const char *file, int line);
void check_text(const char *seen, const char *expected, const char *file, int line);

/* Runs one test. A crash, a sanitizer's report and a failed check are failures. */
void test(const char *sentence, void (*body)(void));

/* How many checks of this process failed so far; for a test that runs a part of itself in another process. */
unsigned check_failures(void);

/* Prints the last line. Returns the exit status of the program. */
int check_summary(void);

#endif
