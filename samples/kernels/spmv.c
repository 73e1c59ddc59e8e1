/* Sparse matrix times vector, compressed rows: the vector is gathered. */
void spmv(int rows, const int *row_start, const int *column, const double *value,
          const double *x, double *y)
{
    for (int r = 0; r < rows; r++) {
        double sum = 0.0;
        for (int k = row_start[r]; k < row_start[r + 1]; k++)
            sum += value[k] * x[column[k]];
        y[r] = sum;
    }
}
