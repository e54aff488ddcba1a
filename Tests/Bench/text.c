#define _GNU_SOURCE
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

void give_up(const char *format, ...)
{
  va_list values;
  va_start(values, format);
  fputs("load: ", stderr);
  vfprintf(stderr, format, values);
  fputc('\n', stderr);
  va_end(values);
  exit(1);
}

void text_reserve(struct text *text, size_t more)
{
  if (text->room - text->length >= more)
    return;
  text->room = (text->length + more) * 2;
  text->bytes = realloc(text->bytes, text->room);
  if (!text->bytes)
    give_up("out of memory");
}

void text_add(struct text *text, const void *bytes, size_t length)
{
  text_reserve(text, length + 1);
  memcpy(text->bytes + text->length, bytes, length);
  text->length += length;
}

void text_put(struct text *text, const char *format, ...)
{
  va_list values;
  va_start(values, format);
  char line[1024];
  int length = vsnprintf(line, sizeof line, format, values);
  va_end(values);
  if (length < 0 || (size_t)length >= sizeof line)
    give_up("a line is too long");
  text_add(text, line, (size_t)length);
}

void text_base64url(struct text *text, const void *bytes, size_t length)
{
  const unsigned char *from = bytes;
  text_reserve(text, length * 4 / 3 + 4);
  char *to = text->bytes + text->length;
  size_t index = 0;
  for (; index + 2 < length; index += 3) {
    unsigned value = (unsigned)from[index] << 16 | (unsigned)from[index + 1] << 8 | from[index + 2];
    for (int shift = 18; shift >= 0; shift -= 6)
      *to++ = alphabet[value >> shift & 63];
  }
  if (index < length) {
    unsigned value = (unsigned)from[index] << 16 | (index + 1 < length ? (unsigned)from[index + 1] << 8 : 0);
    *to++ = alphabet[value >> 18 & 63];
    *to++ = alphabet[value >> 12 & 63];
    if (index + 1 < length)
      *to++ = alphabet[value >> 6 & 63];
  }
  text->length = (size_t)(to - text->bytes);
}

void text_quoted(struct text *text, const char *bytes, size_t length)
{
  text_reserve(text, length * 2 + 1);
  char *to = text->bytes + text->length;
  for (size_t index = 0; index < length; index++) {
    if (bytes[index] == '"' || bytes[index] == '\\')
      *to++ = '\\';
    *to++ = bytes[index];
  }
  text->length = (size_t)(to - text->bytes);
}

bool part_between(struct part whole, const char *before, char end, struct part *found)
{
  const char *start = memmem(whole.start, whole.length, before, strlen(before));
  if (!start)
    return false;
  start += strlen(before);
  const char *last = memchr(start, end, whole.length - (size_t)(start - whole.start));
  if (!last)
    return false;
  *found = (struct part){start, (size_t)(last - start)};
  return true;
}

long part_decoded(struct part text, unsigned char *bytes, size_t room)
{
  static signed char values[256];
  if (!values['B']) {
    memset(values, -1, sizeof values);
    for (int value = 0; value < 64; value++)
      values[(unsigned char)alphabet[value]] = (signed char)value;
  }
  if (text.length * 3 / 4 > room)
    return -1;
  unsigned buffer = 0;
  int bits = 0;
  long count = 0;
  for (size_t index = 0; index < text.length; index++) {
    int value = values[(unsigned char)text.start[index]];
    if (value < 0)
      return -1;
    buffer = buffer << 6 | (unsigned)value;
    bits += 6;
    if (bits < 8)
      continue;
    bits -= 8;
    bytes[count++] = (unsigned char)(buffer >> bits);
  }
  return count;
}
