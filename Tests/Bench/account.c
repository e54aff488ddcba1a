#include "account.h"

#include "text.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/param_build.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void derive(const char *seed, const char *purpose, long number, unsigned char *out)
{
  char input[256];
  int length = snprintf(input, sizeof input, "%s %s %ld", seed, purpose, number);
  if (length < 0 || (size_t)length >= sizeof input)
    give_up("the seed is too long");
  SHA256((const unsigned char *)input, (size_t)length, out);
}

static void make_point(const BIGNUM *number, unsigned char *point)
{
  EC_GROUP *group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
  EC_POINT *made = EC_POINT_new(group);
  if (EC_POINT_mul(group, made, number, NULL, NULL, NULL) != 1 ||
      EC_POINT_point2oct(group, made, POINT_CONVERSION_UNCOMPRESSED, point, POINT, NULL) != POINT)
    give_up("no point");
  EC_POINT_free(made);
  EC_GROUP_free(group);
}

static EVP_PKEY *make_key(unsigned char *number, unsigned char *point)
{
  /* Below the order of the curve, and not 0. */
  number[0] &= 0x7F;
  number[31] |= 1;
  BIGNUM *secret = BN_bin2bn(number, 32, NULL);
  make_point(secret, point);
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
  EVP_PKEY *key = NULL;
  if (!OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) ||
      !OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, POINT) ||
      !OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_PRIV_KEY, secret))
    give_up("no key");
  OSSL_PARAM *parameters = OSSL_PARAM_BLD_to_param(builder);
  if (EVP_PKEY_fromdata_init(context) != 1 || EVP_PKEY_fromdata(context, &key, EVP_PKEY_KEYPAIR, parameters) != 1)
    give_up("no key");
  OSSL_PARAM_free(parameters);
  OSSL_PARAM_BLD_free(builder);
  EVP_PKEY_CTX_free(context);
  BN_free(secret);
  return key;
}

struct account *accounts_make(const char *seed, long count, long stride, uint32_t counter)
{
  struct account *accounts = calloc((size_t)count, sizeof *accounts);
  if (!accounts)
    give_up("out of memory");
  for (long index = 0; index < count; index++) {
    struct account *account = &accounts[index];
    unsigned char number[32];
    snprintf(account->name, sizeof account->name, "person%07ld", index * stride);
    derive(seed, "key", index, number);
    derive(seed, "name", index, account->key_id);
    account->key = make_key(number, account->point);
    account->counter = counter;
  }
  return accounts;
}

void accounts_free(struct account *accounts, long count)
{
  for (long index = 0; index < count; index++)
    EVP_PKEY_free(accounts[index].key);
  free(accounts);
}

size_t account_sign_der(const struct account *account, const void *bytes, size_t length, unsigned char *der)
{
  size_t count = DER_SIGNATURE;
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  if (EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, account->key) != 1 ||
      EVP_DigestSign(context, der, &count, bytes, length) != 1)
    give_up("no signature");
  EVP_MD_CTX_free(context);
  return count;
}

void account_sign_raw(const struct account *account, const void *bytes, size_t length, unsigned char *raw)
{
  unsigned char der[DER_SIGNATURE];
  const unsigned char *rest = der;
  size_t count = account_sign_der(account, bytes, length, der);
  ECDSA_SIG *signature = d2i_ECDSA_SIG(NULL, &rest, (long)count);
  if (!signature || BN_bn2binpad(ECDSA_SIG_get0_r(signature), raw, 32) != 32 ||
      BN_bn2binpad(ECDSA_SIG_get0_s(signature), raw + 32, 32) != 32)
    give_up("no signature");
  ECDSA_SIG_free(signature);
}
