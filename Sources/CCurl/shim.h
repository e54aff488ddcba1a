// libcurl, and a typed way to each kind of option and answer that uaf-fetch uses: Swift cannot call functions with
// variable arguments. OpenSSL's declarations are here because libcurl hands out its SSL object for the certificate.

#pragma once

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <openssl/ssl.h>

typedef size_t (*curl_receiver)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode curl_set_long(CURL *curl, CURLoption option, long value) {
  return curl_easy_setopt(curl, option, value);
}

static inline CURLcode curl_set_text(CURL *curl, CURLoption option, const char *value) {
  return curl_easy_setopt(curl, option, value);
}

static inline CURLcode curl_set_pointer(CURL *curl, CURLoption option, void *value) {
  return curl_easy_setopt(curl, option, value);
}

static inline CURLcode curl_set_receiver(CURL *curl, CURLoption option, curl_receiver receiver) {
  return curl_easy_setopt(curl, option, receiver);
}

static inline CURLcode curl_set_prerequest(CURL *curl, curl_prereq_callback callback) {
  return curl_easy_setopt(curl, CURLOPT_PREREQFUNCTION, callback);
}

static inline CURLcode curl_set_progress(CURL *curl, curl_xferinfo_callback callback) {
  return curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, callback);
}

static inline long curl_get_status(CURL *curl) {
  long status = 0;
  return curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK ? status : 0;
}

// The answer's Content-Type, which lives as long as the handle's transfer; NULL without one.
static inline const char *curl_get_content_type(CURL *curl) {
  char *type = NULL;
  return curl_easy_getinfo(curl, CURLINFO_CONTENT_TYPE, &type) == CURLE_OK ? type : NULL;
}

// Where the answer's Location points, as an absolute URL; NULL without one. It lives as long as the handle's transfer.
static inline const char *curl_get_redirect(CURL *curl) {
  char *url = NULL;
  return curl_easy_getinfo(curl, CURLINFO_REDIRECT_URL, &url) == CURLE_OK ? url : NULL;
}

// The value of a header of the answer, NULL unless it stands there exactly once.
static inline const char *curl_get_header(CURL *curl, const char *name) {
  struct curl_header *header = NULL;
  if (curl_easy_header(curl, name, 0, CURLH_HEADER, -1, &header) != CURLHE_OK) return NULL;
  return header->amount == 1 ? header->value : NULL;
}

// The SSL object of the transfer under way; NULL without one, or if libcurl was built with another TLS library.
static inline SSL *curl_get_ssl(CURL *curl) {
  const struct curl_tlssessioninfo *session = NULL;
  if (curl_easy_getinfo(curl, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || session == NULL) return NULL;
  return session->backend == CURLSSLBACKEND_OPENSSL ? (SSL *)session->internals : NULL;
}
