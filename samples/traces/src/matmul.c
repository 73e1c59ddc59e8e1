/* C = A B, 16 by 16, the textbook loops. */
#include "main.h"
enum { N = 16 };
static double a[N][N], b[N][N], c[N][N];
KERNEL double kernel(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double s = 0;
            for (int k = 0; k < N; k++)
                s += a[i][k] * b[k][j];
            c[i][j] = s;
        }
    return c[N - 1][N - 1];
}
MAIN((fill(a[0], N * N), fill(b[0], N * N)), kernel())
