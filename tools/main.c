/* The `filum` command. */
#include "cli.h"

int main(int argc, char** argv)
{
    return fil_cli_main(argc, argv);
}
