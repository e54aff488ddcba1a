/* Waits that end on time, even if the caller has set a timer slack. */
#ifndef UAF_PUNCTUAL_H
#define UAF_PUNCTUAL_H

/* Removes the caller's timer slack from this thread of the host; returns the old value, for `punctual_end`. */
long punctual_begin(void);

/* Restores the old timer slack. */
void punctual_end(long before);

#endif
