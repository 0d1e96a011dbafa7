/* Scenes in tests: of config/scenes by name, from files, or as text, and asked by the names of their probes. Whatever fails, fails the test. */
#ifndef FILUM_TEST_SCENES_H
#define FILUM_TEST_SCENES_H

#include "filum/filum.h"

/* Options and info may be NULL. */
FilWorld* load_scene(const char* name, const FilSceneOptions* options);
FilWorld* load_file(const char* path, const FilSceneOptions* options, FilSceneInfo* info);
FilWorld* load_text(const char* text);
FilWorld* load_text_info(const char* text, FilSceneInfo* info);
double probe_value(const FilWorld* world, const char* name);

#endif
