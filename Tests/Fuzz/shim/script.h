/* An input, read as a script: what the host is like, what it calls, and what the core and the person do.
 *
 * It is a row of records, each a letter, a length (one byte; 255: two more follow) and that many bytes. What a letter
 * means is written where it is read. Unknown letters mean nothing, and everything left out has a default, so that
 * every input is a script. */
#ifndef FUZZ_SCRIPT_H
#define FUZZ_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCRIPT_ITEMS 64
#define SCRIPT_FAULTS 16

struct record {
  uint8_t letter;
  const uint8_t *bytes;
  size_t length;
};

/* Records of one kind, in their order, and how many were used up. */
struct row {
  struct record items[SCRIPT_ITEMS];
  size_t count, used;
};

/* The calls of the outside world that can be told to fail. */
enum place {
  PLACE_SOCKET,
  PLACE_CONNECT,
  PLACE_PEER,
  PLACE_PAIR,
  PLACE_MOVE,
  PLACE_FORK,
  PLACE_PIDFD,
  PLACE_SEND,
  PLACE_RECEIVE,
  PLACE_POLL,
  PLACE_MEMORY,
  PLACE_DATA,
  PLACE_ITEM,
  PLACE_VARIABLE,
  PLACE_COMMAND,
  PLACE_SIGNAL,
  PLACE_CGROUP,
  PLACE_CLONE,
  PLACE_BIRTH,
  PLACES
};

/* '!' place nth error: the nth call of this kind from the beginning fails with this error. */
struct fault {
  unsigned place, nth;
  int error;
};

struct script {
  struct row facts, calls, answers, events;
  struct fault faults[SCRIPT_FAULTS];
  size_t fault_count;
  unsigned passed[PLACES];
};

/* Letters of the rows. */
#define FACT_LETTERS "ustrhpoalckge"
#define CALL_LETTERS "A12MSOZNQW"
#define EVENT_LETTERS "xPIERVFK:"
#define ANSWER_LETTERS "?"

extern struct script script;

void script_read(const uint8_t *bytes, size_t size);

/* Whether this call is to fail; the number of its error is put into errno then. */
bool script_fails(enum place place);

/* The next record of a row, or NULL at its end. */
const struct record *script_next(struct row *row);

/* A byte of a record; 0 where it has none. */
uint8_t script_byte(const struct record *record, size_t index);

/* The record from a byte on as a text that lasts until the next input: cut at its first NUL. */
const char *script_text(const struct record *record, size_t from);

#endif
