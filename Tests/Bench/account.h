/* The accounts that log in, each with a P-256 key of its own. Keys are made of a seed, so that two runs have the same ones. */
#ifndef BENCH_ACCOUNT_H
#define BENCH_ACCOUNT_H

#include <openssl/evp.h>
#include <stdint.h>

enum { KEY_ID = 32, RAW_SIGNATURE = 64, DER_SIGNATURE = 80, POINT = 65 };

struct account {
  char name[32];
  unsigned char key_id[KEY_ID];
  unsigned char point[POINT];
  EVP_PKEY *key;
  /* The counter of the last signature. */
  uint32_t counter;
};

/* `count` accounts, named by every `stride`-th number; the caller frees the array. */
struct account *accounts_make(const char *seed, long count, long stride, uint32_t counter);
void accounts_free(struct account *accounts, long count);
/* Signs SHA-256 of the bytes; returns the length of the DER form. */
size_t account_sign_der(const struct account *account, const void *bytes, size_t length, unsigned char *der);
/* The same as r and s of 32 bytes. */
void account_sign_raw(const struct account *account, const void *bytes, size_t length, unsigned char *raw);

#endif
