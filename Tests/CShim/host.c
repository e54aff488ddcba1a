#include "host.h"

#include <dirent.h>
#include <dlfcn.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

int lookup_error;

/* The C library's, but that it fails where a test says so. The module finds this one. */
int getpwnam_r(const char *name, struct passwd *entry, char *buffer, size_t size, struct passwd **found)
{
  static int (*real)(const char *, struct passwd *, char *, size_t, struct passwd **);
  if (real == NULL)
    *(void **)&real = dlsym(RTLD_NEXT, "getpwnam_r");
  *found = NULL;
  return lookup_error != 0 || real == NULL ? lookup_error : real(name, entry, buffer, size, found);
}

const char *const host_libexec = FOLDER "/libexec";
const char *const host_run = FOLDER "/run";

static struct host *current;

/* A line that says how a call ended has three parts, of which the last is in quotes: pam_uaf(8). */
static void check_shape(const char *line)
{
  unsigned signs = 0, quotes = 0;
  int code, end = 0;
  if (strncmp(line, "event=", 6) != 0)
    return;
  for (const char *byte = line; *byte != '\0'; byte++) {
    signs += *byte == '=';
    quotes += *byte == '"';
  }
  CHECK(sscanf(line, "event=module pam=%d detail=\"%n", &code, &end) == 1 && end > 0);
  CHECK(signs == 3 && quotes == 2 && line[strlen(line) - 1] == '"');
}

/* Takes the place of libpam's function: what the module writes to the log is kept. */
__attribute__((format(printf, 3, 4))) void pam_syslog(const pam_handle_t *pamh, int priority, const char *format, ...);
void pam_syslog(const pam_handle_t *pamh, int priority, const char *format, ...)
{
  char line[4096];
  va_list arguments;
  (void)pamh, (void)priority;
  va_start(arguments, format);
  const int length = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  CHECK(length > 0 && (size_t)length < sizeof line);
  for (const char *byte = line; *byte != '\0'; byte++)
    CHECK(*byte >= ' ' && *byte < 0x7f);
  check_shape(line);
  if (current != NULL && strlen(current->log) + strlen(line) + 2 < sizeof current->log) {
    strcat(current->log, line);
    strcat(current->log, "\n");
  }
}

static long now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void pause_for(long milliseconds)
{
  const long end = now() + milliseconds;
  while (now() < end) {
    const struct timespec left = {0, 5 * 1000 * 1000};
    nanosleep(&left, NULL);
  }
}

static void write_file(const char *folder, const char *name, const char *text)
{
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "we");
  if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0)
    CHECK(!"the file could be written");
}

static void read_record(char *text, size_t room)
{
  const int file = open(FOLDER "/libexec/record", O_RDONLY | O_CLOEXEC);
  const ssize_t length = file >= 0 ? read(file, text, room - 1) : 0;
  text[length > 0 ? length : 0] = '\0';
  if (file >= 0)
    close(file);
}

/* The three standard descriptors must never be the module's, whatever the host closed. */
static void check_standard_descriptors(void)
{
  struct stat status;
  for (int standard = 0; standard <= 2; standard++)
    CHECK(fstat(standard, &status) != 0 || !S_ISSOCK(status.st_mode));
}

static void remember_shown(struct host *host, const struct pam_message *message)
{
  static const char *const styles[] = {"", "hidden", "echo", "error", "info"};
  const size_t used = strlen(host->shown);
  snprintf(host->shown + used, sizeof host->shown - used, "%s: %s\n", styles[message->msg_style], message->msg);
}

/* A list as GDM's worker gets it, written down anew. */
struct list {
  uint32_t length;
  unsigned char type;
  char *title;
  size_t count;
  struct {
    const char *key, *text;
  } items[];
};

struct pick {
  uint32_t length;
  unsigned char type;
  char *key;
};

static void remember_list(struct host *host, const struct list *list)
{
  size_t used = strlen(host->shown);
  used += (size_t)snprintf(host->shown + used, sizeof host->shown - used, "list %u %lu: %s", list->type,
                           (unsigned long)be32toh(list->length), list->title);
  for (size_t i = 0; i < list->count && i < 16; i++)
    used += (size_t)snprintf(host->shown + used, sizeof host->shown - used, "|%s=%s", list->items[i].key,
                             list->items[i].text);
  snprintf(host->shown + used, sizeof host->shown - used, "\n");
}

static int answer_list(struct host *host, const struct list *list, struct pam_response *response)
{
  remember_list(host, list);
  host->prompts++;
  if (host->list == LIST_FAILS)
    return PAM_CONV_ERR;
  if (host->list == LIST_NO_RESPONSE)
    return PAM_SUCCESS;
  struct pick *pick = calloc(1, sizeof *pick);
  pick->length = htobe32(host->list == LIST_OTHER_LENGTH ? 8 : sizeof *pick);
  pick->type = (unsigned char)(list->type + (host->list == LIST_OTHER_TYPE));
  if (host->list == LIST_PICKS)
    pick->key = strdup(host->pick);
  response->resp = (char *)pick;
  return PAM_SUCCESS;
}

static int converse(int count, const struct pam_message **messages, struct pam_response **responses, void *data)
{
  struct host *host = data;
  CHECK(count == 1);
  check_standard_descriptors();
  if (messages[0]->msg_style == PAM_BINARY_PROMPT) {
    *responses = calloc(1, sizeof **responses);
    const int code = answer_list(host, (const struct list *)(const void *)messages[0]->msg, *responses);
    if (code != PAM_SUCCESS)
      free(*responses);
    return code;
  }
  remember_shown(host, messages[0]);
  const bool asked = messages[0]->msg_style == PAM_PROMPT_ECHO_OFF || messages[0]->msg_style == PAM_PROMPT_ECHO_ON;
  if (!asked && host->while_told != NULL)
    host->while_told();
  if (asked && host->answers_after_milliseconds > 0)
    pause_for(host->answers_after_milliseconds);
  if (host->conversation == HOST_FAILS || (host->conversation == HOST_REFUSES_NOTICES && !asked))
    return PAM_CONV_ERR;
  if (host->conversation == HOST_ANSWERS_NOTHING)
    return PAM_SUCCESS; /* and leaves the responses alone */
  *responses = calloc(1, sizeof **responses);
  if (!asked) {
    (*responses)->resp = strdup("an answer nobody asked for"); /* some hosts do; it must not leak */
    return PAM_SUCCESS;
  }
  const char *answer = host->prompts < 4 ? host->answers[host->prompts] : NULL;
  host->prompts++;
  if (host->conversation == HOST_GIVES_NOTHING || answer == NULL)
    return PAM_SUCCESS;
  (*responses)->resp = strdup(answer);
  return PAM_SUCCESS;
}

static void remember_delay(int code, unsigned microseconds, void *data)
{
  struct host *host = data;
  (void)code;
  host->delayed = microseconds > 0;
}

static size_t write_line(const struct host *host, const char *stage, char *text, size_t room)
{
  return (size_t)snprintf(text, room, "%s %s %s/pam_uaf.so %s\n%s required %s/probe.so %s\n", stage,
                          host->control != NULL ? host->control : "required", MODULES,
                          host->arguments != NULL ? host->arguments : "", stage, MODULES,
                          host->next != NULL ? host->next : "");
}

static const char *name_of(const struct host *host) { return host->name != NULL ? host->name : "uaf-test"; }

static void write_stack(const struct host *host)
{
  static char text[16384];
  size_t at = 0;
  if (host->first_pass != NULL)
    at += (size_t)snprintf(text, sizeof text, "auth optional %s/probe.so [authtok=%s]\n", MODULES, host->first_pass);
  at += (size_t)snprintf(text + at, sizeof text - at, "account required %s/pam_uaf.so %s\n", MODULES,
                         host->account_arguments != NULL ? host->account_arguments : "");
  if (host->old_password != NULL)
    at += (size_t)snprintf(text + at, sizeof text - at, "password optional %s/probe.so [oldauthtok=%s]\n", MODULES,
                           host->old_password);
  at += write_line(host, "auth", text + at, sizeof text - at);
  if (host->twice)
    at += write_line(host, "password", text + at, sizeof text - at);
  write_line(host, "password", text + at, sizeof text - at);
  write_file(FOLDER "/pam.d", name_of(host), text);
}

static void set_items(pam_handle_t *pamh, struct host *host)
{
  const union {
    void (*function)(int, unsigned, void *);
    const void *item;
  } delay = {.function = remember_delay};
  pam_set_item(pamh, PAM_FAIL_DELAY, delay.item);
  if (host->remote_host != NULL)
    pam_set_item(pamh, PAM_RHOST, host->remote_host);
  if (host->tty != NULL)
    pam_set_item(pamh, PAM_TTY, host->tty);
  if (host->remote_user != NULL)
    pam_set_item(pamh, PAM_RUSER, host->remote_user);
}

/* Loads the modules, so that a limit set afterwards meets the call and not the loading. */
static void load_modules(pam_handle_t *pamh) { pam_setcred(pamh, PAM_ESTABLISH_CRED); }

static unsigned open_descriptors(void)
{
  unsigned count = 0;
  for (int descriptor = 0; descriptor < 1024; descriptor++)
    count += fcntl(descriptor, F_GETFD) >= 0;
  return count;
}

static struct host_surroundings look_around(void)
{
  struct host_surroundings seen = {.descriptors = open_descriptors()};
  sigprocmask(SIG_SETMASK, NULL, &seen.mask);
  sigaction(SIGCHLD, NULL, &seen.child);
  sigaction(SIGPIPE, NULL, &seen.pipe);
  return seen;
}

static void check_unchanged(const struct host_surroundings *before)
{
  const struct host_surroundings after = look_around();
  CHECK(after.descriptors == before->descriptors);
  CHECK(after.child.sa_handler == before->child.sa_handler && after.child.sa_flags == before->child.sa_flags);
  CHECK(after.pipe.sa_handler == before->pipe.sa_handler);
  for (int number = 1; number < 32; number++)
    CHECK(sigismember(&after.mask, number) == sigismember(&before->mask, number));
  CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD); /* no zombie, and nothing still running */
}

void host_script(struct host *host, const char *script)
{
  host->script = script;
  write_file(host_libexec, "script", script);
  write_file(host_libexec, "record", "");
}

void host_call(pam_handle_t *pamh, struct host *host, int (*stage)(pam_handle_t *pamh, int flags), int flags)
{
  const long start = now();
  host->prompts = 0;
  host->shown[0] = host->log[0] = '\0';
  host->delayed = false;
  current = host;
  host->code = stage(pamh, flags);
  current = NULL;
  host->milliseconds = now() - start;
  read_record(host->record, sizeof host->record);
  host->reached_next = pam_getenv(pamh, "PROBE") != NULL;
  host->left_authtok = host->reached_next && strcmp(pam_getenv(pamh, "AUTHTOK"), "present") == 0;
  const char *left = pam_getenv(pamh, "LEFT");
  snprintf(host->left, sizeof host->left, "%s", left != NULL ? left : "");
  const char *token = pam_getenv(pamh, "UAF_TOKEN");
  snprintf(host->token, sizeof host->token, "%s", token != NULL ? token : "");
}

pam_handle_t *host_open(struct host *host)
{
  pam_handle_t *pamh = NULL;
  host->conv = (struct pam_conv){host->conversation == HOST_HAS_NONE ? NULL : converse, host};
  if (host->script != NULL)
    host_script(host, host->script);
  if (host->service == NULL)
    write_stack(host);
  const char *user = host->user != NULL ? host->user : "root", *service = host->service;
  if (pam_start_confdir(service != NULL ? service : name_of(host), user, &host->conv, FOLDER "/pam.d", &pamh) !=
      PAM_SUCCESS) {
    CHECK(!"the handle could be made");
    exit(1);
  }
  set_items(pamh, host);
  load_modules(pamh);
  host->surroundings = look_around();
  return pamh;
}

void host_close(pam_handle_t *pamh, struct host *host)
{
  pam_end(pamh, host->code);
  check_unchanged(&host->surroundings);
  read_record(host->record, sizeof host->record);
}

void host_authenticate(struct host *host)
{
  pam_handle_t *pamh = host_open(host);
  if (host->before != NULL)
    host->before();
  host->surroundings = look_around();
  host_call(pamh, host, pam_authenticate, host->flags);
  check_unchanged(&host->surroundings);
  pam_end(pamh, host->code);
  read_record(host->record, sizeof host->record);
  if (host->code != PAM_SUCCESS)
    CHECK(host->log[0] != '\0');
  if (host->control == NULL)
    CHECK(host->delayed == (host->code != PAM_SUCCESS && host->code != ALL_IGNORED));
}

bool host_recorded(const struct host *host, const char *line)
{
  const size_t length = strlen(line);
  for (const char *at = host->record; (at = strstr(at, line)) != NULL; at++)
    if ((at == host->record || at[-1] == '\n') && at[length] == '\n')
      return true;
  return false;
}

const char *host_record_lines(const struct host *host, const char *prefix, char *out, size_t room)
{
  size_t used = 0;
  out[0] = '\0';
  for (const char *line = host->record; *line != '\0';) {
    const size_t length = strcspn(line, "\n"), skip = strlen(prefix);
    if (strncmp(line, prefix, skip) == 0 && used + length + 2 < room)
      used += (size_t)snprintf(out + used, room - used, "%s%.*s", used > 0 ? "|" : "", (int)(length - skip),
                               line + skip);
    line += length + (line[length] == '\n');
  }
  return out;
}

void host_become(unsigned uid)
{
  CHECK(setgroups(0, NULL) == 0 && setresgid(uid, uid, uid) == 0 && setresuid(uid, uid, uid) == 0);
  prctl(PR_SET_DUMPABLE, 1); /* the leak checker looks at its own process */
}

static void serve(int listener)
{
  const int accepted = accept(listener, NULL, NULL);
  if (accepted < 0)
    _exit(1);
  close(listener);
  dup2(accepted, 3);
  if (accepted != 3)
    close(accepted);
  char path[] = FOLDER "/libexec/uaf-helper";
  char *const arguments[] = {path, NULL};
  execv(path, arguments);
  _exit(1);
}

/* As the listener does to root beyond its limit. */
static void end_at_once(int listener) { _exit(close(accept(listener, NULL, NULL))); }

static void say_nothing(int listener)
{
  char byte[4096];
  const int accepted = accept(listener, NULL, NULL);
  while (read(accepted, byte, sizeof byte) > 0)
    continue;
  _exit(0);
}

/* The server is orphaned at once: it is not the host's child, as systemd's is not. */
static void listen_with(unsigned uid, void (*answer)(int))
{
  struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = FOLDER "/run/helper.sock"};
  unlink(address.sun_path);
  CHECK(chown(host_run, uid, uid) == 0);
  const pid_t first = fork();
  if (first == 0) {
    host_become(uid);
    const int listener = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    const bool listening = bind(listener, (const struct sockaddr *)&address, sizeof address) == 0 &&
                           chmod(address.sun_path, 0666) == 0 && listen(listener, 4) == 0;
    if (listening && fork() == 0) {
      alarm(20); /* nobody may come */
      answer(listener);
    }
    _exit(listening ? 0 : 1);
  }
  int status = 1;
  CHECK(waitpid(first, &status, 0) == first && status == 0);
}

void host_serve_socket(unsigned uid) { listen_with(uid, serve); }

void host_end_at_socket(void) { listen_with(0, end_at_once); }

void host_say_nothing_at_socket(void) { listen_with(0, say_nothing); }
