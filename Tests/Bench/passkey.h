/* What a passkey signs, as servers of WebAuthn ask for it. */
#ifndef BENCH_PASSKEY_H
#define BENCH_PASSKEY_H

#include "protocol.h"

struct assertion {
  /* The client's data as JSON, and the authenticator's data. */
  struct text client, data;
  unsigned char signature[DER_SIGNATURE];
  size_t signature_length;
};

/* Signs a challenge in base64url, with the account's next counter. The result stays good until the next call. */
const struct assertion *passkey_sign(const struct place *place, struct login *login, struct part challenge);
/* Adds a member of JSON: its name, and bytes as base64url. */
void passkey_put(struct text *body, const char *name, const void *bytes, size_t length);
/* Adds the three members that say what was signed, and the signature. */
void passkey_put_assertion(struct text *body, const struct assertion *made);

#endif
