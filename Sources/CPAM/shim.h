// libpam as an application sees it, and what else changing a stack takes of the C library that Glibc's module leaves out:
// shadow passwords and extended attributes.

#pragma once

#include <security/pam_appl.h>
#include <shadow.h>
#include <sys/xattr.h>

// Instead of the pause libpam makes after a refusal; nobody is guessing here.
static inline void pam_no_delay(int result, unsigned microseconds, void *data) {
  (void)result;
  (void)microseconds;
  (void)data;
}

static inline int pam_skip_delays(pam_handle_t *handle) {
  return pam_set_item(handle, PAM_FAIL_DELAY, (const void *)pam_no_delay);
}
