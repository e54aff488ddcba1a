/* What the module knows of the call and tells the core at its beginning. */
#ifndef UAF_BEGIN_H
#define UAF_BEGIN_H

#include <security/pam_modules.h>

#include "frame.h"
#include "limits.h"

/* Fills begin from the PAM handle: PAM_USER, read once, its account, and the labels. The bytes stay libpam's. A
   caller without root is its own account: it sends no account, name or arguments, and is refused here when PAM_USER
   is not itself. For sudo, command gets its command line and begin points into it. Returns PAM_SUCCESS, or the code to end the call with, logged. */
int begin_collect(pam_handle_t *pamh, int flags, int argc, const char *const *argv, struct frame_begin *begin,
                  char command[UAF_COMMAND_MAX]);

#endif
