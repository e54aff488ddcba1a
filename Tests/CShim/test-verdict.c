/* verdict.c: every code with every result that has a meaning, in every situation. */
#include "verdict.h"

#include <security/pam_modules.h>
#include <stddef.h>

#include "check.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const uint32_t results[] = {0,    1,    10,   980,  999,  1001, 1007, 1009, 1012, 3010, 3011, 3012,      3013,
                                   4001, 7009, 7100, 7101, 7102, 7103, 7110, 7111, 7112, 7113, 9999, 4294967295};

/* Every situation, as bits: prompted, resumed, nouserok, stale. */
static struct verdict situation(enum frame_operation operation, int code, uint32_t result, unsigned bits)
{
  return (struct verdict){operation, code, result, (bits & 8) != 0, (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0};
}

/* Counts the accepted verdicts of this operation and code, and remembers the last one. */
static unsigned accepted(enum frame_operation operation, int code, struct verdict *last)
{
  unsigned count = 0;
  for (size_t i = 0; i < COUNT(results); i++)
    for (unsigned bits = 0; bits < 16; bits++) {
      const struct verdict verdict = situation(operation, code, results[i], bits);
      if (!verdict_belongs_together(&verdict))
        continue;
      count++;
      *last = verdict;
    }
  return count;
}

static bool holds(enum frame_operation operation, int code, uint32_t result, unsigned bits)
{
  const struct verdict verdict = situation(operation, code, result, bits);
  return verdict_belongs_together(&verdict);
}

static void lets_in_with_result_0_alone(void)
{
  struct verdict last;
  CHECK(accepted(OPERATION_AUTHENTICATE, PAM_SUCCESS, &last) == 16 && last.result == 0);
}

static void changes_with_7110_in_the_second_pass_alone(void)
{
  struct verdict last;
  CHECK(accepted(OPERATION_CHANGE, PAM_SUCCESS, &last) == 4 && last.result == 7110 && last.resumed && !last.stale);
  for (unsigned bits = 0; bits < 16; bits++)
    CHECK(holds(OPERATION_CHANGE, PAM_SUCCESS, 7110, bits) == ((bits & 2) != 0 && (bits & 8) == 0));
}

static void ignores_an_account_without_a_row_alone(void)
{
  struct verdict last;
  CHECK(accepted(OPERATION_AUTHENTICATE, PAM_IGNORE, &last) == 1 && last.result == 1009);
  CHECK(last.nouserok && !last.prompted && !last.resumed && !last.stale);
  CHECK(accepted(OPERATION_CHANGE, PAM_IGNORE, &last) == 2 && last.result == 1009);
  CHECK(!last.prompted && !last.resumed && !last.stale);
}

static void fails_a_change_with_its_own_results(void)
{
  static const uint32_t own[] = {3010, 7111, 7112, 7113};
  struct verdict last;
  CHECK(accepted(OPERATION_CHANGE, PAM_AUTHTOK_ERR, &last) == 4 * 8);
  for (size_t i = 0; i < COUNT(own); i++)
    CHECK(holds(OPERATION_CHANGE, PAM_AUTHTOK_ERR, own[i], 0) && holds(OPERATION_CHANGE, PAM_AUTHTOK_ERR, own[i], 3));
  CHECK(accepted(OPERATION_AUTHENTICATE, PAM_AUTHTOK_ERR, &last) == 0);
}

static void believes_no_other_code(void)
{
  static const int any[] = {PAM_AUTH_ERR, PAM_SYSTEM_ERR, PAM_USER_UNKNOWN, PAM_MAXTRIES, PAM_CONV_ERR};
  static const enum frame_operation operations[] = {OPERATION_AUTHENTICATE, OPERATION_CHANGE};
  const unsigned failing = COUNT(results) - 4; /* all but 0, 10, 7100 and 7110 */
  struct verdict last;
  for (size_t operation = 0; operation < COUNT(operations); operation++)
    for (int code = 1; code < 256; code++) {
      unsigned expected = code == PAM_AUTHINFO_UNAVAIL || code == PAM_CRED_UNAVAIL || code == PAM_SERVICE_ERR ? 4 : 0;
      for (size_t i = 0; i < COUNT(any); i++)
        expected = code == any[i] ? failing * 8 : expected;
      if (code != PAM_IGNORE && !(code == PAM_AUTHTOK_ERR && operations[operation] == OPERATION_CHANGE))
        CHECK(accepted(operations[operation], code, &last) == expected);
    }
}

static void falls_back_with_its_own_results_alone(void)
{
  struct verdict last;
  CHECK(accepted(OPERATION_AUTHENTICATE, PAM_AUTHINFO_UNAVAIL, &last) == 4 && last.result == 4001 && last.prompted);
  CHECK(accepted(OPERATION_AUTHENTICATE, PAM_CRED_UNAVAIL, &last) == 4 && last.result == 7009 && last.prompted);
}

/* The account stage asks nobody, has no second pass, and refuses with two codes. */
static void ends_the_account_stage_in_few_ways(void)
{
  struct verdict last;
  CHECK(accepted(OPERATION_ACCOUNT, PAM_SUCCESS, &last) == 2 && last.result == 0);
  CHECK(!last.prompted && !last.resumed && !last.stale);
  for (int code = 1; code < 256; code++) {
    const unsigned failing = COUNT(results) - 4;
    const bool refuses = code == PAM_AUTH_ERR || code == PAM_SYSTEM_ERR;
    const unsigned expected = refuses ? failing * 2 : code == PAM_SERVICE_ERR ? 2 * 2 : 0;
    CHECK(accepted(OPERATION_ACCOUNT, code, &last) == expected);
  }
}

/* Root's mistake is found before anybody is asked: later it would be somebody else's doing. */
static void blames_root_before_a_prompt_alone(void)
{
  struct verdict last;
  CHECK(accepted(OPERATION_AUTHENTICATE, PAM_SERVICE_ERR, &last) == 2 + 2);
}

static void finds_a_value_stale_with_a_success_of_a_login_alone(void)
{
  for (int code = 0; code < 256; code++)
    for (size_t i = 0; i < COUNT(results); i++)
      for (unsigned bits = 8; bits < 16; bits++) {
        CHECK(holds(OPERATION_AUTHENTICATE, code, results[i], bits) == (code == PAM_SUCCESS && results[i] == 0));
        CHECK(!holds(OPERATION_CHANGE, code, results[i], bits));
      }
}

int main(void)
{
  test("reports root's mistake only before a prompt, with 1001 and 1012", blames_root_before_a_prompt_alone);
  test("succeeds only with result 0", lets_in_with_result_0_alone);
  test("accepts a change only with 7110 in the second pass", changes_with_7110_in_the_second_pass_alone);
  test("ignores an account that never registered, and never after a prompt", ignores_an_account_without_a_row_alone);
  test("returns PAM_AUTHTOK_ERR for four results of a change, and never for a login",
       fails_a_change_with_its_own_results);
  test("accepts no other code, and no failure with the result of a success", believes_no_other_code);
  test("lets another module decide only with 4001 and 7009", falls_back_with_its_own_results_alone);
  test("ends the account stage with result 0, a refusal or root's mistake", ends_the_account_stage_in_few_ways);
  test("reports a stale secret only with the success of a login", finds_a_value_stale_with_a_success_of_a_login_alone);
  return check_summary();
}
