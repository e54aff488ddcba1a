#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/decoder.h>
#include <openssl/ec.h>
#include <openssl/encoder.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

/* Wrapped because the originals are macros that Swift cannot import. */

/* EVP_EC_gen is a macro around a variadic function. */
static inline EVP_PKEY *uaf_generate_p256(void) { return EVP_EC_gen("P-256"); }

/* ERR_R_MALLOC_FAILURE and EVP_R_MEMORY_LIMIT_EXCEEDED are packed with casts. Searches the whole
   queue, because callers of a function that had no memory push their own errors after it. */
static inline int uaf_errors_tell_of_memory(void)
{
  unsigned long code;
  int found = 0;
  while ((code = ERR_get_error()) != 0) {
    int reason = ERR_GET_REASON(code);
    if (reason == ERR_R_MALLOC_FAILURE)
      found = 1;
    if (ERR_GET_LIB(code) == ERR_LIB_EVP && reason == EVP_R_MEMORY_LIMIT_EXCEEDED)
      found = 1;
  }
  return found;
}

/* Arguments of EVP_PKEY_fromdata: macros made of several casts. */
static inline int uaf_select_public_key(void) { return EVP_PKEY_PUBLIC_KEY; }
static inline int uaf_select_curve(void) { return EVP_PKEY_KEY_PARAMETERS; }
static inline int uaf_select_key_pair(void) { return EVP_PKEY_KEYPAIR; }
