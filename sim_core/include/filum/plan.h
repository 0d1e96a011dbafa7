/* Planning through contact: how a soft arm turns a ball with the disk at its tip, and how robots, soft arms and bodies move each other
 * (filum/manipulation.h). docs/planning.md has the method. */
#ifndef FILUM_PLAN_H
#define FILUM_PLAN_H

#include "filum/manipulation.h"
#include "filum/world.h"

FIL_API_BEGIN

/* Weights of the cost (P1 eq. 20): all but the terminal one are integrated over time. */
typedef struct FilPlanWeights {
    double orientation;           /* of 1 - (q . target)^2 */
    double terminal;              /* of the same at the end */
    double normal_force;          /* of the normal force, N; negative: contact is rewarded */
    double force_rate;            /* of its change from stage to stage, squared */
    double speed_rate, spin_rate; /* of the arm's and the ball's changes of velocity, squared */
    double effort;                /* of the chambers' forces, squared */
    double unit;                  /* of (|q|^2 - 1)^2 */
} FilPlanWeights;

/* How far the search for a plan is. */
typedef struct FilPlanReport {
    int seed, stages, iteration;   /* which start, on which mesh */
    double cost, violation, pairs; /* worst row; worst product of a complementary pair, N m and N m/s */
} FilPlanReport;

/* Who solves the optimisation: the structured interior-point method, or IPOPT in builds that found it. */
typedef enum FilPlanSolver { FIL_PLAN_STRUCTURED, FIL_PLAN_IPOPT } FilPlanSolver;
bool fil_plan_solver_present(FilPlanSolver solver);

/* A soft arm turns a ball (P1 sec. IV): the task of a plan of kind FIL_PLAN_BALL. */
typedef struct FilBallTask {
    FilId arm;       /* fixed base, three chambers a section, up to four sections */
    FilId body;      /* a ball: one sphere about its centre of mass, which stays where it is */
    double friction; /* between disk and ball; 0: that of their surfaces */
    int directions;  /* of friction: even, 4 to 16 */
    FilVec3 axis;    /* the ball's rotation, world frame */
    double angle;    /* rad */
    FilPlanWeights weights;
    double elongation[2];   /* m, bounds of the coordinates */
    double effort;          /* N, bound of a chamber's force, either way */
    double normal_force[2]; /* N; a lower bound above zero demands contact throughout */
    double slip;            /* m/s, bound of the slip */
    double spin[3];         /* rad/s, bounds of the ball's spin about the world's axes; 0: none */
    double target;          /* rad, how far the ball may be from its target at the end; 0: any, the cost alone decides */
    double face;            /* share of the disk's radius that the ball may touch within, 0 to 1 */
} FilBallTask;

/* Which task a plan has, and with it how contact and motion are transcribed. */
typedef enum FilPlanKind { FIL_PLAN_BALL, FIL_PLAN_MANIPULATION } FilPlanKind;

typedef struct FilPlan FilPlan;

/* What is to be planned. Pointers are borrowed for the call only. */
typedef struct FilPlanDef {
    FilPlanKind kind;
    FilBallTask ball;                 /* of FIL_PLAN_BALL */
    FilManipulationTask manipulation; /* of FIL_PLAN_MANIPULATION */
    double horizon;                   /* s */
    int nodes;                        /* stages of implicit Euler */
    double relaxation[2];             /* of the pairs' products: where it begins and ends; of manipulation in units of usual sizes */
    double relaxation_fall;           /* factor of the barrier from one problem to the next, 0 to 1 */
    double tolerance;                 /* of rows and of the scaled gradient */
    int max_iterations;               /* of each mesh */
    int meshes;                       /* solves with nodes / 2^(meshes - 1), ..., nodes stages one after the other; 1 to 4 */
    FilPlanSolver solver;             /* FIL_PLAN_IPOPT: one problem of the process at a time */
    double receding;                  /* s, how long fil_receding_* plan anew, every horizon / nodes; 0: one plan. Turns of a ball only */
    int seeds;                        /* starts, of which the best is kept */
    int threads;                      /* that share the starts, 1 to 64; they do not change the result */
    bool kinematic;                   /* before each, the arm's dynamics are left out (P1's first stage). Turns of a ball only */
    const FilPlan* from;              /* begin at this plan's motion instead of a guess, with a relaxation of 1e-3 at most; of the same task, with
                                       * one start. Borrowed while it is solved. NULL: guesses */
    bool (*report)(void* user, const FilPlanReport* report); /* called once an iteration, by one thread at a time; false cancels. May be NULL */
    void* user;
} FilPlanDef;

FilPlanDef fil_plan_def_default(void);         /* P1's turn of a ball */
FilPlanDef fil_manipulation_def_default(void); /* manipulation, without contacts and goal */

/* How the search for a plan ended. */
typedef enum FilPlanVerdict {
    FIL_PLAN_GOOD,       /* rows, pairs and goal are met */
    FIL_PLAN_OFF_TARGET, /* a motion that obeys the equations, but does not reach the goal */
    FIL_PLAN_UNFINISHED, /* the equations are not met: too few iterations, or no step helps */
    FIL_PLAN_STOPPED,    /* cancelled */
} FilPlanVerdict;

/* How good a plan is. */
typedef struct FilPlanInfo {
    FilPlanVerdict verdict;
    int seed, seeds_tried, seeds_good; /* the start that it is from; starts tried; of these, those that meet everything */
    int iterations, stages;            /* of the solver; of the plan */
    int seeds_solved;                  /* starts that meet rows and pairs, on target or not */
    int coordinates, points;           /* that move; balls, corners and disks that may touch */
    double cost;                       /* of the task, weighted */
    double miss, turn_miss;            /* m and rad, between end and goal; of a joint both in its own unit */
    double orientation;                /* sin^2 of half of turn_miss: P1's 1 - (q . target)^2 */
    double violation;                  /* worst row, SI units */
    double gap_pair;                   /* worst gap times normal force, N m */
    double slip_pair;                  /* worst slip times friction force, N m/s */
    double penetration;                /* m */
    double contact;                    /* share of the stages in which something that is driven touches */
    char reason[192];                  /* a sentence on what is not met; empty where all is */
} FilPlanInfo;

/* One stage of a turn of a ball, at its end; three numbers a section. */
typedef struct FilPlanNode {
    double time;                     /* s after the start */
    double elongation[12], rate[12]; /* m, m/s */
    double effort[12];               /* N, of the chambers, throughout the stage */
    FilQuat orientation;             /* of the ball */
    FilVec3 spin;                    /* rad/s */
    double normal_force, gap;        /* N, m */
    double gain[12][30];             /* effort by deviations at the stage's start: elongations, rates, the ball's rotation (a
                                      * vector, rad) and spin */
} FilPlanNode;

/* Plans from the world's present state, which it does not change. FIL_BAD_INPUT says what cannot be planned, FIL_OK
 * gives the best motion found, whatever its verdict. Allocates. */
FIL_MUST_CHECK FilStatus fil_plan_solve(const FilWorld* world, const FilPlanDef* def, FilPlan** plan, FilError* error);
void fil_plan_destroy(FilPlan* plan);

/* The same by a thread of its own, while the world goes on: its state is read at the beginning and not touched again. Reports
 * are kept instead of called (`report` of the def has no effect). */
typedef struct FilPlanTask FilPlanTask;
FIL_MUST_CHECK FilStatus fil_plan_task_begin(const FilWorld* world, const FilPlanDef* def, FilPlanTask** task, FilError* error);

/* The last report, iteration 0 before the first; true once the task has ended. */
bool fil_plan_task_poll(FilPlanTask* task, FilPlanReport* report);
void fil_plan_task_cancel(FilPlanTask* task); /* it ends within an iteration, and keeps its best point */

/* Waits for the end, gives what fil_plan_solve would and frees the task; `plan` NULL: the plan is dropped. */
FIL_MUST_CHECK FilStatus fil_plan_task_end(FilPlanTask* task, FilPlan** plan, FilError* error);

/* How the search ended, and the word for that. */
FilPlanInfo fil_plan_info(const FilPlan* plan);
const char* fil_plan_verdict_name(FilPlanVerdict verdict);
FilPlanNode fil_plan_node(const FilPlan* plan, int stage); /* of a turn of a ball */

/* Coordinates at the end of a stage: elongations of the arm that turns a ball; of manipulation those of the objects in the order in which contacts
 * name them: joints, chambers, or a body's move (m) and its three angles. */
void fil_plan_coordinates(const FilPlan* plan, int stage, double* coordinates);

/* How far the world is from the plan's goal: m and rad, as in FilPlanInfo; NAN where it does not hold the object. */
void fil_plan_miss(const FilPlan* plan, const FilWorld* world, double* miss, double* turn_miss);

/* ---- what a plan commands, chamber by chamber and joint by joint: its channels ---- */

/* Who a plan commands. */
typedef struct FilPlanChannel {
    const char* object; /* the arm or the robot */
    const char* joint;  /* NULL: a chamber */
    int index;          /* of the chamber or the joint */
} FilPlanChannel;

/* What a plan commands at one time. */
typedef struct FilPlanCommand {
    double position, velocity, effort; /* of the joint; of a chamber its elongation (m), rate and force (N) */
    double pressure;                   /* Pa, of a chamber; 0 of a joint */
} FilPlanCommand;

/* What the plan commands, by number from 0. Names live as long as the plan. */
int fil_plan_channel_count(const FilPlan* plan);
FilPlanChannel fil_plan_channel(const FilPlan* plan, int channel);

/* Commands without feedback at knots, between which efforts and pressures are linear and positions cubic; returns the knot's time (s after the plan's
 * start). The same at any time, of all channels. */
int fil_plan_knot_count(const FilPlan* plan);
double fil_plan_knot(const FilPlan* plan, int knot, int channel, FilPlanCommand* command);
void fil_plan_command(const FilPlan* plan, double time, FilPlanCommand* commands);

/* Lets a world that holds objects of the same names follow the plan from its present time on, without feedback of more than the joints' own gains: a
 * drive of every chamber's pressure, a trajectory of every robot. */
FIL_MUST_CHECK FilStatus fil_plan_add_drives(const FilPlan* plan, FilWorld* world);

/* ---- feedback ---- */

/* Keeps what moves on a plan: time-varying linear feedback of all coordinates and rates, and of a ball's rotation and spin, every `period`
 * seconds. Of a turned ball also compensation of loads that the plan does not know, estimated from the motion and from the contact's force.
 * Deterministic. Borrows the plan. NULL when out of memory, now or when the plan was made. */
typedef struct FilPlanTracker FilPlanTracker;
FilPlanTracker* fil_plan_tracker_create(const FilPlan* plan, double period);
void fil_plan_tracker_destroy(FilPlanTracker* tracker);

/* Once before each step of one world, the first at the plan's start: reads its state, sets pressures and joints' efforts. Does not allocate. */
FIL_MUST_CHECK FilStatus fil_plan_follow(FilPlanTracker* tracker, FilWorld* world);

/* Steps a world through the plan with feedback, from its present state to the horizon's end, and keeps the pressures that this took
 * as the plan's own: without feedback the same world repeats the same motion. Where an arm buckles under its weight nothing else
 * does, and nothing but the same world. On failure the plan is as before. Turns of a ball only. Allocates. */
FIL_MUST_CHECK FilStatus fil_plan_rehearse(FilPlan* plan, FilWorld* world);

/* Receding horizon: every horizon / nodes seconds of the world a new plan of the horizon's length is found by a thread of its
 * own, from the state that is about to be, and followed with feedback. In lockstep: the same run at any speed of the machine. */
typedef struct FilReceding FilReceding;

/* How planning keeps up with what it plans for. */
typedef struct FilRecedingInfo {
    int replans, unfinished;   /* plans, and those that did not meet their tolerance in their few iterations */
    double median, p99, worst; /* s of CPU a plan, feedback gains included */
} FilRecedingInfo;

/* Finds the first plan. Allocates, as every new plan does in its thread. */
FIL_MUST_CHECK FilStatus fil_receding_create(const FilWorld* world, const FilPlanDef* def, FilReceding** receding, FilError* error);
void fil_receding_destroy(FilReceding* receding);

/* Once before each step of the world that it was made for: sets the arm's pressures. */
FIL_MUST_CHECK FilStatus fil_receding_follow(FilReceding* receding, FilWorld* world);
FilRecedingInfo fil_receding_info(FilReceding* receding);                     /* waits for the plan in work */
double fil_receding_miss(const FilReceding* receding, const FilWorld* world); /* rad, between the ball and its target */

FIL_API_END

#endif
