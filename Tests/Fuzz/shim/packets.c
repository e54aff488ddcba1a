#include "packets.h"

#include <string.h>

#include "check.h"

/* Every event is built once, into room of its own: an input is shorter than this. */
static uint8_t room[1 << 18];
static size_t used;

static struct {
  uint8_t *bytes;
  size_t length;
} packet;

static void put(uint8_t tag, const void *value, size_t size)
{
  packet.bytes[packet.length] = tag;
  packet.bytes[packet.length + 1] = (uint8_t)(size >> 8);
  packet.bytes[packet.length + 2] = (uint8_t)size;
  if (size > 0)
    memcpy(packet.bytes + packet.length + 3, value, size);
  packet.length += 3 + size;
}

static void put_rest(uint8_t tag, const struct record *event, size_t from)
{
  if (from < event->length)
    put(tag, event->bytes + from, event->length - from);
}

/* First byte: how it is asked; the rest is the text. */
static void put_prompt(const struct record *event)
{
  const uint8_t how = script_byte(event, 0);
  const uint8_t echo = how & 1, step = (how >> 1 & 3) % 3 + 1;
  const char *check = (how & 64) != 0 ? "choice" : (how & 8) != 0 ? "pattern" : "passcode";
  put(1, &echo, 1);
  put(2, check, strlen(check));
  put(3, &step, 1);
  if (event->length > 1)
    put_rest(4, event, 1);
  else
    put(4, "?", 1);
  if ((how & 16) != 0)
    put(6, "Wrong.", 6);
  if ((how & 32) != 0)
    put(8, "\0\0\0\6", 4);
  for (unsigned i = 0; (how & 64) != 0 && i < 3; i++)
    put(9, "an option", 9);
}

/* Code, result, and whether the value is stale, from the lists of those that mean something; the rest is the text. */
static void put_finished(const struct record *event)
{
  static const uint8_t codes[] = {0, 25, 7, 4, 3, 10, 11, 19, 9, 17, 20, 12, 14, 30, 8, 5};
  static const uint16_t results[] = {0, 1009, 7110, 7001, 4001, 7009, 3010, 7111, 10, 7100, 1006, 7113, 65535};
  const uint8_t code = codes[script_byte(event, 0) % sizeof codes];
  const uint16_t result = results[script_byte(event, 1) % (sizeof results / sizeof results[0])];
  put(1, &code, 1);
  put(2, (const uint8_t[]){0, 0, (uint8_t)(result >> 8), (uint8_t)result}, 4);
  put_rest(3, event, 3);
  if ((script_byte(event, 2) & 1) != 0)
    put(6, "\1", 1);
}

static void put_variable(const struct record *event)
{
  const size_t size = event->length < 3 ? event->length : 3;
  put(1, event->bytes, size);
  put(2, event->bytes + size, event->length - size);
}

void packet_reset(void) { used = 0; }

const uint8_t *packet_build(const struct record *event, size_t *length)
{
  MUST(event->length + 64 <= sizeof room - used);
  packet.bytes = room + used;
  packet.length = 0;
  if (event->letter == 'x') {
    memcpy(packet.bytes, event->bytes, event->length);
    packet.length = event->length;
  } else {
    static const char letters[] = "PIERVFK";
    packet.bytes[packet.length++] = (uint8_t)(0x81 + (strchr(letters, event->letter) - letters));
    switch (event->letter) {
    case 'P':
      put_prompt(event);
      break;
    case 'I':
    case 'E':
      put(1, event->bytes, event->length);
      break;
    case 'V':
      put_variable(event);
      break;
    case 'F':
      put_finished(event);
      break;
    case 'K':
      put_rest(1, event, 0);
      break;
    default:
      break;
    }
  }
  used += packet.length;
  *length = packet.length;
  return packet.bytes;
}

int packet_is_well_formed(const uint8_t *bytes, size_t length)
{
  unsigned previous = 0;
  size_t at = 1;
  if (length < 1)
    return 0;
  while (length - at >= 3 && bytes[at] >= previous) {
    previous = bytes[at];
    const size_t size = (size_t)bytes[at + 1] << 8 | bytes[at + 2];
    if (size > length - at - 3)
      return 0;
    at += 3 + size;
  }
  return at == length;
}

const uint8_t *packet_field(const uint8_t *bytes, size_t length, uint8_t tag, size_t *size)
{
  for (size_t at = 1; length - at >= 3; at += 3 + *size) {
    *size = (size_t)bytes[at + 1] << 8 | bytes[at + 2];
    if (bytes[at] == tag)
      return bytes + at + 3;
  }
  return NULL;
}
