/* `filum plan` for scenes whose plan lists contacts. */
#ifndef FILUM_TOOLS_MANIPULATION_RUN_H
#define FILUM_TOOLS_MANIPULATION_RUN_H

#include "cli.h"

typedef struct FilManipulationRun {
    const char* path;
    const FilSettings* settings;
    const char *contact, *svg; /* NULL: the scene's; none */
    bool replay, track, json, quiet;
} FilManipulationRun;

/* Plans, tries the plan if asked to, and says how good it is; an exit code. */
int fil_manipulation_run(const FilWorld* world, const FilSceneInfo* scene, const FilManipulationRun* run);

#endif
