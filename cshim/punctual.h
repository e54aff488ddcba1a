/* Waits that end in time. */
#ifndef UAF_PUNCTUAL_H
#define UAF_PUNCTUAL_H

/* Takes the caller's timer slack off this thread of the host; returns what it was, for `punctual_end`. */
long punctual_begin(void);

/* Puts it back. */
void punctual_end(long before);

#endif
