/* The program filum_node: runs the node until it is interrupted. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "node.h"

static volatile sig_atomic_t stop;

static void on_signal(int number)
{
    (void)number;
    stop = 1;
}

int main(int argc, char** argv)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGINT, &action, NULL) != 0 || sigaction(SIGTERM, &action, NULL) != 0) {
        perror("filum_node");
        return EXIT_FAILURE;
    }
    FilNode* node = malloc(sizeof *node);
    if (node == NULL || !fil_node_init(node, argc, (const char* const*)argv)) {
        free(node);
        return EXIT_FAILURE;
    }
    fil_node_run(node, &stop);
    fil_node_fini(node);
    free(node);
    return EXIT_SUCCESS;
}
