/* A trial: one world with one rod, set up, held, loaded and run with little ceremony.
 *
 * Failure is sticky: the first call that fails reports it to the check, and every later call does nothing. So a check
 * reads as a straight line, and its numbers are reported only if all went well.
 */
#ifndef FILUM_TOOLS_VALIDATE_TRIAL_H
#define FILUM_TOOLS_VALIDATE_TRIAL_H

#include "validate/check.h"

enum { FIL_TRIAL_MAX_NODES = 256 };

typedef struct FilTrialDef {
    FilWorldDef world; /* no gravity unless asked for */
    FilRodDef rod;     /* without nodes: straight from the origin along +x, m1 along +y, so m2 along +z */
    int edges;
    double length; /* m */
} FilTrialDef;

typedef struct FilTrial {
    FilCheck* check;
    FilWorld* world;
    FilId rod;
    int nodes, edges;
    double length;
    bool failed;
} FilTrial;

FilTrialDef fil_trial_def(int edges, double length);

/* A round section of given bending stiffness, mass per length and slenderness radius / length; Poisson's ratio 0.3. */
FilSection fil_trial_round_section(double ei, double mass_per_length, double radius);

FilTrial fil_trial_begin(FilCheck* check, const FilTrialDef* def);
void fil_trial_end(FilTrial* trial);

/* Reports a status that is not FIL_OK. Returns whether the trial is still good. */
bool fil_trial_expect(FilTrial* trial, FilStatus status, const char* doing);

FilId fil_trial_attach(FilTrial* trial, FilAttachmentKind kind, int first);

/* A drive of the rod's nodes or edges [first, first + count), set through the API from now on. */
FilId fil_trial_load(FilTrial* trial, FilDriveKind kind, int first, int count);

/* A drive of an attachment's target. */
FilId fil_trial_move(FilTrial* trial, FilDriveKind kind, FilId attachment);
void fil_trial_set(FilTrial* trial, FilId drive, const double* value, int count);

void fil_trial_set_dt(FilTrial* trial, double dt);
void fil_trial_set_nodes(FilTrial* trial, const double* nodes);
void fil_trial_run(FilTrial* trial, int steps);

/* Finds equilibrium: steps of backward Euler, which damps, that grow as the motion dies down to dt = 1000 s, where
 * inertia no longer counts; ends when such a step moves no node by more than 1e-7 of the length. */
void fil_trial_settle(FilTrial* trial);

FilVec3 fil_trial_node(const FilTrial* trial, int node); /* negative counts from the end */

#endif
