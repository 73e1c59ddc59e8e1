/* The sum of 1,000 numbers: every addition waits for the one before. */
#include "main.h"
static double a[1000];
KERNEL double kernel(void)
{
    double s = 0;
    for (int i = 0; i < 1000; i++)
        s += a[i];
    return s;
}
MAIN(fill(a, 1000), kernel())
