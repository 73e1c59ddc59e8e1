/* What the kernels share. A kernel is called once and its result is used; it is kept from being inlined, so that
   its instructions can be told from the others. */
#define KERNEL static __attribute__((noinline, noclone))
static volatile double result;
__attribute__((unused)) static void fill(double *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = (i * 7 + 3) % 11;
}
#define MAIN(prepare, run) \
    int main(void)         \
    {                      \
        prepare;           \
        result = run;      \
        return 0;          \
    }
