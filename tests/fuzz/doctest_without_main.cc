// For helpers of the unit tests that check with doctest: here there are no test cases to stop.
#define DOCTEST_CONFIG_IMPLEMENT
#include "doctest/doctest.h"
