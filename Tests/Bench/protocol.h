/* What is said to a server: UAF to ours, WebAuthn to those it is compared with. */
#ifndef BENCH_PROTOCOL_H
#define BENCH_PROTOCOL_H

#include "account.h"
#include "connection.h"

/* What every login of a run shares. */
struct place {
  /* The AppID, or the origin. */
  const char *app_id;
  /* Base64url of the server's certificate and of its hash. */
  struct text certificate, end_point;
};

struct login {
  struct account *account;
  /* The SHA-256 of the challenge, in base64url. */
  char challenge_hash[64];
  /* Flips one bit of the signature: this login has to be refused. */
  bool is_bent;
};

struct protocol {
  const char *get, *respond;
  /* Asks for a challenge. */
  void (*ask)(const struct place *place, const struct login *login, struct text *body);
  /* Signs the challenge that came; false if the server gave none. */
  bool (*sign)(const struct place *place, struct login *login, struct part answer, struct text *body);
  /* Whether the answer is a success; its verdict goes to `verdict`, if the server signs any. */
  bool (*is_success)(const struct login *login, struct part answer, struct part *verdict);
};

extern const struct protocol uaf, conformance, webauthn, privacyidea;

/* Keeps the hash of a challenge in base64url, which the verdict has to name. */
void login_keep_challenge(struct login *login, struct part challenge);

#endif
