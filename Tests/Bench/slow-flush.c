/* Loaded before the C library: each flush to the disk takes SLOW_FLUSH_US microseconds more, as on a disk with a queue. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static void delay(void)
{
  const char *text = getenv("SLOW_FLUSH_US");
  long microseconds = text ? atol(text) : 0;
  struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};
  nanosleep(&time, NULL);
}

int fdatasync(int file)
{
  static int (*real)(int);
  if (!real)
    *(void **)&real = dlsym(RTLD_NEXT, "fdatasync");
  delay();
  return real(file);
}

int fsync(int file)
{
  static int (*real)(int);
  if (!real)
    *(void **)&real = dlsym(RTLD_NEXT, "fsync");
  delay();
  return real(file);
}
