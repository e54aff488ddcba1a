/* The wire format: writes packets for the core, reads and checks the core's packets, and determines which packet may follow
   which. The results depend only on the arguments, so all of it can be tested and fuzzed without a socket. */
#include "frame.h"

#include <string.h>

#include "limits.h"

#define FIELD_HEADER 3
_Static_assert(FRAME_OPTIONS == UAF_OPTIONS_MAX, "a message has room for every option");

enum field_kind {
  KIND_BOOLEAN,
  KIND_MARK, /* a boolean that is 1 or absent */
  KIND_STEP,
  KIND_U8,
  KIND_U32,
  KIND_ENTRY_LENGTH,
  KIND_TEXT,
  KIND_OPTION, /* a text that may occur UAF_OPTIONS_MAX times */
  KIND_VARIABLE,
  KIND_PASSWORD /* one byte or more, without NUL, in any encoding */
};

/* One row per field of the core's messages; a tag without a row is not a field. */
static const struct field_rule {
  uint8_t type, tag;
  enum field_kind kind;
  uint16_t limit;
  bool required;
} rules[] = {
  {FRAME_PROMPT, PROMPT_ECHO, KIND_BOOLEAN, 1, true},
  {FRAME_PROMPT, PROMPT_CHECK, KIND_TEXT, 32, true},
  {FRAME_PROMPT, PROMPT_STEP, KIND_STEP, 1, true},
  {FRAME_PROMPT, PROMPT_TEXT, KIND_TEXT, UAF_TEXT_MAX, true},
  {FRAME_PROMPT, PROMPT_REMAINING_ATTEMPTS, KIND_U32, 4, false},
  {FRAME_PROMPT, PROMPT_ERROR_MESSAGE, KIND_TEXT, UAF_TEXT_MAX, false},
  {FRAME_PROMPT, PROMPT_REASON, KIND_TEXT, UAF_TEXT_MAX, false},
  {FRAME_PROMPT, PROMPT_ENTRY_LENGTH, KIND_ENTRY_LENGTH, 4, false},
  {FRAME_PROMPT, PROMPT_OPTION, KIND_OPTION, UAF_OPTION_MAX, false},
  {FRAME_PROMPT, PROMPT_CONFIRMED, KIND_TEXT, UAF_TEXT_MAX, false},
  {FRAME_INFO, NOTICE_TEXT, KIND_TEXT, UAF_TEXT_MAX, true},
  {FRAME_ERROR, NOTICE_TEXT, KIND_TEXT, UAF_TEXT_MAX, true},
  {FRAME_SETENV, SETENV_NAME, KIND_VARIABLE, UAF_VARIABLE_NAME_MAX, true},
  {FRAME_SETENV, SETENV_VALUE, KIND_TEXT, UAF_VARIABLE_VALUE_MAX, true},
  {FRAME_FINISHED, FINISHED_PAM_CODE, KIND_U8, 1, true},
  {FRAME_FINISHED, FINISHED_RESULT, KIND_U32, 4, true},
  {FRAME_FINISHED, FINISHED_TEXT, KIND_TEXT, UAF_TEXT_MAX, false},
  {FRAME_FINISHED, FINISHED_TOKEN, KIND_TEXT, 8192, false},
  {FRAME_FINISHED, FINISHED_DOCUMENT, KIND_TEXT, 32768, false},
  {FRAME_FINISHED, FINISHED_STALE_VALUE, KIND_MARK, 1, false},
  {FRAME_KEYRING, KEYRING_PASSWORD, KIND_PASSWORD, UAF_KEYRING_MAX, true},
};

static const struct {
  enum frame_state from;
  uint8_t type;
  enum frame_state to;
} transitions[] = {
  {STATE_OPENED, FRAME_BEGIN, STATE_WORKING},    {STATE_WORKING, FRAME_PROMPT, STATE_ASKED},
  {STATE_WORKING, FRAME_INFO, STATE_WORKING},    {STATE_WORKING, FRAME_ERROR, STATE_WORKING},
  {STATE_WORKING, FRAME_READY, STATE_PAUSED},    {STATE_WORKING, FRAME_SETENV, STATE_WORKING},
  {STATE_WORKING, FRAME_KEYRING, STATE_WORKING}, {STATE_WORKING, FRAME_FINISHED, STATE_FINISHED},
  {STATE_ASKED, FRAME_ANSWER, STATE_WORKING},    {STATE_ASKED, FRAME_CANCELLED, STATE_WORKING},
  {STATE_PAUSED, FRAME_RESUME, STATE_WORKING},   {STATE_PAUSED, FRAME_CANCELLED, STATE_WORKING},
};

enum frame_state frame_next(enum frame_state state, uint8_t type)
{
  for (size_t i = 0; i < sizeof transitions / sizeof transitions[0]; i++)
    if (transitions[i].from == state && transitions[i].type == type)
      return transitions[i].to;
  return STATE_BROKEN;
}

/* A packet that is being written. Once something did not fit, `failed` stays true, so it need only be checked at the end. */
struct writer {
  uint8_t *packet;
  size_t capacity, length;
  bool failed;
};

static void put(struct writer *writer, uint8_t tag, const void *bytes, size_t length, size_t limit)
{
  if (writer->failed || length > limit || writer->capacity - writer->length < FIELD_HEADER + length) {
    writer->failed = true;
    return;
  }
  uint8_t *field = writer->packet + writer->length;
  field[0] = tag;
  field[1] = (uint8_t)(length >> 8);
  field[2] = (uint8_t)length;
  if (length > 0)
    memcpy(field + FIELD_HEADER, bytes, length);
  writer->length += FIELD_HEADER + length;
}

/* Writes a field unless it is absent. A field that contains a NUL is refused, because the core would refuse it. */
static void put_label(struct writer *writer, uint8_t tag, const struct frame_bytes *label, size_t limit)
{
  if (label->start == NULL)
    return;
  if (memchr(label->start, 0, label->length) != NULL)
    writer->failed = true;
  put(writer, tag, label->start, label->length, limit);
}

static void put_number(struct writer *writer, uint8_t tag, uint32_t number, size_t size)
{
  const uint8_t bytes[4] = {(uint8_t)(number >> 24), (uint8_t)(number >> 16), (uint8_t)(number >> 8), (uint8_t)number};
  put(writer, tag, bytes + (sizeof bytes - size), size, sizeof bytes);
}

static struct writer start_packet(uint8_t *packet, size_t capacity, enum frame_type type)
{
  struct writer writer = {packet, capacity < UAF_PACKET_MAX ? capacity : UAF_PACKET_MAX, 1, capacity < 1};
  if (!writer.failed)
    packet[0] = (uint8_t)type;
  return writer;
}

size_t frame_write_begin(uint8_t *packet, size_t capacity, const struct frame_begin *begin)
{
  struct writer writer = start_packet(packet, capacity, FRAME_BEGIN);
  put_number(&writer, BEGIN_VERSION, UAF_PROTOCOL_VERSION, 2);
  put_number(&writer, BEGIN_OPERATION, begin->operation, 1);
  if (begin->has_uid)
    put_number(&writer, BEGIN_UID, begin->uid, 4);
  put_label(&writer, BEGIN_ACCOUNT, &begin->account, UAF_NAME_MAX);
  put_label(&writer, BEGIN_TYPED_NAME, &begin->typed_name, UAF_NAME_MAX);
  put_label(&writer, BEGIN_SERVICE, &begin->service, UAF_SERVICE_MAX);
  put_label(&writer, BEGIN_TTY, &begin->tty, UAF_NAME_MAX);
  put_label(&writer, BEGIN_REMOTE_HOST, &begin->remote_host, UAF_NAME_MAX);
  put_label(&writer, BEGIN_REMOTE_USER, &begin->remote_user, UAF_NAME_MAX);
  if (begin->has_remote)
    put_number(&writer, BEGIN_REMOTE, begin->remote ? 1 : 0, 1);
  if (begin->has_flags)
    put_number(&writer, BEGIN_PAM_FLAGS, begin->flags, 4);
  if (begin->argument_count > UAF_ARGUMENTS_MAX)
    return 0;
  for (size_t i = 0; i < begin->argument_count; i++)
    put(&writer, BEGIN_ARGUMENT, begin->arguments[i], strlen(begin->arguments[i]), UAF_ARGUMENT_MAX);
  put_label(&writer, BEGIN_LOCALE, &begin->locale, UAF_LOCALE_MAX);
  if (begin->divided)
    put_number(&writer, BEGIN_DIVIDED, 1, 1);
  if (begin->has_caller)
    put_number(&writer, BEGIN_CALLER_UID, begin->caller, 4);
  put_label(&writer, BEGIN_PROGRAM, &begin->program, UAF_PROGRAM_MAX);
  if (begin->command_line.start != NULL)
    put(&writer, BEGIN_COMMAND_LINE, begin->command_line.start, begin->command_line.length, UAF_COMMAND_MAX);
  if (begin->lists)
    put_number(&writer, BEGIN_SHOWS_LISTS, 1, 1);
  if (begin->keyring)
    put_number(&writer, BEGIN_TAKES_KEYRING, 1, 1);
  return writer.failed ? 0 : writer.length;
}

size_t frame_write_answer(uint8_t *packet, size_t capacity, const char *value, size_t length)
{
  struct writer writer = start_packet(packet, capacity, FRAME_ANSWER);
  put(&writer, ANSWER_VALUE, value, length, UAF_ANSWER_MAX);
  return writer.failed ? 0 : writer.length;
}

size_t frame_write_cancelled(uint8_t *packet, size_t capacity, bool no_conversation)
{
  struct writer writer = start_packet(packet, capacity, FRAME_CANCELLED);
  if (no_conversation)
    put_number(&writer, CANCELLED_NO_CONVERSATION, 1, 1);
  return writer.failed ? 0 : writer.length;
}

size_t frame_write_bare(uint8_t *packet, size_t capacity, enum frame_type type)
{
  const struct writer writer = start_packet(packet, capacity, type);
  return writer.failed ? 0 : writer.length;
}

/* The length of the UTF-8 character that starts here. Returns 0 if it is invalid: overlong, a surrogate, above U+10FFFF, or cut
   off. Of the bytes after the first one, only the second may have a special range, and only after four particular first bytes.
   */
static size_t character_length(const uint8_t *bytes, size_t left)
{
  const uint8_t first = bytes[0];
  if (first > 0 && first < 0x80)
    return 1;
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || left < length)
    return 0;
  const uint8_t low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const uint8_t high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (bytes[1] < low || bytes[1] > high)
    return 0;
  for (size_t i = 2; i < length; i++)
    if ((bytes[i] & 0xc0) != 0x80)
      return 0;
  return length;
}

bool frame_is_text(const uint8_t *bytes, size_t length)
{
  for (size_t at = 0; at < length;) {
    const size_t step = character_length(bytes + at, length - at);
    if (step == 0)
      return false;
    at += step;
  }
  return true;
}

/* Whether the bytes are a name for setenv(3), with only characters that a shell allows, so without "=". */
static bool is_variable_name(const uint8_t *bytes, size_t length)
{
  static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
  const size_t digits = sizeof allowed - 1 - 10;
  for (size_t i = 0; i < length; i++)
    if (memchr(allowed, bytes[i], i == 0 ? digits : sizeof allowed - 1) == NULL)
      return false;
  return length > 0;
}

static uint32_t number(const uint8_t *bytes, size_t length)
{
  uint32_t number = 0;
  for (size_t i = 0; i < length && i < sizeof number; i++)
    number = number << 8 | bytes[i];
  return number;
}

static bool value_is_valid(const struct field_rule *rule, const uint8_t *bytes, size_t length)
{
  switch (rule->kind) {
  case KIND_BOOLEAN:
    return length == 1 && bytes[0] <= 1;
  case KIND_MARK:
    return length == 1 && bytes[0] == 1;
  case KIND_STEP:
    return length == 1 && bytes[0] >= STEP_CURRENT && bytes[0] <= STEP_NEW_AGAIN;
  case KIND_ENTRY_LENGTH:
    return length == 4 && number(bytes, length) >= 1 && number(bytes, length) <= UAF_ENTRY_LENGTH_MAX;
  case KIND_U8:
  case KIND_U32:
    return length == rule->limit;
  case KIND_VARIABLE:
    return length <= rule->limit && is_variable_name(bytes, length);
  case KIND_PASSWORD:
    return length >= 1 && length <= rule->limit && memchr(bytes, 0, length) == NULL;
  case KIND_TEXT:
  case KIND_OPTION:
    return length <= rule->limit && frame_is_text(bytes, length);
  }
  return false;
}

static const struct field_rule *rule_for(uint8_t type, uint8_t tag)
{
  for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
    if (rules[i].type == type && rules[i].tag == tag)
      return &rules[i];
  return NULL;
}

/* Reads the fields one after the other. Their tags must ascend; only options may be repeated. */
static bool read_fields(const uint8_t *packet, size_t length, struct frame_message *message)
{
  uint8_t previous = 0;
  unsigned again = 0;
  for (size_t at = 1; at < length;) {
    if (length - at < FIELD_HEADER)
      return false;
    const uint8_t tag = packet[at];
    const size_t size = (size_t)packet[at + 1] << 8 | packet[at + 2];
    at += FIELD_HEADER;
    const struct field_rule *rule = rule_for(message->type, tag);
    again = tag == previous ? again + 1 : 0;
    if (rule == NULL || tag < previous || again >= (rule->kind == KIND_OPTION ? UAF_OPTIONS_MAX : 1u) ||
        size > length - at || !value_is_valid(rule, packet + at, size))
      return false;
    if (again == 0)
      message->field[tag] = (struct frame_bytes){packet + at, size};
    if (rule->kind == KIND_OPTION)
      message->option[message->option_count++] = (struct frame_bytes){packet + at, size};
    previous = tag;
    at += size;
  }
  return true;
}

bool frame_read(const uint8_t *packet, size_t length, struct frame_message *message)
{
  *message = (struct frame_message){0};
  if (length < 1 || length > UAF_PACKET_MAX || packet[0] < FRAME_PROMPT || packet[0] > FRAME_KEYRING)
    return false;
  message->type = packet[0];
  bool complete = read_fields(packet, length, message);
  for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
    if (rules[i].type == message->type && rules[i].required && message->field[rules[i].tag].start == NULL)
      complete = false;
  if (!complete)
    *message = (struct frame_message){0};
  return complete;
}

uint32_t frame_number(const struct frame_message *message, unsigned tag)
{
  return tag < FRAME_FIELDS ? number(message->field[tag].start, message->field[tag].length) : 0;
}
