/* Prefix sum of 1,024 integers in place: ten sweeps, the partner twice as far away in each. */
#include "main.h"
enum { N = 1024 };
static int x[N];
KERNEL int kernel(void)
{
    for (int step = 1; step < N; step *= 2)
        for (int i = N - 1; i >= step; i--)
            x[i] += x[i - step];
    return x[N - 1];
}
static void ones(void)
{
    for (int i = 0; i < N; i++)
        x[i] = 1;
}
MAIN(ones(), kernel())
