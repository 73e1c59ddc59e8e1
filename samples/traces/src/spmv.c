/* y = A x with A in compressed rows: 200 rows of 7 elements, columns spread over x. */
#include "main.h"
enum { ROWS = 200, ELEMENTS = 7 };
static double values[ROWS * ELEMENTS], x[ROWS], y[ROWS];
static int start[ROWS + 1], column[ROWS * ELEMENTS];
KERNEL double kernel(void)
{
    for (int i = 0; i < ROWS; i++) {
        double s = 0;
        for (int k = start[i]; k < start[i + 1]; k++)
            s += values[k] * x[column[k]];
        y[i] = s;
    }
    return y[0];
}
static void structure(void)
{
    for (int i = 0; i <= ROWS; i++)
        start[i] = i * ELEMENTS;
    for (int k = 0; k < ROWS * ELEMENTS; k++)
        column[k] = k * 37 % ROWS;
}
MAIN((fill(values, ROWS * ELEMENTS), fill(x, ROWS), structure()), kernel())
