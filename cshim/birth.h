/* Makes the core's process outside its caller's cgroup. */
#ifndef UAF_BIRTH_H
#define UAF_BIRTH_H

#include <stdbool.h>
#include <sys/types.h>

/* Like fork(2), with every signal blocked in the meantime. If the kernel allows it, the child is born in the root of the cgroups;
   `at_root` tells both whether it was. If `may_be_born` is false, it is not, and the child must move itself.
   The child may only make system calls: the C library's locks and its list of threads are still the parent's. */
pid_t birth(bool may_be_born, bool *at_root);

#endif
