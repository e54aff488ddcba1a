/* What must hold, whatever the input: the fuzzer keeps the input of a run that ends here. */
#ifndef FUZZ_CHECK_H
#define FUZZ_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define MUST(condition) \
  ((condition) ? (void)0 : (fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition), abort()))

#endif
