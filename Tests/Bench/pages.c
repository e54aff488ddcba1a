#define _GNU_SOURCE
#include "pages.h"

#include "figures.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

static void receive(struct pages *pages, struct connection *connection)
{
  struct answer answer;
  if (!connection_receive(connection, &answer))
    return;
  if (answer.status != 200 || answer.body.length != strlen(pages->expected) ||
      memcmp(answer.body.start, pages->expected, answer.body.length) != 0)
    give_up("%s: status %d, %.*s", pages->path, answer.status, (int)answer.body.length, answer.body.start);
  pages->answers++;
  connection_send(connection, pages->path, NULL);
}

static void go_on(struct pages *pages, int events, int64_t end)
{
  struct epoll_event ready[64];
  while (now_nanoseconds() < end) {
    int count = epoll_wait(events, ready, 64, 100);
    if (count < 0 && errno != EINTR)
      give_up("epoll: %m");
    for (int index = 0; index < count; index++)
      receive(pages, ready[index].data.ptr);
  }
}

void pages_ask(struct pages *pages)
{
  int events = epoll_create1(EPOLL_CLOEXEC);
  for (long index = 0; index < pages->connection_count; index++) {
    struct connection *connection = &pages->connections[index];
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
    if (epoll_ctl(events, EPOLL_CTL_ADD, connection->socket, &event) != 0)
      give_up("epoll: %m");
    connection_send(connection, pages->path, NULL);
  }
  go_on(pages, events, now_nanoseconds() + (int64_t)(pages->before * 1e9));
  int64_t from = now_nanoseconds();
  double server = process_seconds(pages->server);
  pages->answers = 0;
  go_on(pages, events, from + (int64_t)(pages->during * 1e9));
  pages->server_seconds = process_seconds(pages->server) - server;
  pages->seconds = (double)(now_nanoseconds() - from) / 1e9;
  close(events);
}
