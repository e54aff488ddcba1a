/* What outlives fork and exec, and is neither a limit nor a signal nor a descriptor. */
#ifndef UAF_SHED_H
#define UAF_SHED_H

/* Gives the core, in the child, what a process has that nobody has changed. What the kernel lacks, or a container refuses,
   stays as it is: nothing of the core's own depends on it. SECURITY.md, "What a module inherits", has the whole list. */
void shed_settings(void);

#endif
