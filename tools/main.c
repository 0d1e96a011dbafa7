/* The `filum` command. */
#include "base/bounded_start.h"
#include "command_table.h"

int main(int argc, char** argv)
{
    fil_bounded_start(argv);
    return fil_cli_main(argc, argv);
}
