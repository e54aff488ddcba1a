/* Takes the time that scrypt takes inside a program, as that program spends it.

   Loaded before the C library (ld.so.preload). Adds the microseconds of each derivation to the number in the file whose path
   is this library's with ".sum" behind it. The file is mapped when the program starts, because a core can open nothing later.
   Without the file nothing is measured. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

typedef int derivation(const char *, size_t, const unsigned char *, size_t, uint64_t, uint64_t, uint64_t, uint64_t,
                       unsigned char *, size_t);

static derivation *next;
static double *sum;

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

__attribute__((constructor)) static void begin(void)
{
  Dl_info own;
  char path[4096];
  next = (derivation *)dlsym(RTLD_NEXT, "EVP_PBE_scrypt");
  if (next == NULL || dladdr((void *)begin, &own) == 0)
    return;
  if (snprintf(path, sizeof path, "%s.sum", own.dli_fname) >= (int)sizeof path)
    return;
  int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0)
    return;
  void *mapped = mmap(NULL, sizeof *sum, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (mapped != MAP_FAILED)
    sum = mapped;
}

int EVP_PBE_scrypt(const char *pass, size_t passlen, const unsigned char *salt, size_t saltlen, uint64_t N, uint64_t r,
                   uint64_t p, uint64_t maxmem, unsigned char *key, size_t keylen)
{
  if (next == NULL)
    return 0;
  double started = now();
  int done = next(pass, passlen, salt, saltlen, N, r, p, maxmem, key, keylen);
  if (sum != NULL)
    *sum += now() - started;
  return done;
}
