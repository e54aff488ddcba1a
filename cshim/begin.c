/* The beginning of a call. The user's name may be any text from the network: sshd passes on what it received. */
#include "begin.h"

#include <errno.h>
#include <pwd.h>
#include <security/pam_ext.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "greeter.h"
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

/* The person's language, used for texts only. If it is too long for the name of a locale, it is not sent. */
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

/* Makes one lookup. pam_modutil_getpwnam cannot be used, because it does not distinguish an unknown name from a failed lookup,
   and any caller can make a lookup fail with limits on descriptors or memory. */
static int look_up(const char *user, size_t room, struct begin_account *account)
{
  struct passwd entry, *found = NULL;
  char *buffer = malloc(room);
  if (buffer == NULL)
    return ENOMEM;
  const int error = getpwnam_r(user, &entry, buffer, room, &found);
  if (error == 0 && found != NULL && found->pw_name != NULL &&
      strnlen(found->pw_name, UAF_NAME_MAX + 1) <= UAF_NAME_MAX) {
    account->found = true;
    account->uid = found->pw_uid;
    memcpy(account->name, found->pw_name, strlen(found->pw_name) + 1);
  }
  free(buffer);
  return error;
}

/* Finds the account of the name that was typed. Names that no account can have are not looked up, so that name services need
   not parse them. */
static void find_account(const char *user, struct begin_account *account)
{
  *account = (struct begin_account){0};
  const size_t length = strnlen(user, UAF_NAME_MAX + 1);
  if (length == 0 || length > UAF_NAME_MAX)
    return;
  size_t room = UAF_ACCOUNT_ROOM;
  int error = EINTR;
  for (unsigned i = 0; i < UAF_ACCOUNT_LOOKUPS_MAX && (error == EINTR || error == ERANGE); i++) {
    if (error == ERANGE && room < UAF_ACCOUNT_ROOM_MAX)
      room *= 2;
    error = look_up(user, room, account);
  }
  /* These errors mean that there is no such account: a name service that is not installed returns them for every name. */
  account->error = error == ENOENT || error == ESRCH ? 0 : error;
}

/* The rules of docs/protocol.md, "Who may say what", for a peer that is not root. The code is PAM_AUTH_ERR, not
   PAM_USER_UNKNOWN, because stacks skip a module for users that it does not know. */
static int check_own_account(pam_handle_t *pamh, const struct begin_account *account)
{
  if (account->found && account->uid == getuid() && account->uid == geteuid())
    return PAM_SUCCESS;
  if (account->error != 0) {
    log_outcome(pamh, LOG_ERR, PAM_SYSTEM_ERR, "the account could not be looked up: %s", strerror(account->error));
    return PAM_SYSTEM_ERR;
  }
  log_outcome(pamh, LOG_ERR, PAM_AUTH_ERR, "uid %lu may ask for its own account only", (unsigned long)getuid());
  return PAM_AUTH_ERR;
}

/* All arguments of the stack's line are sent, with and without root privileges, because only the core can recognise wrong ones.
   */
static int tell_arguments(pam_handle_t *pamh, int argc, const char *const *argv, struct frame_begin *begin)
{
  for (int i = 0; i < argc; i++)
    if (argc > UAF_ARGUMENTS_MAX || strlen(argv[i]) > UAF_ARGUMENT_MAX) {
      log_outcome(pamh, LOG_ERR, PAM_SERVICE_ERR, "more than %d module arguments, or one of more than %d bytes",
                  UAF_ARGUMENTS_MAX, UAF_ARGUMENT_MAX);
      return PAM_SERVICE_ERR;
    }
  begin->arguments = argv;
  begin->argument_count = argc > 0 ? (size_t)argc : 0;
  return PAM_SUCCESS;
}

/* Whether the host may get the password of a keyring: root itself runs it, the person is at this machine, and nobody has set a
   password that another module may depend on. Whether it gets one depends on its service, which the core compares with root's
   list: a module in this stage cannot know whether a session will follow. */
static bool takes_keyring(pam_handle_t *pamh, const struct frame_begin *begin)
{
  const void *token = NULL;
  return getuid() == 0 && begin->remote_host.length == 0 && begin->remote_user.length == 0 &&
         pam_get_item(pamh, PAM_AUTHTOK, &token) == PAM_SUCCESS && token == NULL;
}

static void describe_account(pam_handle_t *pamh, const char *user, const struct begin_account *account,
                             struct frame_begin *begin)
{
  if (account->found) {
    begin->has_uid = true;
    begin->uid = account->uid;
    begin->account = label(account->name, UAF_NAME_MAX);
  }
  if (account->error != 0)
    pam_syslog(pamh, LOG_WARNING, "the account could not be looked up: %s", strerror(account->error));
  if (strnlen(user, UAF_NAME_MAX + 1) <= UAF_NAME_MAX)
    begin->typed_name = label(user, UAF_NAME_MAX);
  begin->has_remote = true;
  begin->remote = begin->remote_host.length > 0;
  /* The real uid: for a setuid program such as su or sudo, it is the caller's; for sshd and login, it is root's. */
  begin->has_caller = true;
  begin->caller = getuid();
}

/* The bytes as a field, which is absent if there are no bytes. */
static struct frame_bytes read_bytes(const char *bytes, size_t length)
{
  return length > 0 ? (struct frame_bytes){(const uint8_t *)bytes, length} : (struct frame_bytes){0};
}

/* Whether the host is sudo, for which the person confirms a command, not just a login. If sudoers names a different PAM service
   (pam_service, pam_login_service), sudo is recognised by its executable. */
static bool is_sudo(struct frame_bytes service, const struct command *command)
{
  static const char *const services[] = {"sudo", "sudo-i", NULL}, *const files[] = {"sudo", "sudo-rs", NULL};
  const char *end = command->program + command->program_length;
  const char *slash = memrchr(command->program, '/', command->program_length);
  return frame_is_one_of(service, services) ||
         (slash != NULL && frame_is_one_of(read_bytes(slash + 1, (size_t)(end - slash - 1)), files));
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
                  struct frame_begin *begin, struct command *command, struct begin_account *account)
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
  find_account(user, account);
  const int code = tell_arguments(pamh, argc, argv, begin);
  if (code != PAM_SUCCESS)
    return code;
  if (geteuid() != 0)
    return check_own_account(pamh, account);
  if (begin->operation == OPERATION_AUTHENTICATE) {
    begin->lists = greeter_shows_lists(begin->service);
    begin->keyring = takes_keyring(pamh, begin);
    command_read_program(command);
    if (is_sudo(begin->service, command)) {
      command_read_line(command);
      begin->program = read_bytes(command->program, command->program_length);
      begin->command_line = read_bytes(command->line, command->line_length);
    }
  }
  describe_account(pamh, user, account, begin);
  return PAM_SUCCESS;
}
