/* 27-point smoother: every neighbour of a cell, weighted by how far away it is. */
#define N 256

double in[N + 2][N + 2][N + 2], out[N + 2][N + 2][N + 2];

void box27(double centre, double face, double edge, double corner)
{
#pragma omp parallel for
    for (int k = 1; k <= N; k++)
        for (int j = 1; j <= N; j++)
            for (int i = 1; i <= N; i++)
                out[k][j][i] =
                    centre * in[k][j][i]
                    + face * (in[k][j][i - 1] + in[k][j][i + 1] + in[k][j - 1][i]
                              + in[k][j + 1][i] + in[k - 1][j][i] + in[k + 1][j][i])
                    + edge * (in[k][j - 1][i - 1] + in[k][j - 1][i + 1] + in[k][j + 1][i - 1]
                              + in[k][j + 1][i + 1] + in[k - 1][j][i - 1] + in[k - 1][j][i + 1]
                              + in[k + 1][j][i - 1] + in[k + 1][j][i + 1] + in[k - 1][j - 1][i]
                              + in[k - 1][j + 1][i] + in[k + 1][j - 1][i] + in[k + 1][j + 1][i])
                    + corner * (in[k - 1][j - 1][i - 1] + in[k - 1][j - 1][i + 1]
                                + in[k - 1][j + 1][i - 1] + in[k - 1][j + 1][i + 1]
                                + in[k + 1][j - 1][i - 1] + in[k + 1][j - 1][i + 1]
                                + in[k + 1][j + 1][i - 1] + in[k + 1][j + 1][i + 1]);
}
