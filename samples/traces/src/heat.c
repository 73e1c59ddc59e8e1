/* One sweep of the seven-point heat equation over 18 by 18 by 18 cells. */
#include "main.h"
enum { N = 20 };
static double u[N][N][N], v[N][N][N];
KERNEL double kernel(void)
{
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
            for (int k = 1; k < N - 1; k++)
                v[i][j][k] = 0.25 * u[i][j][k]
                             + 0.125 * (u[i - 1][j][k] + u[i + 1][j][k] + u[i][j - 1][k] + u[i][j + 1][k]
                                        + u[i][j][k - 1] + u[i][j][k + 1]);
    return v[1][1][1];
}
MAIN(fill(u[0][0], N * N * N), kernel())
