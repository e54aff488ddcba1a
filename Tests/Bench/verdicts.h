/* The verdicts of a run: kept while it runs, and each one checked after it. */
#ifndef BENCH_VERDICTS_H
#define BENCH_VERDICTS_H

#include "protocol.h"

struct verdicts {
  EVP_PKEY *key;
  /* name, challenge's hash, token: each ends with NUL. */
  struct text kept;
  long count;
};

void verdicts_open(struct verdicts *verdicts, const char *path);
void verdicts_keep(struct verdicts *verdicts, const struct login *login, struct part token);
/* Ends the program unless each verdict is signed, and names its account and its challenge; and a bent one is refused. */
void verdicts_check(struct verdicts *verdicts);

#endif
