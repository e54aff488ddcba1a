/*
 * The attempt ledger: Sources/Login/Authenticator/Lock/AttemptLedger.swift and Lock.swift, statement by statement.
 *
 * A set of tickets is a set of bits. Time is counted in units of half a minute. What README.md calls a mutation is a switch
 * here: each breaks one rule, and none is set when the rules themselves are checked.
 */

#define LOCAL 0
#define REMOTE 1
#define OTHER_USER 2
#define ORIGINS 3

/* Tickets 1 to 15. The harness gives the tickets new numbers in the same order after each step. */
#define TICKETS 15

#define FOREVER 255

/* The policy of each origin: LockPolicy. */
#ifndef TRIES
#define TRIES 2
#endif
#ifndef TRIES_OF_STRANGERS
#define TRIES_OF_STRANGERS TRIES
#endif
#define triesOf(o) ((o) == LOCAL -> TRIES : TRIES_OF_STRANGERS)
#ifndef LOCK_TIME
#define LOCK_TIME 2
#endif
/* max_lock_count; NONE: no lock is permanent. */
#define NONE 99
#ifndef MAX_LOCKS
#define MAX_LOCKS 1
#endif
#ifndef MAX_LOCKS_OF_STRANGERS
#define MAX_LOCKS_OF_STRANGERS NONE
#endif
#define maxLocksOf(o) ((o) == LOCAL -> MAX_LOCKS : MAX_LOCKS_OF_STRANGERS)
/* doublesUpTo; LOCK_TIME: no doubling. */
#ifndef LONGEST_LOCK
#define LONGEST_LOCK LOCK_TIME
#endif
#define lengthOf(o, earlier) ((o) != LOCAL && (earlier) > 0 -> LONGEST_LOCK : LOCK_TIME)
/* How many locks are remembered: enough for MAX_LOCKS, and for a doubling lock to reach its longest. */
#ifndef LOCKS_KEPT
#define LOCKS_KEPT 2
#endif

/* AttemptCounter, with its Lock. `lock` is the lock's ticket, 0 without a lock. */
typedef Counter {
  short charges;
  short locks;
  byte lock;
  byte length;
  byte started;
  bool isOfEarlierBoot
};

/* What is on the disk. */
Counter counter[ORIGINS];
byte lastTicket;
#ifdef NOT_DURABLE
/* The ticket of a charge that a power cut would undo. */
byte unwritten;
#endif

/* CLOCK_BOOTTIME of this boot. */
byte uptime;

#ifdef USES_WALL_CLOCK
/* A clock that anybody may set; only a mutation reads it. */
byte wall;
#define NOW wall
#else
#define NOW uptime
#endif

/* The outcome of the last charge. */
#define CHARGED 1
#define LOCKED 2
#define LOCKED_FOR_GOOD 3
hidden byte outcome;
hidden byte rest;
hidden byte ended;

hidden byte beginning;
hidden byte number;
hidden byte place;
hidden byte longest;

#define bit(ticket) (1 << (ticket))
#define upTo(ticket) ((1 << ((ticket) + 1)) - 1)
#define isClear(o) (counter[o].charges == 0 && counter[o].locks == 0 && counter[o].lock == 0)

/* How many tickets a set has, as `number`. */
inline count(set) {
  number = 0;
  place = 1;
  do
  :: place <= TICKETS ->
    number = number + (((set) >> place) & 1);
    place++
  :: else -> break
  od
}

/* Lock.remaining(at:), as `rest`: 0 without a lock, or when it is over. */
inline remaining(o) {
  if
  :: counter[o].lock == 0 -> rest = 0
  :: else ->
    if
    :: counter[o].length == FOREVER -> rest = FOREVER
    :: else ->
      beginning = (counter[o].isOfEarlierBoot -> 0 : counter[o].started);
      if
#ifdef CLOCK_BACK_ENDS_LOCK
      :: NOW < beginning -> rest = 0
#else
      :: NOW < beginning -> rest = counter[o].length
#endif
#ifdef REBOOT_ENDS_LOCK
      :: NOW >= beginning && counter[o].isOfEarlierBoot -> rest = 0
      :: NOW >= beginning && !counter[o].isOfEarlierBoot ->
#else
      :: NOW >= beginning ->
#endif
        rest = (NOW - beginning < counter[o].length -> counter[o].length - (NOW - beginning) : 0)
      fi
    fi
  fi
}

/* AttemptCounter.pass(to:): notes the end of a lock, and the count starts at zero. */
inline passOne(o) {
  remaining(o);
  if
  :: counter[o].lock == 0 -> skip
  :: counter[o].lock != 0 && rest == 0 ->
    counter[o].lock = 0;
    counter[o].length = 0;
    counter[o].started = 0;
    counter[o].isOfEarlierBoot = false;
    counter[o].charges = 0
#ifdef FORGETS_LOCKS
    ; counter[o].locks = 0
#endif
  :: counter[o].lock != 0 && rest > 0 ->
    if
    :: !counter[o].isOfEarlierBoot && NOW < counter[o].started -> counter[o].started = NOW
    :: else -> skip
    fi
  fi
}

/* AttemptLedger.pass(to:). */
inline pass() {
  passOne(LOCAL);
  passOne(REMOTE);
  passOne(OTHER_USER)
}

/* AttemptLedger.refusal: the longest of the locks that stop an origin, as `longest`; 0 if none does. */
inline refusal(o) {
  remaining(LOCAL);
  longest = rest;
#ifdef ANY_LOCK_STOPS_LOCAL
  remaining(REMOTE);
  longest = (rest > longest -> rest : longest);
  remaining(OTHER_USER);
#else
  remaining(o);
#endif
  longest = (rest > longest -> rest : longest);
  outcome = (longest == 0 -> CHARGED : (longest == FOREVER -> LOCKED_FOR_GOOD : LOCKED))
}

/* The second half of AttemptLedger.charge: AttemptCounter.charge(ticket:at:configured:). */
inline note(o) {
  lastTicket++;
  counter[o].charges = counter[o].charges | bit(lastTicket);
#ifdef COUNTS_TWICE
  lastTicket++;
  counter[o].charges = counter[o].charges | bit(lastTicket);
#endif
#ifndef LOCKS_WHEN_WRONG
  lockIfLast(o)
#endif
}

inline lockIfLast(o) {
  count(counter[o].charges);
  if
  :: number < triesOf(o) -> skip
  :: number >= triesOf(o) ->
    count(counter[o].locks);
    counter[o].length = (number >= maxLocksOf(o) -> FOREVER : lengthOf(o, number));
    counter[o].lock = lastTicket;
    counter[o].started = NOW;
    counter[o].isOfEarlierBoot = false;
    counter[o].locks = counter[o].locks | bit(lastTicket);
    if
    :: number + 1 <= LOCKS_KEPT -> skip
    :: else -> counter[o].locks = counter[o].locks & (counter[o].locks - 1)
    fi
  fi
}

/* AttemptLedger.charge, one write transaction: AccountFile.charge. */
inline charge(o) {
  pass();
  refusal(o);
  if
#ifdef NOT_DURABLE
  :: outcome == CHARGED ->
    note(o);
    unwritten = lastTicket
#else
  :: outcome == CHARGED -> note(o)
#endif
#ifdef REFUSAL_RESTARTS_LOCK
  :: outcome == LOCKED ->
    remaining(o);
    if
    :: rest > 0 -> counter[o].started = NOW
    :: else -> skip
    fi
#endif
  :: else -> skip
  fi
}

/* AttemptCounter.settle. */
inline settleOne(o, ticket) {
#ifdef FORGIVES_LATER
  counter[o].charges = 0;
#else
  counter[o].charges = counter[o].charges & ~upTo(ticket);
#endif
  if
#ifdef LIFTS_PERMANENT
  :: counter[o].lock != 0 && counter[o].lock <= ticket -> endLock(o)
#else
  :: counter[o].lock != 0 && (counter[o].length == FOREVER -> counter[o].lock == ticket : counter[o].lock <= ticket) -> endLock(o)
#endif
  :: else -> skip
  fi;
  if
  :: counter[o].lock != 0 && counter[o].length == FOREVER -> skip
  :: else -> counter[o].locks = counter[o].locks & ~upTo(ticket)
  fi
}

inline endLock(o) {
  counter[o].lock = 0;
  counter[o].length = 0;
  counter[o].started = 0;
  counter[o].isOfEarlierBoot = false
}

/* AttemptLedger.settle, one write transaction: AccountFile.settle. */
inline settle(ticket) {
  settleOne(LOCAL, ticket);
  settleOne(REMOTE, ticket);
  settleOne(OTHER_USER, ticket)
}

inline clearOne(o) {
  endLock(o);
  counter[o].charges = 0;
  counter[o].locks = 0
}

/* AttemptLedger.unlock. */
inline unlock() {
  clearOne(LOCAL);
  clearOne(REMOTE);
  clearOne(OTHER_USER)
}

/* What a reboot does to a lock: its beginning is in an earlier boot. */
inline rebootOne(o) {
#ifdef NOT_DURABLE
  if
  :: unwritten != 0 ->
    counter[o].charges = counter[o].charges & ~bit(unwritten);
    counter[o].locks = counter[o].locks & ~bit(unwritten)
  :: else -> skip
  fi;
  if
  :: unwritten != 0 && counter[o].lock == unwritten -> endLock(o)
  :: else -> skip
  fi;
#endif
  if
  :: counter[o].lock != 0 ->
    counter[o].started = 0;
    counter[o].isOfEarlierBoot = true
  :: else -> skip
  fi
}
