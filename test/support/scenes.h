/* Scenes of config/scenes in tests: loaded by name, and asked by the names of their probes. Whatever fails, fails the test. */
#ifndef FILUM_TEST_SCENES_H
#define FILUM_TEST_SCENES_H

#include "filum/filum.h"

FilWorld* load_scene(const char* name, const FilSceneOptions* options); /* options may be NULL */
double probe_value(const FilWorld* world, const char* name);

#endif
