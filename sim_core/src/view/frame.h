/* What a page shows of a world: a description, once, as JSON; and frames, as numbers in the machine's order (little-endian on
 * every machine that Filum runs on):
 *
 *   u32  'FIL1'            u32  bits: 1 runs, 2 failed
 *   f64  time, s           f64  simulated seconds per second
 *   u32  plotted, numbers, contacts, patches
 *   f64  s, up to where a film goes; 0: what is seen happens now
 *   f64  what is plotted: the value of each probe, then of each joint and chamber that can be set
 *   f32  numbers: the hand's point (m) and force (N); then of each object, in the order of the description,
 *        of a curve its nodes and the first directors of its edges (3 each),
 *        of each shape its place (not numbers: it is not there) and orientation x, y, z, w (7), of a surface its vertices (3 each)
 *   f32  of each contact its point (m) and the force on the second body (N)
 *   f32  of each pressure patch its center (m), normal, area (m2) and highest pressure (Pa)
 */
#ifndef FILUM_VIEW_FRAME_H
#define FILUM_VIEW_FRAME_H

#include "filum/filum.h"
#include "view/source.h"

typedef struct FilViewState {
    bool runs, failed;
    double rate;        /* simulated seconds per second */
    FilVec3 hand, pull; /* m, N: what pulls, and where it holds */
} FilViewState;

/* Vertices of all surfaces at the start, in the order of the description: laws of shells and solids are about that shape. */
typedef struct FilViewRest {
    double* vertices; /* 3 each; NULL: not known */
    size_t count;
} FilViewRest;

typedef struct FilViewDescription {
    const FilWorld* world;
    const FilSceneInfo* scene;
    const char* message;     /* for whoever looks, as when a step failed; NULL: none */
    const FilSource* source; /* what can be changed of the scene; NULL: nothing */
    bool steers;             /* controls of objects can be set */
    bool locked;             /* pages can look, and nothing else */
    double speed;            /* simulated seconds per second; 0: as fast as it can */
    const FilViewRest* rest; /* surfaces as they were at first, to tell strains by; NULL: not known, unless it is the start now */
} FilViewDescription;

/* Of a world at its start; without memory, or later, there is none. */
FilViewRest fil_view_rest_take(const FilWorld* world);
void fil_view_rest_free(FilViewRest* rest);

/* The description as text that the caller frees; NULL: out of memory. */
char* fil_view_describe(const FilViewDescription* description, size_t* size);

/* Room for frames of one world; grows with its contacts. */
typedef struct FilViewFrame {
    unsigned char* bytes;
    size_t size, capacity;
    double* scratch; /* of the largest object */
    size_t scratch_count;
} FilViewFrame;

/* Writes the world as it is now; FIL_OUT_OF_MEMORY leaves the frame empty. */
FIL_MUST_CHECK FilStatus fil_view_frame_take(FilViewFrame* frame, const FilWorld* world, const FilViewState* state);
/* Changes what a frame that was kept says about how it is shown now. */
void fil_view_frame_amend(unsigned char* frame, bool runs, double rate, double end);
void fil_view_frame_free(FilViewFrame* frame);

#endif
