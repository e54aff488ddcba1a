#include "host.h"

#include <endian.h>
#include <errno.h>
#include <pwd.h>
#include <security/pam_ext.h>
#include <security/pam_modutil.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "blocks.h"
#include "check.h"
#include "kernel.h"
#include "script.h"

#define DATA 4

struct host host;

/* pam_set_data(3) */
static struct {
  const char *name;
  void *data;
  void (*cleanup)(pam_handle_t *pamh, void *data, int status);
} data[DATA];

static int converse(int count, const struct pam_message **messages, struct pam_response **responses, void *context);
static const struct pam_conv conversation = {converse, NULL};

pam_handle_t *host_handle(void) { return (pam_handle_t *)data; }

/* A secret is known by its beginning; an empty one is none. */
static const char *secret(char *room, size_t size, const struct record *record, size_t from)
{
  const char *rest = script_text(record, from);
  snprintf(room, size, "%s%s", rest[0] != '\0' ? SECRET_MARK : "", rest);
  return room;
}

static void take_environment(const struct record *fact)
{
  const uint8_t bits = script_byte(fact, 0), more = script_byte(fact, 1);
  kernel.socket_missing = (bits & 1) != 0;
  kernel.peer_is_other = (bits & 2) != 0;
  kernel.another_caller = (bits & 4) != 0;
  kernel.reaped_by_host = (bits & 8) != 0;
  kernel.core_lingers = (bits & 16) != 0;
  kernel.core_frozen = (bits & 32) != 0;
  kernel.low_descriptors = (bits & 64) != 0;
  kernel.ends_in_silence = (bits & 128) != 0;
  host.no_conversation = (more & 1) != 0;
  host.account_unknown = (more & 2) != 0;
  host.other_spelling = (more & 4) != 0;
  host.uid = (more & 8) != 0 ? 1000 : 0;
  host.lookup_fails = (more & 32) != 0;
  kernel.host_is_root = (more & 64) != 0;
  if ((more & 16) != 0)
    host.items[PAM_USER] = NULL;
  static const int codes[] = {PAM_CONV_ERR, PAM_CONV_AGAIN, PAM_INCOMPLETE, PAM_SYSTEM_ERR, PAM_SUCCESS, PAM_IGNORE};
  host.user_code = codes[script_byte(fact, 2) % (sizeof codes / sizeof codes[0])];
}

/* u user, s service, t tty, r remote user, h remote host, p and o passwords of earlier modules, a an argument, l the
   language, c the command line, e the extensions of a greeter, g a long argument or name, k surroundings. */
static void take_fact(const struct record *fact)
{
  static char password[9000], old_password[9000];
  static const struct {
    char letter;
    int item;
  } items[] = {{'u', PAM_USER}, {'s', PAM_SERVICE}, {'t', PAM_TTY}, {'h', PAM_RHOST}, {'r', PAM_RUSER}};
  for (size_t i = 0; i < sizeof items / sizeof items[0]; i++)
    if (fact->letter == items[i].letter)
      host.items[items[i].item] = script_text(fact, 0);
  if (fact->letter == 'p')
    host.items[PAM_AUTHTOK] = secret(password, sizeof password, fact, 0);
  if (fact->letter == 'o')
    host.items[PAM_OLDAUTHTOK] = secret(old_password, sizeof old_password, fact, 0);
  if (fact->letter == 'l')
    kernel.locale = script_text(fact, 0);
  if (fact->letter == 'e')
    kernel.extensions = script_text(fact, 0);
  if (fact->letter == 'c') {
    kernel.command = fact->bytes;
    kernel.command_length = fact->length;
  }
  if (fact->letter == 'a' && host.argument_count < HOST_ARGUMENTS) {
    host.other_line[host.argument_count] = script_text(fact, 0);
    host.arguments[host.argument_count] = host.other_line[host.argument_count];
    host.argument_count++;
  }
  if (fact->letter == 'k')
    take_environment(fact);
}

/* g item count byte: a name or an argument of up to 8,191 times the same byte. */
static void take_long(const struct record *fact)
{
  static char texts[2][8192];
  static unsigned next;
  char *text = texts[next++ % 2];
  const size_t count = ((size_t)script_byte(fact, 1) << 8 | script_byte(fact, 2)) % sizeof texts[0];
  memset(text, script_byte(fact, 3), count);
  text[count] = '\0';
  static const int items[] = {PAM_USER, PAM_SERVICE, PAM_TTY, PAM_RHOST, PAM_RUSER};
  const unsigned item = script_byte(fact, 0) % 6;
  if (item < 5)
    host.items[items[item]] = text;
  else if (host.argument_count < HOST_ARGUMENTS) {
    host.other_line[host.argument_count] = text;
    host.arguments[host.argument_count++] = text;
  }
}

void host_reset(void)
{
  host = (struct host){.items[PAM_USER] = "mina", .items[PAM_SERVICE] = "login"};
  memset(data, 0, sizeof data);
  for (const struct record *fact; (fact = script_next(&script.facts)) != NULL;)
    if (fact->letter == 'g')
      take_long(fact);
    else
      take_fact(fact);
}

bool host_has_argument(const char *argument)
{
  for (int i = 0; i < host.argument_count; i++)
    if (strcmp(host.arguments[i], argument) == 0)
      return true;
  return false;
}

bool host_passes_unregistered(void)
{
  int end = 0;
  for (int i = 0; i < host.argument_count; i++) {
    const char *argument = host.arguments[i];
    if (strcmp(argument, "nouserok") == 0)
      return true;
    end = 0;
    if (sscanf(argument, "nouserok=%*4[0-9]-%*2[0-9]-%*2[0-9]%n", &end) == 0 && end == 19 && argument[19] == '\0')
      return true;
  }
  return false;
}

/* What one row of '?' makes the person answer: how in the first byte, then the text. Its upper half is time, in tens of
   seconds. */
static int answer(const struct record *record, struct pam_response *response, struct pam_response **responses)
{
  static char room[9000];
  enum { TEXT, NOTHING, LONG, FAILS, AGAIN, NO_RESPONSES, HANDS };
  const unsigned how = record != NULL ? script_byte(record, 0) : NOTHING;
  kernel.now += 10000 * (int64_t)(how >> 4);
  switch ((how & 15) % HANDS) {
  case TEXT:
    response->resp = record != NULL ? blocks_give(secret(room, sizeof room, record, 1)) : NULL;
    break;
  case LONG: {
    char text[3000] = SECRET_MARK;
    const size_t count = ((size_t)script_byte(record, 1) << 8 | script_byte(record, 2)) % 2900;
    memset(text + sizeof SECRET_MARK - 1, script_byte(record, 3) | 1, count);
    text[sizeof SECRET_MARK - 1 + count] = '\0';
    response->resp = blocks_give(text);
    break;
  }
  case FAILS:
  case AGAIN:
  case NO_RESPONSES:
    world_free(response);
    *responses = NULL;
    return (how & 15) % HANDS == FAILS ? PAM_CONV_ERR : (how & 15) % HANDS == AGAIN ? PAM_CONV_AGAIN : PAM_SUCCESS;
  default:
    break;
  }
  host.answer = response->resp;
  return PAM_SUCCESS;
}

/* GDM's messages for a list. */
struct list {
  uint32_t length;
  unsigned char type;
  const char *title;
  size_t count;
  struct {
    const char *key, *text;
  } items[16];
};
struct choice {
  uint32_t length;
  unsigned char type;
  char *key;
};

/* What one row of '?' makes the greeter choose: how as for a person, then the number of the item, from 0. Behind the last there is a
   key that nobody has offered. A further byte spoils the answer: its type, its length, or its key. */
static int choose(const struct list *list, const struct record *record, struct pam_response *response,
                  struct pam_response **responses)
{
  MUST(list->count >= 1 && list->count <= 16);
  MUST(be32toh(list->length) == offsetof(struct list, items) + list->count * sizeof list->items[0]);
  for (size_t i = 0; i < list->count; i++)
    MUST(list->items[i].key != NULL && strnlen(list->items[i].text, 257) <= 256);
  static char number[32];
  number[0] = '\0';
  const int code = answer(record, response, responses);
  if (*responses == NULL || response->resp == NULL) {
    host.answer = code == PAM_SUCCESS ? number : NULL; /* no choice is an empty answer */
    return code;
  }
  const size_t chosen = script_byte(record, 1) % (list->count + 1);
  const uint8_t spoilt = script_byte(record, 2) & 3;
  memset(response->resp, 0, strlen(response->resp));
  world_free(response->resp);
  struct choice *choice = (struct choice *)blocks_give("a room of sixteen bytes");
  *choice = (struct choice){.length = htobe32(sizeof *choice), .type = list->type};
  if (spoilt == 1)
    choice->type++;
  if (spoilt == 2)
    choice->length = htobe32(sizeof *choice + 1);
  if (spoilt == 1 || spoilt == 2)
    choice->key = (char *)(uintptr_t)list->items[0].key; /* of an answer of another kind: not read, not freed */
  if (spoilt == 0)
    choice->key = blocks_give(chosen < list->count ? list->items[chosen].key : "other");
  if (spoilt == 0 && chosen < list->count)
    snprintf(number, sizeof number, "%zu", chosen + 1);
  response->resp = (char *)choice;
  host.answer = number;
  return code;
}

static int converse(int count, const struct pam_message **messages, struct pam_response **responses, void *context)
{
  const int style = messages[0]->msg_style;
  static char kept[4096];
  (void)context;
  MUST(count == 1 && (style == PAM_BINARY_PROMPT || strnlen(messages[0]->msg, 4097) <= 4096));
  MUST(style == PAM_BINARY_PROMPT || !blocks_is_secret(messages[0]->msg, strlen(messages[0]->msg)));
  struct pam_response *response = (struct pam_response *)blocks_give("a room of sixteen bytes");
  *response = (struct pam_response){0};
  *responses = response;
  if (style == PAM_TEXT_INFO || style == PAM_ERROR_MSG) {
    /* What is about to be confirmed stands before its prompt, and that a login is ready before the first: everybody is
       shown both. */
    const bool is_before_prompt = kernel.last != NULL && (kernel.last[0] == 0x81 || kernel.last[0] == 0x84);
    MUST(style == PAM_ERROR_MSG || !host.silent || is_before_prompt);
    response->resp = blocks_give("an answer nobody asked for"); /* some hosts do; it must not leak */
    return PAM_SUCCESS;
  }
  host.prompts++;
  host.answer = NULL;
  if (style == PAM_BINARY_PROMPT) {
    MUST(kernel.host_is_root && kernel.extensions != NULL);
    return choose((const struct list *)(const void *)messages[0]->msg, script_next(&script.answers), response,
                  responses);
  }
  MUST(style == PAM_PROMPT_ECHO_OFF || style == PAM_PROMPT_ECHO_ON);
  const int code = answer(script_next(&script.answers), response, responses);
  if (host.answer != NULL) /* the module frees the one it was given */
    host.answer = strncpy(kept, host.answer, sizeof kept - 1);
  return code;
}

int world_pam_get_item(const pam_handle_t *pamh, int type, const void **item)
{
  MUST((const void *)pamh == data);
  if (script_fails(PLACE_ITEM)) {
    host.conversation_failed = host.conversation_failed || type == PAM_CONV;
    return PAM_SYSTEM_ERR;
  }
  *item = type == PAM_CONV ? (host.no_conversation ? NULL : (const void *)&conversation) : host.items[type];
  return PAM_SUCCESS;
}

int world_pam_get_user(pam_handle_t *pamh, const char **user, const char *prompt)
{
  MUST((void *)pamh == data && prompt == NULL);
  *user = host.items[PAM_USER];
  return *user != NULL ? PAM_SUCCESS : host.user_code;
}

int world_pam_get_data(const pam_handle_t *pamh, const char *name, const void **found)
{
  MUST((const void *)pamh == data);
  for (size_t i = 0; i < DATA; i++)
    if (data[i].name != NULL && strcmp(data[i].name, name) == 0) {
      *found = data[i].data;
      return PAM_SUCCESS;
    }
  return PAM_NO_MODULE_DATA;
}

int world_pam_set_data(pam_handle_t *pamh, const char *name, void *value,
                       void (*cleanup)(pam_handle_t *pamh, void *data, int status))
{
  size_t place = DATA;
  if (value != NULL && script_fails(PLACE_DATA))
    return PAM_BUF_ERR;
  for (size_t i = DATA; i-- > 0;)
    if (data[i].name == NULL)
      place = place == DATA ? i : place;
  for (size_t i = 0; i < DATA; i++)
    if (data[i].name != NULL && strcmp(data[i].name, name) == 0)
      place = i;
  MUST(place < DATA);
  if (data[place].name != NULL && data[place].cleanup != NULL)
    data[place].cleanup(pamh, data[place].data, PAM_DATA_REPLACE | PAM_SUCCESS);
  data[place].name = name;
  data[place].data = value;
  data[place].cleanup = cleanup;
  return PAM_SUCCESS;
}

void host_end(void)
{
  for (size_t i = 0; i < DATA; i++)
    if (data[i].name != NULL && data[i].cleanup != NULL)
      data[i].cleanup(host_handle(), data[i].data, PAM_SUCCESS);
}

int world_pam_putenv(pam_handle_t *pamh, const char *variable)
{
  MUST((void *)pamh == data);
  /* Of a success alone, and after it was said. */
  MUST(kernel.last != NULL && kernel.last[0] == 0x86 && kernel.last[4] == PAM_SUCCESS);
  MUST(strchr(variable, '=') != NULL && variable[0] != '=');
  return script_fails(PLACE_VARIABLE) ? PAM_BUF_ERR : PAM_SUCCESS;
}

int world_pam_set_item(pam_handle_t *pamh, int type, const void *item)
{
  MUST((void *)pamh == data);
  /* A password of a keyring: of a success alone, after it was said, and never over another module's. */
  MUST(type == PAM_AUTHTOK && item != NULL && host.items[PAM_AUTHTOK] == NULL);
  MUST(kernel.last != NULL && kernel.last[0] == 0x86 && kernel.last[4] == PAM_SUCCESS);
  MUST(strlen(item) >= 1 && strlen(item) <= 512);
  return script_fails(PLACE_VARIABLE) ? PAM_BUF_ERR : PAM_SUCCESS;
}

int world_pam_fail_delay(pam_handle_t *pamh, unsigned microseconds)
{
  MUST((void *)pamh == data && microseconds > 0);
  host.delays++;
  return PAM_SUCCESS;
}

const char *world_pam_strerror(pam_handle_t *pamh, int code)
{
  (void)pamh, (void)code;
  return "the code in words";
}

__attribute__((format(printf, 3, 4))) void world_pam_syslog(const pam_handle_t *pamh, int priority, const char *format,
                                                            ...)
{
  char line[4096];
  va_list arguments;
  MUST((const void *)pamh == data);
  (void)priority;
  va_start(arguments, format);
  const int length = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  MUST(length > 0 && (size_t)length < sizeof line);
  for (int i = 0; i < length; i++)
    MUST(line[i] >= ' ' && line[i] < 0x7f);
  MUST(!blocks_is_secret(line, (size_t)length));
  host.log_lines++;
}

int world_getpwnam_r(const char *user, struct passwd *account, char *buffer, size_t size, struct passwd **found)
{
  static char other[] = "mina";
  *found = NULL;
  MUST(user[0] != '\0' && strlen(user) <= 256 && size > 256);
  if (host.lookup_fails) {
    host.failed_lookups++;
    return EMFILE;
  }
  strcpy(buffer, host.other_spelling ? other : user);
  *account = (struct passwd){.pw_name = buffer, .pw_uid = host.uid};
  *found = host.account_unknown ? NULL : account;
  return 0;
}
