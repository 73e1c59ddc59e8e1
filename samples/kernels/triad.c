/* The triad of memory-bandwidth benchmarks, and a reduction. */
#define LENGTH 20000000

static double a[LENGTH], b[LENGTH], c[LENGTH];

void triad(double scalar)
{
    for (long i = 0; i < LENGTH; i++)
        a[i] = b[i] + scalar * c[i];
}

double dot(void)
{
    double sum = 0.0;
    for (long i = 0; i < LENGTH; i++)
        sum += b[i] * c[i];
    return sum;
}
