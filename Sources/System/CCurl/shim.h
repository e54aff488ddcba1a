// libcurl, and a typed function for each kind of option and result that uaf-fetch uses, because Swift cannot call functions
// with variable arguments. OpenSSL's declarations are here because libcurl hands out its SSL object for the certificate.

#pragma once

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <openssl/decoder.h>
#include <openssl/kdf.h>
#include <openssl/ssl.h>
#include <string.h>

typedef size_t (*curl_receiver)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode curl_set_long(CURL *curl, CURLoption option, long value)
{
  return curl_easy_setopt(curl, option, value);
}

static inline CURLcode curl_set_text(CURL *curl, CURLoption option, const char *value)
{
  return curl_easy_setopt(curl, option, value);
}

static inline CURLcode curl_set_pointer(CURL *curl, CURLoption option, void *value)
{
  return curl_easy_setopt(curl, option, value);
}

static inline CURLcode curl_set_receiver(CURL *curl, CURLoption option, curl_receiver receiver)
{
  return curl_easy_setopt(curl, option, receiver);
}

static inline CURLcode curl_set_prerequest(CURL *curl, curl_prereq_callback callback)
{
  return curl_easy_setopt(curl, CURLOPT_PREREQFUNCTION, callback);
}

static inline CURLcode curl_set_progress(CURL *curl, curl_xferinfo_callback callback)
{
  return curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, callback);
}

static inline CURLcode curl_set_opener(CURL *curl, curl_opensocket_callback opener)
{
  return curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, opener);
}

enum { CURL_ADDRESS_SIZE = 128 };

// Copies the bytes of an address for connect(2); returns how many, 0 if there is not enough room. libcurl's address may be
// longer than the declared size of the structure's last field.
static inline size_t curl_copy_address(const struct curl_sockaddr *address, unsigned char *out, size_t room)
{
  if (address->addrlen > room)
    return 0;
  memcpy(out, &address->addr, address->addrlen);
  return address->addrlen;
}

// Whether a TCP connection to the server or the proxy was established.
static inline int curl_has_connected(CURL *curl)
{
  long count = 0;
  curl_off_t microseconds = 0;
  // If libcurl cannot report this, a connection is assumed: the server then never counts as unreachable.
  if (curl_easy_getinfo(curl, CURLINFO_NUM_CONNECTS, &count) != CURLE_OK)
    return 1;
  if (curl_easy_getinfo(curl, CURLINFO_CONNECT_TIME_T, &microseconds) != CURLE_OK)
    return 1;
  return count > 0 || microseconds > 0;
}

// The error number of the last connection that failed; 0 for none.
static inline int curl_get_os_error(CURL *curl)
{
  long number = 0;
  return curl_easy_getinfo(curl, CURLINFO_OS_ERRNO, &number) == CURLE_OK ? (int)number : 0;
}

// The proxy's answer to CONNECT; 0 for none.
static inline long curl_get_proxy_status(CURL *curl)
{
  long status = 0;
  return curl_easy_getinfo(curl, CURLINFO_HTTP_CONNECTCODE, &status) == CURLE_OK ? status : 0;
}

static inline long curl_get_status(CURL *curl)
{
  long status = 0;
  return curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK ? status : 0;
}

// The answer's Content-Type, which lives as long as the handle's transfer; NULL without one.
static inline const char *curl_get_content_type(CURL *curl)
{
  char *type = NULL;
  return curl_easy_getinfo(curl, CURLINFO_CONTENT_TYPE, &type) == CURLE_OK ? type : NULL;
}

// The target of the answer's Location header, as an absolute URL; NULL without one. It lives as long as the handle's transfer.
static inline const char *curl_get_redirect(CURL *curl)
{
  char *url = NULL;
  return curl_easy_getinfo(curl, CURLINFO_REDIRECT_URL, &url) == CURLE_OK ? url : NULL;
}

// The value of a header of the answer, NULL unless the header occurs exactly once.
static inline const char *curl_get_header(CURL *curl, const char *name)
{
  struct curl_header *header = NULL;
  if (curl_easy_header(curl, name, 0, CURLH_HEADER, -1, &header) != CURLHE_OK)
    return NULL;
  return header->amount == 1 ? header->value : NULL;
}

// The value of the header with this name and index, if the answer has several headers of the name; NULL after the last one.
static inline const char *curl_get_header_at(CURL *curl, const char *name, size_t index)
{
  struct curl_header *header = NULL;
  if (curl_easy_header(curl, name, index, CURLH_HEADER, -1, &header) != CURLHE_OK)
    return NULL;
  return header->value;
}

// The SSL object of the current transfer; NULL without a transfer, or if libcurl was built with a different TLS library.
static inline SSL *curl_get_ssl(CURL *curl)
{
  const struct curl_tlssessioninfo *session = NULL;
  if (curl_easy_getinfo(curl, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || session == NULL)
    return NULL;
  return session->backend == CURLSSLBACKEND_OPENSSL ? (SSL *)session->internals : NULL;
}
