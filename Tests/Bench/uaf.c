#include "protocol.h"

#include <openssl/rand.h>
#include <openssl/sha.h>
#include <string.h>

static const char aaid[] = "5541#0001";

enum {
  ASSERTION = 0x3E02,
  SIGNED_DATA = 0x3E04,
  SIGNATURE = 0x2E06,
  TAG_KEY_ID = 0x2E09,
  CHALLENGE_HASH = 0x2E0A,
  AAID = 0x2E0B,
  COUNTERS = 0x2E0D,
  INFO = 0x2E0E,
  NONCE = 0x2E0F,
  TRANSACTION = 0x2E10
};

static void put_context(struct text *body, const struct login *login)
{
  text_put(body, "\"context\":\"{\\\"username\\\":\\\"%s\\\"}\"", login->account->name);
}

static void ask(const struct place *place, const struct login *login, struct text *body)
{
  (void)place;
  text_put(body, "{\"op\":\"Auth\",");
  put_context(body, login);
  text_put(body, "}");
}

static void put_element(struct text *to, unsigned tag, const void *value, size_t length)
{
  unsigned char head[4] = {(unsigned char)tag, (unsigned char)(tag >> 8), (unsigned char)length,
                           (unsigned char)(length >> 8)};
  text_add(to, head, sizeof head);
  if (length)
    text_add(to, value, length);
}

static void put_challenge_parameters(const struct place *place, struct part challenge, struct text *to)
{
  static struct text plain;
  plain.length = 0;
  text_put(&plain, "{\"appID\":\"%s\",\"challenge\":\"%.*s\",", place->app_id, (int)challenge.length, challenge.start);
  text_put(&plain, "\"facetID\":\"linux:pam-module:pam_uaf\",\"channelBinding\":{\"serverEndPoint\":\"");
  text_add(&plain, place->end_point.bytes, place->end_point.length);
  text_put(&plain, "\",\"tlsServerCertificate\":\"");
  text_add(&plain, place->certificate.bytes, place->certificate.length);
  text_put(&plain, "\"}}");
  text_base64url(to, plain.bytes, plain.length);
}

/* The assertion's bytes: signed data, and the signature over it. */
static void put_assertion(struct login *login, const struct text *parameters, struct text *to)
{
  static struct text data, signed_data, all;
  unsigned char hash[32], nonce[32], signature[RAW_SIGNATURE];
  static const unsigned char info[5] = {1, 0, 1, 1, 0};
  uint32_t counter = ++login->account->counter;
  data.length = signed_data.length = all.length = 0;
  SHA256((const unsigned char *)parameters->bytes, parameters->length, hash);
  RAND_bytes(nonce, sizeof nonce);
  put_element(&data, AAID, aaid, strlen(aaid));
  put_element(&data, INFO, info, sizeof info);
  put_element(&data, NONCE, nonce, sizeof nonce);
  put_element(&data, CHALLENGE_HASH, hash, sizeof hash);
  put_element(&data, TRANSACTION, NULL, 0);
  put_element(&data, TAG_KEY_ID, login->account->key_id, KEY_ID);
  /* The registry's numbers and this machine's have the same order. */
  put_element(&data, COUNTERS, &counter, sizeof counter);
  put_element(&signed_data, SIGNED_DATA, data.bytes, data.length);
  account_sign_raw(login->account, signed_data.bytes, signed_data.length, signature);
  if (login->is_bent)
    signature[20] ^= 1;
  put_element(&signed_data, SIGNATURE, signature, sizeof signature);
  put_element(&all, ASSERTION, signed_data.bytes, signed_data.length);
  text_base64url(to, all.bytes, all.length);
}

static bool sign(const struct place *place, struct login *login, struct part answer, struct text *body)
{
  static struct text parameters, message;
  struct part challenge, data;
  char key_id[64];
  struct text named = {key_id, 0, sizeof key_id};
  text_base64url(&named, login->account->key_id, KEY_ID);
  key_id[named.length] = 0;
  struct part found;
  if (!part_between(answer, "\\\"challenge\\\":\\\"", '\\', &challenge) ||
      !part_between(answer, "\\\"serverData\\\":\\\"", '\\', &data) || !part_between(answer, key_id, '\\', &found))
    return false;
  login_keep_challenge(login, challenge);
  parameters.length = message.length = 0;
  put_challenge_parameters(place, challenge, &parameters);
  text_put(&message,
           "[{\"header\":{\"upv\":{\"major\":1,\"minor\":1},\"op\":\"Auth\",\"appID\":\"%s\",\"serverData\":\"",
           place->app_id);
  text_add(&message, data.start, data.length);
  text_put(&message, "\"},\"fcParams\":\"");
  text_add(&message, parameters.bytes, parameters.length);
  text_put(&message, "\",\"assertions\":[{\"assertionScheme\":\"UAFV1TLV\",\"assertion\":\"");
  put_assertion(login, &parameters, &message);
  text_put(&message, "\"}]}]");
  text_put(body, "{\"uafResponse\":\"");
  text_quoted(body, message.bytes, message.length);
  text_put(body, "\",");
  put_context(body, login);
  text_put(body, "}");
  return true;
}

static bool is_success(const struct login *login, struct part answer, struct part *verdict)
{
  (void)login;
  struct part status;
  return part_between(answer, "\"statusCode\":120", ',', &status) && status.length == 1 && status.start[0] == '0' &&
         part_between(answer, "\"value\":\"", '"', verdict);
}

const struct protocol uaf = {"/uaf/get", "/uaf/respond", ask, sign, is_success};
