/* The memory of the module: counted, able to run out, and looked at when it is given back. */
#ifndef FUZZ_BLOCKS_H
#define FUZZ_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

/* What every secret of a run begins with. An input that has it is not run: the mark must mean a secret. */
#define SECRET_MARK "Geheimnis-"

/* In place of the functions of the C library. A block that still holds a secret may not be freed. */
void *world_malloc(size_t size);
void *world_calloc(size_t count, size_t size);
char *world_strdup(const char *text);
void world_free(void *block);

/* The same without a failure, for what the host hands over. */
char *blocks_give(const char *text);

/* How many blocks are in use, and whether one of them holds a secret. */
size_t blocks_count(void);
bool blocks_hold_secret(void);

/* Whether these bytes hold one. */
bool blocks_is_secret(const void *bytes, size_t length);

#endif
