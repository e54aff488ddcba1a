#include "packets.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int digit(int character)
{
  const char digits[] = "0123456789abcdef";
  const char *found = character > 0 ? strchr(digits, tolower(character)) : NULL;
  return found != NULL ? (int)(found - digits) : -1;
}

static void give_up(const char *folder, const char *name)
{
  printf("# %s/%s is not one packet in hexadecimal\n", folder, name);
  exit(1);
}

size_t packet_read(const char *folder, const char *name, uint8_t packet[PACKET_ROOM])
{
  char path[4096];
  size_t length = 0;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "re");
  if (file == NULL)
    give_up(folder, name);
  for (int character; (character = fgetc(file)) != EOF;) {
    if (isspace(character))
      continue;
    const int high = digit(character), low = digit(fgetc(file));
    if (high < 0 || low < 0 || length == PACKET_ROOM)
      give_up(folder, name);
    packet[length++] = (uint8_t)(high << 4 | low);
  }
  fclose(file);
  return length;
}

unsigned packet_each(const char *folder, void (*visit)(const char *folder, const char *name))
{
  unsigned count = 0;
  DIR *open = opendir(folder);
  for (struct dirent *entry; open != NULL && (entry = readdir(open)) != NULL;) {
    const size_t length = strlen(entry->d_name);
    if (length < 4 || strcmp(entry->d_name + length - 4, ".hex") != 0)
      continue;
    visit(folder, entry->d_name);
    count++;
  }
  if (open != NULL)
    closedir(open);
  return count;
}
