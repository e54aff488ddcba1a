/* frame.c against the golden packets. VECTORS is the folder they are in. */
#include "frame.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "limits.h"
#include "packets.h"

#define SAME(packet, length, name) CHECK(same((packet), (length), (name)))

static bool same(const uint8_t *packet, size_t length, const char *name)
{
  static uint8_t golden[PACKET_ROOM];
  const size_t expected = packet_read(VECTORS, name, golden);
  const bool equal = length == expected && memcmp(packet, golden, length) == 0;
  if (!equal)
    printf("# differs from %s (%zu bytes, %zu expected)\n", name, length, expected);
  return equal;
}

static struct frame_bytes bytes(const char *text) { return (struct frame_bytes){(const uint8_t *)text, strlen(text)}; }

static struct frame_bytes many(char character, size_t count)
{
  char *text = calloc(1, count + 1);
  memset(text, character, count);
  return bytes(text); /* as long-lived as the test */
}

static void forget(struct frame_bytes value) { free((void *)(uintptr_t)value.start); }

/* A packet in memory of exactly its size, so that the address sanitizer sees a read past its end. */
static bool read_exactly(const uint8_t *packet, size_t length, struct frame_message *message)
{
  uint8_t *copy = malloc(length > 0 ? length : 1);
  memcpy(copy, packet, length);
  const bool accepted = frame_read(copy, length, message);
  for (unsigned tag = 0; tag < FRAME_FIELDS; tag++) /* what was accepted can be read */
    for (size_t i = 0; accepted && i < message->field[tag].length; i++)
      CHECK(message->field[tag].start[i] == copy[message->field[tag].start + i - copy]);
  free(copy);
  return accepted;
}

static struct frame_message golden_message(const char *name)
{
  static uint8_t packet[PACKET_ROOM];
  struct frame_message message;
  CHECK(frame_read(packet, packet_read(VECTORS, name, packet), &message));
  return message;
}

static bool holds(const struct frame_message *message, unsigned tag, const char *text)
{
  const struct frame_bytes *field = &message->field[tag];
  return field->start != NULL && field->length == strlen(text) && memcmp(field->start, text, field->length) == 0;
}

static void writes_begin(void)
{
  uint8_t packet[UAF_PACKET_MAX];
  struct frame_begin begin = {.operation = OPERATION_AUTHENTICATE};
  SAME(packet, frame_write_begin(packet, sizeof packet, &begin), "begin-minimal.hex");
  begin = (struct frame_begin){.operation = 1,
                               .has_uid = true,
                               .uid = 1000,
                               .account = bytes("maria"),
                               .typed_name = bytes("maria"),
                               .service = bytes("sudo"),
                               .tty = bytes("/dev/pts/3"),
                               .remote_user = bytes("maria"),
                               .has_remote = true,
                               .has_flags = true,
                               .flags = 0x8000,
                               .locale = bytes("en_US.UTF-8"),
                               .program = bytes("/usr/bin/sudo"),
                               .command_line = {(const uint8_t *)"sudo\0systemctl\0restart\0nginx", 29},
                               .has_caller = true,
                               .caller = 1000};
  SAME(packet, frame_write_begin(packet, sizeof packet, &begin), "begin-sudo.hex");
  const char *const account_check[] = {"account_check"};
  begin = (struct frame_begin){.operation = OPERATION_ACCOUNT,
                               .has_uid = true,
                               .uid = 1000,
                               .account = bytes("alice"),
                               .typed_name = bytes("alice"),
                               .service = bytes("cron"),
                               .tty = bytes("cron"),
                               .has_remote = true,
                               .has_flags = true,
                               .flags = 0x8000,
                               .arguments = account_check,
                               .argument_count = 1,
                               .has_caller = true};
  SAME(packet, frame_write_begin(packet, sizeof packet, &begin), "begin-account.hex");
  begin = (struct frame_begin){.operation = 1,
                               .typed_name = bytes("a\033[2J\nb\xff"),
                               .service = bytes("sshd"),
                               .has_remote = true,
                               .remote = true,
                               .has_flags = true,
                               .has_caller = true};
  SAME(packet, frame_write_begin(packet, sizeof packet, &begin), "begin-unresolved.hex");
  begin = (struct frame_begin){
    .operation = 1, .typed_name = bytes(""), .service = bytes("sshd"), .has_remote = true, .has_flags = true};
  SAME(packet, frame_write_begin(packet, sizeof packet, &begin), "begin-empty-name.hex");
  begin = (struct frame_begin){.operation = 1, .service = bytes("gdm-password"), .keyring = true};
  SAME(packet, frame_write_begin(packet, sizeof packet, &begin), "begin-keyring.hex");
}

static void writes_begin_at_its_limits(void)
{
  uint8_t packet[UAF_PACKET_MAX];
  char names[32][4] = {""};
  const char *arguments[32] = {names[0]};
  for (unsigned i = 1; i < 32; i++) {
    snprintf(names[i], sizeof names[i], "a%u", i);
    arguments[i] = names[i];
  }
  struct frame_begin begin = {.operation = 1, .arguments = arguments, .argument_count = 32};
  SAME(packet, frame_write_begin(packet, sizeof packet, &begin), "begin-32-arguments.hex");
  const struct frame_bytes long_argument = many('c', 4096);
  arguments[0] = (const char *)long_argument.start;
  begin = (struct frame_begin){.operation = 5,
                               .has_uid = true,
                               .uid = UINT32_MAX,
                               .account = many('a', 256),
                               .typed_name = many('t', 256),
                               .service = many('s', 64),
                               .tty = many('y', 256),
                               .remote_host = many('h', 256),
                               .remote_user = many('u', 256),
                               .has_remote = true,
                               .has_flags = true,
                               .flags = UINT32_MAX,
                               .arguments = arguments,
                               .argument_count = 1,
                               .locale = many('l', 64),
                               .has_caller = true,
                               .caller = UINT32_MAX};
  const size_t length = frame_write_begin(packet, sizeof packet, &begin);
  SAME(packet, length, "begin-limits.hex");
  for (size_t room = 0; room < length; room++) /* exactly as much room as given is used */
    CHECK(frame_write_begin(packet, room, &begin) == 0);
  const struct frame_bytes all[] = {begin.account,     begin.typed_name,  begin.service, begin.tty,
                                    begin.remote_host, begin.remote_user, begin.locale,  long_argument};
  for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++)
    forget(all[i]);
}

static void refuses_to_write_a_begin_beyond_its_limits(void)
{
  uint8_t packet[UAF_PACKET_MAX];
  const char *arguments[33];
  const struct frame_bytes name = many('a', 257), service = many('s', 65), argument = many('c', 4097);
  const struct frame_bytes full = many('c', 4096);
  struct frame_begin begin = {.operation = 1, .account = name};
  CHECK(frame_write_begin(packet, sizeof packet, &begin) == 0);
  begin = (struct frame_begin){.operation = 1, .service = service};
  CHECK(frame_write_begin(packet, sizeof packet, &begin) == 0);
  begin = (struct frame_begin){.operation = 1, .locale = service};
  CHECK(frame_write_begin(packet, sizeof packet, &begin) == 0);
  begin = (struct frame_begin){.operation = 1, .tty = {(const uint8_t *)"a\0b", 3}};
  CHECK(frame_write_begin(packet, sizeof packet, &begin) == 0);
  for (unsigned i = 0; i < 33; i++)
    arguments[i] = "a";
  begin = (struct frame_begin){.operation = 1, .arguments = arguments, .argument_count = 33};
  CHECK(frame_write_begin(packet, sizeof packet, &begin) == 0);
  arguments[0] = (const char *)argument.start;
  begin.argument_count = 1;
  CHECK(frame_write_begin(packet, sizeof packet, &begin) == 0);
  for (unsigned i = 0; i < 33; i++)
    arguments[i] = (const char *)full.start; /* each is allowed, together they are more than a packet */
  begin.argument_count = 16;
  CHECK(frame_write_begin(packet, sizeof packet, &begin) == 0);
  forget(name), forget(service), forget(argument), forget(full);
}

static void writes_answers(void)
{
  uint8_t packet[UAF_PACKET_MAX];
  const struct frame_bytes limit = many('x', 1025);
  SAME(packet, frame_write_answer(packet, sizeof packet, "Abcdef1!", 8), "answer.hex");
  SAME(packet, frame_write_answer(packet, sizeof packet, "", 0), "answer-empty.hex");
  SAME(packet, frame_write_answer(packet, sizeof packet, "\x08\x0a\x0d\x7f\xff\xfe\xed\x95", 8), "answer-not-text.hex");
  SAME(packet, frame_write_answer(packet, sizeof packet, (const char *)limit.start, 1024), "answer-limit.hex");
  CHECK(frame_write_answer(packet, sizeof packet, (const char *)limit.start, 1025) == 0);
  CHECK(frame_write_answer(packet, 11, "Abcdef1!", 8) == 0);
  CHECK(frame_write_answer(packet, 12, "Abcdef1!", 8) == 12);
  SAME(packet, frame_write_cancelled(packet, sizeof packet, false), "cancelled.hex");
  SAME(packet, frame_write_cancelled(packet, sizeof packet, true), "cancelled-no-conversation.hex");
  CHECK(frame_write_cancelled(packet, 4, true) == 0);
  SAME(packet, frame_write_bare(packet, sizeof packet, FRAME_RESUME), "resume.hex");
  CHECK(frame_write_bare(packet, 0, FRAME_RESUME) == 0);
  forget(limit);
}

static void reads_prompts(void)
{
  struct frame_message message = golden_message("prompt-minimal.hex");
  CHECK(message.type == FRAME_PROMPT && frame_number(&message, PROMPT_ECHO) == 0);
  CHECK(holds(&message, PROMPT_CHECK, "passcode") && holds(&message, PROMPT_TEXT, "Passcode: "));
  CHECK(frame_number(&message, PROMPT_STEP) == STEP_CURRENT);
  CHECK(message.field[PROMPT_REMAINING_ATTEMPTS].start == NULL && message.field[PROMPT_ERROR_MESSAGE].start == NULL);
  CHECK(message.field[PROMPT_REASON].start == NULL);
  message = golden_message("prompt-full.hex");
  CHECK(frame_number(&message, PROMPT_ECHO) == 1 && frame_number(&message, PROMPT_STEP) == STEP_NEW_AGAIN);
  CHECK(holds(&message, PROMPT_CHECK, "choice") && holds(&message, PROMPT_TEXT, "비밀번호: "));
  CHECK(frame_number(&message, PROMPT_REMAINING_ATTEMPTS) == 4);
  CHECK(holds(&message, PROMPT_ERROR_MESSAGE, "틀렸습니다. 4번 남았습니다."));
  CHECK(holds(&message, PROMPT_REASON, "sudo: systemctl restart nginx"));
  CHECK(frame_number(&message, PROMPT_ENTRY_LENGTH) == 6 && holds(&message, PROMPT_OPTION, "passcode"));
  message = golden_message("prompt-choice.hex");
  CHECK(holds(&message, PROMPT_OPTION, "passcode") && message.field[PROMPT_ENTRY_LENGTH].start == NULL);
  message = golden_message("prompt-entry-length.hex");
  CHECK(frame_number(&message, PROMPT_ENTRY_LENGTH) == 4 && message.field[PROMPT_OPTION].start == NULL);
  message = golden_message("prompt-new.hex");
  CHECK(frame_number(&message, PROMPT_STEP) == STEP_NEW && holds(&message, PROMPT_TEXT, ""));
  message = golden_message("prompt-limits.hex");
  CHECK(frame_number(&message, PROMPT_REMAINING_ATTEMPTS) == UINT32_MAX && message.field[PROMPT_REASON].length == 4096);
  CHECK(frame_number(&message, PROMPT_ENTRY_LENGTH) == 256 && message.field[PROMPT_OPTION].length == 256);
}

static void reads_the_other_messages(void)
{
  struct frame_message message = golden_message("info.hex");
  CHECK(message.type == FRAME_INFO && holds(&message, NOTICE_TEXT, "Waiting for the server."));
  message = golden_message("error.hex");
  CHECK(message.type == FRAME_ERROR && holds(&message, NOTICE_TEXT, "Locked for 300 seconds."));
  message = golden_message("ready.hex");
  CHECK(message.type == FRAME_READY);
  message = golden_message("setenv.hex");
  CHECK(message.type == FRAME_SETENV && holds(&message, SETENV_NAME, "UAF_TOKEN"));
  CHECK(holds(&message, SETENV_VALUE, "eyJhbGciOiJFUzI1NiJ9.e30.c2ln"));
  message = golden_message("setenv-empty.hex");
  CHECK(holds(&message, SETENV_VALUE, ""));
  message = golden_message("keyring.hex");
  CHECK(message.type == FRAME_KEYRING && holds(&message, KEYRING_PASSWORD, "키링 1!"));
  CHECK(golden_message("keyring-limit.hex").field[KEYRING_PASSWORD].length == UAF_KEYRING_MAX);
  message = golden_message("finished-full.hex");
  CHECK(message.type == FRAME_FINISHED && frame_number(&message, FINISHED_PAM_CODE) == 0);
  CHECK(frame_number(&message, FINISHED_RESULT) == 0 && holds(&message, FINISHED_TEXT, "Welcome."));
  CHECK(holds(&message, FINISHED_TOKEN, "eyJ0b2tlbiI6MX0"));
  CHECK(holds(&message, FINISHED_DOCUMENT, "{\"version\":\"1\"}") && frame_number(&message, FINISHED_STALE_VALUE) == 1);
  message = golden_message("finished-stale.hex");
  CHECK(frame_number(&message, FINISHED_PAM_CODE) == 0 && frame_number(&message, FINISHED_STALE_VALUE) == 1);
  message = golden_message("finished-success.hex");
  CHECK(message.field[FINISHED_STALE_VALUE].start == NULL);
  message = golden_message("finished-wrong-value.hex");
  CHECK(frame_number(&message, FINISHED_PAM_CODE) == 7 && frame_number(&message, FINISHED_RESULT) == 3012);
  message = golden_message("finished-server-number.hex");
  CHECK(frame_number(&message, FINISHED_RESULT) == UINT32_MAX && holds(&message, FINISHED_TEXT, ""));
}

/* What the core sends, by the first part of the file's name. */
static bool from_the_core(const char *name)
{
  static const char *const names[] = {"prompt", "info", "error", "ready", "setenv", "finished", "keyring"};
  for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strncmp(name, names[i], strlen(names[i])) == 0)
      return true;
  return false;
}

static void read_or_refuse(const char *folder, const char *name)
{
  static uint8_t packet[PACKET_ROOM];
  struct frame_message message;
  const size_t length = packet_read(folder, name, packet);
  if (read_exactly(packet, length, &message) != from_the_core(name))
    check(false, name, __FILE__, __LINE__);
}

static void reads_what_the_core_sends_and_nothing_else(void) { CHECK(packet_each(VECTORS, read_or_refuse) >= 40); }

static void refuse(const char *folder, const char *name)
{
  static uint8_t packet[PACKET_ROOM];
  struct frame_message message;
  const size_t length = packet_read(folder, name, packet);
  if (read_exactly(packet, length, &message) || message.type != 0)
    check(false, name, __FILE__, __LINE__);
}

static void refuses_every_bad_packet(void) { CHECK(packet_each(VECTORS "/bad", refuse) >= 150); }

/* Whether a packet may end here: between two fields, with the required ones before. Counted without frame.c. */
static bool may_end(const uint8_t *packet, size_t length)
{
  const size_t required = packet[0] == 0x81                        ? 4
                          : packet[0] == 0x84                      ? 0
                          : packet[0] == 0x85 || packet[0] == 0x86 ? 2
                                                                   : 1;
  size_t at = 1, fields = 0;
  for (; at + 3 <= length; fields++)
    at += 3u + (size_t)(packet[at + 1] << 8 | packet[at + 2]);
  return at == length && fields >= required;
}

static void truncate_everywhere(const char *folder, const char *name)
{
  static uint8_t packet[PACKET_ROOM];
  struct frame_message message;
  if (!from_the_core(name))
    return;
  const size_t length = packet_read(folder, name, packet);
  for (size_t cut = 0; cut < length; cut++)
    if (read_exactly(packet, cut, &message) != (cut > 0 && may_end(packet, cut)))
      check(false, name, __FILE__, __LINE__);
}

static void refuses_every_truncation(void) { packet_each(VECTORS, truncate_everywhere); }

static void append_a_byte(const char *folder, const char *name)
{
  static uint8_t packet[PACKET_ROOM];
  struct frame_message message;
  const size_t length = packet_read(folder, name, packet);
  for (unsigned byte = 0; byte < 256; byte++) {
    packet[length] = (uint8_t)byte;
    if (read_exactly(packet, length + 1, &message))
      check(false, name, __FILE__, __LINE__);
  }
}

static void refuses_a_byte_left_over(void) { packet_each(VECTORS, append_a_byte); }

/* A flipped bit may make another valid packet; it must never make one that is read outside its memory. */
static void flip_every_bit(const char *folder, const char *name)
{
  static uint8_t packet[PACKET_ROOM];
  struct frame_message message;
  const size_t length = packet_read(folder, name, packet);
  for (size_t bit = 0; bit < length * 8; bit++) {
    packet[bit / 8] ^= (uint8_t)(1u << bit % 8);
    read_exactly(packet, length, &message);
    packet[bit / 8] ^= (uint8_t)(1u << bit % 8);
  }
}

static void survives_every_flipped_bit(void)
{
  packet_each(VECTORS, flip_every_bit);
  packet_each(VECTORS "/bad", flip_every_bit);
}

static void refuses_a_packet_of_more_than_64_kibibytes(void)
{
  static uint8_t packet[UAF_PACKET_MAX + 1] = {FRAME_READY};
  struct frame_message message;
  CHECK(!frame_read(packet, sizeof packet, &message));
  CHECK(frame_read(packet, 1, &message));
}

static void refuses_names_no_variable_can_have(void)
{
  static const char *const bad[] = {"", "A=B", "1A", "A B", "A-B", "\xc3\x84"};
  struct frame_message message;
  for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    uint8_t packet[64] = {FRAME_SETENV, 1, 0, (uint8_t)strlen(bad[i])};
    memcpy(packet + 4, bad[i], strlen(bad[i]));
    memcpy(packet + 4 + strlen(bad[i]), "\2\0\1v", 4);
    CHECK(!read_exactly(packet, 8 + strlen(bad[i]), &message));
  }
  CHECK(read_exactly((const uint8_t *)"\x85\1\0\3_A1\2\0\0", 10, &message));
}

/* Every state against every type: only docs/protocol.md's table, written down once more here. */
static void follows_the_table_of_what_follows_what(void)
{
  for (unsigned type = 0; type < 256; type++)
    for (int state = STATE_OPENED; state <= STATE_BROKEN; state++) {
      enum frame_state expected = STATE_BROKEN;
      if (state == STATE_OPENED && type == 0x01)
        expected = STATE_WORKING;
      if (state == STATE_WORKING && type >= 0x81 && type <= 0x87)
        expected = type == 0x81   ? STATE_ASKED
                   : type == 0x84 ? STATE_PAUSED
                   : type == 0x86 ? STATE_FINISHED
                                  : STATE_WORKING;
      if ((state == STATE_ASKED && (type == 0x02 || type == 0x03)) ||
          (state == STATE_PAUSED && (type == 0x03 || type == 0x04)))
        expected = STATE_WORKING;
      CHECK(frame_next((enum frame_state)state, (uint8_t)type) == expected);
    }
}

int main(void)
{
  test("writes begin as in the golden packets", writes_begin);
  test("writes begin at its limits, and never beyond its room", writes_begin_at_its_limits);
  test("refuses to write a begin beyond its limits", refuses_to_write_a_begin_beyond_its_limits);
  test("writes answer, cancelled and resume as in the golden packets", writes_answers);
  test("reads prompts as in the golden packets", reads_prompts);
  test("reads info, error, ready, setenv, keyring and finished as in the golden packets", reads_the_other_messages);
  test("reads what the core sends and refuses every other good packet", reads_what_the_core_sends_and_nothing_else);
  test("refuses every bad packet", refuses_every_bad_packet);
  test("refuses every truncation that loses a field in part or a required one", refuses_every_truncation);
  test("refuses every trailing byte", refuses_a_byte_left_over);
  test("survives every flipped bit of every packet", survives_every_flipped_bit);
  test("refuses a packet of more than 64 KiB", refuses_a_packet_of_more_than_64_kibibytes);
  test("refuses names that no variable can have", refuses_names_no_variable_can_have);
  test("allows after a message only what may follow it", follows_the_table_of_what_follows_what);
  return check_summary();
}
