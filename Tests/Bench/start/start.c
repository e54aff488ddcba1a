/* What no login can do without, as the least program that does it: scripts/measure/start.py builds it several times, each time
   with one step more, and measures what it costs. It decides nothing and keeps no promise of the core. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#if STEP >= 4
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#endif
#if STEP >= 6
#include <seccomp.h>
#endif

extern char **environ;

#if STEP >= 4
/* The system's settings, and the first use of each kind of object that a login needs before its prompt. */
static int use_openssl(void)
{
  unsigned char random[16];
  OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CONFIG, NULL);
  EVP_MAC *code = EVP_MAC_fetch(NULL, "HMAC", NULL);
  EVP_MD *digest = EVP_MD_fetch(NULL, "SHA256", NULL);
  return code != NULL && digest != NULL && RAND_bytes(random, sizeof random) == 1;
}
#endif

#if STEP >= 6
/* Landlock without a rule, and a filter with as many calls as the core's. */
static int enter_sandbox(void)
{
  const unsigned long files = 1;
  const long rules = syscall(444, &files, sizeof files, 0U);
  prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL);
  if (rules < 0 || syscall(446, rules, 0U) != 0)
    return 0;
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
  seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
  for (int number = 0; number < 90; number++)
    seccomp_rule_add(filter, SCMP_ACT_ALLOW, number, 0);
  seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(exit_group), 0);
  return seccomp_load(filter) == 0;
}
#endif

int main(int count, char **arguments)
{
  int done = count > 0;
#if STEP >= 7
  /* The network program; as the core starts it, which does not wait for its end. */
  pid_t child = 0;
  done &= posix_spawn(&child, arguments[1], NULL, NULL, arguments + 1, environ) == 0;
#else
  (void)arguments;
#endif
#if STEP >= 4
  done &= use_openssl();
#endif
#if STEP >= 5
  done &= unshare(CLONE_NEWNET) == 0;
#endif
#if STEP >= 6
  done &= enter_sandbox();
#endif
  _exit(done ? 0 : 1);
}
