/* Settings that are inherited through fork and exec, other than limits, signals and descriptors. */
#ifndef UAF_SHED_H
#define UAF_SHED_H

/* Called in the child: resets these settings to the defaults. If the kernel does not have a setting, or a container does not
   allow its change, it stays as it is: the core does not depend on it. SECURITY.md, "What a module inherits", has the whole
   list. */
void shed_settings(void);

#endif
