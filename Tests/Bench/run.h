/* Logins at once on many connections, for a time. */
#ifndef BENCH_RUN_H
#define BENCH_RUN_H

#include "figures.h"
#include "verdicts.h"

struct run {
  const struct protocol *protocol;
  struct place place;
  struct account *accounts;
  long account_count;
  struct connection *connections;
  long connection_count;
  /* Seconds that do not count, and those that do. */
  double before, during;
  /* Logins that begin in a second, at random; 0 for as many as there can be. */
  double rate;
  /* The server's process. */
  int server;
  /* NULL if the server signs no verdicts. */
  struct verdicts *verdicts;

  /* What is measured: within the time that counts, but for the logins of all. */
  struct figures asks, responds, logins;
  long all;
  double seconds, server_seconds, own_seconds;
};

/* Refused as it has to be: a flipped bit, and the same answer again. */
void run_controls(struct run *run);
void run_logins(struct run *run);

#endif
