#define _GNU_SOURCE
#include "connection.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

SSL_CTX *connections_context(const char *authority)
{
  SSL_CTX *context = SSL_CTX_new(TLS_client_method());
  if (!context || SSL_CTX_load_verify_locations(context, authority, NULL) != 1)
    give_up("no authority: %s", authority);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  return context;
}

void connection_open(struct connection *connection, SSL_CTX *context, const char *port)
{
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
  int yes = 1;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  memset(connection, 0, sizeof *connection);
  connection->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(connection->socket, (struct sockaddr *)&address, sizeof address) != 0)
    give_up("cannot connect: %m");
  setsockopt(connection->socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  connection->tls = SSL_new(context);
  SSL_set_fd(connection->tls, connection->socket);
  SSL_set1_host(connection->tls, "localhost");
  SSL_set_tlsext_host_name(connection->tls, "localhost");
  if (SSL_connect(connection->tls) != 1)
    give_up("no handshake: %s", ERR_reason_error_string(ERR_peek_error()));
  fcntl(connection->socket, F_SETFL, O_NONBLOCK);
}

void connection_close(struct connection *connection)
{
  SSL_free(connection->tls);
  close(connection->socket);
  free(connection->sent.bytes);
  free(connection->received.bytes);
}

static void wait_for(int socket, short events)
{
  struct pollfd one = {.fd = socket, .events = events};
  if (poll(&one, 1, 30000) != 1)
    give_up("the server has not answered for 30 s");
}

void connection_send(struct connection *connection, const char *path, const struct text *body)
{
  struct text *request = &connection->sent;
  request->length = connection->received.length = 0;
  text_put(request, "%s %s HTTP/1.1\r\nHost: localhost\r\n", body ? "POST" : "GET", path);
  if (connection->origin)
    text_put(request, "Origin: %s\r\n", connection->origin);
  if (connection->proof)
    text_put(request, "UAF-Machine: %s\r\n", connection->proof);
  if (body) {
    text_put(request, "Content-Type: application/json\r\nAccept: application/json\r\nContent-Length: %zu\r\n\r\n",
             body->length);
    text_add(request, body->bytes, body->length);
  } else {
    text_put(request, "\r\n");
  }
  for (size_t done = 0; done < request->length;) {
    int count = SSL_write(connection->tls, request->bytes + done, (int)(request->length - done));
    if (count > 0) {
      done += (size_t)count;
      continue;
    }
    if (SSL_get_error(connection->tls, count) != SSL_ERROR_WANT_WRITE)
      give_up("cannot send");
    wait_for(connection->socket, POLLOUT);
  }
}

static bool is_whole(const struct text *received, struct answer *answer)
{
  struct part all = {received->bytes, received->length}, length;
  const char *end = memmem(all.start, all.length, "\r\n\r\n", 4);
  if (!end)
    return false;
  struct part head = {all.start, (size_t)(end - all.start) + 2};
  if (!part_between(head, "ontent-Length: ", '\r', &length) && !part_between(head, "ontent-length: ", '\r', &length) &&
      !part_between(head, "content-length: ", '\r', &length))
    give_up("an answer without a length");
  size_t count = (size_t)atol(length.start);
  if (all.length < head.length + 2 + count)
    return false;
  answer->status = atoi(all.start + strlen("HTTP/1.1 "));
  answer->body = (struct part){end + 4, count};
  return true;
}

bool connection_receive(struct connection *connection, struct answer *answer)
{
  struct text *received = &connection->received;
  for (;;) {
    text_reserve(received, 16384);
    int count = SSL_read(connection->tls, received->bytes + received->length,
                         (int)(received->room - received->length - 1));
    if (count > 0) {
      received->length += (size_t)count;
      if (is_whole(received, answer))
        return true;
      continue;
    }
    if (SSL_get_error(connection->tls, count) != SSL_ERROR_WANT_READ)
      give_up("the server has closed a connection");
    return false;
  }
}

struct answer connection_ask(struct connection *connection, const char *path, const struct text *body)
{
  struct answer answer;
  connection_send(connection, path, body);
  while (!connection_receive(connection, &answer))
    wait_for(connection->socket, POLLIN);
  return answer;
}
