/* The reader of the core's packets, and the writer of the module's, without anything around them. */
#include "frame.h"

#include <stdbool.h>
#include <string.h>

#include "check.h"
#include "limits.h"
#include "module.h"
#include "packets.h"

static void check_message(const uint8_t *packet, size_t length, const struct frame_message *message)
{
  size_t size = 0, total = 1;
  MUST(message->type == packet[0] && packet_is_well_formed(packet, length));
  for (unsigned tag = 0; tag < FRAME_FIELDS; tag++) {
    const struct frame_bytes *field = &message->field[tag];
    const uint8_t *first = packet_field(packet, length, (uint8_t)tag, &size);
    MUST(field->start == first && (first == NULL || field->length == size));
    total += first != NULL ? 3 + size : 0;
  }
  /* A choice alone may have a field more than once. */
  MUST(total == length || message->field[PROMPT_OPTION].start != NULL);
  MUST(message->type != FRAME_FINISHED || message->field[FINISHED_RESULT].length == 4);
}

static struct frame_bytes cut(const uint8_t **bytes, size_t *left)
{
  if (*left < 1)
    return (struct frame_bytes){0};
  size_t length = (*bytes)[0] * 3u;
  length = length < *left - 1 ? length : *left - 1;
  const struct frame_bytes part = {*bytes + 1, length};
  *bytes += 1 + length;
  *left -= 1 + length;
  return part;
}

/* What is written keeps to the rules, or is not written at all. */
static void write_begin(const uint8_t *bytes, size_t size)
{
  static uint8_t packet[UAF_PACKET_MAX];
  struct frame_begin begin = {.operation = OPERATION_AUTHENTICATE,
                              .has_uid = size % 2 == 0,
                              .has_flags = true,
                              .has_caller = size % 3 == 0,
                              .caller = (uint32_t)size};
  struct frame_bytes *const parts[] = {&begin.account, &begin.typed_name,  &begin.service,
                                       &begin.tty,     &begin.remote_host, &begin.remote_user,
                                       &begin.locale,  &begin.program,     &begin.command_line};
  static const size_t limits[] = {256, 256, 64, 256, 256, 256, 64, UAF_PROGRAM_MAX, UAF_COMMAND_MAX};
  bool fits = true;
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    *parts[i] = cut(&bytes, &size);
    fits &= parts[i]->length <= limits[i] && (parts[i]->length == 0 || parts[i] == &begin.command_line ||
                                              memchr(parts[i]->start, 0, parts[i]->length) == NULL);
  }
  const size_t length = frame_write_begin(packet, sizeof packet, &begin);
  MUST((length > 0) == fits);
  MUST(length == 0 || packet_is_well_formed(packet, length));
  const size_t capacity = length / 2;
  MUST(frame_write_begin(packet, capacity, &begin) == 0);
}

void fuzz_frame(const uint8_t *bytes, size_t size)
{
  struct frame_message message;
  if (frame_read(bytes, size, &message))
    check_message(bytes, size, &message);
  else
    MUST(message.type == 0);
  write_begin(bytes, size);
}
