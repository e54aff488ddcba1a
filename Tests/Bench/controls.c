#include "run.h"

#include <stdlib.h>

/* Signs in once; `is_bent` says whether the server has to refuse it. The answer that was sent stays in `body`. */
static void once(struct run *run, struct login *login, struct text *body)
{
  const struct protocol *protocol = run->protocol;
  struct connection *connection = &run->connections[0];
  struct part verdict = {0};
  body->length = 0;
  protocol->ask(&run->place, login, body);
  struct answer answer = connection_ask(connection, protocol->get, body);
  body->length = 0;
  if (answer.status != 200 || !protocol->sign(&run->place, login, answer.body, body))
    give_up("no challenge: %d %.*s", answer.status, (int)answer.body.length, answer.body.start);
  answer = connection_ask(connection, protocol->respond, body);
  bool is_success = answer.status == 200 && protocol->is_success(login, answer.body, &verdict);
  if (is_success && login->is_bent)
    give_up("control: a flipped bit of a signature was accepted");
  if (!is_success && !login->is_bent)
    give_up("control: refused: %d %.*s", answer.status, (int)answer.body.length, answer.body.start);
  if (is_success && run->verdicts)
    verdicts_keep(run->verdicts, login, verdict);
}

void run_controls(struct run *run)
{
  struct text body = {0};
  struct login login = {.account = &run->accounts[0], .is_bent = true};
  once(run, &login, &body);
  login.is_bent = false;
  once(run, &login, &body);
  struct part verdict = {0};
  struct answer again = connection_ask(&run->connections[0], run->protocol->respond, &body);
  if (again.status == 200 && run->protocol->is_success(&login, again.body, &verdict))
    give_up("control: an answer was accepted twice");
  free(body.bytes);
}
