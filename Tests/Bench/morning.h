/* A morning: people log in once each, at random times, as real clients do, and their machines check in. */
#ifndef BENCH_MORNING_H
#define BENCH_MORNING_H

#include "figures.h"
#include "verdicts.h"

struct morning {
  struct place place;
  SSL_CTX *context;
  const char *port;
  struct account *accounts;
  long logins;
  /* Seconds over which the logins begin, at random. */
  double during;
  /* Processes that log in: one login of each at a time. */
  long workers;
  struct verdicts verdicts;
  /* The file with the check-ins: a line for each login, with the value of UAF-Machine, a space, and the body. */
  const char *check_ins;

  /* What is measured. A login's time begins when it is due, and has its connection and its check-in not in it. */
  struct figures hellos, asks, responds, logged_in, checked_in;
  double seconds, own_seconds;
};

/* Ends the program unless every login is a success with its signed verdict, and every check-in is answered. */
void morning_pass(struct morning *morning);
/* Base64url of the certificate that a connection shows, and of its hash. */
void place_see(struct place *place, SSL *tls);

#endif
