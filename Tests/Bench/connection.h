/* One TLS connection that stays open, and HTTP/1.1 over it. */
#ifndef BENCH_CONNECTION_H
#define BENCH_CONNECTION_H

#include "text.h"

#include <openssl/ssl.h>

struct connection {
  int socket;
  SSL *tls;
  struct text sent, received;
  /* The page that a browser would send requests from; NULL for none. */
  const char *origin;
  /* The header UAF-Machine of the next request; NULL for none. */
  const char *proof;
};

struct answer {
  int status;
  struct part body;
};

SSL_CTX *connections_context(const char *authority);
/* Connects and shakes hands. */
void connection_open(struct connection *connection, SSL_CTX *context, const char *port);
void connection_close(struct connection *connection);
/* Sends one request whole: POST, or GET where there is no body. */
void connection_send(struct connection *connection, const char *path, const struct text *body);
/* Reads what is there; true as soon as an answer is whole. It stays good until the next request. */
bool connection_receive(struct connection *connection, struct answer *answer);
/* Sends one request and waits for its answer. */
struct answer connection_ask(struct connection *connection, const char *path, const struct text *body);

#endif
