/* A passkey that signs in at privacyIDEA: a challenge that names nobody, and an answer that names the key. */
#include "passkey.h"

#include <string.h>

static void ask(const struct place *place, const struct login *login, struct text *body)
{
  (void)place;
  (void)login;
  text_put(body, "{\"type\":\"passkey\"}");
}

static bool sign(const struct place *place, struct login *login, struct part answer, struct text *body)
{
  static struct text challenge;
  struct part given, transaction;
  if (!part_between(answer, "\"challenge\": \"", '"', &given) ||
      !part_between(answer, "\"transaction_id\": \"", '"', &transaction))
    return false;
  /* The challenge is the text that came, not the bytes that the text stands for. */
  challenge.length = 0;
  text_base64url(&challenge, given.start, given.length);
  const struct assertion *made = passkey_sign(place, login, (struct part){challenge.bytes, challenge.length});
  text_put(body, "{\"transaction_id\":\"%.*s\",", (int)transaction.length, transaction.start);
  passkey_put(body, "credential_id", login->account->key_id, KEY_ID);
  text_put(body, ",");
  passkey_put_assertion(body, made);
  text_put(body, "}");
  return true;
}

static bool is_success(const struct login *login, struct part answer, struct part *verdict)
{
  (void)verdict;
  struct part found, name;
  return part_between(answer, "\"authentication\": \"ACCEPT\"", '}', &found) &&
         part_between(answer, "\"username\": \"", '"', &name) && name.length == strlen(login->account->name) &&
         memcmp(name.start, login->account->name, name.length) == 0;
}

const struct protocol privacyidea = {"/validate/initialize", "/validate/check", ask, sign, is_success};
