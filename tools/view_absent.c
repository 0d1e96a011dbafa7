/* `filum view` where it could not be built. */
#include "cli.h"
#include "command_table.h"

int fil_command_view(int argc, char** argv)
{
    (void)argc;
    (void)argv;
    return fil_cli_fail("view", FIL_EXIT_FAILED, "not in this program: build it where libwebsockets and npm are (apt install libwebsockets-dev npm), with FILUM_VIEW=on in a workspace");
}
