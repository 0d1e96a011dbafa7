/* The `filum` command. */
#include "filum/filum.h"

int main(void) {
    return 0;
}
