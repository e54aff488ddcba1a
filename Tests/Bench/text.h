/* Bytes that grow, and the little of JSON and base64url that the load needs. */
#ifndef BENCH_TEXT_H
#define BENCH_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct text {
  char *bytes;
  size_t length, room;
};

/* A part of some text; it owns nothing. */
struct part {
  const char *start;
  size_t length;
};

/* Ends the program with a message: a run that is not whole has no figures. */
_Noreturn void give_up(const char *format, ...) __attribute__((format(printf, 1, 2)));

void text_reserve(struct text *text, size_t more);
void text_add(struct text *text, const void *bytes, size_t length);
void text_put(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_base64url(struct text *text, const void *bytes, size_t length);
/* Adds text as it stands between the quotation marks of a JSON string. */
void text_quoted(struct text *text, const char *bytes, size_t length);

/* The string after `before`, up to the next `end`; false if it is not there. */
bool part_between(struct part whole, const char *before, char end, struct part *found);
/* Writes the bytes of base64url; returns how many, or -1. */
long part_decoded(struct part text, unsigned char *bytes, size_t room);

#endif
