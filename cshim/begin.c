/* The beginning of a call. Names come from the network as likely as from a person: sshd hands over what it was sent. */
#include "begin.h"

#include <pwd.h>
#include <security/pam_ext.h>
#include <security/pam_modutil.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "limits.h"
#include "log.h"

static struct frame_bytes label(const char *text, size_t limit)
{
  if (text == NULL)
    return (struct frame_bytes){0};
  return (struct frame_bytes){(const uint8_t *)text, strnlen(text, limit)};
}

static struct frame_bytes item(pam_handle_t *pamh, int type, size_t limit)
{
  const void *text = NULL;
  if (pam_get_item(pamh, type, &text) != PAM_SUCCESS)
    return (struct frame_bytes){0};
  return label(text, limit);
}

/* The person's language, for the texts alone. A name too long for a locale is none. */
static struct frame_bytes locale(void)
{
  static const char *const names[] = {"LC_ALL", "LC_MESSAGES", "LANG"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    const char *value = getenv(names[i]);
    if (value != NULL && value[0] != '\0')
      return strlen(value) <= UAF_LOCALE_MAX ? label(value, UAF_LOCALE_MAX) : (struct frame_bytes){0};
  }
  return (struct frame_bytes){0};
}

/* The account of a name as typed. Names no account can have are not looked up: name services read them too. */
static const struct passwd *find_account(pam_handle_t *pamh, const char *user)
{
  const size_t length = strnlen(user, UAF_NAME_MAX + 1);
  if (length == 0 || length > UAF_NAME_MAX)
    return NULL;
  const struct passwd *account = pam_modutil_getpwnam(pamh, user);
  if (account == NULL || account->pw_name == NULL || strnlen(account->pw_name, UAF_NAME_MAX + 1) > UAF_NAME_MAX)
    return NULL;
  return account;
}

/* PROTOCOL.md, "Who may say what", for a peer that is not root. AUTH_ERR and not USER_UNKNOWN, because stacks pass over
   users a module does not know. */
static int check_own_account(pam_handle_t *pamh, const struct passwd *account)
{
  if (account != NULL && account->pw_uid == getuid() && account->pw_uid == geteuid())
    return PAM_SUCCESS;
  log_outcome(pamh, LOG_ERR, PAM_AUTH_ERR, "uid %lu may ask for its own account only", (unsigned long)getuid());
  return PAM_AUTH_ERR;
}

static int describe_account(pam_handle_t *pamh, const char *user, const struct passwd *account, int argc,
                            const char *const *argv, struct frame_begin *begin)
{
  for (int i = 0; i < argc; i++)
    if (argc > UAF_ARGUMENTS_MAX || strlen(argv[i]) > UAF_ARGUMENT_MAX) {
      log_outcome(pamh, LOG_ERR, PAM_SERVICE_ERR, "more than %d module arguments, or one of more than %d bytes",
                  UAF_ARGUMENTS_MAX, UAF_ARGUMENT_MAX);
      return PAM_SERVICE_ERR;
    }
  if (account != NULL) {
    begin->has_uid = true;
    begin->uid = account->pw_uid;
    begin->account = label(account->pw_name, UAF_NAME_MAX);
  }
  if (strnlen(user, UAF_NAME_MAX + 1) <= UAF_NAME_MAX)
    begin->typed_name = label(user, UAF_NAME_MAX);
  begin->has_remote = true;
  begin->remote = begin->remote_host.length > 0;
  /* Who called a program that is setuid, as su and sudo are; with sshd and login it is root. */
  begin->has_caller = true;
  begin->caller = getuid();
  begin->arguments = argv;
  begin->argument_count = argc > 0 ? (size_t)argc : 0;
  return PAM_SUCCESS;
}

/* Whether the host is sudo, whose person confirms a command and not a mere login. */
static bool is_sudo(const struct frame_bytes *service)
{
  static const char *const names[] = {"sudo", "sudo-i"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (service->length == strlen(names[i]) && memcmp(service->start, names[i], service->length) == 0)
      return true;
  return false;
}

/* What was read; absent where nothing was. */
static struct frame_bytes read_bytes(const char *bytes, size_t length)
{
  return length > 0 ? (struct frame_bytes){(const uint8_t *)bytes, length} : (struct frame_bytes){0};
}

int begin_name(pam_handle_t *pamh, const char **user)
{
  const int code = pam_get_user(pamh, user, NULL);
  if (code == PAM_SUCCESS && *user != NULL)
    return PAM_SUCCESS;
  const bool is_conversation = code == PAM_CONV_ERR || code == PAM_CONV_AGAIN || code == PAM_INCOMPLETE;
  const int answer = is_conversation ? PAM_CONV_ERR : PAM_SYSTEM_ERR;
  log_outcome(pamh, LOG_ERR, answer, "no user name: %s", pam_strerror(pamh, code));
  return answer;
}

int begin_collect(pam_handle_t *pamh, const char *user, int flags, int argc, const char *const *argv,
                  struct frame_begin *begin, struct command *command)
{
  *begin = (struct frame_begin){
    .operation = begin->operation,
    .divided = begin->divided,
    .has_flags = true,
    .flags = (uint32_t)flags,
    .service = item(pamh, PAM_SERVICE, UAF_SERVICE_MAX),
    .tty = item(pamh, PAM_TTY, UAF_NAME_MAX),
    .remote_host = item(pamh, PAM_RHOST, UAF_NAME_MAX),
    .remote_user = item(pamh, PAM_RUSER, UAF_NAME_MAX),
    .locale = locale(),
  };
  const struct passwd *account = find_account(pamh, user);
  if (geteuid() != 0)
    return check_own_account(pamh, account);
  if (begin->operation == OPERATION_AUTHENTICATE && is_sudo(&begin->service)) {
    command_read(command);
    begin->program = read_bytes(command->program, command->program_length);
    begin->command_line = read_bytes(command->line, command->line_length);
  }
  return describe_account(pamh, user, account, argc, argv, begin);
}
