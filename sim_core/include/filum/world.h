/* The world: bodies, boundary conditions, actuation, time stepping, measurements. */
#ifndef FILUM_WORLD_H
#define FILUM_WORLD_H

#include "filum/base.h"
#include "filum/contact.h"
#include "filum/joint.h"
#include "filum/rigid.h"
#include "filum/rod.h"

FIL_API_BEGIN

/* How steps are taken in time (docs/rod.md, section 12). */
typedef enum FilIntegrator {
    FIL_BACKWARD_EULER,   /* theta = theta_vq = 1: first order, damps */
    FIL_MIDPOINT,         /* theta = theta_vq = 1/2: second order, keeps energy */
    FIL_SYMPLECTIC_EULER, /* theta = 0, theta_vq = 1: explicit forces, small steps only */
    FIL_SDIRK2,           /* two backward Euler stages: second order, damps what steps do not resolve */
} FilIntegrator;

/* What the tangents of bodies that deform are taken about where contact is solved in velocities. */
typedef enum FilLinearisation {
    FIL_ABOUT_MOTION, /* the motion under the last step's forces of contact, by Newton's method */
    FIL_ABOUT_START,  /* the velocity at the step's start: one tangent a step */
} FilLinearisation;

/* What a world is made with. Copied by the call. */
typedef struct FilWorldDef {
    FilVec3 gravity; /* m/s^2 */
    double dt;       /* s */
    FilIntegrator integrator;
    double euler_dt;                /* s: SDIRK2 shall have the error that backward Euler has with this step; 0: be of second order */
    double accuracy;                /* m, of places in a step: SDIRK2 repeats steps with a larger error in more parts; 0: it does not look */
    const char* contact_model;      /* a name from fil_contact_model_name(); NULL or "none": no contact */
    double friction;                /* Coulomb coefficient of all contacts; negative: the surfaces' own */
    double newton_tolerance;        /* of the residual, relative to the forces at work */
    int newton_max_iterations;      /* of one solve; the step is halved beyond */
    int max_halvings;               /* how often a failing step may be halved inside itself */
    int adaptive_iterations;        /* divide steps while Newton needs more iterations than this; 0: steps of equal size */
    FilLinearisation linearisation; /* at velocity level */
    int relinearisations;           /* at velocity level: further tangents taken about the contact solution; 0: as published */
    double max_depth;               /* at velocity level: contacts deeper than this share of their parts' sizes fail the step; 0: none does */
    bool check_nonlinear;           /* measure FilStepInfo.nonlinear_residual: one more assembly a step */
    int max_contacts;   /* a step with more fails, as where bodies lie inside each other; under ipc, with more pairs that may touch in it */
    double sleep_time;  /* s: rigid bodies that have rested for so long, and all that they touch, are no longer stepped; 0: all are, always */
    double sleep_speed; /* m/s, below which a body rests, its surface too */
    int threads;        /* that share a step, up to 256; 0: one for each processor. Results are the same bits for any number */
} FilWorldDef;

FilWorldDef fil_world_def_default(void);

/* Makes an empty world, which the caller destroys. FIL_BAD_INPUT and a message, which says which number is wrong, or FIL_OUT_OF_MEMORY. `error` may
 * be NULL. */
FIL_MUST_CHECK FilStatus fil_world_create(const FilWorldDef* def, FilWorld** world, FilError* error);
void fil_world_destroy(FilWorld* world); /* NULL is fine */

/* The message of the last call on this world that did not return FIL_OK, or of a getter that refused its id or index. */
const char* fil_world_error(const FilWorld* world);

/* For functions made of these: leaves `text` where fil_world_error() finds it, and returns `status`. */
FilStatus fil_world_set_error(FilWorld* world, FilStatus status, const char* text);

/* ---- stepping ---- */

/* Where the time of a step went, by the wall clock. */
typedef struct FilTimings {
    double collide, free_motion, contact, other; /* s */
} FilTimings;

/* What a step did. Written by fil_world_step(), also where it fails. */
typedef struct FilStepInfo {
    uint64_t step;             /* counted from 1 */
    double time;               /* s, at the end of the step */
    double dt;                 /* s */
    int newton_iterations;     /* summed over sub-steps, largest over bodies */
    int halvings;              /* the finest sub-step was dt / 2^halvings or a little larger */
    int regularised;           /* factorisations that had to be shifted to be positive definite */
    double residual;           /* relative, at the end of Newton, worst body */
    double local_error;        /* m, of places in a sub-step: SDIRK2's own estimate, mean over a body, worst body; else 0 */
    int asleep;                /* bodies that were not stepped, because they sleep; their contacts count among these: */
    int contacts;              /* of the step */
    double max_penetration;    /* m */
    int deep_contacts;         /* at velocity level: deeper than a tenth of their parts' sizes (half the least extent, a rod's radius): a warning */
    double min_distance;       /* m, between surfaces of objects that could touch, at the step's start; INFINITY: none could */
    int contact_iterations;    /* Newton steps of the contact solver */
    int contact_solves;        /* problems given to the contact solver */
    int contact_fallbacks;     /* ... that its second method had to solve: Lemke's for "lcp", or contacts that give way a little */
    int contact_failures;      /* ... that were not solved: the step was halved */
    int friction_iterations;   /* ipc: solutions of a sub-step, each with friction as the last one had it; largest */
    double friction_change;    /* ipc: share by which friction as the solution has it still differs from what it was found with, worst */
    int analyses;              /* symbolic factorisations of the contact system */
    double contact_residual;   /* relative momentum residual of the contact problem (lcp: complementarity), worst */
    double nonlinear_residual; /* the same of the full equations of motion with the contact impulses */
    int patch_polygons;        /* of pressure patches, before those of two parts are merged */
    double patch_change;       /* what merging changed of a patch's force, center or torsion, relative, worst patch */
    int crossings;             /* centre lines, or sheets, that passed through each other: missed contacts, must be 0 */
    FilTimings timings;
} FilStepInfo;

/* Advances by dt. On failure the state is that of the last good step. After the first step it allocates only when the
 * contacts or their pattern grow beyond all before. `info` may be NULL; it is filled on failure too. */
FIL_MUST_CHECK FilStatus fil_world_step(FilWorld* world, FilStepInfo* info);

/* `stop` is asked during a step, once an iteration of its solvers, by the threads that step: true ends the step with
 * FIL_INTERRUPTED. It may look at a flag that a signal sets. NULL: nobody asks. */
void fil_world_set_stop(FilWorld* world, bool (*stop)(void* context), void* context);

/* s of wall time that a step may take before it ends with FIL_INTERRUPTED; 0, the default: any. A run with a limit depends on how
 * fast the machine is, but only on whether a step ends, never on its result. FIL_BAD_INPUT if negative or not a number. */
FIL_MUST_CHECK FilStatus fil_world_set_time_limit(FilWorld* world, double seconds);
double fil_world_time_limit(const FilWorld* world);

/* Memory that the world may take, `used` bytes of which it has by now: a step that needs more fails with FIL_OUT_OF_MEMORY and leaves
 * the state as it was. 0, as at the start: any. What libraries and further threads take does not count. FilSceneBudget sets it. */
void fil_world_set_memory_limit(FilWorld* world, size_t bytes, size_t used);

/* Whether the contact model is right for what is in the world: FIL_BAD_INPUT, and a message that names two objects that it does
 * not cover and says what to use, if not. Steps, scenes and fil_world_set_contact_model() ask for themselves. */
FIL_MUST_CHECK FilStatus fil_world_check(FilWorld* world);

double fil_world_time(const FilWorld* world);
uint64_t fil_world_step_count(const FilWorld* world);
double fil_world_dt(const FilWorld* world);
FIL_MUST_CHECK FilStatus fil_world_set_dt(FilWorld* world, double dt);
FilVec3 fil_world_gravity(const FilWorld* world);
FIL_MUST_CHECK FilStatus fil_world_set_gravity(FilWorld* world, FilVec3 gravity);
double fil_world_friction(const FilWorld* world); /* of all contacts; negative: the surfaces' own */
FIL_MUST_CHECK FilStatus fil_world_set_friction(FilWorld* world, double friction);
FilIntegrator fil_world_integrator(const FilWorld* world);
FIL_MUST_CHECK FilStatus fil_world_set_integrator(FilWorld* world, FilIntegrator integrator);
int fil_world_threads(const FilWorld* world);       /* that share a step, the caller's own included */
int fil_world_threads_asked(const FilWorld* world); /* as the definition or the last call has it; 0: one for each processor */
/* Ends helpers, and starts others; to be called between steps. Where the system gives fewer threads than asked for, the world goes on with those
 * (alone if there are none), and FIL_OUT_OF_MEMORY and a message say so; fil_world_create() does the same, but for the status. */
FIL_MUST_CHECK FilStatus fil_world_set_threads(FilWorld* world, int threads);
const char* fil_world_contact_model(const FilWorld* world);
/* FIL_BAD_INPUT, and nothing changes, if there is no such model or it is not right for what is in the world. */
FIL_MUST_CHECK FilStatus fil_world_set_contact_model(FilWorld* world, const char* name);
int fil_contact_model_count(void);
const char* fil_contact_model_name(int index); /* "none" first */

int fil_world_body_count(const FilWorld* world); /* by number, from 0 */
const char* fil_world_body_name(const FilWorld* world, int body);
const char* fil_world_body_kind(const FilWorld* world, int body); /* for people: "rod", ... */
int fil_world_body_dofs(const FilWorld* world, int body);         /* degrees of freedom of one */
int fil_world_dofs(const FilWorld* world);                        /* and of all */

/* Objects are what users address by name, of whatever kind: rods, rigid bodies, arms, links, ... */
int fil_world_object_count(const FilWorld* world);
FilId fil_world_object_at(const FilWorld* world, int index);
const char* fil_object_name(const FilWorld* world, FilId object); /* NULL if it is none of this world */
/* Whether its body sleeps: it rests, and is not stepped until something touches or moves it. */
bool fil_object_sleeps(const FilWorld* world, FilId object);
/* kg that a push anywhere on the object moves; 0 where that depends on where (robots, arms). */
double fil_object_mass(const FilWorld* world, FilId object);

/* ---- state ---- */

/* Everything that a step changes, as bytes: time, positions, velocities, history, targets and live parameters. A snapshot
 * begins with what it is, a version, a hash of the world's layout (kinds, names and sizes of bodies, objects, attachments,
 * drives and joints) and a checksum; numbers are in the machine's own form. Restoring takes it in a world that is made the
 * same way, in this process or another, whatever its settings. What is damaged, of another layout or version, or holds
 * numbers that are not finite is refused with FIL_BAD_INPUT, and the world stays as it was. The checksum finds accidents, not
 * forgers. Neither allocates. */
size_t fil_world_snapshot_size(const FilWorld* world);
void fil_world_save(const FilWorld* world, void* snapshot); /* of that size */
FIL_MUST_CHECK FilStatus fil_world_restore(FilWorld* world, const void* snapshot, size_t size);
FIL_MUST_CHECK FilStatus fil_world_reset(FilWorld* world); /* back to the state before the first step */
/* Time, and the state of all that another world has by the same name, kind and size: bodies, attachments and drives. What it does not have
 * stays as it was made; fil_world_reset() brings everything back to that. For a world that has not stepped. */
FIL_MUST_CHECK FilStatus fil_world_take_state(FilWorld* world, const FilWorld* from);
uint64_t fil_world_hash(const FilWorld* world); /* of the snapshot's numbers, bit for bit */

/* Energy of all bodies at the present state. */
typedef struct FilEnergy {
    double kinetic, elastic, gravity; /* J */
} FilEnergy;

/* Of all bodies at the current state. */
FilEnergy fil_world_energy(const FilWorld* world);
FilVec3 fil_world_momentum(const FilWorld* world);         /* kg m/s */
FilVec3 fil_world_angular_momentum(const FilWorld* world); /* kg m^2/s about the origin, with the edges' spin */

/* ---- attachments: where a rod is held ---- */

/* What an attachment holds. */
typedef enum FilAttachmentKind {
    FIL_ATTACH_PIN,    /* positions of nodes [first, first + count) follow the target rigidly */
    FIL_ATTACH_TWIST,  /* angles of edges [first, first + count) follow the target */
    FIL_ATTACH_CLAMP,  /* node `first` is held and its cross-section's orientation too (second order accurate) */
    FIL_ATTACH_HANDLE, /* node `first` is drawn to the target by a spring and damper of limited force */
} FilAttachmentKind;

/* Where a body is held. Pointers are borrowed for the call only. */
typedef struct FilAttachmentDef {
    const char* name; /* unique; NULL gets "attachment<k>" */
    FilAttachmentKind kind;
    FilId object;     /* a rod, cloth or scripted rigid body */
    int first;        /* node (edge for TWIST); negative counts from the end, -1 the last */
    int count;        /* PIN and TWIST; default 1 */
    unsigned axes;    /* PIN of shells and solids: the components that it holds, 1 x + 2 y + 4 z; 0: all */
    double stiffness; /* N/m, HANDLE */
    double damping;   /* N s/m, HANDLE */
    double max_force; /* N, HANDLE; 0: no limit */
    double until;     /* s: it lets go for good at this time; 0: never */
} FilAttachmentDef;

FilAttachmentDef fil_attachment_def_default(void);
FIL_MUST_CHECK FilStatus fil_world_add_attachment(FilWorld* world, const FilAttachmentDef* def, FilId* attachment);
FIL_MUST_CHECK FilStatus fil_attachment_set_active(FilWorld* world, FilId attachment, bool active); /* false lets go */
int fil_world_attachment_count(const FilWorld* world);
FilId fil_world_attachment_at(const FilWorld* world, int index);
FilId fil_world_find_attachment(const FilWorld* world, const char* name);
const char* fil_attachment_name(const FilWorld* world, FilId attachment);

/* An attachment as it is. */
typedef struct FilAttachmentInfo {
    FilAttachmentKind kind;
    FilId object;
    int first, count; /* nodes or vertices that it holds (edges for TWIST); count 0: of a rigid body, which it holds as a whole */
    bool active;      /* false: it has let go */
    bool driven;      /* drives move it */
} FilAttachmentInfo;

/* At the current state. */
FilAttachmentInfo fil_attachment_info(const FilWorld* world, FilId attachment);
/* Where it holds node first + index now, or where a HANDLE draws it to, m. */
FilVec3 fil_attachment_point(const FilWorld* world, FilId attachment, int index);

/* Reaction: what the attachment did to the rod in the last step (force, and torque about the held point), world frame. */
FilVec3 fil_attachment_force(const FilWorld* world, FilId attachment);  /* N */
FilVec3 fil_attachment_torque(const FilWorld* world, FilId attachment); /* N m */

/* ---- drives: what moves or loads a rod ---- */

/* What a drive moves or loads. */
typedef enum FilDriveKind {
    FIL_DRIVE_POSITION,     /* 3, m: displacement of an attachment's target from where it was made */
    FIL_DRIVE_VELOCITY,     /* 3, m/s: velocity of an attachment's target */
    FIL_DRIVE_ROTATION,     /* 3, rad: rotation vector of an attachment's target (PIN about its first node, CLAMP) */
    FIL_DRIVE_ANGLE,        /* 1, rad: change of the held edge angles (TWIST) */
    FIL_DRIVE_FORCE,        /* 3, N: on each node of the range */
    FIL_DRIVE_TORQUE,       /* 3, N m, world frame: on each edge of the range */
    FIL_DRIVE_AXIAL_TORQUE, /* 1, N m about the edge's own tangent: on each edge of the range */
    FIL_DRIVE_CURVATURE,    /* 2, rad/m: rest curvature towards m1 and m2 of each node of the range */
    FIL_DRIVE_REST_TWIST,   /* 1, rad/m: rest twist of each node of the range */
    FIL_DRIVE_PRESSURE,     /* 1, Pa: command of each chamber of the range */
    FIL_DRIVE_REST_LENGTH,  /* 1: rest length of each edge of the range over that at the start, positive: a winch */
    FIL_DRIVE_MOTOR,        /* 1: target of a joint's motor: rad or m, per s, or N m or N, by its mode */
} FilDriveKind;

/* How a drive goes from one of its values to the next. */
typedef enum FilRamp {
    FIL_RAMP_LINEAR, /* straight between knots, constant outside */
    FIL_RAMP_SMOOTH, /* cubic ease between knots: zero slope at each knot */
} FilRamp;

/* Numbers over time. Pointers are borrowed for the call only. */
typedef struct FilDriveDef {
    const char* name; /* unique; NULL gets "drive<k>" */
    FilDriveKind kind;
    FilId attachment; /* target of POSITION, VELOCITY, ROTATION, ANGLE */
    FilId joint;      /* target of MOTOR */
    FilId object;     /* target of the others: rods; FORCE and TORQUE also rigid bodies, links, an arm's disks; PRESSURE arms */
    int first, count; /* node or edge range on the rod; first negative counts from the end; count 0: to the end */
    FilRamp ramp;
    double period;        /* s after which the knots begin again, from the first one's time on; 0: never */
    int knot_count;       /* 0: zero until fil_drive_set() */
    const double* times;  /* knot_count, s, strictly increasing */
    const double* values; /* knot_count * dimension of the kind */
} FilDriveDef;

FilDriveDef fil_drive_def_default(void);
int fil_drive_dimension(FilDriveKind kind); /* numbers of its value: 1, 2 or 3 */
FIL_MUST_CHECK FilStatus fil_world_add_drive(FilWorld* world, const FilDriveDef* def, FilId* drive);
FilId fil_world_find_drive(const FilWorld* world, const char* name);

/* Takes over from the script: the value holds from the next step on. Refuses NaN and Inf. */
FIL_MUST_CHECK FilStatus fil_drive_set(FilWorld* world, FilId drive, const double* value, int count);
FIL_MUST_CHECK FilStatus fil_drive_release(FilWorld* world, FilId drive); /* back to the script */
void fil_drive_value(const FilWorld* world, FilId drive, double* value);  /* at the current time, as many as its dimension */

/* ---- probes: named measured numbers ---- */

/* What can be measured: a row for each quantity, kept with the kind of object that it belongs to. */
typedef struct FilQuantityInfo {
    const char* name;    /* "position", "ring_travel", ...: as in scenes */
    const char* subject; /* of what: "rod", "body", "arm", "attachment", ...; "object": of any object; "world": of all */
    const char* part;    /* what the index counts: "node", "edge", "disk", ...; NULL: nothing */
    const char* unit;    /* "m", "N", ...; "1": none */
    int components;      /* 1, 2 or 3 */
} FilQuantityInfo;

int fil_quantity_count(void);                    /* rows that there are */
FilQuantityInfo fil_quantity_info(int quantity); /* names are NULL beyond the last */
int fil_find_quantity(const char* name);         /* -1 if there is none */
/* Components that a quantity has of one object: those of its info, of a drive those of its kind; 0 if it has none. */
int fil_quantity_components(const FilWorld* world, int quantity, FilId of);
/* Something by the word of its kind (a quantity's subject) and its name; a null id if there is none. */
FilId fil_world_find(const FilWorld* world, const char* kind, const char* name);
/* How many parts of this name ("node", "disk", ...) something has; 0 if it has none of that name. */
int fil_part_count(const FilWorld* world, FilId of, const char* part);

/* A number that is measured. Pointers are borrowed for the call only. */
typedef struct FilProbeDef {
    const char* name;     /* unique, not NULL */
    const char* quantity; /* a name from fil_quantity_info() */
    FilId of;             /* rod, rigid body, arm, robot, link, ring, shell, attachment, drive or joint; not used of the world */
    int index;            /* of the part; negative counts from the end */
    int component;        /* 0, 1, 2 for x, y, z; -1 for the norm */
} FilProbeDef;

FilProbeDef fil_probe_def_default(void);
FIL_MUST_CHECK FilStatus fil_world_add_probe(FilWorld* world, const FilProbeDef* def, FilId* probe);
int fil_world_probe_count(const FilWorld* world);
const char* fil_world_probe_name(const FilWorld* world, int index); /* NULL beyond the last */
double fil_world_probe_value(const FilWorld* world, int index);     /* at the current state; NaN beyond the last */

FIL_API_END

#endif
