#include "script.h"

#include <errno.h>
#include <string.h>

struct script script;

/* Texts of the input, terminated. An input is no longer than this, and each of its bytes is in one text at the most. */
static char texts[1 << 17];
static size_t texts_used;

static void add(struct row *row, const struct record *record)
{
  if (row->count < SCRIPT_ITEMS)
    row->items[row->count++] = *record;
}

static void add_fault(const struct record *record)
{
  static const int errors[] = {EIO,          EINTR,  EAGAIN, EPIPE,  ECONNRESET, ENOENT,
                               ECONNREFUSED, EACCES, EMFILE, ENOMEM, ESRCH};
  if (script.fault_count == SCRIPT_FAULTS)
    return;
  script.faults[script.fault_count++] = (struct fault){
    .place = script_byte(record, 0) % PLACES,
    .nth = script_byte(record, 1),
    .error = errors[script_byte(record, 2) % (sizeof errors / sizeof errors[0])],
  };
}

static void sort_in(const struct record *record)
{
  if (record->letter == '!')
    add_fault(record);
  else if (record->letter == 0)
    return;
  else if (strchr(FACT_LETTERS, record->letter) != NULL)
    add(&script.facts, record);
  else if (strchr(CALL_LETTERS, record->letter) != NULL)
    add(&script.calls, record);
  else if (strchr(EVENT_LETTERS, record->letter) != NULL)
    add(&script.events, record);
  else if (strchr(ANSWER_LETTERS, record->letter) != NULL)
    add(&script.answers, record);
}

void script_read(const uint8_t *bytes, size_t size)
{
  memset(&script, 0, sizeof script);
  texts_used = 0;
  for (size_t at = 0; size - at >= 2;) {
    struct record record = {.letter = bytes[at], .length = bytes[at + 1]};
    at += 2;
    if (record.length == 255 && size - at >= 2) {
      record.length = (size_t)bytes[at] << 8 | bytes[at + 1];
      at += 2;
    }
    if (record.length > size - at)
      record.length = size - at;
    record.bytes = bytes + at;
    at += record.length;
    sort_in(&record);
  }
}

bool script_fails(enum place place)
{
  const unsigned nth = script.passed[place]++;
  for (size_t i = 0; i < script.fault_count; i++)
    if (script.faults[i].place == (unsigned)place && script.faults[i].nth == nth) {
      errno = script.faults[i].error;
      return true;
    }
  return false;
}

const struct record *script_next(struct row *row) { return row->used < row->count ? &row->items[row->used++] : NULL; }

uint8_t script_byte(const struct record *record, size_t index)
{
  return index < record->length ? record->bytes[index] : 0;
}

const char *script_text(const struct record *record, size_t from)
{
  const size_t length = from < record->length ? record->length - from : 0;
  if (length + 1 > sizeof texts - texts_used)
    return "";
  char *text = texts + texts_used;
  if (length > 0)
    memcpy(text, record->bytes + from, length);
  text[length] = '\0';
  texts_used += strlen(text) + 1;
  return text;
}
