#define _GNU_SOURCE
#include "figures.h"

#include "text.h"

#include <stdlib.h>
#include <time.h>

int64_t now_nanoseconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

double process_seconds(int process)
{
  struct timespec used;
  clockid_t clock;
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &used) != 0)
    give_up("the server's process %d is gone", process);
  return (double)used.tv_sec + (double)used.tv_nsec / 1e9;
}

void figures_add(struct figures *figures, int64_t nanoseconds)
{
  if (figures->count == figures->room) {
    figures->room = figures->room ? figures->room * 2 : 4096;
    figures->nanoseconds = realloc(figures->nanoseconds, (size_t)figures->room * sizeof *figures->nanoseconds);
    if (!figures->nanoseconds)
      give_up("out of memory");
  }
  figures->nanoseconds[figures->count++] = nanoseconds > UINT32_MAX ? UINT32_MAX : (uint32_t)nanoseconds;
}

static int compare(const void *left, const void *right)
{
  uint32_t one = *(const uint32_t *)left, other = *(const uint32_t *)right;
  return (one > other) - (one < other);
}

double figures_quantile(struct figures *figures, double part)
{
  if (!figures->count)
    return 0;
  qsort(figures->nanoseconds, (size_t)figures->count, sizeof *figures->nanoseconds, compare);
  return figures->nanoseconds[(long)((double)(figures->count - 1) * part)] / 1e6;
}
