#define _GNU_SOURCE
#include "run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>

/* What a connection is doing. */
struct seat {
  enum { FREE, ASKING, RESPONDING } step;
  struct login login;
  int64_t begun, sent;
};

struct state {
  struct run *run;
  struct seat *seats;
  int events;
  /* Connections that no login uses, as a stack. */
  long *free_seats, free_seat_count;
  /* Accounts that no login uses, as a ring: the one that was quiet for longest is next. */
  struct account **free_accounts;
  long first_account, free_account_count;
  /* When the next login is due, at a rate. */
  double due;
  int64_t counts_from, counts_to;
  struct text body;
};

static void note(struct state *state, struct figures *figures, int64_t since, int64_t now)
{
  if (now >= state->counts_from && now < state->counts_to)
    figures_add(figures, now - since);
}

static struct account *take_account(struct state *state)
{
  struct account *account = state->free_accounts[state->first_account];
  state->first_account = (state->first_account + 1) % state->run->account_count;
  state->free_account_count--;
  return account;
}

static void leave(struct state *state, struct account *account)
{
  long last = (state->first_account + state->free_account_count++) % state->run->account_count;
  state->free_accounts[last] = account;
}

static void begin(struct state *state, int64_t due)
{
  struct run *run = state->run;
  long number = state->free_seats[--state->free_seat_count];
  struct seat *seat = &state->seats[number];
  seat->login = (struct login){.account = take_account(state)};
  seat->step = ASKING;
  state->body.length = 0;
  run->protocol->ask(&run->place, &seat->login, &state->body);
  seat->sent = now_nanoseconds();
  seat->begun = due ? due : seat->sent;
  connection_send(&run->connections[number], run->protocol->get, &state->body);
}

static void respond(struct state *state, long number, struct part asked)
{
  struct run *run = state->run;
  struct seat *seat = &state->seats[number];
  note(state, &run->asks, seat->sent, now_nanoseconds());
  state->body.length = 0;
  if (!run->protocol->sign(&run->place, &seat->login, asked, &state->body))
    give_up("no challenge");
  seat->step = RESPONDING;
  seat->sent = now_nanoseconds();
  connection_send(&run->connections[number], run->protocol->respond, &state->body);
}

static void finish(struct state *state, long number, struct part answer)
{
  struct run *run = state->run;
  struct seat *seat = &state->seats[number];
  struct part verdict = {0};
  int64_t now = now_nanoseconds();
  note(state, &run->responds, seat->sent, now);
  note(state, &run->logins, seat->begun, now);
  if (!run->protocol->is_success(&seat->login, answer, &verdict))
    give_up("refused: %.*s", (int)answer.length, answer.start);
  if (run->verdicts)
    verdicts_keep(run->verdicts, &seat->login, verdict);
  run->all++;
  seat->step = FREE;
  state->free_seats[state->free_seat_count++] = number;
  leave(state, seat->login.account);
}

static void receive(struct state *state, long number)
{
  struct answer answer;
  if (!connection_receive(&state->run->connections[number], &answer))
    return;
  if (answer.status != 200)
    give_up("status %d", answer.status);
  if (state->seats[number].step == ASKING)
    return respond(state, number, answer.body);
  if (state->seats[number].step == RESPONDING)
    return finish(state, number, answer.body);
  give_up("an answer to nothing");
}

/* Begins what is due; returns how long the next one can wait. */
static int64_t begin_due(struct state *state, int64_t now)
{
  struct run *run = state->run;
  while (state->free_seat_count && state->free_account_count) {
    if (run->rate <= 0) {
      begin(state, 0);
      continue;
    }
    if (state->due > (double)now)
      return (int64_t)state->due - now;
    begin(state, (int64_t)state->due);
    state->due -= log(1 - drand48()) / run->rate * 1e9;
  }
  return INT64_C(100000000);
}

static void wait_and_receive(struct state *state, int64_t longest)
{
  struct epoll_event events[64];
  struct timespec time = {longest / 1000000000, longest % 1000000000};
  int count = epoll_pwait2(state->events, events, 64, &time, NULL);
  if (count < 0 && errno != EINTR)
    give_up("epoll: %m");
  for (int index = 0; index < count; index++)
    receive(state, (long)events[index].data.u64);
}

static void prepare(struct state *state, struct run *run)
{
  *state = (struct state){.run = run, .events = epoll_create1(EPOLL_CLOEXEC)};
  state->seats = calloc((size_t)run->connection_count, sizeof *state->seats);
  state->free_seats = calloc((size_t)run->connection_count, sizeof *state->free_seats);
  state->free_accounts = calloc((size_t)run->account_count, sizeof *state->free_accounts);
  if (!state->seats || !state->free_seats || !state->free_accounts)
    give_up("out of memory");
  for (long index = 0; index < run->connection_count; index++) {
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = (uint64_t)index};
    if (epoll_ctl(state->events, EPOLL_CTL_ADD, run->connections[index].socket, &event) != 0)
      give_up("epoll: %m");
    state->free_seats[state->free_seat_count++] = index;
  }
  for (long index = 0; index < run->account_count; index++)
    leave(state, &run->accounts[index]);
}

/* Runs until a moment. */
static void go_on(struct state *state, int64_t end)
{
  for (int64_t now = now_nanoseconds(); now < end; now = now_nanoseconds()) {
    int64_t longest = begin_due(state, now);
    wait_and_receive(state, longest < end - now ? longest : end - now);
  }
}

void run_logins(struct run *run)
{
  struct state state;
  prepare(&state, run);
  srand48(1);
  int64_t begun = now_nanoseconds();
  state.due = (double)begun;
  state.counts_from = begun + (int64_t)(run->before * 1e9);
  state.counts_to = state.counts_from + (int64_t)(run->during * 1e9);
  go_on(&state, state.counts_from);
  int64_t from = now_nanoseconds();
  double server = process_seconds(run->server), own = process_seconds(0);
  go_on(&state, state.counts_to);
  run->server_seconds = process_seconds(run->server) - server;
  run->own_seconds = process_seconds(0) - own;
  run->seconds = (double)(now_nanoseconds() - from) / 1e9;
  while (state.free_seat_count < run->connection_count)
    wait_and_receive(&state, INT64_C(100000000));
  free(state.seats);
  free(state.free_seats);
  free(state.free_accounts);
  free(state.body.bytes);
}
