#include <unictype.h>
#include <uninorm.h>
