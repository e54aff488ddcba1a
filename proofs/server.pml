/*
 * Two instances of the server over one PostgreSQL with a synchronous standby, at any moment of a failover: ResponseService,
 * AnswerTransaction and AuditChaining, UsedChallengeTable. README.md says what must hold, and run.py with which switches.
 */

/* The answers that somebody may send, as often as wanted, to either instance. */
#define ANSWERS 4
#define NO_ANSWER 9
/* Those of a run. */
#ifndef FIRST_ANSWER
#define FIRST_ANSWER 0
#define LAST_ANSWER 3
#endif
#define challengeOf(a) ((a) == 2 -> 0 : ((a) == 3 -> 2 : (a)))  /* 0 and 2 answer the same challenge */
#define keyOf(a) ((a) == 3)                                      /* key 1 has no counter */
#define counterOf(a) ((a) == 3 -> 0 : (a) + 1)
#define CHALLENGES 3
#define KEYS 2

/* Time, in units of which a request lives for one, and a used challenge is kept for APART more. */
#define LIFETIME 1
#define APART 3
#define DEADLINE 1
#ifndef CLOCKS_DIFFER
#define CLOCKS_DIFFER (APART - DEADLINE)
#endif
#define EARLIEST 4
#ifndef LATEST
#define LATEST 6
#endif
byte now;
byte fast;      /* by how much the clock of instance 1 is ahead of that of instance 0 */
byte database;  /* EARLIEST, and by how much the database's clock is ahead of that of instance 0 */
#define clockOf(i) (now + EARLIEST + ((i) == 1 -> fast : 0))
#define DATABASE_CLOCK (now + database)

/* What a node of PostgreSQL has committed. */
#define ROWS 5
typedef Node {
  byte keptUntil[CHALLENGES];  /* 0: the challenge was not used */
  byte counter[KEYS];
  byte rows;                   /* the number of the audit's last row */
  byte row[ROWS]               /* the answer of each row */
};
Node primary;
Node standby;
bool hasStandby = true;
bool wasReplaced;              /* a former primary may still answer who reads */

/* What the standby has not received yet: an answer with the expiry of its challenge's row and its row of the audit, or a
   challenge to forget. */
#define STORE 1
#define FORGET 2
#define RECORD 3               /* only of a mutation: the row of the audit, in a commit of its own */
chan log = [3] of { byte, byte, byte, byte };

/* The locks of rows, each with its holder; NOBODY: free. */
#define NOBODY 9
byte keyLock[KEYS] = NOBODY;
byte challengeLock[CHALLENGES] = NOBODY;
byte endLock = NOBODY;

byte expiresAt[CHALLENGES];    /* 0: not issued */

/* An answer under way. */
#ifndef REQUESTS
#define REQUESTS 2
#endif
#define FREE 0
#define READ 1      /* it had not expired, and its challenge was not used */
#define KEY 2       /* its key's row is locked, and its counter is higher */
#define USED 3      /* its challenge's row is inserted, and not committed */
#define END 4       /* the audit's end is locked */
#define WAITING 5   /* committed here, and waiting for the standby */
#define DONE 6      /* the standby has it */
byte stage[REQUESTS];
byte answer[REQUESTS] = NO_ANSWER;
byte instance[REQUESTS];
byte age[REQUESTS];
byte rowOf[REQUESTS];

/* The observer's notes: what somebody was told is accepted. */
bool isAccepted[ANSWERS];
byte acceptedRow[ANSWERS];
byte highest[KEYS];

hidden byte no_challenge_is_accepted_twice;
hidden byte no_counter_goes_back;
hidden byte no_acknowledged_row_is_lost;
hidden byte nothing_is_accepted_after_expiry;
hidden byte i;

#define NO_CHALLENGE_IS_ACCEPTED_TWICE 1
#define NO_COUNTER_GOES_BACK 2
#define NO_ACKNOWLEDGED_ROW_IS_LOST 3
#define NOTHING_IS_ACCEPTED_AFTER_EXPIRY 4
#ifndef ONLY
#define ONLY 0
#endif
#define isChecked(property) (ONLY == 0 || ONLY == property)

#define isRaised(node, a) (node.counter[keyOf(a)] < counterOf(a) || (node.counter[keyOf(a)] == 0 && counterOf(a) == 0))

inline judgeRow(a) {
  no_acknowledged_row_is_lost = (!isAccepted[a]
    || (acceptedRow[a] > 0 && acceptedRow[a] <= primary.rows && primary.row[acceptedRow[a]] == a));
  assert(!isChecked(NO_ACKNOWLEDGED_ROW_IS_LOST) || no_acknowledged_row_is_lost)
}

/* What must hold of the node that answers now. */
inline judge() {
  judgeRow(0);
  judgeRow(1);
  judgeRow(2);
  judgeRow(3);
  no_counter_goes_back = (primary.counter[0] >= highest[0]);
  assert(!isChecked(NO_COUNTER_GOES_BACK) || no_counter_goes_back)
}

/* Somebody is told that the answer is accepted. */
inline accept(r) {
  printf("request %d: answer %d is accepted\n", r, answer[r]);
  no_challenge_is_accepted_twice = (!isAccepted[answer[r]]
    && (challengeOf(answer[r]) != 0 || (!isAccepted[0] && !isAccepted[2])));
  assert(!isChecked(NO_CHALLENGE_IS_ACCEPTED_TWICE) || no_challenge_is_accepted_twice);
  no_counter_goes_back = (keyOf(answer[r]) == 1 || counterOf(answer[r]) > highest[0]);
  assert(!isChecked(NO_COUNTER_GOES_BACK) || no_counter_goes_back);
  nothing_is_accepted_after_expiry = (clockOf(instance[r]) < expiresAt[challengeOf(answer[r])] + DEADLINE);
  assert(!isChecked(NOTHING_IS_ACCEPTED_AFTER_EXPIRY) || nothing_is_accepted_after_expiry);
  isAccepted[answer[r]] = true;
  acceptedRow[answer[r]] = rowOf[r];
  highest[keyOf(answer[r])] = (counterOf(answer[r]) > highest[keyOf(answer[r])] -> counterOf(answer[r]) : highest[keyOf(answer[r])]);
  judge()
}

/* The end of the transaction, or of its connection. */
inline release(r) {
  keyLock[0] = (keyLock[0] == r -> NOBODY : keyLock[0]);
  keyLock[1] = (keyLock[1] == r -> NOBODY : keyLock[1]);
  challengeLock[0] = (challengeLock[0] == r -> NOBODY : challengeLock[0]);
  challengeLock[1] = (challengeLock[1] == r -> NOBODY : challengeLock[1]);
  challengeLock[2] = (challengeLock[2] == r -> NOBODY : challengeLock[2]);
  endLock = (endLock == r -> NOBODY : endLock);
  stage[r] = FREE;
  answer[r] = NO_ANSWER;
  instance[r] = 0;
  age[r] = 0;
  rowOf[r] = 0
}

/* What a record changes. */
inline apply(node, kind, what, until) {
  if
  :: kind == STORE ->
    node.keptUntil[challengeOf(what)] = until;
    node.counter[keyOf(what)] = (counterOf(what) > 0 -> counterOf(what) : node.counter[keyOf(what)])
  :: kind == FORGET -> node.keptUntil[what] = 0
  :: kind == RECORD -> skip
  fi
}

inline addRow(node, what, number) {
  node.rows = number;
  node.row[number] = what
}

hidden byte kept;

/* COMMIT: the record is on the primary's disk. The rows stay locked until the standby has it. */
inline commit(r) {
#ifdef KEPT_UNTIL_EXPIRY
  kept = expiresAt[challengeOf(answer[r])];
#else
  kept = expiresAt[challengeOf(answer[r])];
  kept = (kept > DATABASE_CLOCK + LIFETIME -> kept : DATABASE_CLOCK + LIFETIME) + APART;
#endif
  apply(primary, STORE, answer[r], kept);
#ifdef RECORDS_APART
  log!STORE(answer[r], kept, 0);
#else
  addRow(primary, answer[r], rowOf[r]);
  log!STORE(answer[r], kept, rowOf[r]);
#endif
  stage[r] = WAITING
}

#ifdef DOES_NOT_CHECK_EXPIRY
#define isInTime(a, n) (expiresAt[challengeOf(a)] > 0)
#else
#define isInTime(a, n) (expiresAt[challengeOf(a)] > clockOf(n))
#endif

proctype Request(byte r) {
  byte a, n;
  do
  /* ResponseService.read, and the read of the account. It takes the state of the primary, or of one that was replaced. */
  :: atomic { stage[r] == FREE ->
    select(a : FIRST_ANSWER .. LAST_ANSWER);
    select(n : 0 .. 1);
    if
    :: isInTime(a, n) && (wasReplaced || (primary.keptUntil[challengeOf(a)] == 0 && isRaised(primary, a))) ->
      printf("request %d: answer %d at instance %d\n", r, a, n);
      stage[r] = READ;
      answer[r] = a;
      instance[r] = n
    :: else -> skip
    fi;
    a = 0;
    n = 0
  }
  /* `locked` of AnswerTransaction.statement: the key's row as the last commit left it. */
  :: d_step { stage[r] == READ && keyLock[keyOf(answer[r])] == NOBODY ->
    if
#ifdef TRUSTS_THE_COUNTER_IT_READ
    :: true ->
#else
    :: isRaised(primary, answer[r]) ->
#endif
      keyLock[keyOf(answer[r])] = r;
      stage[r] = KEY
    :: else ->
      printf("request %d: refused\n", r);
      release(r)
    fi
  }
  /* `used`: INSERT ... ON CONFLICT DO NOTHING, which waits for whoever inserts the same row. */
  :: d_step { stage[r] == KEY && challengeLock[challengeOf(answer[r])] == NOBODY ->
    if
#ifdef IGNORES_CONFLICT
    :: true ->
#else
    :: primary.keptUntil[challengeOf(answer[r])] == 0 ->
#endif
      challengeLock[challengeOf(answer[r])] = r;
      stage[r] = USED
    :: else ->
      printf("request %d: refused, used\n", r);
      release(r)
    fi
  }
  /* `ending`: the end of the audit's chain, FOR UPDATE. */
#ifdef DOES_NOT_LOCK_THE_END
  :: d_step { stage[r] == USED ->
#else
  :: d_step { stage[r] == USED && endLock == NOBODY ->
    endLock = r;
#endif
    rowOf[r] = primary.rows + 1;
    stage[r] = END
  }
  :: d_step { stage[r] == END && nfull(log) && rowOf[r] < ROWS ->
    commit(r);
    printf("request %d: committed at the primary\n", r);
#ifdef DOES_NOT_WAIT_FOR_STANDBY
    accept(r);
    release(r)
#endif
  }
#ifdef RECORDS_APART
  :: d_step { stage[r] == DONE && nfull(log) ->
    accept(r);
    addRow(primary, answer[r], rowOf[r]);
    log!RECORD(answer[r], 0, rowOf[r]);
    release(r)
  }
#else
  /* The standby has it, and the answer to the commit reaches the instance in time. */
  :: d_step { stage[r] == DONE -> accept(r); release(r) }
#endif
  /* The connection is lost, the instance dies, or the deadline passes: who has asked is told to try again later. A commit that
     waits goes on, with its locks, until the standby has it. */
  :: d_step { stage[r] != FREE && stage[r] != WAITING ->
    printf("request %d: interrupted\n", r);
    release(r)
  }
  /* Somebody cancels the wait for the standby: PostgreSQL reports a success, with a warning. */
  :: d_step { stage[r] == WAITING ->
    printf("request %d: the wait for the standby is cancelled\n", r);
#ifdef WARNING_IS_SUCCESS
    accept(r);
#endif
    release(r)
  }
  od
}

#define isOver(challenge) (primary.keptUntil[challenge] > 0 && primary.keptUntil[challenge] <= DATABASE_CLOCK)

inline forget(challenge) {
  printf("challenge %d is forgotten\n", challenge);
  apply(primary, FORGET, challenge, 0);
  log!FORGET(challenge, 0, 0)
}

inline copy(to, from) {
  to.keptUntil[0] = from.keptUntil[0];
  to.keptUntil[1] = from.keptUntil[1];
  to.keptUntil[2] = from.keptUntil[2];
  to.counter[0] = from.counter[0];
  to.counter[1] = from.counter[1];
  to.rows = from.rows;
  i = 0;
  do
  :: i < ROWS -> to.row[i] = from.row[i]; i++
  :: else -> break
  od
}

proctype World() {
  byte kind, what, until, number;
  do
  /* A request for a login is issued: AuthenticationRequestGeneration. */
  :: d_step { expiresAt[0] == 0 && FIRST_ANSWER <= 2 -> expiresAt[0] = clockOf(1) + LIFETIME; printf("challenge 0 is issued\n") }
  :: d_step { expiresAt[1] == 0 && FIRST_ANSWER <= 1 -> expiresAt[1] = clockOf(0) + LIFETIME; printf("challenge 1 is issued\n") }
  :: d_step { expiresAt[2] == 0 && LAST_ANSWER == 3 -> expiresAt[2] = clockOf(1) + LIFETIME; printf("challenge 2 is issued\n") }
  /* The standby receives a record. */
  :: d_step { hasStandby && nempty(log) ->
    log?kind, what, until, number;
    apply(standby, kind, what, until);
    if
    :: number > 0 -> addRow(standby, what, number)
    :: else -> skip
    fi;
    i = 0;
    do
    :: i < REQUESTS ->
      stage[i] = (kind == STORE && stage[i] == WAITING && answer[i] == what -> DONE : stage[i]);
      i++
    :: else -> break
    od;
    kind = 0;
    what = 0;
    until = 0;
    number = 0
  }
  /* The primary is lost, and the standby takes its place. */
  :: d_step { hasStandby ->
    printf("failover\n");
    hasStandby = false;
    wasReplaced = true;
    copy(primary, standby);
    do
    :: nempty(log) -> log?kind, what, until, number
    :: empty(log) -> break
    od;
    kind = 0;
    what = 0;
    until = 0;
    number = 0;
    i = 0;
    do
    :: i < REQUESTS -> release(i); i++
    :: else -> break
    od;
    judge()
  }
  /* A node follows the primary, and has caught up. */
  :: d_step { !hasStandby && empty(log) ->
    copy(standby, primary);
    hasStandby = true
  }
  :: d_step { hasStandby && wasReplaced -> wasReplaced = false }
  /* Time passes: nothing under way gets older than the deadline. */
  :: d_step { now < LATEST && age[0] < DEADLINE && age[1] < DEADLINE && age[REQUESTS - 1] < DEADLINE ->
    now++;
    age[0] = (stage[0] == FREE -> 0 : age[0] + 1);
    age[1] = (stage[1] == FREE -> 0 : age[1] + 1);
    age[REQUESTS - 1] = (REQUESTS == 2 || stage[REQUESTS - 1] == FREE -> age[REQUESTS - 1] : age[REQUESTS - 1] + 1);
    printf("time: %d\n", now)
  }
  /* UsedChallengeTable.forgetting: by the database's clock. */
  :: d_step { isOver(0) && nfull(log) -> forget(0) }
  :: d_step { isOver(1) && nfull(log) -> forget(1) }
  :: d_step { isOver(2) && nfull(log) -> forget(2) }
  od
}

init {
  atomic {
    if
    :: database = EARLIEST - APART
    :: database = EARLIEST
    :: database = EARLIEST + APART
    :: database = EARLIEST + APART + 1
    fi;
    if
    :: fast = 0
    :: fast = CLOCKS_DIFFER
    fi;
    run Request(0);
    run Request(1);
#if REQUESTS == 3
    run Request(2);
#endif
    run World()
  }
}
