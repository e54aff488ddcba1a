/* The layout of the messages is that of GDM's header gdm-pam-extensions.h, which programs that use the extension normally
   include. It is repeated here, so that the module can be built where GDM is not installed. GDM's worker and the module are in
   one process, so pointers and sizes are those of that process. */
#include "greeter.h"

#include <endian.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "converse.h"
#include "limits.h"

#if __has_include(<gdm/gdm-pam-extensions.h>)
#include <gdm/gdm-pam-extensions.h>
#endif

/* The variable in which GDM's worker names its extensions. The position of a name is the type of its messages. */
#define EXTENSIONS "GDM_SUPPORTED_PAM_EXTENSIONS"
#define CHOICE_LIST "org.gnome.DisplayManager.UserVerifier.ChoiceList"

struct header {
  uint32_t length; /* of the whole message, in network byte order */
  unsigned char type;
};

struct item {
  const char *key, *text;
};

struct request {
  struct header header;
  const char *title;
  size_t count;
  struct item items[UAF_OPTIONS_MAX];
};

struct response {
  struct header header;
  char *key;
};

#ifdef GDM_PAM_EXTENSION_CHOICE_LIST
_Static_assert(offsetof(struct request, title) == offsetof(GdmPamExtensionChoiceListRequest, prompt_message),
               "GDM's layout");
_Static_assert(offsetof(struct request, count) == offsetof(GdmPamExtensionChoiceListRequest, list.number_of_items),
               "GDM's layout");
_Static_assert(offsetof(struct request, items) == GDM_PAM_EXTENSION_CHOICE_LIST_REQUEST_SIZE(0), "GDM's layout");
_Static_assert(offsetof(struct response, key) == offsetof(GdmPamExtensionChoiceListResponse, key), "GDM's layout");
_Static_assert(sizeof(struct response) == GDM_PAM_EXTENSION_CHOICE_LIST_RESPONSE_SIZE, "GDM's layout");
#endif

/* The type of the messages for a list. Returns false if the host does not have the extension. */
static bool look_up_type(unsigned char *type)
{
  const char *word = secure_getenv(EXTENSIONS);
  for (unsigned position = 0; word != NULL && *word != '\0' && position <= UCHAR_MAX; position++) {
    const size_t length = strcspn(word, " ");
    if (length == sizeof CHOICE_LIST - 1 && memcmp(word, CHOICE_LIST, length) == 0) {
      *type = (unsigned char)position;
      return true;
    }
    word += length;
    word += strspn(word, " ");
  }
  return false;
}

bool greeter_shows_lists(struct frame_bytes service)
{
  static const char *const services[] = {"gdm-password", "gdm-switchable-auth", NULL};
  unsigned char type;
  return getuid() == 0 && geteuid() == 0 && frame_is_one_of(service, services) && look_up_type(&type);
}

/* The number of the item that has this key; 0 if none has it. */
static unsigned number_of(const char *key, const struct request *request)
{
  for (unsigned i = 0; key != NULL && i < request->count; i++)
    if (strcmp(key, request->items[i].key) == 0)
      return i + 1;
  return 0;
}

/* Reads the response and frees what is in it. */
static unsigned read_response(struct response *response, const struct request *request)
{
  if (be32toh(response->header.length) != sizeof *response || response->header.type != request->header.type)
    return 0; /* what else it has is not known, so it is not freed */
  const unsigned number = number_of(response->key, request);
  free(response->key);
  return number;
}

enum greeter_answer greeter_ask(pam_handle_t *pamh, const struct frame_message *prompt, unsigned *number)
{
  char title[UAF_TEXT_MAX + 1], keys[UAF_OPTIONS_MAX][sizeof "4294967295"], texts[UAF_OPTIONS_MAX][UAF_OPTION_MAX + 1];
  struct request request = {.title = title, .count = prompt->option_count};
  if (!look_up_type(&request.header.type))
    return GREETER_NOTHING;
  frame_copy(title, prompt->field[PROMPT_TEXT]);
  for (unsigned i = 0; i < prompt->option_count; i++) {
    snprintf(keys[i], sizeof keys[i], "%u", i + 1);
    frame_copy(texts[i], prompt->option[i]);
    request.items[i] = (struct item){keys[i], texts[i]};
  }
  const size_t size = offsetof(struct request, items) + prompt->option_count * sizeof request.items[0];
  request.header.length = htobe32((uint32_t)size);
  void *answer = NULL;
  if (!converse_binary(pamh, &request, &answer))
    return GREETER_FAILED;
  *number = answer != NULL ? read_response(answer, &request) : 0;
  free(answer);
  return *number != 0 ? GREETER_CHOSE : GREETER_NOTHING;
}
