/* What the core sends, and what may befall its socket: events of the script. */
#ifndef FUZZ_PACKETS_H
#define FUZZ_PACKETS_H

#include <stddef.h>
#include <stdint.h>

#include "script.h"

/* The first byte of ':'. EARLY, CUT, DESCRIPTORS and DELAY (tenths of seconds) are about the event after it. */
enum fate {
  FATE_PACKET,
  FATE_END,
  FATE_SILENCE,
  FATE_RESET,
  FATE_INTERRUPTED,
  FATE_ERROR,
  FATE_EARLY,
  FATE_CUT,
  FATE_DESCRIPTORS,
  FATE_DELAY,
  FATES
};

/* Begins another input. */
void packet_reset(void);

/* The packet an event stands for: 'x' the bytes as they are; P prompt, I info, E error, R ready, V setenv, F finished, K keyring,
 * well made of a few bytes, so that the fuzzer gets far into a conversation. It lasts as long as the input. */
const uint8_t *packet_build(const struct record *event, size_t *length);

/* Whether a packet is a type and a row of fields, their tags in order, with nothing left over. */
int packet_is_well_formed(const uint8_t *packet, size_t length);

/* The value of the first field of a tag in a packet that is well formed, or NULL. */
const uint8_t *packet_field(const uint8_t *packet, size_t length, uint8_t tag, size_t *size);

#endif
