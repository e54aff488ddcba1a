#include "passkey.h"

#include <openssl/sha.h>

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

const struct assertion *passkey_sign(const struct place *place, struct login *login, struct part challenge)
{
  static struct assertion made;
  unsigned char hash[32];
  made.client.length = made.data.length = 0;
  text_put(&made.client, "{\"type\":\"webauthn.get\",\"challenge\":\"%.*s\",\"origin\":\"%s\"}", (int)challenge.length,
           challenge.start, place->app_id);
  put_authenticator_data(login, &made.data);
  SHA256((const unsigned char *)made.client.bytes, made.client.length, hash);
  size_t plain = made.data.length;
  text_add(&made.data, hash, sizeof hash);
  made.signature_length = account_sign_der(login->account, made.data.bytes, made.data.length, made.signature);
  made.data.length = plain;
  if (login->is_bent)
    made.signature[20] ^= 1;
  return &made;
}

void passkey_put(struct text *body, const char *name, const void *bytes, size_t length)
{
  text_put(body, "\"%s\":\"", name);
  text_base64url(body, bytes, length);
  text_put(body, "\"");
}

void passkey_put_assertion(struct text *body, const struct assertion *made)
{
  passkey_put(body, "clientDataJSON", made->client.bytes, made->client.length);
  text_put(body, ",");
  passkey_put(body, "authenticatorData", made->data.bytes, made->data.length);
  text_put(body, ",");
  passkey_put(body, "signature", made->signature, made->signature_length);
}
