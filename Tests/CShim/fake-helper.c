/* Stands in for the core: does what the lines of "script" beside it say, and writes what it saw to "record" there.
   It has an encoder of its own, so that a mistake in frame.c is not made twice.

     state                     record everything inherited (environment, descriptors, signals, limits, ids)
     hear                      receive one packet and record it, or the end of the stream
     prompt STYLE STEP TEXT    STYLE: hidden, echo, or choice and code, which are hidden and ask for those; STEP: 1, 2, 3
     list TEXT|OPTION|OPTION   a hidden prompt for one of the options
     wrong ATTEMPTS TEXT       a hidden prompt with attempts left and TEXT as its error message
     info TEXT, error TEXT, ready, setenv NAME VALUE, keyring TEXT, finished CODE RESULT [TEXT]
     turned HEX                a keyring message whose password is these bytes with every bit turned
     send HEX                  one packet of these bytes; none: an empty one
     packet SIZE               an info message padded to SIZE bytes
     descriptors TEXT          an info message that carries descriptors
     pause MILLISECONDS, close, exit STATUS, die SIGNAL
     stay                      neither read nor end, not even at the end of the stream */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define CORE 3

extern char **environ;
static int record = -1;
static uint8_t packet[1 << 17];
static size_t length;

__attribute__((format(printf, 1, 2))) static void note(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vdprintf(record, format, arguments);
  va_end(arguments);
}

static void transmit(void)
{
  if (send(CORE, packet, length, MSG_NOSIGNAL) < 0)
    note("not sent: %s\n", strerror(errno));
}

static void start(uint8_t type)
{
  packet[0] = type;
  length = 1;
}

static void field(uint8_t tag, const void *bytes, size_t size)
{
  packet[length] = tag;
  packet[length + 1] = (uint8_t)(size >> 8);
  packet[length + 2] = (uint8_t)size;
  memcpy(packet + length + 3, bytes, size);
  length += 3 + size;
}

static void text(uint8_t tag, const char *string) { field(tag, string, strlen(string)); }

static void number(uint8_t tag, unsigned long value, size_t size)
{
  uint8_t bytes[4] = {(uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8), (uint8_t)value};
  field(tag, bytes + 4 - size, size);
}

static void prompt(const char *style, unsigned step, const char *string)
{
  const bool is_value = strcmp(style, "choice") != 0 && strcmp(style, "code") != 0;
  start(0x81);
  number(1, strcmp(style, "echo") == 0, 1);
  text(2, is_value ? "passcode" : style);
  number(3, step, 1);
  text(4, string);
}

static void hear(void)
{
  const ssize_t size = recv(CORE, packet, sizeof packet, 0);
  if (size <= 0) {
    note("heard the end\n");
    return;
  }
  char *hex = malloc((size_t)size * 2 + 1);
  for (ssize_t i = 0; i < size; i++)
    sprintf(hex + i * 2, "%02x", packet[i]);
  note("heard %s\n", hex);
  free(hex);
}

static void send_hex(const char *hex)
{
  length = 0;
  for (; hex[0] != '\0' && hex[1] != '\0'; hex += 2) {
    const char digits[3] = {hex[0], hex[1], '\0'};
    packet[length++] = (uint8_t)strtoul(digits, NULL, 16);
  }
  transmit();
}

static void send_descriptors(const char *string)
{
  const int sent[2] = {STDIN_FILENO, STDERR_FILENO};
  start(0x82);
  text(1, string);
  union {
    char space[CMSG_SPACE(sizeof sent)];
    struct cmsghdr align;
  } control = {0};
  struct iovec bytes = {packet, length};
  struct msghdr message = {
    .msg_iov = &bytes, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof sent);
  memcpy(CMSG_DATA(header), sent, sizeof sent);
  if (sendmsg(CORE, &message, MSG_NOSIGNAL) < 0)
    note("not sent: %s\n", strerror(errno));
}

static void note_descriptors(void)
{
  DIR *folder = opendir("/proc/self/fd");
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    char target[256] = "";
    const int descriptor = atoi(entry->d_name);
    if (entry->d_name[0] == '.' || descriptor == dirfd(folder) || descriptor == record)
      continue;
    if (readlinkat(dirfd(folder), entry->d_name, target, sizeof target - 1) >= 0)
      note("descriptor %d %.6s%s\n", descriptor, target, strncmp(target, "socket", 6) == 0 ? "" : target + 6);
  }
  closedir(folder);
}

static void note_status(void)
{
  char line[256];
  FILE *status = fopen("/proc/self/status", "re");
  while (status != NULL && fgets(line, sizeof line, status) != NULL)
    if (strncmp(line, "SigBlk:", 7) == 0 || strncmp(line, "SigIgn:", 7) == 0 || strncmp(line, "Uid:", 4) == 0 ||
        strncmp(line, "Gid:", 4) == 0 || strncmp(line, "Groups:", 7) == 0)
      note("%s", line);
  if (status != NULL)
    fclose(status);
}

/* Where the process stands in the cgroups of version 2; nothing where there are none. */
static void note_cgroup(void)
{
  char line[512];
  FILE *groups = fopen("/proc/self/cgroup", "re");
  while (groups != NULL && fgets(line, sizeof line, groups) != NULL)
    if (strncmp(line, "0::", 3) == 0)
      note("cgroup %s", line + 3);
  if (groups != NULL)
    fclose(groups);
}

static void note_scheduling(void)
{
  cpu_set_t processors;
  CPU_ZERO(&processors);
  sched_getaffinity(0, sizeof processors, &processors);
  note("policy %d\nniceness %d\nprocessors %d\n", sched_getscheduler(0), getpriority(PRIO_PROCESS, 0),
       CPU_COUNT(&processors));
}

/* What /proc has of a setting; nothing where the kernel has no such setting. */
static void note_setting(const char *name)
{
  char path[64], line[128] = "";
  snprintf(path, sizeof path, "/proc/self/%s", name);
  FILE *setting = fopen(path, "re");
  if (setting == NULL)
    return;
  if (fgets(line, sizeof line, setting) != NULL)
    note("setting %s %s%s", name, line, strchr(line, '\n') == NULL ? "\n" : "");
  fclose(setting);
}

static void note_settings(void)
{
  static const char *const names[] = {"timerslack_ns", "oom_score_adj", "coredump_filter", "personality"};
  for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
    note_setting(names[i]);
  note("large pages %s\n", prctl(PR_GET_THP_DISABLE, 0UL, 0UL, 0UL, 0UL) == 0 ? "allowed" : "refused");
  note("merged pages %s\n", prctl(68 /* PR_GET_MEMORY_MERGE */, 0UL, 0UL, 0UL, 0UL) == 1 ? "yes" : "no");
  note("machine checks %d\n", prctl(PR_MCE_KILL_GET, 0UL, 0UL, 0UL, 0UL));
  int policy = 0;
  syscall(SYS_get_mempolicy, &policy, NULL, 0UL, NULL, 0UL);
  note("memory policy %d\n", policy);
  /* 0: KEYCTL_GET_KEYRING_ID, -3: the session's. */
  note("keyring %ld\n", syscall(SYS_keyctl, 0, -3L, 0UL, 0UL, 0UL));
}

static void note_limit(const char *name, __rlimit_resource_t resource)
{
  struct rlimit limit;
  getrlimit(resource, &limit);
  note("limit %s %lld %lld\n", name, (long long)limit.rlim_cur, (long long)limit.rlim_max);
}

static void note_state(int argc, char **argv)
{
  char folder[256] = "";
  struct itimerval timer = {0};
  const mode_t mask = umask(077);
  getitimer(ITIMER_REAL, &timer);
  note("arguments %d %s\n", argc, argv[0]);
  for (char **variable = environ; *variable != NULL; variable++)
    note("environment %s\n", *variable);
  note_descriptors();
  note_status();
  note_cgroup();
  note_scheduling();
  note_settings();
  note("folder %s\numask %03o\nsession %s\ntimer %ld\n", getcwd(folder, sizeof folder), (unsigned)mask,
       getsid(0) == getpid() ? "own" : "inherited", (long)(timer.it_value.tv_sec * 1000000 + timer.it_value.tv_usec));
  note_limit("FSIZE", RLIMIT_FSIZE);
  note_limit("CPU", RLIMIT_CPU);
  note_limit("AS", RLIMIT_AS);
  note_limit("DATA", RLIMIT_DATA);
  note_limit("NOFILE", RLIMIT_NOFILE);
  note_limit("STACK", RLIMIT_STACK);
  note_limit("CORE", RLIMIT_CORE);
}

static void pause_for(long milliseconds)
{
  struct timespec left = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  while (nanosleep(&left, &left) != 0)
    continue;
}

/* The commands that send a message. Returns false for any other. */
static bool speak(const char *command, char *rest)
{
  if (strcmp(command, "prompt") == 0) {
    char style[8];
    unsigned step;
    int at = 0;
    sscanf(rest, "%7s %u %n", style, &step, &at);
    prompt(style, step, rest + at);
  } else if (strcmp(command, "list") == 0) {
    prompt("choice", 1, strtok(rest, "|"));
    for (const char *option; (option = strtok(NULL, "|")) != NULL;)
      text(9, option);
  } else if (strcmp(command, "wrong") == 0) {
    char *end;
    const unsigned long attempts = strtoul(rest, &end, 10);
    prompt("hidden", 1, "Passcode: ");
    number(5, attempts, 4);
    text(6, end + 1);
  } else if (strcmp(command, "confirm") == 0) {
    prompt("hidden", 1, "Passcode: ");
    text(10, rest);
  } else if (strcmp(command, "info") == 0 || strcmp(command, "error") == 0) {
    start(command[0] == 'i' ? 0x82 : 0x83);
    text(1, rest);
  } else if (strcmp(command, "ready") == 0) {
    start(0x84);
  } else if (strcmp(command, "setenv") == 0) {
    char *value = strchr(rest, ' ');
    *value++ = '\0';
    start(0x85);
    text(1, rest);
    text(2, value);
  } else if (strcmp(command, "keyring") == 0) {
    start(0x87);
    text(1, rest);
  } else if (strcmp(command, "turned") == 0) {
    uint8_t password[256];
    size_t size = 0;
    for (; rest[0] != '\0' && rest[1] != '\0' && size < sizeof password; rest += 2) {
      const char digits[3] = {rest[0], rest[1], '\0'};
      password[size++] = (uint8_t)~strtoul(digits, NULL, 16);
    }
    start(0x87);
    field(1, password, size);
  } else if (strcmp(command, "finished") == 0) {
    char *end;
    start(0x86);
    number(1, strtoul(rest, &end, 10), 1);
    number(2, strtoul(end, &end, 10), 4);
    if (*end == ' ')
      text(3, end + 1);
  } else {
    return false;
  }
  transmit();
  return true;
}

static void pad(size_t size)
{
  start(0x82);
  memset(packet + 1, 'x', sizeof packet - 1);
  packet[1] = 1;
  packet[2] = (uint8_t)((size - 4) >> 8);
  packet[3] = (uint8_t)(size - 4);
  length = size;
  transmit();
}

static void obey(const char *command, char *rest, int argc, char **argv)
{
  if (speak(command, rest))
    return;
  if (strcmp(command, "state") == 0)
    note_state(argc, argv);
  else if (strcmp(command, "hear") == 0)
    hear();
  else if (strcmp(command, "send") == 0)
    send_hex(rest);
  else if (strcmp(command, "packet") == 0)
    pad(strtoul(rest, NULL, 10));
  else if (strcmp(command, "descriptors") == 0)
    send_descriptors(rest);
  else if (strcmp(command, "pause") == 0)
    pause_for(strtol(rest, NULL, 10));
  else if (strcmp(command, "close") == 0)
    close(CORE);
  else if (strcmp(command, "exit") == 0)
    _exit(atoi(rest));
  else if (strcmp(command, "signal") == 0)
    kill(getppid(), (int)strtoul(rest, NULL, 10));
  else if (strcmp(command, "die") == 0)
    raise(atoi(rest));
  else if (strcmp(command, "stay") == 0)
    for (;;)
      pause();
  else
    note("unknown command %s\n", command);
}

/* Opens the record far above the descriptors that are to be looked at. */
static int open_record(const char *path)
{
  const int opened = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  const int moved = fcntl(opened, F_DUPFD_CLOEXEC, 60);
  close(opened);
  return moved;
}

int main(int argc, char **argv)
{
  static char path[4096], script[1 << 18];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path - 16);
  if (size < 0)
    return 1;
  path[size] = '\0';
  char *name = strrchr(path, '/') + 1;
  memcpy(name, "script", 7);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0 || read(file, script, sizeof script - 1) < 0)
    return 1;
  close(file);
  memcpy(name, "record", 7);
  record = open_record(path);
  note("pid %d\n", (int)getpid());
  char *next = script;
  for (char *line; (line = strsep(&next, "\n")) != NULL;) {
    char *rest = strchr(line, ' ');
    if (rest != NULL)
      *rest++ = '\0';
    if (line[0] != '\0')
      obey(line, rest != NULL ? rest : line + strlen(line), argc, argv);
  }
  return 0;
}
