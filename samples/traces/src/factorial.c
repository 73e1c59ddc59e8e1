/* 20 factorial by recursion: calls, returns, and a stack that grows and shrinks. */
#include "main.h"
KERNEL long kernel(long n)
{
    return n < 2 ? 1 : n * kernel(n - 1);
}
MAIN((void)0, kernel(20))
