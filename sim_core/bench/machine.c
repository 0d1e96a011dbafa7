/* Owns the name of the machine on which a number was measured. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "bench.h"
#include "filum_commit.h"

typedef struct Core {
    unsigned long implementer, part;
    const char* name;
} Core;

// arm64 kernels give numbers where others give names (Arm's MIDR register)
static const Core cores[] = {
    {0x41, 0xd03, "Cortex-A53"},  {0x41, 0xd05, "Cortex-A55"},  {0x41, 0xd07, "Cortex-A57"},  {0x41, 0xd08, "Cortex-A72"},
    {0x41, 0xd0b, "Cortex-A76"},  {0x41, 0xd0c, "Neoverse-N1"}, {0x41, 0xd40, "Neoverse-V1"}, {0x41, 0xd42, "Cortex-A78AE"},
    {0x41, 0xd49, "Neoverse-N2"}, {0x41, 0xd4f, "Neoverse-V2"}, {0x41, 0xd83, "Neoverse-V3"}, {0x41, 0xd84, "Neoverse-V3"},
    {0x41, 0xd8e, "Neoverse-N3"}, {0x4e, 0x004, "Carmel"},      {0x61, 0x022, "Apple-M1"},    {0x61, 0x023, "Apple-M1"},
    {0xc0, 0xac3, "Ampere-1"},    {0xc0, 0xac4, "Ampere-1A"},
};

/* The text after "key : " if the line has that key, without its line end. */
static const char* value_of(char* line, const char* key)
{
    if (strncmp(line, key, strlen(key)) != 0) {
        return NULL;
    }
    char* colon = strchr(line, ':');
    if (colon == NULL) {
        return NULL;
    }
    colon[1 + strcspn(colon + 1, "\n")] = '\0';
    return colon + 1 + strspn(colon + 1, " \t");
}

static void name_core(char* name, size_t size, unsigned long implementer, unsigned long part)
{
    snprintf(name, size, "arm-0x%02lx-0x%03lx", implementer, part);
    for (size_t i = 0; i < sizeof cores / sizeof cores[0]; ++i) {
        if (cores[i].implementer == implementer && cores[i].part == part) {
            snprintf(name, size, "%s", cores[i].name);
        }
    }
}

static void name_cpu(char* name, size_t size)
{
    snprintf(name, size, "unknown");
    FILE* file = fopen("/proc/cpuinfo", "r");
    if (file == NULL) {
        return;
    }
    unsigned long implementer = 0, part = 0;
    bool done = false;
    char line[4096];
    while (!done && fgets(line, sizeof line, file) != NULL) {
        const char* value = NULL;
        if ((value = value_of(line, "model name")) != NULL) {
            snprintf(name, size, "%s", value);
            done = true;
        } else if ((value = value_of(line, "CPU implementer")) != NULL) {
            implementer = strtoul(value, NULL, 0);
        } else if ((value = value_of(line, "CPU part")) != NULL) {
            part = strtoul(value, NULL, 0);
            name_core(name, size, implementer, part);
            done = true;
        }
    }
    fclose(file);
}

FilMachine fil_machine(void)
{
    FilMachine machine = {.commit = FILUM_COMMIT, .core_count = (int)sysconf(_SC_NPROCESSORS_ONLN)};
    name_cpu(machine.cpu, sizeof machine.cpu);
    struct utsname system;
    snprintf(machine.arch, sizeof machine.arch, "%.31s", uname(&system) == 0 ? system.machine : "unknown");
#if defined(__clang__)
    snprintf(machine.compiler, sizeof machine.compiler, "clang %s", __clang_version__);
#elif defined(__GNUC__)
    snprintf(machine.compiler, sizeof machine.compiler, "gcc %s", __VERSION__);
#else
    snprintf(machine.compiler, sizeof machine.compiler, "unknown");
#endif
    return machine;
}
