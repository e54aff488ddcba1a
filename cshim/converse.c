/* Messages between the module and the person, through the host's conversation function. */
#include "converse.h"

#include <stdlib.h>
#include <string.h>

#include "limits.h"

/* The host's conversation function and its data, or NULL if it has none. */
static const struct pam_conv *conversation_of(pam_handle_t *pamh)
{
  const void *item = NULL;
  if (pam_get_item(pamh, PAM_CONV, &item) != PAM_SUCCESS || item == NULL)
    return NULL;
  const struct pam_conv *conversation = item;
  return conversation->conv != NULL ? conversation : NULL;
}

bool converse_is_possible(pam_handle_t *pamh) { return conversation_of(pamh) != NULL; }

/* Sends one message through the host's conversation function. Returns whether the function reported success. If so, answer is
   the host's reply, or NULL; some hosts reply even to a notice. */
static bool send_message(pam_handle_t *pamh, const struct pam_message *message, char **answer)
{
  const struct pam_conv *conversation = conversation_of(pamh);
  *answer = NULL;
  if (conversation == NULL)
    return false;
  const struct pam_message *messages[] = {message};
  struct pam_response *responses = NULL;
  const int code = conversation->conv(1, messages, &responses, conversation->appdata_ptr);
  if (code != PAM_SUCCESS)
    return false; /* on an error there is no reply to free (pam_conv(3)) */
  if (responses != NULL)
    *answer = responses[0].resp;
  free(responses);
  return true;
}

/* Sends a text. */
static bool exchange(pam_handle_t *pamh, int style, struct frame_bytes text, char **answer)
{
  *answer = NULL;
  if (text.length > UAF_TEXT_MAX)
    return false;
  char terminated[UAF_TEXT_MAX + 1];
  frame_copy(terminated, text);
  return send_message(pamh, &(struct pam_message){.msg_style = style, .msg = terminated}, answer);
}

bool converse_binary(pam_handle_t *pamh, const void *request, void **answer)
{
  char *reply;
  const bool is_answered = send_message(pamh, &(struct pam_message){.msg_style = PAM_BINARY_PROMPT, .msg = request},
                                        &reply);
  *answer = reply;
  return is_answered;
}

void converse_forget(char *answer)
{
  if (answer != NULL)
    explicit_bzero(answer, strlen(answer));
  free(answer);
}

bool converse_show(pam_handle_t *pamh, int style, struct frame_bytes text)
{
  char *answer;
  const bool is_shown = exchange(pamh, style, text, &answer);
  converse_forget(answer);
  return is_shown;
}

char *converse_ask(pam_handle_t *pamh, int style, struct frame_bytes text)
{
  char *answer;
  exchange(pamh, style, text, &answer);
  return answer;
}

/* A text that is empty, too long, not UTF-8, or has control characters cannot be a stored secret, so it is not tried. */
const char *converse_first_pass(pam_handle_t *pamh, int type)
{
  const void *item = NULL;
  if (pam_get_item(pamh, type, &item) != PAM_SUCCESS || item == NULL)
    return NULL;
  const char *token = item;
  const size_t length = strnlen(token, UAF_STORABLE_MAX + 1);
  if (length == 0 || length > UAF_STORABLE_MAX || !frame_is_text((const uint8_t *)token, length))
    return NULL;
  for (size_t i = 0; i < length; i++)
    if ((unsigned char)token[i] < ' ' || token[i] == 0x7f)
      return NULL;
  return token;
}
