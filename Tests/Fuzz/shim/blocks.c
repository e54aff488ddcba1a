#include "blocks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "script.h"

#define BLOCKS 64

static struct {
  void *start;
  size_t size;
} blocks[BLOCKS];

bool blocks_is_secret(const void *bytes, size_t length)
{
  return memmem(bytes, length, SECRET_MARK, sizeof SECRET_MARK - 1) != NULL;
}

static void *take(size_t size)
{
  for (size_t i = 0; i < BLOCKS; i++)
    if (blocks[i].start == NULL) {
      blocks[i].start = malloc(size > 0 ? size : 1);
      blocks[i].size = size;
      MUST(blocks[i].start != NULL);
      return blocks[i].start;
    }
  MUST(!"so many blocks are in use");
  return NULL;
}

void *world_malloc(size_t size)
{
  if (script_fails(PLACE_MEMORY)) {
    errno = ENOMEM;
    return NULL;
  }
  return take(size);
}

void *world_calloc(size_t count, size_t size)
{
  void *block = world_malloc(count * size);
  return block != NULL ? memset(block, 0, count * size) : NULL;
}

char *world_strdup(const char *text)
{
  char *copy = world_malloc(strlen(text) + 1);
  return copy != NULL ? strcpy(copy, text) : NULL;
}

char *blocks_give(const char *text) { return strcpy(take(strlen(text) + 1), text); }

void world_free(void *block)
{
  if (block == NULL)
    return;
  for (size_t i = 0; i < BLOCKS; i++)
    if (blocks[i].start == block) {
      MUST(!blocks_is_secret(block, blocks[i].size));
      blocks[i].start = NULL;
      free(block);
      return;
    }
  MUST(!"a block is freed once");
}

size_t blocks_count(void)
{
  size_t count = 0;
  for (size_t i = 0; i < BLOCKS; i++)
    count += blocks[i].start != NULL;
  return count;
}

bool blocks_hold_secret(void)
{
  for (size_t i = 0; i < BLOCKS; i++)
    if (blocks[i].start != NULL && blocks_is_secret(blocks[i].start, blocks[i].size))
      return true;
  return false;
}
