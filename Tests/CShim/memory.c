/* A search of this process's own memory. */
#include "memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define MARK_SIZE 11

/* The mark, kept only with every bit turned. */
static unsigned char turned[MARK_SIZE] = {0x98, 0x90, 0x8b, 0xb4, 0xae, 0xa7, 0x93, 0x92, 0x8f, 0xa9, 0x86};

void memory_mark(char *place)
{
  for (unsigned i = 0; i < MARK_SIZE; i++)
    place[i] = (char)~turned[i];
}

unsigned memory_marks(void)
{
  unsigned found = 0;
  unsigned long start, end;
  char line[512], mode[8];
  FILE *maps = fopen("/proc/self/maps", "re");
  const int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
  static unsigned char page[4096 + 16];
  while (fgets(line, sizeof line, maps) != NULL) {
    if (sscanf(line, "%lx-%lx %7s", &start, &end, mode) != 3 || mode[1] != 'w')
      continue;
    for (unsigned long at = start; at < end; at += 4096) {
      const ssize_t size = pread(memory, page, sizeof page, (off_t)at);
      for (ssize_t i = 0; i + MARK_SIZE <= size; i++) {
        unsigned same = 0;
        while (same < MARK_SIZE && (unsigned char)~page[i + same] == turned[same])
          same++;
        const unsigned long place = at + (unsigned long)i;
        found += same == MARK_SIZE && !(place >= (unsigned long)page && place < (unsigned long)page + sizeof page);
      }
      explicit_bzero(page, sizeof page);
    }
  }
  fclose(maps);
  close(memory);
  return found;
}
