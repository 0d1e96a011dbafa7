/* What a plan holds, and what a kind of task has to provide: its transcription. One search, one replay, two transcriptions. */
#ifndef FILUM_PLAN_PLAN_DATA_H
#define FILUM_PLAN_PLAN_DATA_H

#include "filum/plan.h"
#include "plan/ball_world.h"
#include "plan/feedback.h"
#include "plan/manipulation_world.h"
#include "plan/stage_mesh.h"
#include "plan/tracking.h"

/* What is taken from a world, which may go on afterwards. */
typedef struct FilPlanStart {
    FilPlanChannels channels;
    union {
        FilBallStart ball;
        FilManipulationStart manipulation;
    } of;
} FilPlanStart;

/* State of a tracker beside its efforts, of either kind. */
typedef struct FilTrackerState {
    FilReference last; /* of a turned ball: state, force and efforts at the last command */
    double last_time;
    double impulse[3];            /* N s, on the ball since then */
    double load[FIL_PLAN_SHAPES]; /* N, that acts beside what the model knows */
} FilTrackerState;

struct FilPlanTracker {
    const FilPlan* plan;
    double period, begin; /* s; the world's time at the plan's start */
    bool started;
    double next; /* s, of the next command */
    FilPlanCommand commands[FIL_PLAN_COORDINATES];
    FilTrackerState state;
};

/* What a mesh is solved for: a guess without dynamics, a guess for a finer one, or the plan. */
typedef enum FilMeshUse { FIL_MESH_KINEMATIC, FIL_MESH_COARSE, FIL_MESH_FINEST } FilMeshUse;

/* A kind of task. */
typedef struct FilTranscription {
    const char* word; /* of messages */
    bool turns;       /* takes `kinematic`, `receding` and rehearsals */
    int patience;     /* FilPlanSettings */
    /* FIL_BAD_INPUT says what cannot be planned */
    FilStatus (*start)(const FilWorld* world, const FilPlanDef* def, FilPlanStart* out, FilError* error);
    /* the problem on a mesh; false without memory */
    bool (*transcribe)(const FilPlanStart* start, int stages, double step, FilMeshUse use, FilPlanMesh* out);
    void (*guess)(const FilPlanMesh* mesh, int seed, double* x);
    int (*states)(const FilPlanMesh* mesh);           /* variables at the beginning of a stage that move continuously */
    void (*hold)(const FilPlanMesh* mesh, double* x); /* efforts that fit the motion of a kinematic stage; NULL where `turns` is false */
    FilPlanQuality (*judge)(const FilPlanStart* start, const FilPlanMesh* mesh, const double* x);
    const char* (*subject)(const FilPlanMesh* mesh, int row);  /* what a row is about, as a reader of a scene knows it */
    void (*count)(const FilPlanMesh* mesh, FilPlanInfo* info); /* coordinates and points */
    bool (*steer)(FilPlan* plan);                              /* fills feedback or tracking; false without memory */
    int (*knots)(const FilPlan* plan);
    double (*knot)(const FilPlan* plan, int knot, int channel, FilPlanCommand* command);
    void (*miss)(const FilPlan* plan, const FilWorld* world, double* miss, double* turn_miss);
    void (*listen)(FilPlanTracker* tracker, const FilWorld* world);              /* before every step but the first; may be NULL */
    FilStatus (*command)(FilPlanTracker* tracker, FilWorld* world, double time); /* fills the tracker's commands */
} FilTranscription;

extern const FilTranscription fil_ball_transcription, fil_manipulation_transcription;

struct FilPlan {
    const FilTranscription* kind;
    FilPlanInfo info;
    double horizon;
    FilPlanStart* start;
    FilPlanMesh mesh; /* the finest problem, and its solution */
    double* x;
    bool steered;         /* feedback could be made: it was not out of memory */
    FilTracking tracking; /* of a turned ball: smooth motion and gains */
    FilFeedback feedback; /* of manipulation: gains */
};

/* What fil_plan_solve takes from the world; free with fil_free. */
FilStatus fil_plan_start_create(const FilWorld* world, const FilPlanDef* def, FilPlanStart** out, FilError* error);

/* fil_plan_solve without the world; takes the start over, whatever happens. */
FilStatus fil_plan_solve_start(FilPlanStart* start, const FilPlanDef* def, FilPlan** out, FilError* error);

#endif
