/* The packets of a conversation with the core (docs/protocol.md, "Packets" and "Conversation"), as far as this front end uses
   them. */
#ifndef UAF_FRAME_H
#define UAF_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum frame_type {
  FRAME_BEGIN = 0x01,
  FRAME_ANSWER = 0x02,
  FRAME_CANCELLED = 0x03,
  FRAME_RESUME = 0x04,
  FRAME_PROMPT = 0x81,
  FRAME_INFO = 0x82,
  FRAME_ERROR = 0x83,
  FRAME_READY = 0x84,
  FRAME_SETENV = 0x85,
  FRAME_FINISHED = 0x86,
  FRAME_KEYRING = 0x87
};

/* The fields by their tags, named as in docs/protocol.md. The fields of begin and cancelled that only uafctl sends are missing.
   */
enum begin_field {
  BEGIN_VERSION = 1,
  BEGIN_OPERATION,
  BEGIN_UID,
  BEGIN_ACCOUNT,
  BEGIN_TYPED_NAME,
  BEGIN_SERVICE,
  BEGIN_TTY,
  BEGIN_REMOTE_HOST,
  BEGIN_REMOTE_USER,
  BEGIN_REMOTE,
  BEGIN_PAM_FLAGS,
  BEGIN_ARGUMENT,
  BEGIN_LOCALE,
  BEGIN_DIVIDED = 15,
  BEGIN_CALLER_UID = 19,
  BEGIN_PROGRAM,
  BEGIN_COMMAND_LINE,
  BEGIN_SHOWS_LISTS = 24,
  BEGIN_TAKES_KEYRING
};
enum answer_field { ANSWER_VALUE = 1 };
enum cancelled_field { CANCELLED_NO_CONVERSATION = 1 };
enum prompt_field {
  PROMPT_ECHO = 1,
  PROMPT_CHECK,
  PROMPT_STEP,
  PROMPT_TEXT,
  PROMPT_REMAINING_ATTEMPTS,
  PROMPT_ERROR_MESSAGE,
  PROMPT_REASON,
  PROMPT_ENTRY_LENGTH,
  PROMPT_OPTION,
  PROMPT_CONFIRMED
};
enum notice_field { NOTICE_TEXT = 1 };
enum setenv_field { SETENV_NAME = 1, SETENV_VALUE };
enum finished_field {
  FINISHED_PAM_CODE = 1,
  FINISHED_RESULT,
  FINISHED_TEXT,
  FINISHED_TOKEN,
  FINISHED_DOCUMENT,
  FINISHED_STALE_VALUE
};
enum keyring_field { KEYRING_PASSWORD = 1 };
#define FRAME_FIELDS 11
#define FRAME_OPTIONS 16

enum frame_operation { OPERATION_AUTHENTICATE = 1, OPERATION_CHANGE, OPERATION_ACCOUNT = 15 };
enum frame_step { STEP_CURRENT = 1, STEP_NEW, STEP_NEW_AGAIN };

/* The states of docs/protocol.md, "What follows what". STATE_BROKEN is the state after a message that was not allowed. */
enum frame_state { STATE_OPENED, STATE_WORKING, STATE_ASKED, STATE_PAUSED, STATE_FINISHED, STATE_BROKEN };

/* Bytes that are stored elsewhere, without a final NUL. start is NULL if the field is absent. */
struct frame_bytes {
  const uint8_t *start;
  size_t length;
};

/* What the module sends to the core at the beginning. The fields that only uafctl sends are missing. */
struct frame_begin {
  uint8_t operation;
  bool has_uid, has_remote, remote, has_flags, has_caller;
  bool divided, lists, keyring; /* written only if they are true */
  uint32_t uid, flags, caller;
  struct frame_bytes account, typed_name, service, tty, remote_host, remote_user, locale, program;
  struct frame_bytes command_line; /* each argument is followed by a NUL */
  const char *const *arguments;
  size_t argument_count;
};

/* A message of the core that has been checked. The fields point into the packet from which it was read. The options of a prompt
   are in a list of their own, because that field may be repeated. */
struct frame_message {
  uint8_t type;
  struct frame_bytes field[FRAME_FIELDS];
  unsigned option_count;
  struct frame_bytes option[FRAME_OPTIONS];
};

/* Writes a begin packet of at most capacity bytes. Returns its length, or 0 if a limit is exceeded. */
size_t frame_write_begin(uint8_t *packet, size_t capacity, const struct frame_begin *begin);

/* Writes an answer packet. Returns its length, or 0 if the secret has more than UAF_ANSWER_MAX bytes or does not fit. */
size_t frame_write_answer(uint8_t *packet, size_t capacity, const char *value, size_t length);

/* Writes a cancelled packet, with or without the field noConversation. Returns its length, or 0 if it does not fit. */
size_t frame_write_cancelled(uint8_t *packet, size_t capacity, bool no_conversation);

/* Writes a packet without fields (resume). Returns its length, or 0 if it does not fit. */
size_t frame_write_bare(uint8_t *packet, size_t capacity, enum frame_type type);

/* Reads one packet of the core. Returns false, with an empty message, for everything that docs/protocol.md does not allow. */
bool frame_read(const uint8_t *packet, size_t length, struct frame_message *message);

/* The number in a field that was checked to be a number; 0 if the field is absent. */
uint32_t frame_number(const struct frame_message *message, unsigned tag);

/* The state after a message of this type, or STATE_BROKEN if the message is not allowed in the current state. */
enum frame_state frame_next(enum frame_state state, uint8_t type);

/* Whether the bytes are one of the names in the list, which ends with NULL; false if the field is absent. */
static inline bool frame_is_one_of(struct frame_bytes bytes, const char *const *names)
{
  for (; bytes.start != NULL && *names != NULL; names++)
    if (bytes.length == strlen(*names) && memcmp(bytes.start, *names, bytes.length) == 0)
      return true;
  return false;
}

/* Copies the bytes of a field, which may be absent, and a final NUL. The room must be for the field's longest value and the NUL.
   */
static inline void frame_copy(char *room, struct frame_bytes bytes)
{
  if (bytes.length > 0)
    memcpy(room, bytes.start, bytes.length);
  room[bytes.length] = '\0';
}

/* Whether the bytes are valid UTF-8 without a NUL. */
bool frame_is_text(const uint8_t *bytes, size_t length);

#endif
