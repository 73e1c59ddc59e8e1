/* A walk along a list of 1,000 nodes that lie in memory in another order than in the list. */
#include "main.h"
enum { N = 1000 };
static struct node {
    struct node *next;
    long value;
    long rest[6]; /* a node fills a line of 64 bytes */
} nodes[N];
KERNEL long kernel(void)
{
    long s = 0;
    for (struct node *n = nodes; n; n = n->next)
        s += n->value;
    return s;
}
static void join(void)
{
    for (int i = 0; i < N - 1; i++)
        nodes[i * 387 % N].next = &nodes[(i + 1) * 387 % N];
}
MAIN(join(), kernel())
