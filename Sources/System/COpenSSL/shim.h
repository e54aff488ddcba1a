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
#include <string.h>

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

/* The content of the constructed element at *next, which must have this tag and class and end by `limit`: *next is moved to
   its content. Returns the end of the content, or NULL. */
static inline const unsigned char *uaf_enter(const unsigned char **next, const unsigned char *limit, int tag, int kind)
{
  long length = 0;
  int found = 0, found_kind = 0;
  if (*next >= limit)
    return NULL;
  const int form = ASN1_get_object(next, &length, &found, &found_kind, limit - *next);
  return form == V_ASN1_CONSTRUCTED && found == tag && found_kind == kind ? *next + length : NULL;
}

/* Moves past one element of a type of OpenSSL; 0 if there is none before `limit`. */
#define UAF_PAST(TYPE) \
  static inline int uaf_past_##TYPE(const unsigned char **next, const unsigned char *limit) \
  { \
    TYPE *value = *next < limit ? d2i_##TYPE(NULL, next, limit - *next) : NULL; \
    TYPE##_free(value); \
    return value != NULL; \
  }
UAF_PAST(ASN1_INTEGER)
UAF_PAST(ASN1_BIT_STRING)
UAF_PAST(X509_ALGOR)
UAF_PAST(X509_NAME)
UAF_PAST(X509_VAL)

static inline int uaf_past_extensions(const unsigned char **next, const unsigned char *limit)
{
  X509_EXTENSIONS *value = *next < limit ? d2i_X509_EXTENSIONS(NULL, next, limit - *next) : NULL;
  sk_X509_EXTENSION_pop_free(value, X509_EXTENSION_free);
  return value != NULL;
}

/* Whether these bytes are one certificate of version 3 without unique identifiers, and nothing after it (RFC 5280, section 4.1).
   Each part is read as d2i_X509 reads it, but for the public key: d2i_X509 decodes it, which takes 0.3 ms in a new process. */
static inline int uaf_is_usual_certificate(const unsigned char *der, long length)
{
  const unsigned char *next = der, *const end = der + length;
  if (uaf_enter(&next, end, V_ASN1_SEQUENCE, V_ASN1_UNIVERSAL) != end)
    return 0;
  const unsigned char *const signed_end = uaf_enter(&next, end, V_ASN1_SEQUENCE, V_ASN1_UNIVERSAL);
  if (signed_end == NULL)
    return 0;
  const unsigned char *part = uaf_enter(&next, signed_end, 0, V_ASN1_CONTEXT_SPECIFIC);
  if (part == NULL || !uaf_past_ASN1_INTEGER(&next, part) || next != part)
    return 0;
  if (!uaf_past_ASN1_INTEGER(&next, signed_end) || !uaf_past_X509_ALGOR(&next, signed_end) ||
      !uaf_past_X509_NAME(&next, signed_end) || !uaf_past_X509_VAL(&next, signed_end) ||
      !uaf_past_X509_NAME(&next, signed_end))
    return 0;
  part = uaf_enter(&next, signed_end, V_ASN1_SEQUENCE, V_ASN1_UNIVERSAL);
  if (part == NULL || !uaf_past_X509_ALGOR(&next, part) || !uaf_past_ASN1_BIT_STRING(&next, part) || next != part)
    return 0;
  if (next != signed_end) {
    part = uaf_enter(&next, signed_end, 3, V_ASN1_CONTEXT_SPECIFIC);
    if (part != signed_end || !uaf_past_extensions(&next, part) || next != part)
      return 0;
  }
  return uaf_past_X509_ALGOR(&next, end) && uaf_past_ASN1_BIT_STRING(&next, end) && next == end;
}

/* The bytes of the first block of a PEM text, if it is a usual certificate; NULL otherwise, whatever the text has. The caller
   frees them with OPENSSL_free. */
static inline unsigned char *uaf_usual_certificate(BIO *text, long *length)
{
  char *name = NULL, *header = NULL;
  unsigned char *der = NULL;
  if (PEM_read_bio(text, &name, &header, &der, length) != 1)
    return NULL;
  const int is_usual = (strcmp(name, PEM_STRING_X509) == 0 || strcmp(name, PEM_STRING_X509_OLD) == 0) &&
                       header[0] == 0 && uaf_is_usual_certificate(der, *length);
  OPENSSL_free(name);
  OPENSSL_free(header);
  if (is_usual)
    return der;
  OPENSSL_free(der);
  return NULL;
}
