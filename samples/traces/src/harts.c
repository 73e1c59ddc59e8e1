/* Two threads add up an array each, and their sums to a common total with an atomic addition. */
#include "main.h"
enum { N = 512 };
static long a[2][N], total;
KERNEL void kernel(const long *x)
{
    long s = 0;
    for (int i = 0; i < N; i++)
        s += x[i];
#pragma omp atomic
    total += s;
}
static double both(void)
{
#pragma omp parallel for num_threads(2)
    for (int t = 0; t < 2; t++)
        kernel(a[t]);
    return total;
}
MAIN((void)0, both())
