/* A host that shows lists as GDM's worker does, built with GDM's own header: gdm-host FOLDER SERVICE USER

   Names its extensions in the environment, and authenticates USER with the stack FOLDER/SERVICE. What PAM says goes to standard
   output, one line each ("list TITLE | KEY: TEXT | ...", "prompt TEXT", "error TEXT", "info TEXT", "result NUMBER"). The
   answers are the lines of standard input: the key for a list. The exit status is PAM's code. */
#include "conversation.h"
#include <gdm/gdm-pam-extensions.h>

static const char *const extensions[] = {"org.example.Another", GDM_PAM_EXTENSION_CHOICE_LIST, NULL};
static char environment[256];

static char *answer(void *data)
{
  (void)data;
  return read_line();
}

static int answer_list(const struct pam_message *query, char **answer)
{
  GdmPamExtensionMessage *message = GDM_PAM_EXTENSION_MESSAGE_FROM_PAM_MESSAGE(query);
  if (GDM_PAM_EXTENSION_MESSAGE_TRUNCATED(message) || GDM_PAM_EXTENSION_MESSAGE_INVALID_TYPE(message) ||
      !GDM_PAM_EXTENSION_MESSAGE_MATCH(message, extensions, GDM_PAM_EXTENSION_CHOICE_LIST))
    return PAM_CONV_ERR;
  const GdmPamExtensionChoiceListRequest *request = (const GdmPamExtensionChoiceListRequest *)message;
  printf("list %s", request->prompt_message);
  for (size_t i = 0; i < request->list.number_of_items; i++)
    printf(" | %s: %s", request->list.items[i].key, request->list.items[i].text);
  printf("\n");
  fflush(stdout);
  GdmPamExtensionChoiceListResponse *response = malloc(GDM_PAM_EXTENSION_CHOICE_LIST_RESPONSE_SIZE);
  GDM_PAM_EXTENSION_CHOICE_LIST_RESPONSE_INIT(response);
  response->key = read_line();
  *answer = GDM_PAM_EXTENSION_MESSAGE_TO_PAM_REPLY(response);
  return PAM_SUCCESS;
}

static int converse_with_lists(int count, const struct pam_message **messages, struct pam_response **responses,
                               void *data)
{
  if (count != 1)
    return PAM_CONV_ERR;
  if (messages[0]->msg_style != PAM_BINARY_PROMPT)
    return converse(count, messages, responses, data);
  struct pam_response *reply = calloc(1, sizeof *reply);
  const int code = answer_list(messages[0], &reply->resp);
  if (code == PAM_SUCCESS)
    *responses = reply;
  else
    free(reply);
  return code;
}

int main(int argc, char **argv)
{
  if (argc != 4)
    return 64;
  GDM_PAM_EXTENSION_ADVERTISE_SUPPORTED_EXTENSIONS(environment, extensions);
  const struct pam_conv conversation = {.conv = converse_with_lists};
  pam_handle_t *pamh = NULL;
  int code = pam_start_confdir(argv[2], argv[3], &conversation, argv[1], &pamh);
  if (code == PAM_SUCCESS)
    code = pam_set_item(pamh, PAM_FAIL_DELAY, (const void *)no_delay);
  if (code == PAM_SUCCESS)
    code = pam_authenticate(pamh, 0);
  printf("result %d\n", code);
  pam_end(pamh, code);
  return code;
}
