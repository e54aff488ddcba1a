/* One static answer, asked for again and again. */
#ifndef BENCH_PAGES_H
#define BENCH_PAGES_H

#include "connection.h"

struct pages {
  /* What is asked for, and the body that every answer has to have. */
  const char *path, *expected;
  struct connection *connections;
  long connection_count;
  /* Seconds that do not count, and those that do. */
  double before, during;
  /* The server's process. */
  int server;

  /* What is measured. */
  long answers;
  double seconds, server_seconds;
};

/* Every connection asks again as soon as it has its answer. */
void pages_ask(struct pages *pages);

#endif
