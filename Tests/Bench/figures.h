/* Times of one kind. */
#ifndef BENCH_FIGURES_H
#define BENCH_FIGURES_H

#include <stdint.h>

struct figures {
  uint32_t *nanoseconds;
  long count, room;
};

int64_t now_nanoseconds(void);
/* The processor's seconds that a process has used; 0 for this one. */
double process_seconds(int process);
void figures_add(struct figures *figures, int64_t nanoseconds);
/* The time that so large a part of all does not exceed, in milliseconds. Sorts. */
double figures_quantile(struct figures *figures, double part);

#endif
