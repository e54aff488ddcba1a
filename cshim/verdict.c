/* Tables of the pairs of PAM code and result that the module accepts in a verdict. Any other pair is an error. */
#include "verdict.h"

#include <security/pam_modules.h>
#include <stddef.h>

#define ANY_RESULT 0
#define RESULT_NOT_REGISTERED 1009
#define RESULT_CHANGED 7110

struct pair {
  int code;
  uint32_t result;
};

/* The failures of the core that the module passes on. The last two codes are accepted with one result only, because stacks may
   fall back to passwords on them. No other code is passed on, because a stack could treat it as a success, as "required" does
   with PAM_NEW_AUTHTOK_REQD. */
static const struct pair failures[] = {
  {PAM_AUTH_ERR, ANY_RESULT}, {PAM_SYSTEM_ERR, ANY_RESULT}, {PAM_USER_UNKNOWN, ANY_RESULT}, {PAM_MAXTRIES, ANY_RESULT},
  {PAM_CONV_ERR, ANY_RESULT}, {PAM_AUTHINFO_UNAVAIL, 4001}, {PAM_CRED_UNAVAIL, 7009},
};

/* Mistakes in root's configuration. The core finds them before the first prompt; after a prompt, these pairs are not accepted.
   */
static const struct pair mistakes[] = {{PAM_SERVICE_ERR, 1001}, {PAM_SERVICE_ERR, 1012}};

/* The failures of a change, in addition to those above, which are possible because the old secret is verified as in a login. */
static const struct pair change_failures[] = {
  {PAM_AUTHTOK_ERR, 3010}, {PAM_AUTHTOK_ERR, 7111}, {PAM_AUTHTOK_ERR, 7112}, {PAM_AUTHTOK_ERR, 7113}};

/* Results that mean a success, so a failure cannot have them. */
static const uint32_t good_results[] = {0, 10, 7100, RESULT_CHANGED};

/* The account stage refuses only with these. PAM_USER_UNKNOWN is missing because a stack may skip a module for a user that it
   does not know. */
static const struct pair account_failures[] = {{PAM_AUTH_ERR, ANY_RESULT}, {PAM_SYSTEM_ERR, ANY_RESULT}};

static bool has_pair(const struct pair *pairs, size_t count, const struct verdict *verdict)
{
  for (size_t i = 0; i < count; i++)
    if (pairs[i].code == verdict->code && (pairs[i].result == ANY_RESULT || pairs[i].result == verdict->result))
      return true;
  return false;
}

static bool is_failure(const struct verdict *verdict)
{
  for (size_t i = 0; i < sizeof good_results / sizeof good_results[0]; i++)
    if (verdict->result == good_results[i])
      return false;
  if (verdict->operation == OPERATION_ACCOUNT)
    return has_pair(account_failures, sizeof account_failures / sizeof account_failures[0], verdict);
  return has_pair(failures, sizeof failures / sizeof failures[0], verdict) ||
         (verdict->operation == OPERATION_CHANGE &&
          has_pair(change_failures, sizeof change_failures / sizeof change_failures[0], verdict));
}

bool verdict_belongs_together(const struct verdict *verdict)
{
  const bool changes = verdict->operation == OPERATION_CHANGE;
  const bool is_account = verdict->operation == OPERATION_ACCOUNT;
  if (verdict->stale && (changes || is_account || verdict->code != PAM_SUCCESS))
    return false;
  if (is_account && (verdict->prompted || verdict->resumed))
    return false;
  if (verdict->code == PAM_SUCCESS)
    return changes ? verdict->result == RESULT_CHANGED && verdict->resumed : verdict->result == 0;
  if (verdict->code == PAM_IGNORE)
    return !is_account && verdict->result == RESULT_NOT_REGISTERED && !verdict->prompted && !verdict->resumed &&
           (changes || verdict->nouserok);
  /* On these codes, a stack may continue with other modules, but only for a person who has entered a correct secret or made a
     choice. Both need a prompt, so without one, the codes are not accepted. */
  if ((verdict->code == PAM_AUTHINFO_UNAVAIL || verdict->code == PAM_CRED_UNAVAIL) && !verdict->prompted)
    return false;
  if (verdict->code == PAM_SERVICE_ERR)
    return !verdict->prompted && !verdict->resumed && has_pair(mistakes, sizeof mistakes / sizeof mistakes[0], verdict);
  return is_failure(verdict);
}
