/*
 * What surrounds the ledger: conversations, the machine's clock, and an observer with notes of its own of what was looked at.
 */
#include "ledger.pml"

#define CONVERSATIONS 3

/* The origins of the conversations. */
#ifndef FIRST
#define FIRST LOCAL
#define SECOND LOCAL
#define THIRD LOCAL
#endif
#define originOf(c) ((c) == 0 -> FIRST : ((c) == 1 -> SECOND : THIRD))

/* The machine has run for at most this long: times of earlier than that are all the same. */
#define LONGEST_UPTIME (LONGEST_LOCK + 1)

/* Where a conversation is. */
#define IDLE 0
#define COUNTED 1   /* its ticket is on the disk; its value is not looked at yet */
#define RIGHT 2     /* its value was looked at, and is right; nothing is settled yet */
#define LOOKED 3    /* only of a mutation: its value was looked at, and nothing is counted yet */
#define ALLOWED 4   /* only of a mutation: no lock was found, and nothing is counted yet */
byte stage[CONVERSATIONS];
byte ticketOf[CONVERSATIONS];

/* The observer's notes. */
bool isForgiven[CONVERSATIONS]; /* while a value was derived, root unlocked, or a later right value was settled */
short made[ORIGINS];     /* tickets that were given to a conversation */
short row[ORIGINS];      /* those of the attempts since the last lock that are not forgiven */
short seen[ORIGINS];     /* those of the values that were looked at and are not forgiven */
byte lockedBy[ORIGINS];  /* the ticket that ought to lock */
byte owed[ORIGINS];      /* how long nothing may be looked at, in time that has really passed */
short locksMade[ORIGINS];
byte own;                /* local attempts since nothing local was held against anybody */

hidden byte no_guess_is_uncounted;
hidden byte no_guess_is_counted_twice;
hidden byte no_guess_is_looked_at_beyond_the_limit;
hidden byte no_lock_is_lost;
hidden byte nobody_else_locks_the_person_out;

#define NO_GUESS_IS_UNCOUNTED 1
#define NO_GUESS_IS_COUNTED_TWICE 2
#define NO_GUESS_IS_LOOKED_AT_BEYOND_THE_LIMIT 3
#define NO_LOCK_IS_LOST 4
#define NOBODY_ELSE_LOCKS_THE_PERSON_OUT 5
#ifndef ONLY
#define ONLY 0
#endif
#define isChecked(property) (ONLY == 0 || ONLY == property)

/* What the observer notes. */

inline observeAttempt(c, o) {
  /* A lock is lost if anything is counted before it has really run out. */
  no_lock_is_lost = (owed[LOCAL] == 0 && owed[o] == 0);
  assert(!isChecked(NO_LOCK_IS_LOST) || no_lock_is_lost);
  made[o] = made[o] | bit(ticketOf[c]);
  row[o] = row[o] | bit(ticketOf[c]);
  own = (o == LOCAL && own < TRIES * (MAX_LOCKS + 1) -> own + 1 : own);
  count(row[o]);
  if
  :: number < triesOf(o) -> skip
  :: number >= triesOf(o) ->
    count(locksMade[o]);
    owed[o] = (number >= maxLocksOf(o) -> FOREVER : lengthOf(o, number));
    lockedBy[o] = ticketOf[c];
    locksMade[o] = locksMade[o] | bit(ticketOf[c]);
    if
    :: number + 1 <= LOCKS_KEPT -> skip
    :: else -> locksMade[o] = locksMade[o] & (locksMade[o] - 1)
    fi
  fi
}

/* A lock that has run out is over for good once somebody has looked. */
inline observeEnd(o) {
  if
  :: lockedBy[o] != 0 && owed[o] == 0 ->
    lockedBy[o] = 0;
    row[o] = 0;
    seen[o] = (maxLocksOf(o) == NONE -> 0 : seen[o])
  :: else -> skip
  fi
}

inline observeEnds() {
  observeEnd(LOCAL);
  observeEnd(REMOTE);
  observeEnd(OTHER_USER)
}

inline observeRefusal(o) {
  nobody_else_locks_the_person_out = (o != LOCAL || outcome == CHARGED
    || own >= (outcome == LOCKED_FOR_GOOD -> TRIES * (MAX_LOCKS + 1) : TRIES));
  assert(!isChecked(NOBODY_ELSE_LOCKS_THE_PERSON_OUT) || nobody_else_locks_the_person_out)
}

inline observeLook(c, o) {
  seen[o] = (isForgiven[c] -> seen[o] : seen[o] | bit(ticketOf[c]));
  count(seen[o] & row[o]);
  no_guess_is_looked_at_beyond_the_limit = (number <= triesOf(o));
  assert(!isChecked(NO_GUESS_IS_LOOKED_AT_BEYOND_THE_LIMIT) || no_guess_is_looked_at_beyond_the_limit);
  count(seen[o]);
  no_guess_is_looked_at_beyond_the_limit = (maxLocksOf(o) == NONE || number <= triesOf(o) * (maxLocksOf(o) + 1));
  assert(!isChecked(NO_GUESS_IS_LOOKED_AT_BEYOND_THE_LIMIT) || no_guess_is_looked_at_beyond_the_limit)
}

/* A right value forgives itself and what came before it, except a permanent lock that another attempt caused. */
inline forgiveOne(o, ticket) {
  if
  :: owed[o] == FOREVER && lockedBy[o] != ticket -> skip
  :: else ->
    if
    :: lockedBy[o] != 0 && lockedBy[o] <= ticket ->
      lockedBy[o] = 0;
      owed[o] = 0
    :: else -> skip
    fi;
    locksMade[o] = locksMade[o] & ~upTo(ticket)
  fi;
  row[o] = row[o] & ~upTo(ticket);
  seen[o] = seen[o] & ~upTo(ticket);
  made[o] = made[o] & ~upTo(ticket)
}

inline observeRight(ticket) {
  isForgiven[0] = (ticketOf[0] != 0 && ticketOf[0] <= ticket -> true : isForgiven[0]);
  isForgiven[1] = (ticketOf[1] != 0 && ticketOf[1] <= ticket -> true : isForgiven[1]);
  isForgiven[2] = (ticketOf[2] != 0 && ticketOf[2] <= ticket -> true : isForgiven[2]);
  forgiveOne(LOCAL, ticket);
  forgiveOne(REMOTE, ticket);
  forgiveOne(OTHER_USER, ticket);
  own = (row[LOCAL] == 0 && locksMade[LOCAL] == 0 && lockedBy[LOCAL] == 0 -> 0 : own)
}

inline forgetOne(o) {
  made[o] = 0;
  row[o] = 0;
  seen[o] = 0;
  lockedBy[o] = 0;
  owed[o] = 0;
  locksMade[o] = 0
}

inline observeUnlock() {
  isForgiven[0] = (ticketOf[0] != 0);
  isForgiven[1] = (ticketOf[1] != 0);
  isForgiven[2] = (ticketOf[2] != 0);
  forgetOne(LOCAL);
  forgetOne(REMOTE);
  forgetOne(OTHER_USER);
  own = 0
}

inline observeTimeOne(o) {
  owed[o] = (owed[o] == 0 || owed[o] == FOREVER -> owed[o] : owed[o] - 1)
}

/* After a reboot a lock whose end nobody has seen runs in full once more. */
inline observeRebootOne(o) {
  if
  :: lockedBy[o] == 0 || owed[o] == FOREVER -> skip
  :: else -> owed[o] = counter[o].length
  fi
}

/* What must hold after each step. */
inline judgeOne(o) {
  no_guess_is_uncounted = ((seen[o] & row[o] & ~counter[o].charges) == 0);
  assert(!isChecked(NO_GUESS_IS_UNCOUNTED) || no_guess_is_uncounted);
  no_guess_is_counted_twice = ((counter[o].charges & ~made[o]) == 0);
  assert(!isChecked(NO_GUESS_IS_COUNTED_TWICE) || no_guess_is_counted_twice);
  made[o] = made[o] & counter[o].charges
}

hidden short used;
hidden short below;
hidden byte gap;
#define closed(set) (((set) & below) | (((set) >> 1) & ~below))
#define lower(ticket) ((ticket) > gap -> (ticket) - 1 : (ticket))

inline use(set) { used = used | (set) }

inline useOne(o) {
  use(counter[o].charges | counter[o].locks | row[o] | seen[o] | locksMade[o]);
  use((counter[o].lock == 0 -> 0 : bit(counter[o].lock)) | (lockedBy[o] == 0 -> 0 : bit(lockedBy[o])))
}

inline closeOne(o) {
  counter[o].charges = closed(counter[o].charges);
  counter[o].locks = closed(counter[o].locks);
  row[o] = closed(row[o]);
  seen[o] = closed(seen[o]);
  made[o] = closed(made[o]);
  locksMade[o] = closed(locksMade[o]);
  counter[o].lock = lower(counter[o].lock);
  lockedBy[o] = lower(lockedBy[o])
}

/* The same state with the lowest tickets in the same order: the ledger knows nothing of a ticket but its place. */
inline renumber() {
  used = 0;
  use((ticketOf[0] == 0 -> 0 : bit(ticketOf[0])) | (ticketOf[1] == 0 -> 0 : bit(ticketOf[1]))
    | (ticketOf[2] == 0 -> 0 : bit(ticketOf[2])));
  useOne(LOCAL);
  useOne(REMOTE);
  useOne(OTHER_USER);
  assert(lastTicket < TICKETS);
  gap = lastTicket;
  do
  :: gap == 0 -> break
  :: gap > 0 && (used & bit(gap)) != 0 -> gap--
  :: gap > 0 && (used & bit(gap)) == 0 ->
    below = bit(gap) - 1;
    closeOne(LOCAL);
    closeOne(REMOTE);
    closeOne(OTHER_USER);
    ticketOf[0] = lower(ticketOf[0]);
    ticketOf[1] = lower(ticketOf[1]);
    ticketOf[2] = lower(ticketOf[2]);
#ifdef NOT_DURABLE
    unwritten = (unwritten == gap -> 0 : lower(unwritten));
#endif
    lastTicket--;
    gap--
  od;
  used = 0
}

inline tellOne(o) {
  printf("  origin %d: charges %d, locks %d, lock %d of %d from %d, earlier boot %d; observer: row %d, seen %d, owed %d, locked by %d\n",
    o, counter[o].charges, counter[o].locks, counter[o].lock, counter[o].length, counter[o].started,
    counter[o].isOfEarlierBoot, row[o], seen[o], owed[o], lockedBy[o])
}

inline tell() {
  tellOne(LOCAL);
  tellOne(REMOTE);
  tellOne(OTHER_USER)
}

inline finish() {
  judgeOne(LOCAL);
  judgeOne(REMOTE);
  judgeOne(OTHER_USER);
  renumber()
}

inline begin(c) {
  ticketOf[c] = lastTicket;
  stage[c] = COUNTED
}

inline end(c) {
  ticketOf[c] = 0;
  stage[c] = IDLE;
  isForgiven[c] = false
}

/* A conversation that is killed leaves what is on the disk, and nothing else. */
inline killOne(c) {
  no_guess_is_uncounted = (stage[c] != LOOKED);
  assert(!isChecked(NO_GUESS_IS_UNCOUNTED) || no_guess_is_uncounted);
  end(c)
}

inline earlierOne(o) {
  counter[o].started = (counter[o].started > 0 -> counter[o].started - 1 : 0)
}

/* Beyond the longest time the clock stands, and what was before moves back instead. */
inline tick() {
  if
  :: uptime < LONGEST_UPTIME -> uptime++
  :: else ->
    earlierOne(LOCAL);
    earlierOne(REMOTE);
    earlierOne(OTHER_USER)
  fi
}
