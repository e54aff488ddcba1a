/* Creates the core's process, if possible outside the caller's cgroup. */
#ifndef UAF_BIRTH_H
#define UAF_BIRTH_H

#include <stdbool.h>
#include <sys/types.h>

/* Like fork(2), with every signal blocked meanwhile. If the kernel allows it and `may_be_born` is true, the child is created in
   the root of the cgroups. In both processes, `at_root` tells whether that was done; if not, the child must move itself. The
   child must only make system calls: the C library's locks and its list of threads are still those of the parent. */
pid_t birth(bool may_be_born, bool *at_root);

#endif
