/* The core, in one file: sdk/native/pocketintent.c. A flag of the compiler would keep the package from
 * being a dependency by a version, so products and sums are joined by a pragma. */

#pragma clang fp contract(fast)

#include "../../../native/pocketintent.c"
