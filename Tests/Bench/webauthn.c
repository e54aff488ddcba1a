/* A passkey that signs in at the server of scripts/measure/passkeys.py: authenticator data, the hash of the client's data, one
   signature. */
#include "protocol.h"

#include <openssl/sha.h>
#include <string.h>

static void put_key_id(struct text *body, const struct login *login)
{
  text_base64url(body, login->account->key_id, KEY_ID);
}

static void ask(const struct place *place, const struct login *login, struct text *body)
{
  (void)place;
  text_put(body, "{\"username\":\"%s\"}", login->account->name);
}

/* The hash of the relying party's name, present and verified, and the counter. */
static void put_authenticator_data(struct login *login, struct text *data)
{
  unsigned char hash[32];
  uint32_t counter = ++login->account->counter;
  unsigned char rest[5] = {5, (unsigned char)(counter >> 24), (unsigned char)(counter >> 16),
                           (unsigned char)(counter >> 8), (unsigned char)counter};
  SHA256((const unsigned char *)"localhost", 9, hash);
  text_add(data, hash, sizeof hash);
  text_add(data, rest, sizeof rest);
}

static bool sign(const struct place *place, struct login *login, struct part answer, struct text *body)
{
  static struct text client, data;
  struct part challenge;
  unsigned char hash[32], signature[DER_SIGNATURE];
  if (!part_between(answer, "\"challenge\": \"", '"', &challenge))
    return false;
  client.length = data.length = 0;
  text_put(&client, "{\"type\":\"webauthn.get\",\"challenge\":\"%.*s\",\"origin\":\"%s\"}", (int)challenge.length,
           challenge.start, place->app_id);
  put_authenticator_data(login, &data);
  SHA256((const unsigned char *)client.bytes, client.length, hash);
  size_t plain = data.length;
  text_add(&data, hash, sizeof hash);
  size_t length = account_sign_der(login->account, data.bytes, data.length, signature);
  if (login->is_bent)
    signature[20] ^= 1;
  text_put(body, "{\"id\":\"");
  put_key_id(body, login);
  text_put(body, "\",\"rawId\":\"");
  put_key_id(body, login);
  text_put(body, "\",\"type\":\"public-key\",\"response\":{\"clientDataJSON\":\"");
  text_base64url(body, client.bytes, client.length);
  text_put(body, "\",\"authenticatorData\":\"");
  text_base64url(body, data.bytes, plain);
  text_put(body, "\",\"signature\":\"");
  text_base64url(body, signature, length);
  text_put(body, "\"}}");
  return true;
}

static bool is_success(const struct login *login, struct part answer, struct part *verdict)
{
  (void)login;
  (void)verdict;
  struct part rest;
  return part_between(answer, "\"verified\":true", '}', &rest);
}

const struct protocol webauthn = {"/get", "/respond", ask, sign, is_success};
