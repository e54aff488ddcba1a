/* A passkey that signs in by FIDO's interface for server tests, at a server whose verdicts are signed. */
#include "passkey.h"

static void ask(const struct place *place, const struct login *login, struct text *body)
{
  (void)place;
  text_put(body, "{\"username\":\"%s\"}", login->account->name);
}

static bool sign(const struct place *place, struct login *login, struct part answer, struct text *body)
{
  struct part challenge;
  if (!part_between(answer, "\"challenge\":\"", '"', &challenge))
    return false;
  login_keep_challenge(login, challenge);
  const struct assertion *made = passkey_sign(place, login, challenge);
  text_put(body, "{");
  passkey_put(body, "id", login->account->key_id, KEY_ID);
  text_put(body, ",");
  passkey_put(body, "rawId", login->account->key_id, KEY_ID);
  text_put(body, ",\"type\":\"public-key\",\"response\":{");
  passkey_put_assertion(body, made);
  text_put(body, "}}");
  return true;
}

static bool is_success(const struct login *login, struct part answer, struct part *verdict)
{
  (void)login;
  return part_between(answer, "\"verdict\":\"", '"', verdict);
}

const struct protocol conformance = {"/assertion/options", "/assertion/result", ask, sign, is_success};
