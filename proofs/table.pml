/*
 * Every state of the ledger by itself, and what each operation makes of it: the rows of table.txt, to which a test of the Swift
 * code compares the ledger. Compiled with -DPRINTF, the verifier prints a row for each transition.
 *
 * In a state the tickets have the even numbers 2, 4, 6 ..., so that an odd number is a ticket between them.
 */
#include "ledger.pml"

/* The origins whose attempts there are; the others have none. */
#ifndef ORIGINS_USED
#define ORIGINS_USED 1
#endif
#ifndef LONGEST_UPTIME
#define LONGEST_UPTIME 3
#endif

hidden short used;
hidden short fresh;
hidden byte rank;
hidden byte from;

/* The same set with the tickets' new numbers. */
inline spread(set) {
  fresh = 0;
  rank = 0;
  from = 1;
  do
  :: from <= TICKETS ->
    rank = rank + 2 * ((used >> from) & 1);
    fresh = fresh | ((((set) >> from) & 1) << rank);
    from++
  :: else -> break
  od;
  set = fresh
}

inline useOne(o) {
  used = used | counter[o].charges | counter[o].locks | (counter[o].lock == 0 -> 0 : bit(counter[o].lock))
}

inline spreadOne(o) {
  spread(counter[o].charges);
  spread(counter[o].locks);
  if
  :: counter[o].lock == 0 -> skip
  :: else ->
    count(used & upTo(counter[o].lock));
    counter[o].lock = 2 * number
  fi
}

inline renumber() {
  used = 0;
  useOne(LOCAL);
  useOne(REMOTE);
  spreadOne(LOCAL);
  spreadOne(REMOTE);
  count(used);
  lastTicket = 2 * number
}

inline printOne(o) {
  printf(" %d %d %d %d %d %d", counter[o].charges, counter[o].locks, counter[o].lock, counter[o].length, counter[o].started,
    counter[o].isOfEarlierBoot)
}

inline printState() {
  printf("%d:", uptime);
  printOne(LOCAL);
  if
  :: ORIGINS_USED == 2 -> printf(","); printOne(REMOTE)
  :: else -> skip
  fi
}

/* The two halves of a row. */
inline before() {
  printf("row ");
  printState()
}

inline after() {
  renumber();
  printf(" = ");
  printState();
  printf("\n")
}

active proctype Ledger() {
  byte ticket;
  do
  :: d_step { true ->
    before();
    charge(LOCAL);
    printf(" > charge local, %d %d", outcome, longest);
    after()
  }
  :: d_step { ORIGINS_USED == 2 ->
    before();
    charge(REMOTE);
    printf(" > charge remote, %d %d", outcome, longest);
    after()
  }
  :: atomic {
    select(ticket : 1 .. (lastTicket + 1));
    d_step {
      before();
      settle(ticket);
      printf(" > settle %d", ticket);
      ticket = 0;
      after()
    }
  }
  :: d_step { true -> before(); unlock(); printf(" > unlock"); after() }
  :: d_step { true -> before(); pass(); printf(" > pass"); after() }
  :: d_step { uptime < LONGEST_UPTIME -> before(); uptime++; printf(" > time"); after() }
  :: d_step { uptime > 0 -> before(); uptime--; printf(" > back"); after() }
  :: d_step { true ->
    before();
    rebootOne(LOCAL);
    rebootOne(REMOTE);
    uptime = 0;
    printf(" > reboot");
    after()
  }
  od
}
