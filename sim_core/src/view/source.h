/* The text that a world was made of, for those who change it while they look: its parameters, and the text itself. */
#ifndef FILUM_VIEW_SOURCE_H
#define FILUM_VIEW_SOURCE_H

#include "filum/scene.h"
#include "view/simulation.h"

/* Parameters that the page shows, and bytes of a scene that it edits: bounds of ours; the longest scene here has 12 kB. */
enum { FIL_SOURCE_PARAMETERS = 64, FIL_SOURCE_BYTES = 1 << 20 };

/* A number under `parameters`, at a dotted path. */
typedef struct FilSourceParameter {
    char path[120];
    double value;
    bool whole; /* a count: was written without a point, and is not 0 */
} FilSourceParameter;

typedef struct FilSource {
    char name[512]; /* of the file */
    char* text;     /* terminated; NULL: there is none to be changed */
    size_t size;
    FilSourceParameter parameters[FIL_SOURCE_PARAMETERS];
    int parameter_count;
    FilSceneOptions options; /* borrowed: as the scene was loaded at first */
} FilSource;

/* Reads the file that a simulation was loaded from; without one there is nothing to change. */
void fil_source_read(FilSource* source, const FilSimulation* simulation, const FilSceneOptions* options);
void fil_source_free(FilSource* source);

/* Makes the simulation's world anew, of another text or with another value of a parameter; on failure the old one stays, and the
 * message names the line. */
FIL_MUST_CHECK FilStatus fil_source_change_text(FilSource* source, FilSimulation* simulation, const char* text, size_t size, FilError* error);
FIL_MUST_CHECK FilStatus fil_source_change_parameter(FilSource* source, FilSimulation* simulation, int index, double value, FilError* error);

#endif
