/*
 * Three conversations at one ledger, in every order, with everything that can happen to the machine. README.md says what must
 * hold, and run.py with which switches.
 */
#include "world.pml"

/* A mutation may need more of them than the model has. */
#define hasTickets (ONLY == 0 || lastTicket < TICKETS - 4)

proctype Conversation(byte c; byte o) {
  do
#ifdef LOOKS_FIRST
  :: d_step { stage[c] == IDLE -> stage[c] = LOOKED }
  :: d_step { stage[c] == LOOKED ->
#elif defined(CHECKS_AND_COUNTS_APART)
  :: d_step { stage[c] == IDLE && hasTickets ->
    pass();
    observeEnds();
    refusal(o);
    observeRefusal(o);
    stage[c] = (outcome == CHARGED -> ALLOWED : IDLE);
    finish()
  }
  :: d_step { stage[c] == ALLOWED ->
    note(o);
    begin(c);
    observeAttempt(c, o);
    finish()
  }
  :: d_step { false ->
#else
  :: d_step { stage[c] == IDLE && hasTickets ->
#endif
    charge(o);
    printf("conversation %d, origin %d: charge: outcome %d\n", c, o, outcome);
    tell();
    observeEnds();
    observeRefusal(o);
    if
    :: outcome == CHARGED ->
      begin(c);
      observeAttempt(c, o)
    :: else -> stage[c] = IDLE
    fi;
    finish()
  }
  /* The value is derived and tried, and is right or wrong. */
  :: atomic { stage[c] == COUNTED ->
    if
    :: d_step { true ->
      printf("conversation %d: its value is right\n", c);
      observeLook(c, o);
      stage[c] = RIGHT;
      finish()
    }
    :: d_step { true ->
      printf("conversation %d: its value is wrong\n", c);
      observeLook(c, o);
#ifdef LOCKS_WHEN_WRONG
      lockIfLast(o);
#endif
      end(c);
      finish()
    }
    fi
  }
  :: d_step { stage[c] == RIGHT ->
    settle(ticketOf[c]);
    printf("conversation %d: settle\n", c);
    tell();
    observeRight(ticketOf[c]);
    end(c);
    finish()
  }
  od
}

proctype Machine() {
  do
  :: d_step { stage[0] != IDLE -> killOne(0); printf("conversation 0 is killed\n"); finish() }
  :: d_step { stage[1] != IDLE -> killOne(1); printf("conversation 1 is killed\n"); finish() }
  :: d_step { stage[2] != IDLE -> killOne(2); printf("conversation 2 is killed\n"); finish() }
  /* Time passes. */
  :: d_step { true ->
    tick();
    printf("time: %d\n", uptime);
    observeTimeOne(LOCAL);
    observeTimeOne(REMOTE);
    observeTimeOne(OTHER_USER)
  }
  /* Memory and clock are restored to what they were before; the disk is not. */
  :: d_step { uptime > 0 -> uptime--; printf("back to %d\n", uptime) }
#ifdef USES_WALL_CLOCK
  :: d_step { wall < 2 * LONGEST_UPTIME -> wall++; printf("somebody sets the clock to %d\n", wall) }
  :: d_step { wall > 0 -> wall--; printf("somebody sets the clock to %d\n", wall) }
#endif
  :: d_step { true ->
    killOne(0);
    killOne(1);
    killOne(2);
    observeRebootOne(LOCAL);
    observeRebootOne(REMOTE);
    observeRebootOne(OTHER_USER);
    rebootOne(LOCAL);
    rebootOne(REMOTE);
    rebootOne(OTHER_USER);
    uptime = 0;
    printf("reboot\n");
    finish()
  }
  /* Root unlocks. */
  :: d_step { true -> unlock(); observeUnlock(); printf("root unlocks\n"); finish() }
  /* Somebody asks for the state: AccountFile.ledger(_:at:). */
  :: d_step { true -> pass(); observeEnds(); printf("somebody asks for the state\n"); finish() }
  od
}

init {
  atomic {
    run Conversation(0, FIRST);
    run Conversation(1, SECOND);
    run Conversation(2, THIRD);
    run Machine()
  }
}
