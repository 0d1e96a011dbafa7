/* The spring is explicit: its force is that of the step's start. A tenth of the stiffness at which that would oscillate with the
 * held part's own mass is the limit; below it, stretched over an object's size it pulls with ten times the object's weight. */
#include "view/hand.h"

#include <math.h>
#include <stdio.h>

#include "base/vec3.h"
#include "geometry/pose.h"
#include "view/show.h"

/* Pull over an object's size, by its weight: an object's size away it is accelerated by 10 g, which lifts what lies and follows a pointer. */
static const double WEIGHTS = 10.0;
static const double STABLE = 0.1;       /* of m/dt^2 */
static const double UNKNOWN_MASS = 1.0; /* kg, of links and disks: what they move depends on where they are pushed */

FilHand fil_hand_open(void)
{
    return (FilHand){.held = -1};
}

/* What a part of an object is, and where. */
typedef struct Held {
    FilShownGrip grip;
    double point[3]; /* m, of the hand */
    double mass;     /* kg, of the part */
    double weight;   /* kg, of the object */
    double size;     /* m, of the object */
} Held;

static void see_shape(const FilShowKind* kind, const FilWorld* world, FilId id, int part, const double* local, Held* held)
{
    FilShownShape shape;
    kind->shape(world, id, part, &shape);
    const FilPose pose = fil_shown_pose(&shape);
    fil_pose_apply(held->point, &pose, local);
    held->size = fmax(fmax(shape.def.radius, shape.def.length), fmax(shape.def.size.x, fmax(shape.def.size.y, shape.def.size.z)));
}

static bool see(const FilWorld* world, int object, int part, const double* local, Held* held)
{
    const FilShowKind* kind;
    FilId id;
    if (!fil_show_at(world, object, &kind, &id) || part < 0) {
        return false;
    }
    *held = (Held){.grip = {.object = id, .part = part}};
    int parts = 1;
    if (kind->grip != NULL && !kind->grip(world, id, part, &held->grip)) {
        return false;
    }
    if (kind->shape_count != NULL && part < kind->shape_count(world, id)) {
        see_shape(kind, world, id, part, local, held);
    } else if (kind->curve != NULL && part < kind->curve(world, id).node_count) {
        parts = kind->grip == NULL ? kind->curve(world, id).node_count : 1;
        kind->curve_node(world, id, part, held->point);
        if (kind->grip != NULL && !held->grip.turns) {  // wherever it is held, its one point is pulled
            fil_v3_set(held->point, held->grip.center.x, held->grip.center.y, held->grip.center.z);
        }
        held->size = 0.5 * kind->curve_length(world, id);
    } else if (kind->triangle_count != NULL && part < kind->vertex_count(world, id)) {
        parts = kind->vertex_count(world, id);
        kind->vertex(world, id, part, held->point);
        double other[3];
        kind->vertex(world, id, (part + parts / 2) % parts, other);
        held->size = fil_v3_distance(held->point, other);
    } else {
        return false;
    }
    const double mass = fil_object_mass(world, held->grip.object);
    held->weight = mass > 0.0 ? mass : UNKNOWN_MASS;
    held->mass = held->weight / parts;
    return true;
}

static FilStatus add_drive(FilWorld* world, const Held* held, FilDriveKind kind, int number, FilId* drive)
{
    char name[64];
    snprintf(name, sizeof name, "hand_%d_%s", number, kind == FIL_DRIVE_FORCE ? "force" : "torque");
    FilDriveDef def = fil_drive_def_default();
    def.name = name;
    def.kind = kind;
    def.object = held->grip.object;
    def.first = held->grip.part;
    def.count = 1;
    return fil_world_add_drive(world, &def, drive);
}

/* The grip of a part, made when it is held for the first time. */
static FilStatus grip_part(FilHand* hand, FilWorld* world, int object, int part, const Held* held)
{
    for (int k = 0; k < hand->grip_count; ++k) {
        if (hand->grips[k].object == object && hand->grips[k].part == part) {
            hand->held = k;
            return FIL_OK;
        }
    }
    if (hand->grip_count == FIL_HAND_GRIPS) {
        return fil_world_set_error(world, FIL_BAD_INPUT, "the hand has held as many parts as it can; load the scene again");
    }
    FilHandGrip* grip = &hand->grips[hand->grip_count];
    *grip = (FilHandGrip){.object = object, .part = part};
    FilStatus status = add_drive(world, held, FIL_DRIVE_FORCE, hand->grip_count, &grip->force);
    if (status == FIL_OK && held->grip.turns) {
        status = add_drive(world, held, FIL_DRIVE_TORQUE, hand->grip_count, &grip->torque);
    }
    if (status == FIL_OK) {
        hand->held = hand->grip_count++;
    }
    return status;
}

FilStatus fil_hand_grab(FilHand* hand, FilWorld* world, int object, int part, const double* local, double strength)
{
    fil_hand_release(hand, world);
    Held held;
    if (!see(world, object, part, local, &held)) {
        return fil_world_set_error(world, FIL_BAD_INPUT, "this cannot be pulled: it is fixed, or moved by the scene");
    }
    const FilStatus status = grip_part(hand, world, object, part, &held);
    if (status != FIL_OK) {
        return status;
    }
    const FilVec3 g = fil_world_gravity(world);
    const double gravity = sqrt(g.x * g.x + g.y * g.y + g.z * g.z), dt = fil_world_dt(world);
    // m/s^2, about the Earth's, where there is none
    const double brisk = strength * WEIGHTS * held.weight * (gravity > 0.0 ? gravity : 10.0) / held.size;
    hand->stiffness = fmin(brisk, STABLE * held.mass / (dt * dt));
    hand->damping = sqrt(hand->stiffness * held.mass);
    fil_v3_copy(hand->local, local);
    fil_v3_copy(hand->target, held.point);
    fil_v3_copy(hand->last, held.point);
    fil_v3_copy(hand->point, held.point);
    return FIL_OK;
}

void fil_hand_move(FilHand* hand, const double* target)
{
    fil_v3_copy(hand->target, target);
}

static FilStatus set(FilHand* hand, FilWorld* world, const double* force, const double* torque)
{
    const FilHandGrip* grip = &hand->grips[hand->held];
    FilStatus status = fil_drive_set(world, grip->force, force, 3);
    if (status == FIL_OK && grip->torque.index != 0) {
        status = fil_drive_set(world, grip->torque, torque, 3);
    }
    return status;
}

void fil_hand_release(FilHand* hand, FilWorld* world)
{
    const double none[3] = {0.0, 0.0, 0.0};
    if (hand->held >= 0 && set(hand, world, none, none) == FIL_OK) {
        fil_v3_copy(hand->pull, none);
    }
    hand->held = -1;
}

FilStatus fil_hand_pull(FilHand* hand, FilWorld* world)
{
    if (hand->held < 0) {
        return FIL_OK;
    }
    const FilHandGrip* grip = &hand->grips[hand->held];
    Held held;
    if (!see(world, grip->object, grip->part, hand->local, &held)) {
        return FIL_BAD_INPUT;
    }
    const double dt = fil_world_dt(world);
    double velocity[3], arm[3], torque[3];
    fil_v3_sub(velocity, held.point, hand->last);
    fil_v3_sub(hand->pull, hand->target, held.point);
    fil_v3_scale(hand->pull, hand->stiffness, hand->pull);
    fil_v3_axpy(hand->pull, -hand->damping / dt, velocity);
    fil_v3_set(arm, held.point[0] - held.grip.center.x, held.point[1] - held.grip.center.y, held.point[2] - held.grip.center.z);
    fil_v3_cross(torque, arm, hand->pull);
    fil_v3_copy(hand->last, held.point);
    fil_v3_copy(hand->point, held.point);
    return set(hand, world, hand->pull, torque);
}
