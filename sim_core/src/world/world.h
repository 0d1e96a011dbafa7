/* The world's inside: bodies, state arrays, boundary objects, and what the parts of a step share. */
#ifndef FILUM_WORLD_WORLD_H
#define FILUM_WORLD_WORLD_H

#include "base/arena.h"
#include "base/memory.h"
#include "filum/look.h"
#include "solver/solver.h"

/* A named part of a body that users address: a rod or a rigid body. */
typedef struct FilObject {
    char* name;
    FilBodyKind kind;
    int body, local;
    FilLook look;
    FilVisual* visuals; /* their arrays are the world's */
    int visual_count;
} FilObject;

typedef struct FilAttachment {
    char* name;
    int body, slot;
    double until; /* s, when it lets go; INFINITY: never */
    FilAttachmentKind kind;
    int object, first, count; /* what it holds: points of an object; count 0: all of it */
    double home[3];           /* m: the first of them when it was made */
} FilAttachment;

typedef struct FilDrive {
    char* name;
    FilDriveKind kind;
    int attachment;           /* index, or -1 */
    int joint;                /* index, or -1 */
    int object, first, count; /* or on an object */
    FilRamp ramp;
    double period; /* s; 0: the knots come once */
    int knot_count;
    double *times, *values;
} FilDrive;

/* A robot: one body whose links are objects in a row. */
typedef struct FilRobot {
    char* name;
    int body, first_link;
} FilRobot;

typedef struct FilProbe {
    char* name;
    const struct FilQuantity* quantity; /* a row of api/kinds.h */
    FilId of;                           /* this and the rest checked */
    int index, component;
} FilProbe;

/* Those who sleep: world/sleep.h. */
typedef struct FilSleep {
    int count;               /* of bodies that sleep */
    bool stale;              /* the contacts below are not theirs */
    FilContact* contacts;    /* among them and with what does not move ... */
    FilPatchRecord* patches; /* ... and their patches */
    int contact_count, contact_capacity, patch_count, patch_capacity;
    double dt;   /* s that their impulses are forces over */
    int* island; /* per body: of the same island, one of smaller number; room for as many again */
    int island_capacity;
    bool shown;     /* the contact set is theirs alone, and has not changed since */
    double deepest; /* m, of their contacts */
} FilSleep;

/* Numbers of a command: whether there is one, and three of it. */
enum { FIL_CONTROL_SIZE = 4 };

/* Where a step's start is while it is made: in the state, in the next one after a sub-step, put aside before a second one. */
typedef enum FilStepStart { FIL_START_NOW, FIL_START_NEXT, FIL_START_SAVED } FilStepStart;

struct FilWorld {
    FilWorldDef def;
    FilError* error; /* apart, so that getters can say why they refuse */
    uint32_t generation;
    FilArena arena;         /* of the rods */
    FilMemoryBudget budget; /* of steps; what loading took counts. A limit of 0: none */

    int object_count, attachment_count, drive_count, probe_count, robot_count;
    int object_capacity, attachment_capacity, drive_capacity, probe_capacity, robot_capacity;
    FilObject* objects;
    FilAttachment* attachments;
    FilDrive* drives;
    FilProbe* probes;
    FilRobot* robots;

    double time;
    uint64_t step;
    uint64_t varied; /* how often its state was moved by a variation */
    struct {
        double time;
        uint64_t step;
    } clock; /* when dt was last changed */

    struct {
        const FilContactModel* model; /* NULL: not known */
        int colliders, apart;
    } suitable; /* the model that was last found right for the world, and what there was then */

    FilSleep sleep;
    FilStepStart step_start; /* which state has the start of the step */
    FilWatch watch;          /* over a step */
    FilSystem system;
    FilCollisionStage collision;
    FilSolver solver;
};

/* What FilId a kind of object carries, so that ids of different kinds cannot be mixed up. */
#define FIL_GENERATION_MASK (~UINT32_C(7)) /* of FilId.generation: the world; the rest is the class */
typedef enum FilIdClass { FIL_ID_OBJECT = 1, FIL_ID_ATTACHMENT, FIL_ID_DRIVE, FIL_ID_PROBE, FIL_ID_JOINT, FIL_ID_ROBOT } FilIdClass;

FilId fil_make_id(const FilWorld* world, FilIdClass kind, int index);
/* Writes it for callers who want to know; `out` may be NULL. */
void fil_give_id(const FilWorld* world, FilIdClass kind, int index, FilId* out);
/* Index of an id, or -1 if it is not one of this world and kind. */
int fil_id_index(const FilWorld* world, FilIdClass kind, FilId id);
/* The same for public calls: -1 leaves a message that says what the id is instead. */
int fil_id_find(const FilWorld* world, FilIdClass kind, FilId id);

/* What the public calls on an object work with: its name, its body, which of the body's objects it is, and the body's part of
 * the state arrays. */
typedef struct FilView {
    const char* name;
    void* impl;
    int local;
    double *q, *v, *h;
} FilView;

/* An object of a kind by its id. False, and a message "no such `word`: ..." that says what the id is instead. */
bool fil_kind_view(const FilWorld* world, FilBodyKind kind, const char* word, FilId id, FilView* view);
/* Whether something has a part of this number. False leaves a message: "arm 'a' has no chamber 7, only 0 to 5". */
bool fil_world_has_part(const FilWorld* world, const char* word, const char* name, const char* part, int index, int count);

/* Counts in definitions stay below: chosen so that 64 numbers each of nodes, edges, points, ... can be counted by an int. */
enum { FIL_COUNT_MAX = 1 << 24 };

/* world.c */
FilStatus fil_world_fail(FilWorld* world, FilStatus status, const char* format, ...) FIL_PRINTF(3, 4);
/* The same where there is nothing to return: getters write why, and answer with zero or not a number. */
void fil_world_refuse(const FilWorld* world, const char* format, ...) FIL_PRINTF(2, 3);
/* Takes over `impl`. Its initial state becomes the body's part of the state arrays. */
FilStatus fil_world_add_body(FilWorld* world, FilBodyKind kind, void* impl, int q_count, int v_count, int h_count, const char* name, int* index);
/* Takes in the colliders of a body whose objects are these indices of the world, one per object of the body. */
FilStatus fil_world_add_colliders(FilWorld* world, int body, const int* objects, int count);
FilStatus fil_world_add_object(FilWorld* world, const char* name, FilBodyKind kind, int body, int local, int* index);
/* Index of the object with this name, -1 if there is none. */
int fil_world_find_object(const FilWorld* world, const char* name);
/* Index of an id if it names an object of this kind, else -1. */
int fil_kind_index(const FilWorld* world, FilBodyKind kind, FilId id);
/* The object of a kind with this name, {0} if there is none; the name, and the body, of one by its id, NULL if the id is
 * of no such object. */
FilId fil_kind_find(const FilWorld* world, FilBodyKind kind, const char* name);
const char* fil_kind_name(const FilWorld* world, FilBodyKind kind, FilId id);
const FilBody* fil_kind_body(const FilWorld* world, FilBodyKind kind, FilId id);
/* The k-th object of a kind, and how many there are. */
FilId fil_kind_at(const FilWorld* world, FilBodyKind kind, int k);
int fil_kind_count(const FilWorld* world, FilBodyKind kind);
/* A name for a new object: the given one, or "<prefix><number>" with the first free number, written to `made`. */
FilStatus fil_world_name_object(FilWorld* world, const char* given, const char* prefix, char made[64], const char** name);
/* Makes room for one more attachment or drive in the controls. */
FilStatus fil_world_grow_controls(FilWorld* world, int attachments, int drives);
/* Makes room for one more item of an array. */
FilStatus fil_world_reserve(FilWorld* world, void** array, int count, int* capacity, size_t size);
/* A copy of `name`, or "<prefix><number>" with the first free number from the given one on; refuses a name that `find`
 * knows. NULL and a message if not. */
typedef FilId FilFinder(const FilWorld* world, const char* name);
char* fil_world_new_name(FilWorld* world, const char* name, const char* prefix, int number, FilFinder* find);

static inline double* fil_attachment_control(const FilWorld* world, const FilState* state, int attachment)
{
    (void)world;
    return state->controls + FIL_CONTROL_SIZE * attachment;
}

static inline double* fil_drive_control(const FilWorld* world, const FilState* state, int drive)
{
    return state->controls + FIL_CONTROL_SIZE * (world->attachment_count + drive);
}

/* drive.c: sets every body's targets to where they are now, so that energies are those of the current state. */
void fil_world_place_targets(FilWorld* world);
/* Sets every body's targets, loads and live rest values for a sub-step from t to t + dt; writes the attachments'
 * new offsets to `next`. */
void fil_world_apply_drives(FilWorld* world, double t, double dt, double theta);
/* parts.c: how long the next part of a step is, if so much of the step is left; both in steps. */
double fil_world_part(const FilWorld* world, double left);
/* Keeps in the state how long the next ones are, after a part with such an error, good or not, and after a whole step. */
void fil_world_learn_from_part(FilWorld* world, double length, double error);
void fil_world_learn_from_step(FilWorld* world, const FilStepInfo* info);
/* Whether a part's error is larger than it should be. */
bool fil_world_is_inaccurate(const FilWorld* world, double error);
/* Error of places after the second of two stages of gamma dt (SDIRK2), m: the worst body's mean. */
double fil_world_local_error(const FilWorld* world, double gamma, double dt);

/* A drive's value at time t under `state`'s controls. */
void fil_drive_evaluate(const FilWorld* world, const FilState* state, int drive, double t, double* value);

#endif
