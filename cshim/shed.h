/* Settings that outlive fork and exec, other than limits, signals and descriptors. */
#ifndef UAF_SHED_H
#define UAF_SHED_H

/* Resets them in the child to the defaults of a process. A setting that the kernel lacks or a container refuses stays
   as it is: nothing in the core depends on it. SECURITY.md, "What a module inherits", has the whole list. */
void shed_settings(void);

#endif
