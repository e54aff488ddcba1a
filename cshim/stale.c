/* The note is in the memory of the PAM handle. So a forked copy of the host has it too, but no other process does. */
#include "stale.h"

#include <security/pam_ext.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

static const char note_name[] = "pam_uaf_stale";

static void clean_up(pam_handle_t *pamh, void *note, int status)
{
  (void)pamh, (void)status;
  free(note);
}

static const char *noted_name(pam_handle_t *pamh)
{
  const void *note = NULL;
  return pam_get_data(pamh, note_name, &note) == PAM_SUCCESS ? note : NULL;
}

void stale_note(pam_handle_t *pamh, const char *user)
{
  char *note = strdup(user);
  if (note != NULL && pam_set_data(pamh, note_name, note, clean_up) == PAM_SUCCESS)
    return;
  free(note);
  pam_syslog(pamh, LOG_WARNING, "the value is stale, but that could not be noted: no new one will be asked for");
}

bool stale_is_noted(pam_handle_t *pamh)
{
  const char *note = noted_name(pamh);
  const void *user = NULL;
  return note != NULL && pam_get_item(pamh, PAM_USER, &user) == PAM_SUCCESS && user != NULL && strcmp(user, note) == 0;
}

void stale_forget(pam_handle_t *pamh)
{
  if (noted_name(pamh) != NULL)
    pam_set_data(pamh, note_name, NULL, NULL);
}
