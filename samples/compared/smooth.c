/* Twenty sweeps of a three-point mean; every tenth value is limited. */
#include <stdio.h>
#include <stdlib.h>

static void smooth(int n, const double *restrict a, double *restrict b)
{
    for (int i = 1; i < n - 1; i++)
        b[i] = 0.25 * a[i - 1] + 0.5 * a[i] + 0.25 * a[i + 1];
}

static double limit(int n, double *a, double most)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        if (a[i] > most)
            a[i] = most;
        sum += a[i];
    }
    return sum;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000;
    double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b);
    for (int i = 0; i < n; i++)
        a[i] = b[i] = i % 10;
    double sum = 0;
    for (int sweep = 0; sweep < 20; sweep++) {
        smooth(n, a, b);
        sum = limit(n, b, 8.5);
        double *other = a;
        a = b;
        b = other;
    }
    printf("%.6f\n", sum);
    return 0;
}
