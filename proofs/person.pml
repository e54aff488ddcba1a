/*
 * A person at the machine who knows the right value and tries it again and again, while strangers guess without end, the person
 * makes mistakes, and the machine has trouble, but not for ever. With weak fairness: whoever can always act does act.
 */
#define FIRST LOCAL
#define SECOND REMOTE
#define THIRD OTHER_USER
#include "world.pml"

/* One local attempt more that fails, and the lock is permanent. */
byte mistakesLeft = TRIES * (MAX_LOCKS + 1) - 1;
byte rebootsLeft = 1;
byte stepsBackLeft = 1;
bool isIn;

/* A failed attempt of the person: a wrong value, or a conversation that was killed. */
inline fail() {
  mistakesLeft--;
  end(0)
}

active proctype Person() {
  do
  :: d_step { !isIn && stage[0] == IDLE ->
    charge(LOCAL);
    printf("person: charge: outcome %d\n", outcome);
    if
    :: outcome == CHARGED -> begin(0)
    :: else -> skip
    fi;
    renumber()
  }
  :: d_step { stage[0] == COUNTED -> stage[0] = RIGHT }
  :: d_step { stage[0] == RIGHT ->
    settle(ticketOf[0]);
    end(0);
    renumber();
    isIn = true
  }
  od
}

proctype Stranger(byte c; byte o) {
  do
  :: d_step { stage[c] == IDLE ->
    charge(o);
    printf("stranger, origin %d: charge: outcome %d\n", o, outcome);
    if
    :: outcome == CHARGED -> begin(c)
    :: else -> skip
    fi;
    renumber()
  }
  :: d_step { stage[c] == COUNTED ->
    end(c);
    renumber()
  }
  od
}

active proctype Clock() {
  do
  :: d_step { true -> tick(); printf("time: %d\n", uptime) }
  od
}

active proctype Trouble() {
  do
  :: d_step { stage[0] != IDLE && mistakesLeft > 0 -> fail(); renumber(); printf("the attempt fails\n") }
  :: d_step { uptime > 0 && stepsBackLeft > 0 -> uptime--; stepsBackLeft--; printf("back\n") }
  :: d_step { rebootsLeft > 0 && (stage[0] == IDLE || mistakesLeft > 0) ->
    rebootsLeft--;
    if
    :: stage[0] != IDLE -> fail()
    :: else -> skip
    fi;
    end(1);
    end(2);
    rebootOne(LOCAL);
    rebootOne(REMOTE);
    rebootOne(OTHER_USER);
    uptime = 0;
    renumber();
    printf("reboot\n")
  }
  od
}

init {
  atomic {
    run Stranger(1, REMOTE);
    run Stranger(2, OTHER_USER)
  }
}

ltl a_right_value_gets_in { <> isIn }
