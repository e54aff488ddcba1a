#include <sqlite3.h>

/* SQLite counts the memory of all connections under one lock, unless this is called before the first one is opened. Swift cannot
   call functions with variable arguments. */
static inline int pam_uaf_sqlite_count_no_memory(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
