/* c = a + b over 1,000 numbers: every addition is free of the others. */
#include "main.h"
static double a[1000], b[1000], c[1000];
KERNEL double kernel(void)
{
    for (int i = 0; i < 1000; i++)
        c[i] = a[i] + b[i];
    return c[0];
}
MAIN((fill(a, 1000), fill(b, 1000)), kernel())
