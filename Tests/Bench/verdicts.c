#include "verdicts.h"

#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <string.h>

void login_keep_challenge(struct login *login, struct part challenge)
{
  unsigned char bytes[1024], hash[32];
  struct text text = {login->challenge_hash, 0, sizeof login->challenge_hash};
  long count = part_decoded(challenge, bytes, sizeof bytes);
  if (count < 8)
    give_up("no challenge");
  SHA256(bytes, (size_t)count, hash);
  text_base64url(&text, hash, sizeof hash);
  login->challenge_hash[text.length] = 0;
}

void verdicts_open(struct verdicts *verdicts, const char *path)
{
  memset(verdicts, 0, sizeof *verdicts);
  FILE *file = fopen(path, "re");
  verdicts->key = file ? PEM_read_PUBKEY(file, NULL, NULL, NULL) : NULL;
  if (!verdicts->key)
    give_up("no key of verdicts in %s", path);
  fclose(file);
}

void verdicts_keep(struct verdicts *verdicts, const struct login *login, struct part token)
{
  text_add(&verdicts->kept, login->account->name, strlen(login->account->name) + 1);
  text_add(&verdicts->kept, login->challenge_hash, strlen(login->challenge_hash) + 1);
  text_add(&verdicts->kept, token.start, token.length);
  text_add(&verdicts->kept, "", 1);
  verdicts->count++;
}

static bool is_signed(EVP_PKEY *key, struct part text, const unsigned char *raw)
{
  unsigned char der[DER_SIGNATURE], *end = der;
  ECDSA_SIG *signature = ECDSA_SIG_new();
  ECDSA_SIG_set0(signature, BN_bin2bn(raw, 32, NULL), BN_bin2bn(raw + 32, 32, NULL));
  int length = i2d_ECDSA_SIG(signature, &end);
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  bool is_good = length > 0 && EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, key) == 1 &&
                 EVP_DigestVerify(context, der, (size_t)length, (const void *)text.start, text.length) == 1;
  EVP_MD_CTX_free(context);
  ECDSA_SIG_free(signature);
  return is_good;
}

static bool names(struct part claims, const char *member, const char *value)
{
  struct part found;
  char before[32];
  snprintf(before, sizeof before, "\"%s\":\"", member);
  return part_between(claims, before, '"', &found) && found.length == strlen(value) &&
         memcmp(found.start, value, found.length) == 0;
}

/* Checks one token; with `is_bent` one bit of its signature is flipped first. */
static bool is_valid(EVP_PKEY *key, const char *name, const char *hash, const char *token, bool is_bent)
{
  unsigned char claims[2048], signature[RAW_SIGNATURE];
  const char *first = strchr(token, '.'), *second = first ? strchr(first + 1, '.') : NULL;
  if (!second)
    return false;
  long count = part_decoded((struct part){first + 1, (size_t)(second - first - 1)}, claims, sizeof claims);
  struct part written = {(const char *)claims, count < 0 ? 0 : (size_t)count};
  if (part_decoded((struct part){second + 1, strlen(second + 1)}, signature, sizeof signature) != RAW_SIGNATURE)
    return false;
  if (is_bent)
    signature[40] ^= 4;
  return names(written, "sub", name) && names(written, "challenge", hash) && names(written, "op", "Auth") &&
         is_signed(key, (struct part){token, (size_t)(second - token)}, signature);
}

void verdicts_check(struct verdicts *verdicts)
{
  const char *at = verdicts->kept.bytes;
  for (long index = 0; index < verdicts->count; index++) {
    const char *name = at, *hash = name + strlen(name) + 1, *token = hash + strlen(hash) + 1;
    if (!is_valid(verdicts->key, name, hash, token, false))
      give_up("a verdict is not signed for %s", name);
    if (index == 0 && is_valid(verdicts->key, name, hash, token, true))
      give_up("a bent verdict was accepted");
    at = token + strlen(token) + 1;
  }
}
