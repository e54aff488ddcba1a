/* What the module tells the core, what the core inherits from the host, and where the module finds the core. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <pwd.h>
#include <sched.h>
#include <security/pam_modules.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "host.h"
#include "memory.h"

#define NOBODY 65534
#define STATE "state\nhear\nprompt hidden 1 Passcode: \nhear\nfinished 0 0\n"
#define SUCCESS "hear\nfinished 0 0\n"
#define ENVIRONMENT "PATH=/usr/sbin:/usr/bin:/sbin:/bin|LC_ALL=C.UTF-8|SWIFT_BACKTRACE=enable=no"
#define DESCRIPTORS "0 /dev/null|1 /dev/null|2 /dev/null|3 socket"

static struct host host;
static char text[1 << 18];

static int call(const char *script)
{
  host.script = script;
  host.answers[0] = "Abcdef1!";
  host_authenticate(&host);
  return host.code;
}

/* The C library's, which the module finds here: the queue of the socket is full so many times. */
static unsigned full_queue, connections;

int connect(int descriptor, const struct sockaddr *address, socklen_t length)
{
  static int (*real)(int, const struct sockaddr *, socklen_t);
  if (real == NULL)
    *(void **)&real = dlsym(RTLD_NEXT, "connect");
  connections++;
  if (full_queue > 0) {
    full_queue--;
    errno = EAGAIN;
    return -1;
  }
  return real == NULL ? -1 : real(descriptor, address, length);
}

static const char *recorded(const char *prefix) { return host_record_lines(&host, prefix, text, sizeof text); }

static bool log_has(const char *part) { return strstr(host.log, part) != NULL; }

/* ---- begin ---- */

/* The begin packet as the core heard it, field by field: "tag=hex ". */
static const char *begin_fields(void)
{
  static char fields[1 << 16];
  char *out = fields;
  const char *at = recorded("heard ");
  *out = '\0';
  CHECK(strncmp(at, "01", 2) == 0);
  for (at += 2; *at != '\0' && *at != '|';) {
    unsigned tag, length;
    sscanf(at, "%2x%4x", &tag, &length);
    out += sprintf(out, "%u=%.*s ", tag, (int)(length * 2), at + 6);
    at += 6 + length * 2;
  }
  return fields;
}

static void tells_what_pam_knows(void)
{
  setenv("LC_ALL", "", 1), setenv("LC_MESSAGES", "", 1), setenv("LANG", "ko_KR", 1);
  host.user = "nobody", host.remote_host = "203.0.113.7", host.tty = "ssh", host.remote_user = "x";
  host.arguments = "conf=/a nouserok", host.flags = PAM_SILENT;
  CHECK(call(SUCCESS) == PAM_SUCCESS);
  CHECK_TEXT(begin_fields(), "1=0005 2=01 3=0000fffe 4=6e6f626f6479 5=6e6f626f6479 6=7561662d74657374 7=737368 "
                             "8=3230332e302e3131332e37 9=78 10=01 11=00008000 12=636f6e663d2f61 12=6e6f757365726f6b "
                             "13=6b6f5f4b52 19=00000000 ");
}

static void become_su(void);

/* Of GDM alone, and of no setuid program, whatever its caller put into the environment. */
static void tells_that_its_host_shows_lists(void)
{
  unsetenv("LC_ALL"), unsetenv("LC_MESSAGES"), unsetenv("LANG");
  setenv("GDM_SUPPORTED_PAM_EXTENSIONS", "org.gnome.DisplayManager.UserVerifier.ChoiceList", 1);
  host.name = "gdm-switchable-auth";
  CHECK(call(SUCCESS) == PAM_SUCCESS);
  CHECK(strstr(begin_fields(), "19=00000000 24=01 25=01 ") != NULL);
  host.name = "sudo";
  CHECK(call(SUCCESS) == PAM_SUCCESS);
  CHECK(strstr(begin_fields(), " 24=") == NULL);
  host.name = "gdm-switchable-auth", host.before = become_su;
  CHECK(call(SUCCESS) == PAM_SUCCESS);
  CHECK(strstr(begin_fields(), "19=0000fffe ") != NULL && strstr(begin_fields(), " 24=") == NULL);
}

static void tells_nothing_it_does_not_know(void)
{
  unsetenv("LC_ALL"), unsetenv("LC_MESSAGES"), unsetenv("LANG");
  host.remote_host = "";
  CHECK(call(SUCCESS) == PAM_SUCCESS);
  CHECK_TEXT(begin_fields(),
             "1=0005 2=01 3=00000000 4=726f6f74 5=726f6f74 6=7561662d74657374 8= 10=00 11=00000000 19=00000000 25=01 ");
}

static void chooses_the_locale_as_the_c_library_does(void)
{
  setenv("LC_ALL", "a", 1), setenv("LC_MESSAGES", "b", 1), setenv("LANG", "c", 1);
  CHECK(call(SUCCESS) == PAM_SUCCESS && strstr(begin_fields(), "13=61 ") != NULL);
  unsetenv("LC_ALL");
  CHECK(call(SUCCESS) == PAM_SUCCESS && strstr(begin_fields(), "13=62 ") != NULL);
  memset(text, 'x', 65), text[65] = '\0';
  setenv("LC_MESSAGES", text, 1);
  CHECK(call(SUCCESS) == PAM_SUCCESS && strstr(begin_fields(), "13=") == NULL);
}

static void takes_names_as_hosts_hand_them_over(void)
{
  host.user = "a\033[2J\nb\377";
  CHECK(call(SUCCESS) == PAM_SUCCESS);
  CHECK(strstr(begin_fields(), " 2=01 5=611b5b324a0a62ff 6=") != NULL); /* no uid, no account */
  host.user = "";
  CHECK(call(SUCCESS) == PAM_SUCCESS && strstr(begin_fields(), " 2=01 5= 6=") != NULL);
  host.user = "../../root";
  CHECK(call(SUCCESS) == PAM_SUCCESS && strstr(begin_fields(), " 3=") == NULL);
}

static void leaves_out_names_longer_than_256_bytes(void)
{
  static char name[65537];
  memset(name, 'a', sizeof name - 1);
  host.user = name;
  CHECK(call(SUCCESS) == PAM_SUCCESS && strstr(begin_fields(), " 2=01 6=") != NULL);
  name[257] = '\0';
  CHECK(call(SUCCESS) == PAM_SUCCESS && strstr(begin_fields(), " 2=01 6=") != NULL);
  name[256] = '\0';
  CHECK(call(SUCCESS) == PAM_SUCCESS && strstr(begin_fields(), " 2=01 5=6161") != NULL);
}

/* A stack may pass over users whom nobody knows. A lookup that failed, which any caller of su can bring about, is no
   word about a user. */
static void tells_a_failed_lookup_from_nobody(void)
{
  static const int failures[] = {EMFILE, ENFILE, ENOMEM, EIO, EAGAIN, EACCES, EINTR, ERANGE};
  host.user = "nobody-here";
  CHECK(call("hear\nfinished 10 1009\n") == PAM_USER_UNKNOWN);
  host.user = "nobody";
  for (unsigned i = 0; i < sizeof failures / sizeof failures[0]; i++) {
    lookup_error = failures[i];
    CHECK(call("hear\nfinished 10 1009\n") == PAM_SYSTEM_ERR && log_has("could not be looked up"));
    CHECK(strstr(begin_fields(), " 3=") == NULL);
    CHECK(call("hear\nfinished 7 3012\n") == PAM_AUTH_ERR);
  }
  /* What the C library says of any name where a name service is not installed. */
  lookup_error = ENOENT;
  CHECK(call("hear\nfinished 10 1009\n") == PAM_USER_UNKNOWN);
  lookup_error = 0;
}

static void cuts_labels_to_their_limits(void)
{
  static char label[3001];
  memset(label, 'h', sizeof label - 1);
  host.remote_host = host.tty = host.remote_user = label;
  CHECK(call(SUCCESS) == PAM_SUCCESS);
  const char *fields = begin_fields();
  for (int tag = 7; tag <= 9; tag++) {
    char start[16];
    snprintf(start, sizeof start, " %d=", tag);
    const char *found = strstr(fields, start);
    CHECK(found != NULL && strcspn(found + 3, " ") == 512);
  }
}

static void refuses_arguments_that_do_not_fit(void)
{
  static char arguments[9000];
  for (unsigned i = 0; i < 33; i++)
    strcat(arguments, "a ");
  host.arguments = arguments;
  CHECK(call(SUCCESS) == PAM_SERVICE_ERR && log_has("module arguments"));
  CHECK_TEXT(host.record, ""); /* the core was not even started */
  arguments[64] = '\0';
  CHECK(call(SUCCESS) == PAM_SUCCESS);
}

/* ---- what the core inherits ---- */

static void check_clean_start(void)
{
  CHECK_TEXT(recorded("SigIgn:"), "\t0000000000000000");
  CHECK_TEXT(recorded("environment "), ENVIRONMENT);
  CHECK_TEXT(recorded("descriptor "), DESCRIPTORS);
  CHECK(host_recorded(&host, "arguments 1 uaf-helper") && host_recorded(&host, "folder /"));
  CHECK(host_recorded(&host, "umask 077") && host_recorded(&host, "session own") && host_recorded(&host, "timer 0"));
  CHECK(host_recorded(&host, "Uid:\t0\t0\t0\t0") && host_recorded(&host, "Gid:\t0\t0\t0\t0"));
  CHECK(host_recorded(&host, "Groups:\t ") || host_recorded(&host, "Groups:\t"));
  CHECK(host_recorded(&host, "SigBlk:\t0000000000000000"));
  CHECK(host_recorded(&host, "limit DATA -1 -1"));
  CHECK(host_recorded(&host, "limit FSIZE -1 -1") && host_recorded(&host, "limit CPU -1 -1"));
  CHECK(host_recorded(&host, "limit AS -1 -1") && host_recorded(&host, "limit NOFILE 1024 1024"));
  CHECK(host_recorded(&host, "limit STACK 8388608 8388608") && host_recorded(&host, "limit CORE 0 0"));
}

static void starts_the_core_clean(void)
{
  CHECK(call(STATE) == PAM_SUCCESS);
  check_clean_start();
}

static void passes_on_no_environment(void)
{
  static const char *const planted[] = {"SWIFT_BACKTRACE", "OPENSSL_CONF",    "OPENSSL_MODULES",
                                        "LD_PRELOAD",      "LD_LIBRARY_PATH", "HOME",
                                        "SSL_CERT_FILE",   "SSL_CERT_DIR",    "SSLKEYLOGFILE",
                                        "TMPDIR",          "https_proxy",     "TZ",
                                        "LC_ALL",          "SQLITE_TMPDIR",   "IFS",
                                        "UAF_HELPER",      "UAF_LIBEXECDIR",  "UAF_SOCKET_PATH"};
  for (unsigned i = 0; i < sizeof planted / sizeof planted[0]; i++)
    setenv(planted[i], "/tmp/planted", 1);
  CHECK(call(STATE) == PAM_SUCCESS);
  check_clean_start();
  CHECK(strstr(recorded("environment "), "planted") == NULL);
}

/* The soft limit, or both: the hard one goes up again only with CAP_SYS_RESOURCE, which containers drop. */
static void lower(__rlimit_resource_t resource, rlim_t value, bool hard)
{
  struct rlimit limit;
  CHECK(getrlimit(resource, &limit) == 0);
  limit.rlim_cur = value;
  if (hard)
    limit.rlim_max = value;
  CHECK(setrlimit(resource, &limit) == 0);
}

static void lower_limits(void)
{
  lower(RLIMIT_CORE, 1 << 20, false);
  lower(RLIMIT_NOFILE, 16, false);
  lower(RLIMIT_STACK, 64 * 1024, false);
  lower(RLIMIT_CPU, 1, false);
  if (!SANITIZED) /* the sanitizer's own memory would not fit */
    lower(RLIMIT_DATA, 16 << 20, false);
  lower(RLIMIT_FSIZE, 0, false);
}

/* So that a failed check can be written down. */
static void restore_file_size(void) { lower(RLIMIT_FSIZE, RLIM_INFINITY, false); }

static void raises_lowered_limits(void)
{
  host.before = lower_limits;
  CHECK(call(STATE) == PAM_SUCCESS);
  restore_file_size();
  CHECK(host_recorded(&host, "limit FSIZE -1 -1") && host_recorded(&host, "limit NOFILE 1024 1024"));
  CHECK(host_recorded(&host, "limit CPU -1 -1") && host_recorded(&host, "limit DATA -1 -1"));
  CHECK(host_recorded(&host, "limit STACK 8388608 8388608") && host_recorded(&host, "limit CORE 0 0"));
}

static bool may_raise_limits(void)
{
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[2];
  return syscall(SYS_capget, &header, data) == 0 && (data[0].effective >> CAP_SYS_RESOURCE & 1) != 0;
}

static void lower_hard_limits(void)
{
  lower(RLIMIT_NOFILE, 16, true);
  lower(RLIMIT_FSIZE, 0, true);
}

/* In a process of its own, because it cannot write afterwards. */
static void raises_hard_limits_or_refuses(void)
{
  const int expected = may_raise_limits() ? PAM_SUCCESS : PAM_SYSTEM_ERR;
  int status = 1;
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    host.before = lower_hard_limits;
    _exit(call(STATE) == expected && (expected != PAM_SUCCESS || host_recorded(&host, "limit FSIZE -1 -1")) ? 0 : 1);
  }
  CHECK(waitpid(child, &status, 0) == child && status == 0);
}

/* Without CAP_SYS_RESOURCE no limit goes up again: what the core needs is then a refusal. */
static void drop_the_right_to_raise(void)
{
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[2];
  CHECK(syscall(SYS_capget, &header, data) == 0);
  for (unsigned i = 0; i < 2; i++)
    data[i].permitted = data[i].effective &= i == 0 ? ~(1u << CAP_SYS_RESOURCE) : ~0u;
  CHECK(syscall(SYS_capset, &header, data) == 0);
}

static void fix_file_size(void) { drop_the_right_to_raise(), lower(RLIMIT_FSIZE, 1 << 20, true); }
static void fix_processor_time(void) { drop_the_right_to_raise(), lower(RLIMIT_CPU, 1, true); }
static void fix_descriptors(void) { drop_the_right_to_raise(), lower(RLIMIT_NOFILE, 24, true); }
static void fix_memory(void) { drop_the_right_to_raise(), lower(RLIMIT_DATA, 60 << 20, true); }

static void refuses_below(void (*before)(void))
{
  host.before = before;
  CHECK(call(SUCCESS) == PAM_SYSTEM_ERR && log_has("without a verdict"));
  CHECK_TEXT(host.record, "");
}

static void refuses_without_file_size(void) { refuses_below(fix_file_size); }
static void refuses_without_processor_time(void) { refuses_below(fix_processor_time); }
static void refuses_with_few_descriptors(void) { refuses_below(fix_descriptors); }
static void refuses_with_little_memory(void) { refuses_below(fix_memory); }

static void use_up_descriptors(void) { lower(RLIMIT_NOFILE, 3, false); }

static void refuses_without_a_descriptor(void)
{
  host.before = use_up_descriptors;
  host.next = "permit";
  CHECK(call(SUCCESS) == PAM_SYSTEM_ERR && log_has("Too many open files"));
  lower(RLIMIT_NOFILE, 256, false); /* for the leak checker */
  CHECK(host.reached_next);
}

static void leak_descriptors(void)
{
  for (int descriptor = 200; descriptor < 1000; descriptor += 7)
    CHECK(dup2(0, descriptor) == descriptor); /* not close-on-exec */
}

static void passes_on_no_descriptor(void)
{
  host.before = leak_descriptors;
  CHECK(call(STATE) == PAM_SUCCESS);
  CHECK_TEXT(recorded("descriptor "), DESCRIPTORS);
}

static void lower_below_leaked_descriptors(void)
{
  leak_descriptors();
  lower_limits();
}

static void passes_on_no_descriptor_above_the_limit(void)
{
  host.before = lower_below_leaked_descriptors;
  CHECK(call(STATE) == PAM_SUCCESS);
  restore_file_size();
  CHECK_TEXT(recorded("descriptor "), DESCRIPTORS);
}

static int closed_descriptors;

static void close_standard(void)
{
  for (int standard = 0; standard <= 2; standard++)
    if ((closed_descriptors >> standard & 1) != 0)
      close(standard);
}

/* In a process of its own, as the test has its output there. That no socket is among them is checked by the host. */
static void keeps_off_closed_standard_descriptors(void)
{
  for (closed_descriptors = 1; closed_descriptors < 8; closed_descriptors++) {
    int status = 1;
    const pid_t child = fork();
    if (child == 0) {
      host.before = close_standard;
      const bool good = call(STATE) == PAM_SUCCESS && strcmp(recorded("descriptor "), DESCRIPTORS) == 0;
      _exit(good && check_failures() == 0 ? 0 : 1);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
  }
}

static volatile sig_atomic_t interruptions;
static void interrupt(int number) { (void)number, interruptions++; }

static void block_and_ignore(void)
{
  sigset_t all;
  for (int number = 1; number < 65; number++)
    if (number != SIGCHLD && number != SIGALRM)
      signal(number, number % 2 == 0 ? SIG_IGN : interrupt);
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
}

static void passes_on_no_signal_state(void)
{
  host.before = block_and_ignore;
  CHECK(call(STATE) == PAM_SUCCESS);
  CHECK(host_recorded(&host, "SigBlk:\t0000000000000000") && host_recorded(&host, "SigIgn:\t0000000000000000"));
}

static void interrupt_all_the_time(void)
{
  const struct sigaction action = {.sa_handler = interrupt}; /* no SA_RESTART */
  const struct itimerval timer = {{0, 1000}, {0, 1000}};
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &timer, NULL);
}

static void bears_interruptions(void)
{
  host.before = interrupt_all_the_time;
  CHECK(call("state\nhear\npause 100\nprompt hidden 1 Passcode: \nhear\npause 100\nfinished 0 0\n") == PAM_SUCCESS);
  CHECK(host_recorded(&host, "timer 0") && interruptions > 20);
  CHECK(call("hear\nstay\n") == PAM_SYSTEM_ERR && host.milliseconds >= SILENCE && host.milliseconds < SILENCE + 1500);
}

static void become_su(void)
{
  const gid_t groups[] = {100, 65534};
  CHECK(setgroups(2, groups) == 0 && setresgid(NOBODY, 100, 100) == 0 && setresuid(NOBODY, 0, NOBODY) == 0);
  umask(0);
}

static void starts_the_core_as_root_for_a_setuid_host(void)
{
  host.before = become_su;
  CHECK(call(STATE) == PAM_SUCCESS);
  check_clean_start();
}

static void tells_who_called_a_setuid_host(void)
{
  setenv("LC_ALL", "", 1), setenv("LC_MESSAGES", "", 1), setenv("LANG", "", 1);
  host.before = become_su;
  CHECK(call(SUCCESS) == PAM_SUCCESS);
  CHECK_TEXT(begin_fields(),
             "1=0005 2=01 3=00000000 4=726f6f74 5=726f6f74 6=7561662d74657374 10=00 11=00000000 19=0000fffe ");
}

/* Makes a cgroup as a session has one. Returns false where none can be made. */
static bool make_cgroup(char *folder, size_t size)
{
  static const char *const roots[] = {"/sys/fs/cgroup/unified", "/sys/fs/cgroup"};
  for (unsigned i = 0; i < sizeof roots / sizeof roots[0]; i++) {
    char procs[128];
    snprintf(procs, sizeof procs, "%s/cgroup.procs", roots[i]);
    snprintf(folder, size, "%s/uaf-test-%d", roots[i], (int)getpid());
    if (access(procs, W_OK) == 0 && mkdir(folder, 0755) == 0)
      return true;
  }
  return false;
}

static char cgroup[128];

static void enter_cgroup(const char *below)
{
  char procs[160];
  snprintf(procs, sizeof procs, "%s/%s/cgroup.procs", cgroup, below);
  const int file = open(procs, O_WRONLY | O_CLOEXEC);
  CHECK(file >= 0 && write(file, "0", 1) == 1);
  close(file);
}

static void enter_own_cgroup(void) { enter_cgroup("."); }

static void starts_at_the_root_of_the_cgroups(void (*before)(void))
{
  if (!make_cgroup(cgroup, sizeof cgroup)) {
    printf("# no cgroup can be made here\n");
    return;
  }
  host.before = before;
  CHECK(call(STATE) == PAM_SUCCESS);
  CHECK_TEXT(recorded("cgroup "), "/");
  enter_cgroup("..");
  CHECK(rmdir(cgroup) == 0);
}

static void takes_the_core_out_of_the_callers_cgroup(void) { starts_at_the_root_of_the_cgroups(enter_own_cgroup); }

/* As the sandboxes of some hosts do it, which have not heard of it. */
static void deny_clone3(void)
{
  struct sock_filter program[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog filter = {.len = sizeof program / sizeof program[0], .filter = program};
  CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0);
}

static void enter_own_cgroup_without_clone3(void)
{
  enter_own_cgroup();
  deny_clone3();
}

/* As a person does who owns it. Linux 6.18 then kills what is born elsewhere from inside it. */
static void enter_own_cgroup_that_was_killed(void)
{
  char path[160];
  snprintf(path, sizeof path, "%s/cgroup.kill", cgroup);
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0)
    printf("# cgroups cannot be killed here\n");
  else
    CHECK(write(file, "1", 1) == 1);
  close(file);
  enter_own_cgroup();
}

static void takes_the_core_out_of_a_cgroup_that_was_killed(void)
{
  starts_at_the_root_of_the_cgroups(enter_own_cgroup_that_was_killed);
}

static void takes_the_core_out_of_the_cgroup_without_clone3(void)
{
  starts_at_the_root_of_the_cgroups(enter_own_cgroup_without_clone3);
}

static atomic_bool threads_go_on = true;

static void *end_at_once(void *nothing) { return nothing; }

/* Threads that begin and end hold the locks that a new process must not wait for. */
static void *make_threads(void *nothing)
{
  while (threads_go_on) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, end_at_once, NULL) == 0)
      pthread_join(thread, NULL);
  }
  return nothing;
}

static void starts_the_core_beside_threads_that_come_and_go(void)
{
  pthread_t makers[4];
  for (unsigned i = 0; i < 4; i++)
    CHECK(pthread_create(&makers[i], NULL, make_threads, NULL) == 0);
  for (unsigned i = 0; i < 100; i++)
    CHECK(call(SUCCESS) == PAM_SUCCESS);
  threads_go_on = false;
  for (unsigned i = 0; i < 4; i++)
    pthread_join(makers[i], NULL);
}

static void become_slow(void)
{
  static const struct sched_param batch;
  cpu_set_t first;
  CPU_ZERO(&first);
  CPU_SET(0, &first);
  /* Not SCHED_IDLE: on a busy processor the host itself would not get far enough to start a core. */
  CHECK(setpriority(PRIO_PROCESS, 0, 19) == 0 && sched_setscheduler(0, SCHED_BATCH, &batch) == 0);
  CHECK(sched_setaffinity(0, sizeof first, &first) == 0);
}

static void gives_the_core_its_share_of_the_processors(void)
{
  cpu_set_t before;
  CPU_ZERO(&before);
  CHECK(sched_getaffinity(0, sizeof before, &before) == 0);
  if (setpriority(PRIO_PROCESS, 0, -1) != 0) {
    printf("# CAP_SYS_NICE is needed\n");
    return;
  }
  host.before = become_slow;
  CHECK(call(STATE) == PAM_SUCCESS);
  CHECK(host_recorded(&host, "policy 0") && host_recorded(&host, "niceness 0"));
  CHECK(atoi(recorded("processors ")) >= CPU_COUNT(&before));
}

#define SLACK 40000000000L

static long slack(void) { return syscall(SYS_prctl, PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL); }

static void write_setting(const char *path, const char *value)
{
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  CHECK(file >= 0 && write(file, value, strlen(value)) > 0);
  close(file);
}

/* Whatever the kernel would hand on; what it lacks is left out. */
static void change_settings(void)
{
  static const unsigned long first_node = 1;
  write_setting("/proc/self/oom_score_adj", "700");
  write_setting("/proc/self/coredump_filter", "0x7f");
  personality(ADDR_NO_RANDOMIZE | STICKY_TIMEOUTS | WHOLE_SECONDS);
  syscall(SYS_keyctl, 1 /* KEYCTL_JOIN_SESSION_KEYRING */, "planted", 0UL, 0UL, 0UL);
  syscall(SYS_set_mempolicy, 1 /* MPOL_PREFERRED */, &first_node, 64UL);
  if (!SANITIZED) /* to take it back takes as long as the sanitizer's terabytes are large */
    prctl(67 /* PR_SET_MEMORY_MERGE */, 1UL, 0UL, 0UL, 0UL);
  prctl(PR_SET_THP_DISABLE, 1UL, 0UL, 0UL, 0UL);
  prctl(PR_MCE_KILL, (unsigned long)PR_MCE_KILL_SET, (unsigned long)PR_MCE_KILL_EARLY, 0UL, 0UL);
  CHECK(syscall(SYS_prctl, PR_SET_TIMERSLACK, SLACK, 0UL, 0UL, 0UL) == 0 && slack() == SLACK);
}

static void passes_on_no_setting(void)
{
  char keyring[32];
  host.before = change_settings;
  CHECK(call(STATE) == PAM_SUCCESS);
  CHECK(host_recorded(&host, "setting timerslack_ns 50000") && host_recorded(&host, "setting oom_score_adj 0"));
  CHECK(host_recorded(&host, "setting coredump_filter 00000000"));
  CHECK(host_recorded(&host, "setting personality 00000000"));
  CHECK(host_recorded(&host, "large pages allowed") && host_recorded(&host, "merged pages no"));
  CHECK(host_recorded(&host, "memory policy 0"));
  CHECK(host_recorded(&host, "machine checks 2") || host_recorded(&host, "machine checks -1"));
  snprintf(keyring, sizeof keyring, "keyring %ld", syscall(SYS_keyctl, 0, -3L, 0UL, 0UL, 0UL));
  CHECK(!host_recorded(&host, keyring) || host_recorded(&host, "keyring -1"));
}

static void allow_every_wait_to_be_late(void) { syscall(SYS_prctl, PR_SET_TIMERSLACK, SLACK, 0UL, 0UL, 0UL); }

static void waits_no_longer_for_a_host_that_may_be_late(void)
{
  host.before = allow_every_wait_to_be_late;
  CHECK(call("hear\nstay\n") == PAM_SYSTEM_ERR && host.milliseconds >= SILENCE && host.milliseconds < SILENCE + 1500);
  CHECK(slack() == SLACK);
  syscall(SYS_prctl, PR_SET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL);
}

/* ---- processes ---- */

static void ignore_children(void) { signal(SIGCHLD, SIG_IGN); }

static void bears_a_host_that_ignores_its_children(void)
{
  host.before = ignore_children;
  CHECK(call(SUCCESS) == PAM_SUCCESS);
  CHECK(call("hear\ndie 9\n") == PAM_SYSTEM_ERR);
  CHECK(call("exit 0\n") == PAM_SYSTEM_ERR);
}

static void reap_all(int number)
{
  const int error = errno;
  (void)number;
  while (waitpid(-1, NULL, WNOHANG) > 0)
    interruptions++;
  errno = error;
}

static void reap_in_a_handler(void) { signal(SIGCHLD, reap_all); }

static void bears_a_host_that_reaps_in_a_handler(void)
{
  host.before = reap_in_a_handler;
  CHECK(call(SUCCESS) == PAM_SUCCESS && call("hear\ndie 6\n") == PAM_SYSTEM_ERR);
  CHECK(call("hear\nstay\n") == PAM_SYSTEM_ERR && interruptions > 0);
}

static void raise_no_sigpipe(void) { signal(SIGPIPE, SIG_DFL); }

static void raises_no_sigpipe(void)
{
  host.before = raise_no_sigpipe;
  CHECK(call("hear\nprompt hidden 1 Passcode: \nclose\nexit 0\n") == PAM_SYSTEM_ERR);
  CHECK(call("close\nexit 0\n") == PAM_SYSTEM_ERR);
}

static void remove_core(void) { CHECK(rename(FOLDER "/libexec/uaf-helper", FOLDER "/libexec/hidden") == 0); }
static void return_core(void) { CHECK(rename(FOLDER "/libexec/hidden", FOLDER "/libexec/uaf-helper") == 0); }

static void says_when_the_core_is_missing(void)
{
  host.next = "permit";
  remove_core();
  CHECK(call(SUCCESS) == PAM_SYSTEM_ERR && log_has("uaf-helper cannot be run") && host.reached_next);
  host.before = ignore_children;
  for (unsigned i = 0; i < 20; i++) /* the child may be gone before it can be addressed */
    CHECK(call(SUCCESS) == PAM_SYSTEM_ERR);
  host.before = NULL;
  CHECK(mkdir(FOLDER "/libexec/uaf-helper", 0755) == 0 && call(SUCCESS) == PAM_SYSTEM_ERR);
  CHECK(rmdir(FOLDER "/libexec/uaf-helper") == 0);
  return_core();
  CHECK(chmod(FOLDER "/libexec/uaf-helper", 0644) == 0);
  CHECK(call(SUCCESS) == PAM_SYSTEM_ERR && log_has("uaf-helper cannot be run"));
  CHECK(chmod(FOLDER "/libexec/uaf-helper", 0755) == 0 && call(SUCCESS) == PAM_SUCCESS);
}

static void leaves_no_answer_in_memory(void)
{
  static char answer[900]; /* of a size nothing else has, so that its place is not soon used again */
  host.script = "hear\nprompt hidden 1 Passcode: \nhear\nfinished 7 3012\n";
  memset(answer, 'x', sizeof answer - 1);
  memory_mark(answer + 800);
  host.answers[0] = answer;
  CHECK(memory_marks() > 0); /* the search finds the host's own copy */
  host_authenticate(&host);
  CHECK(host.code == PAM_AUTH_ERR && host.prompts == 1);
  explicit_bzero(answer, sizeof answer);
  memset(host.record, 0, sizeof host.record);
  CHECK(memory_marks() == 0);
}

static void leaves_no_password_of_the_keyring_in_memory(void)
{
  /* The mark with every bit turned: the script must not be what is found. */
  host.script = "hear\nprompt hidden 1 Passcode: \nhear\nturned 98908bb4aea793928fa986\nfinished 0 0\n";
  host.answers[0] = "Abcdef1!";
  pam_handle_t *pamh = host_open(&host);
  host_call(pamh, &host, pam_authenticate, 0);
  CHECK(host.code == PAM_SUCCESS && host.left_authtok);
  memset(host.record, 0, sizeof host.record);
  CHECK(memory_marks() == 0);
  host_close(pamh, &host);
}

static unsigned told, marks_while_told;

static void search_memory(void)
{
  told++;
  memset(host.record, 0, sizeof host.record);
  marks_while_told += memory_marks();
}

/* Neither afterwards nor while the host shows that the login has failed, which may take as long as the host likes. */
static void leaves_no_password_of_the_keyring_behind_a_failure(void)
{
  static const char password[] = "turned 98908bb4aea793928fa986\n";
  static const struct {
    const char *script;
    bool is_told;
  } ends[] = {
    {"finished 7 3012\n", false},                              /* refused */
    {"exit 0\n", true},                                        /* no verdict */
    {"finished 25 0\n", true},                                 /* a wrong verdict */
    {"turned 98908bb4aea793928fa986\nfinished 0 0\n", true},   /* a second password */
    {"turned ff98908bb4aea793928fa986\nfinished 0 0\n", true}, /* one with a NUL, which is not read at all */
  };
  host.while_told = search_memory;
  for (unsigned i = 0; i < sizeof ends / sizeof ends[0]; i++) {
    char script[512];
    snprintf(script, sizeof script, "hear\nprompt hidden 1 Passcode: \nhear\n%s%s", password, ends[i].script);
    host.script = script, host.answers[0] = "Abcdef1!";
    told = marks_while_told = 0;
    host_authenticate(&host);
    CHECK(host.code != PAM_SUCCESS && !host.left_authtok);
    CHECK((told > 0) == ends[i].is_told && marks_while_told == 0);
    memset(host.record, 0, sizeof host.record);
    CHECK(memory_marks() == 0);
  }
}

/* Not of a host that a person has called, of a remote login, or where an earlier module has left a password. */
static void tells_that_its_host_takes_the_password_of_a_keyring(void)
{
  CHECK(call(SUCCESS) == PAM_SUCCESS && strstr(begin_fields(), " 25=01 ") != NULL);
  host.remote_host = "203.0.113.7";
  CHECK(call(SUCCESS) == PAM_SUCCESS && strstr(begin_fields(), " 25=") == NULL);
  host.remote_host = NULL, host.first_pass = "theirs";
  CHECK(call(SUCCESS) == PAM_SUCCESS && strstr(begin_fields(), " 25=") == NULL);
  host.first_pass = NULL, host.before = become_su;
  CHECK(call(SUCCESS) == PAM_SUCCESS && strstr(begin_fields(), " 25=") == NULL);
}

/* ---- the socket ---- */

static void be_nobody(void) { host_become(NOBODY); }

static void prefers_the_socket(void)
{
  host_serve_socket(0);
  setenv("PLANTED", "1", 1);
  CHECK(call("state\nhear\nprompt hidden 1 Passcode: \nhear\nfinished 0 0\n") == PAM_SUCCESS);
  CHECK(strstr(recorded("environment "), "PLANTED") == NULL || getenv("PLANTED") != NULL);
  CHECK(!host_recorded(&host, "session own") && strcmp(recorded("descriptor "), "") != 0);
  CHECK(host.prompts == 1);
}

static void finds_a_core_dead_at_the_socket(void)
{
  host_serve_socket(0);
  CHECK(call("exit 0\n") == PAM_SYSTEM_ERR && log_has("without a verdict"));
  host_serve_socket(0);
  CHECK(call("hear\nprompt hidden 1 Passcode: \nhear\ndie 9\n") == PAM_SYSTEM_ERR);
}

static void starts_the_core_where_nobody_listens(void)
{
  host_serve_socket(0);
  CHECK(call(SUCCESS) == PAM_SUCCESS); /* the only connection that server takes */
  CHECK(call(STATE) == PAM_SUCCESS && host_recorded(&host, "session own"));
}

static void starts_the_core_where_the_one_at_the_socket_says_nothing(void)
{
  host_end_at_socket();
  CHECK(call(STATE) == PAM_SUCCESS && host_recorded(&host, "session own") && log_has("said nothing"));
  host_say_nothing_at_socket();
  CHECK(call(STATE) == PAM_SUCCESS && host_recorded(&host, "session own") && log_has("said nothing"));
}

static void starts_no_second_core_after_a_word_or_without_root(void)
{
  host_serve_socket(0);
  CHECK(call("hear\nprompt hidden 1 Passcode: \nhear\ndie 9\n") == PAM_SYSTEM_ERR && !log_has("said nothing"));
  CHECK(host.prompts == 1);
  host_end_at_socket();
  host.before = be_nobody, host.user = "nobody";
  CHECK(call(SUCCESS) == PAM_SYSTEM_ERR && !log_has("said nothing") && host.prompts == 0);
}

static void starts_the_core_where_the_socket_is_not_roots(void)
{
  host_serve_socket(NOBODY);
  CHECK(call(STATE) == PAM_SUCCESS && host_recorded(&host, "session own"));
}

static void lets_a_caller_without_root_ask_for_itself(void)
{
  setenv("LC_ALL", "C", 1);
  host_serve_socket(0);
  host.before = be_nobody;
  host.user = "nobody", host.arguments = "conf=/tmp/mine nouserok", host.remote_host = "203.0.113.7";
  CHECK(call("hear\nprompt hidden 1 Passcode: \nhear\nfinished 0 0\n") == PAM_SUCCESS);
}

static void waits_at_a_full_queue_without_root(void)
{
  host_serve_socket(0);
  connections = 0, full_queue = 20;
  CHECK(call(SUCCESS) == PAM_SUCCESS && log_has("started directly") && connections == 1);
  host.before = be_nobody, host.user = "nobody";
  connections = 0, full_queue = 20;
  CHECK(call(SUCCESS) == PAM_SUCCESS && connections == 21);
}

static void waits_at_a_full_queue_no_longer_than_it_may(void)
{
  host_serve_socket(0);
  host.before = be_nobody, host.user = "nobody", host.arguments = "timeout=1", full_queue = 100000;
  CHECK(call(SUCCESS) == PAM_SYSTEM_ERR && log_has("connect to "));
}

/* The record is root's, so this one reads it in a process that stayed root. */
static void sends_no_claims_without_root(void)
{
  setenv("LC_ALL", "C", 1);
  host_serve_socket(0);
  host.script = "";
  const pid_t child = fork();
  if (child == 0) {
    lets_a_caller_without_root_ask_for_itself();
    _exit(0);
  }
  CHECK(waitpid(child, NULL, 0) == child);
  FILE *record = fopen(FOLDER "/libexec/record", "re");
  CHECK(record != NULL && fread(host.record, 1, sizeof host.record - 1, record) > 0);
  if (record != NULL)
    fclose(record);
  CHECK_TEXT(begin_fields(),
             "1=0005 2=01 6=7561662d74657374 8=3230332e302e3131332e37 11=00000000 12=636f6e663d2f746d702f6d696e65 "
             "12=6e6f757365726f6b 13=43 ");
}

static void refuses_other_names_without_root(void)
{
  static const char *const names[] = {"root", "daemon", "no-such-user", "", "nobody\n"};
  host_serve_socket(0);
  host.before = be_nobody;
  for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
    int status = 1;
    const pid_t child = fork();
    if (child == 0) {
      host.user = names[i];
      _exit(call(SUCCESS) == PAM_AUTH_ERR && log_has("its own account only") ? 0 : 1);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
  }
}

static void refuses_without_root_and_socket(void)
{
  unlink(FOLDER "/run/helper.sock");
  host.before = be_nobody, host.user = "nobody", host.next = "permit";
  CHECK(call(SUCCESS) == PAM_SYSTEM_ERR && log_has("helper.sock") && host.reached_next);
}

static void refuses_a_false_core_without_root(void)
{
  host_serve_socket(NOBODY);
  host.before = be_nobody, host.user = "nobody";
  CHECK(call(SUCCESS) == PAM_SYSTEM_ERR && log_has("the owner of"));
}

static void passes_on_nouserok_without_root(void)
{
  host_serve_socket(0);
  host.before = be_nobody, host.user = "nobody", host.arguments = "nouserok";
  CHECK(call("hear\nfinished 25 1009\n") == ALL_IGNORED);
}

static void ignores_nobody_without_root_and_nouserok(void)
{
  host_serve_socket(0);
  host.before = be_nobody, host.user = "nobody";
  CHECK(call("hear\nfinished 25 1009\n") == PAM_SYSTEM_ERR);
}

/* ---- the other stages ---- */

static pam_handle_t *start_other_stages(const struct pam_conv *conversation)
{
  pam_handle_t *pamh = NULL;
  FILE *stack = fopen(FOLDER "/pam.d/uaf-other", "we");
  CHECK(stack != NULL);
  for (unsigned i = 0; stack != NULL && i < 4; i++) {
    static const char *const stages[] = {"auth", "account", "session", "password"};
    fprintf(stack, "%s required %s/pam_uaf.so\n", stages[i], MODULES);
  }
  if (stack != NULL)
    fclose(stack);
  CHECK(pam_start_confdir("uaf-other", "nobody", conversation, FOLDER "/pam.d", &pamh) == PAM_SUCCESS);
  return pamh;
}

static void needs_no_core_for_the_other_stages(void)
{
  const struct pam_conv conversation = {NULL, NULL};
  remove_core();
  pam_handle_t *pamh = start_other_stages(&conversation);
  CHECK(pam_setcred(pamh, PAM_ESTABLISH_CRED) == PAM_SUCCESS && pam_open_session(pamh, 0) == PAM_SUCCESS);
  CHECK(pam_close_session(pamh, 0) == PAM_SUCCESS && pam_setcred(pamh, PAM_DELETE_CRED) == PAM_SUCCESS);
  CHECK(pam_acct_mgmt(pamh, 0) == ALL_IGNORED);
  pam_end(pamh, PAM_SUCCESS);
  return_core();
}

/* In a copy of this program by another name: whether the core was told the file and its arguments. */
static int is_told_as_sudo(void)
{
  host.user = "nobody";
  if (call(SUCCESS) != PAM_SUCCESS)
    return 2;
  const char *fields = begin_fields();
  return (strstr(fields, " 20=") != NULL && strstr(fields, " 21=") != NULL) ? 1 : 0;
}

/* Where sudoers names a service of its own for sudo, the name of the service does not tell. */
static void knows_sudo_by_its_file(void)
{
  static const struct {
    const char *file, *called;
    int is_sudo;
  } programs[] = {
    {"sudo", "sudo", 1}, {"sudo", "su", 1}, {"sudo-rs", "sudo", 1}, {"su", "sudo", 0}, {"xsudo", "sudo", 0}};
  for (unsigned i = 0; i < sizeof programs / sizeof programs[0]; i++) {
    char copy[512], self[64];
    snprintf(copy, sizeof copy, FOLDER "/%s", programs[i].file);
    snprintf(self, sizeof self, "/proc/%d/exe", (int)getpid());
    pid_t child = fork();
    if (child == 0) {
      execlp("cp", "cp", self, copy, (char *)NULL);
      _exit(127);
    }
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    child = fork();
    if (child == 0) {
      execl(copy, programs[i].called, "--told", (char *)NULL);
      _exit(127);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == programs[i].is_sudo);
    unlink(copy);
  }
}

int main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "--told") == 0)
    return is_told_as_sudo();
  test("sends the core what PAM knows", tells_what_pam_knows);
  test("says that its host shows lists, of GDM alone", tells_that_its_host_shows_lists);
  test("says that its host takes the password of a keyring", tells_that_its_host_takes_the_password_of_a_keyring);
  test("sends nothing that it does not know", tells_nothing_it_does_not_know);
  test("knows sudo by its file, whatever its service and its caller call it", knows_sudo_by_its_file);
  test("chooses the locale as the C library does", chooses_the_locale_as_the_c_library_does);
  test("treats empty names, paths and names with control bytes as unknown names", takes_names_as_hosts_hand_them_over);
  test("leaves out names longer than 256 bytes, 64 KiB included", leaves_out_names_longer_than_256_bytes);
  test("distinguishes a failed lookup from a name that nobody has", tells_a_failed_lookup_from_nobody);
  test("cuts labels to their limits", cuts_labels_to_their_limits);
  test("refuses module arguments that do not fit", refuses_arguments_that_do_not_fit);
  test("starts the core clean", starts_the_core_clean);
  test("passes on nothing of the environment", passes_on_no_environment);
  test("raises lowered limits", raises_lowered_limits);
  test("raises hard limits too, or refuses if it may not", raises_hard_limits_or_refuses);
  test("refuses if the file size limit cannot be raised", refuses_without_file_size);
  test("refuses if the processor time limit cannot be raised", refuses_without_processor_time);
  test("refuses if the descriptor limit cannot be raised", refuses_with_few_descriptors);
  if (!SANITIZED)
    test("refuses if the memory limit cannot be raised", refuses_with_little_memory);
  test("refuses if the host has no descriptor left", refuses_without_a_descriptor);
  test("passes on no descriptor", passes_on_no_descriptor);
  test("passes on no descriptor above a lowered limit", passes_on_no_descriptor_above_the_limit);
  test("never uses closed standard descriptors", keeps_off_closed_standard_descriptors);
  test("passes on no blocked and no ignored signal", passes_on_no_signal_state);
  test("works in a host that is interrupted every millisecond", bears_interruptions);
  test("starts the core for a setuid host with root's ids only", starts_the_core_as_root_for_a_setuid_host);
  test("tells the core who called a setuid host", tells_who_called_a_setuid_host);
  test("takes the core out of its caller's cgroup", takes_the_core_out_of_the_callers_cgroup);
  test("takes the core out of its caller's cgroup without clone3 too", takes_the_core_out_of_the_cgroup_without_clone3);
  test("takes the core out of a cgroup that was killed", takes_the_core_out_of_a_cgroup_that_was_killed);
  if (!SANITIZED) /* GCC 14's has a race of its own between threads that begin at once (LLVM's issue 87324) */
    test("starts the core beside threads that come and go", starts_the_core_beside_threads_that_come_and_go);
  test("gives the core an ordinary share of the processors", gives_the_core_its_share_of_the_processors);
  test("passes on no setting of the process", passes_on_no_setting);
  test("a host with timer slack waits no longer", waits_no_longer_for_a_host_that_may_be_late);
  test("works in a host that ignores its children", bears_a_host_that_ignores_its_children);
  test("works in a host that reaps all children in a handler", bears_a_host_that_reaps_in_a_handler);
  test("raises no SIGPIPE", raises_no_sigpipe);
  test("says if the core is missing or cannot be run", says_when_the_core_is_missing);
  if (!SANITIZED) { /* its shadow memory is too much to search */
    test("leaves no answer in memory", leaves_no_answer_in_memory);
    test("leaves no password of the keyring in memory", leaves_no_password_of_the_keyring_in_memory);
    test("leaves no password of the keyring in memory behind a failure",
         leaves_no_password_of_the_keyring_behind_a_failure);
  }
  test("prefers the core at the socket", prefers_the_socket);
  test("reads a core that dies at the socket as no success", finds_a_core_dead_at_the_socket);
  test("starts the core if nobody listens", starts_the_core_where_nobody_listens);
  test("starts the core if the socket closes without a word", starts_the_core_where_the_one_at_the_socket_says_nothing);
  test("starts no second core after a word, or without root", starts_no_second_core_after_a_word_or_without_root);
  test("starts the core if the socket is not root's", starts_the_core_where_the_socket_is_not_roots);
  test("lets a caller without root ask for itself", lets_a_caller_without_root_ask_for_itself);
  test("waits at a full queue without root, and not with it", waits_at_a_full_queue_without_root);
  test("waits at a full queue no longer than it may", waits_at_a_full_queue_no_longer_than_it_may);
  test("sends no account, name, caller or remote flag without root", sends_no_claims_without_root);
  test("refuses other names without root", refuses_other_names_without_root);
  test("refuses without root and socket", refuses_without_root_and_socket);
  test("refuses a socket that is not root's without root", refuses_a_false_core_without_root);
  test("passes on nouserok for a caller without root", passes_on_nouserok_without_root);
  test("ignores nobody without root and nouserok", ignores_nobody_without_root_and_nouserok);
  test("needs no core for credentials, sessions and accounts", needs_no_core_for_the_other_stages);
  return check_summary();
}
