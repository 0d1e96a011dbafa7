/* The `filum` command. */
#include "command_table.h"

int main(int argc, char** argv)
{
    return fil_cli_main(argc, argv);
}
