/* Solving contacts: the system of all bodies that touch something or are joined, and the model that solves it. */
#ifndef FILUM_SOLVER_CONTACT_STAGE_H
#define FILUM_SOLVER_CONTACT_STAGE_H

#include "contact/lcp.h"
#include "contact/sap.h"
#include "filum/rigid.h"
#include "geometry/pose.h"

/* One side of a joint. */
typedef struct FilJointSide {
    int body;        /* -1: the world */
    int index, edge; /* of its collider, for Jacobians */
    int frame_part;  /* for the body's frame */
    int point;       /* block of unknowns of the point that is the side, which has no orientation; -1: there is a frame */
    FilPose anchor;  /* the joint's frame in the body's frame; in the world's for the world */
} FilJointSide;

typedef struct FilJoint {
    char* name;
    FilJointKind kind;
    FilJointSide side[2];
    double stiffness, damping;                    /* 0, 0: rigid */
    double angular_stiffness[3], angular_damping; /* about the axes of side 0's frame; all 0: rigid */
    int first_constraint;                         /* in the last problem, -1 if none */
    double force[3], torque[3];                   /* on side 1, last step */
} FilJoint;

typedef struct FilContactStage {
    FilSap* sap;
    FilLcp* lcp;
    int joint_count, joint_capacity;
    FilJoint* joints;

    /* which bodies take part: where their variables and their blocks stand in the problem; -1: not */
    int *offset, *first_block;
    int offset_capacity, first_block_capacity;
    bool active; /* something touches or is joined in this step */
    bool pattern_ready;
    int patterns; /* how often the pattern has been built */
    int column_count, block_count;
    int *start, *row;
    bool* weak; /* blocks that preconditioners may leave out (FilBodyOps.weak_blocks) */
    double *values, *v_free, *v;
    int column_capacity, block_capacity;

    FilSapConstraint* constraints; /* of contacts, of joints, of bodies on their own */
    double* impulses;
    int constraint_count, constraint_capacity, impulse_capacity;
    int first_own; /* constraint of bodies on their own */
    FilContactSet rows; /* Jacobian blocks of contacts and joints, on the problem's variables; no contacts */
} FilContactStage;

struct FilWorld;

void fil_contact_stage_free(FilContactStage* stage);

/* One solution of a problem at velocity level: what came of it. */
typedef struct FilSolverReport {
    int iterations, analyses, fallbacks;
    bool indefinite; /* failed because the tangent is not positive definite */
    double residual; /* relative */
} FilSolverReport;

/* Finds the stage's velocities and impulses. */
typedef FilStatus FilVelocitySolver(struct FilWorld* world, const FilSapProblem* problem, FilSolverReport* report);

/* Contact models by name; "none" first. */
typedef struct FilContactModel {
    const char* name;
    bool contacts; /* looks for contacts at all */
    FilSapKind kind;
    const struct FilPotentialModel* potential; /* NULL: at velocity level, by the solver that follows */
    FilVelocitySolver* solve;
} FilContactModel;

extern const FilContactModel fil_contact_models[];
extern const int fil_contact_models_count;

/* Before free motion: decides from the contacts found and the joints which bodies take part, and makes room for them. */
FilStatus fil_contacts_prepare(struct FilWorld* world);

/* After a body's free motion, while its tangent is at hand: takes it in, if the body takes part. */
void fil_contacts_take(struct FilWorld* world, int body);

/* Finds the velocities of all bodies that touch or are joined, overwriting the free ones in the world's scratch. */
FilStatus fil_solve_contacts(struct FilWorld* world, double dt, FilStepInfo* info);

#endif
