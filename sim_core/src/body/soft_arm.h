/* The body kind "arm": pneumatic sections of constant curvature one after the other (P1 sec. II).
 *
 * q holds four numbers per section, three elongations and an idle one (body/soft_arm_section.h), v their rates; h holds
 * the pressures in all chambers. An arm whose base is free has two more blocks: v ends with (V, -) and (W, -), velocity
 * and spin of the base in the world, q with its position, an idle number and its orientation. Whatever the number n of
 * chambers, an elongation of coordinate j lengthens the chamber at angle phi_i by 1/3 + 2/3 cos(phi_i - phi_j), so that
 * chambers of stiffness k each make a stiffness k n/3 of every coordinate.
 *
 * The equations of motion are M(q) v' + C(q, v) v + G(q) + B v + K q = tau + J' F (P1 eq. 2). Everything is made of
 * frames along the arm: their Jacobians J and the rates of these give M = sum m J'J and C = sum m J'J', for which M' -
 * 2 C is skew. */
#ifndef FILUM_BODY_SOFT_ARM_H
#define FILUM_BODY_SOFT_ARM_H

#include "body/body.h"
#include "body/soft_arm_section.h"
#include "filum/arm.h"

/* Blocks of unknowns: one per section and two of a base that is free. */
enum { FIL_ARM_BLOCKS = FIL_JACOBIAN_BLOCKS, FIL_ARM_BASE_BLOCKS = 2, FIL_ARM_SECTIONS = FIL_ARM_BLOCKS - FIL_ARM_BASE_BLOCKS };

/* A place along the arm. */
typedef struct FilArmPlace {
    int section;
    double s; /* fraction of the section */
} FilArmPlace;

typedef struct FilArmDisk {
    FilArmPlace place;
    double radius, thickness; /* m */
} FilArmDisk;

/* The base of each section at a state; `spin` and what ends in `_rate` belong to the velocity. Blocks are 3 x 3 by
 * rows: how the section's own coordinates move and turn its tip, world frame. */
typedef struct FilArmLink {
    FilPose base;
    double velocity[3], spin[3]; /* of the base */
    double move[9], turn[9];
    double move_rate[9], turn_rate[9];
} FilArmLink;

/* A frame along the arm: velocity = sum move[j] v_j over its blocks, angular velocity likewise with turn. Blocks are
 * the sections up to its own, then those of a free base, in order. */
typedef struct FilArmFrame {
    int section;
    int block_count, block[FIL_ARM_BLOCKS];
    FilPose pose;
    double velocity[3], spin[3];
    double move[FIL_ARM_BLOCKS][9], turn[FIL_ARM_BLOCKS][9];
    double move_rate[FIL_ARM_BLOCKS][9], turn_rate[FIL_ARM_BLOCKS][9];
} FilArmFrame;

/* History: per chamber its pressure; then whether it is commanded; then the pressure wanted of it. */
enum { FIL_ARM_HISTORY = 3 };

typedef struct FilSoftArm {
    /* constant */
    int section_count, chamber_count, disk_count, mass_points;
    FilArmSection sections[FIL_ARM_SECTIONS];
    FilArc arcs[FIL_ARM_SECTIONS];
    bool free_base;
    FilPose base;     /* at the start, and for good unless it is free */
    double base_mass; /* kg, of a free base's disk */
    bool rotational_energy;
    FilArmScheme scheme;
    double rk_tolerance;
    FilArmCoriolis coriolis;
    double valve_time;
    FilCollision collision;
    double* chamber_map; /* 3 per chamber: its elongation by the section's coordinates */
    int* chamber_section;
    FilArmDisk* disks;

    /* loads, set before each step */
    double* command; /* Pa, per chamber */
    double* wrench;  /* 6 per disk: force and torque, world frame */
    bool loaded;     /* some wrench is not zero */

    /* the step */
    FilStepSetup setup;
    const double *q0, *v0, *h0;
    double* drive;   /* generalised force of the chambers */
    double* mass;    /* 4 n x 4 n by rows, as last evaluated; idle unknowns have 1 */
    double* force;   /* of Coriolis, gravity and loads, as last evaluated */
    double* tangent; /* 4 n x 4 n by rows, lower triangle */
    double* factor;  /* its Cholesky factor L, with 1/L_ii on the diagonal */
    double *q_theta, *v_theta;
    double* offset;      /* RK23: what m(v) is less by */
    double* residual0;   /* m(v0) */
    double* free_motion; /* RK23: q and v at the end of the step */
    double* rk;          /* scratch */
    bool lost;           /* it did not get there */

    /* kinematics of the configuration seen last, for those who ask about its disks one by one */
    double* seen_q;
    bool seen;
    FilArmLink links[FIL_ARM_SECTIONS + 1];

    struct FilArmDerivative* derivative; /* soft_arm_derivative.c: made when first asked for */
    struct FilArmJoints* joints;         /* soft_arm_sweep.c: the same */
} FilSoftArm;

extern const FilBodyOps fil_soft_arm_ops;

FilStatus fil_soft_arm_create(const FilArmDef* def, FilSoftArm** arm, FilError* error);

/* ---- kinematics: soft_arm_chain.c ---- */

/* Positions after dt with velocities v: q1 = q + dt v, a free base's orientation turned by dt W. */
void fil_soft_arm_move(const FilSoftArm* arm, const double* q, const double* v, double dt, double* q1);
/* Links of all sections, and the tip as the base of one more; v may be NULL: no rates then. */
void fil_soft_arm_links(const FilSoftArm* arm, const double* q, const double* v, FilArmLink* links);
/* Links at q without rates, remembered until another q is seen. */
const FilArmLink* fil_soft_arm_see(const FilSoftArm* arm, const double* q);
/* The pose alone. */
void fil_soft_arm_pose(const FilSoftArm* arm, const FilArmLink* links, const double* q, FilArmPlace place, FilPose* pose);
/* Pose and Jacobians; with v, which the links must have been made with, velocities and rates too. */
void fil_soft_arm_frame(const FilSoftArm* arm, const FilArmLink* links, const double* q, const double* v, FilArmPlace place, FilArmFrame* frame);
/* Whether every section has a positive length. */
bool fil_soft_arm_has_length(const FilSoftArm* arm, const double* q);

/* ---- dynamics: soft_arm_dynamics.c ---- */

/* Mass matrix, 4 n x 4 n by rows, idle unknowns 1. */
void fil_soft_arm_mass(const FilSoftArm* arm, const double* q, double* mass);
/* Mass matrix, and force = J'F of the loads - C v - G. */
void fil_soft_arm_dynamics(const FilSoftArm* arm, const double* q, const double* v, const double* gravity, double* mass, double* force);
/* The matrix C of C(q, v) v, full, with M' - 2 C skew; for those who check or linearise. */
void fil_soft_arm_coriolis(const FilSoftArm* arm, const double* q, const double* v, double* coriolis);
void fil_soft_arm_energy(const FilSoftArm* arm, const double* q, const double* v, const double* gravity, FilEnergy* add_to);
void fil_soft_arm_momentum(const FilSoftArm* arm, const double* q, const double* v, double* linear, double* angular);

/* Blocks and numbers of unknowns, and of q. */
static inline int fil_soft_arm_blocks(const FilSoftArm* arm)
{
    return arm->section_count + (arm->free_base ? FIL_ARM_BASE_BLOCKS : 0);
}

static inline int fil_soft_arm_unknowns(const FilSoftArm* arm)
{
    return 4 * fil_soft_arm_blocks(arm);
}

/* Stiffness and damping of every coordinate of a section; a free base has none. */
static inline double fil_soft_arm_stiffness(const FilSoftArm* arm, int block)
{
    return block < arm->section_count ? arm->sections[block].stiffness * arm->sections[block].chambers / 3.0 : 0.0;
}

static inline double fil_soft_arm_damping(const FilSoftArm* arm, int block)
{
    return block < arm->section_count ? arm->sections[block].damping * arm->sections[block].chambers / 3.0 : 0.0;
}

/* soft_arm_derivative.c */
extern const struct FilDerivativeOps fil_soft_arm_derivative_ops;

/* ---- soft_arm_rk23.c ---- */

/* Free motion by RK23 over the step begun; false if it cannot be followed to its end. */
bool fil_soft_arm_rk23(FilSoftArm* arm);

/* ---- entries of the table: soft_arm_tangent.c, soft_arm_step.c, soft_arm_contact.c ---- */

bool fil_soft_arm_factor(void* arm);
void fil_soft_arm_solve(void* arm, double* x);
int fil_soft_arm_tangent_pattern(void* arm, int* columns, int* rows);
void fil_soft_arm_tangent(void* arm, double* values);

void fil_soft_arm_begin(void* arm, const FilStepSetup* setup, const double* q, const double* v, const double* h);
void fil_soft_arm_guess(const void* arm, const double* change, double* v);
bool fil_soft_arm_evaluate(void* arm, const double* v, double shift, double* residual, double* potential);
void fil_soft_arm_diagonal(const void* arm, const double* v, double* diagonal, double* scale);
void fil_soft_arm_finish(void* arm, const double* v, double* q1, double* v1, double* h1);

int fil_soft_arm_collider_count(const void* arm);
void fil_soft_arm_collider(const void* arm, int index, FilCollider* out);
void fil_soft_arm_place(const void* arm, int index, const double* q, const double* v, FilPlacement* out);
void fil_soft_arm_part(const void* arm, int index, int part, const double* q, const double* h, FilShape* shape, FilPose* pose);
bool fil_soft_arm_joined(const void* arm, int index_a, int part_a, int index_b, int part_b);
int fil_soft_arm_point_jacobian(const void* arm, int index, int part, const double* point, const double* q, int* blocks, double* jacobian,
                                double* bias);
int fil_soft_arm_turn_jacobian(const void* arm, int index, int part, const double* q, int* blocks, double* jacobian, double* bias);
void fil_soft_arm_disk_frame(const void* arm, int index, int part, const double* q, const double* h, FilPose* pose);
int fil_soft_arm_place_count(const void* arm);
void fil_soft_arm_place_velocity(const void* arm, int place, const double* q, const double* v, double* velocity);
FilStatus fil_soft_arm_side(const void* arm, int object, int node, const double* q, FilBodySide* side, FilError* error);

#endif
