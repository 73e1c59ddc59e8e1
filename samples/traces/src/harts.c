/* Two threads add up halves of an array, and the halves to a common total with an atomic addition. */
#include <pthread.h>
#include "main.h"
enum { N = 512 };
static long a[2][N], total;
KERNEL void *kernel(void *half)
{
    long s = 0;
    for (int i = 0; i < N; i++)
        s += ((long *)half)[i];
    __atomic_fetch_add(&total, s, __ATOMIC_RELAXED);
    return 0;
}
static double both(void)
{
    pthread_t thread[2];
    for (int t = 0; t < 2; t++)
        pthread_create(&thread[t], 0, kernel, a[t]);
    for (int t = 0; t < 2; t++)
        pthread_join(thread[t], 0);
    return total;
}
MAIN((void)0, both())
