#include <stdio.h>

#define MAX_USERS 16
#define SQUARE(x) ((x) * (x))
#define EXAMPLE_H

/* A point in the plane. */
struct point {
    int x, y;
    char *label;
};

typedef struct node {
    struct node *next;
} node;

typedef struct {
    int width;
} size_pair;

typedef int (*callback)(void *data);
typedef unsigned long id_t;

enum color { RED, GREEN = 2 };

union value { int i; float f; };

static int counter = 0;
extern const char *names[];
int parse(const char *text);

// Adds two numbers.
static inline int add(int a, int b)
{
    int local = a;
    return local + b;
}

char *
copy_string(const char *text)
{
    return NULL;
}

#ifdef LINUX
void only_linux(void) {}
#endif
