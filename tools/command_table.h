/* The commands of `filum`. */
#ifndef FILUM_TOOLS_COMMAND_TABLE_H
#define FILUM_TOOLS_COMMAND_TABLE_H

/* The whole command line: `main` without the process. */
int fil_cli_main(int argc, char** argv);

/* One command each; argv[0] is the command's name. They return the exit code. */
int fil_command_run(int argc, char** argv);
int fil_command_list(int argc, char** argv);
int fil_command_info(int argc, char** argv);
int fil_command_schema(int argc, char** argv);
int fil_command_view(int argc, char** argv);
int fil_command_render(int argc, char** argv);
int fil_command_plan(int argc, char** argv);
int fil_command_fit(int argc, char** argv);
int fil_command_sweep(int argc, char** argv);
int fil_command_validate(int argc, char** argv);
int fil_command_bench(int argc, char** argv);
int fil_command_bag(int argc, char** argv);
int fil_command_topic(int argc, char** argv);
int fil_command_param(int argc, char** argv);
int fil_command_service(int argc, char** argv);

#endif
