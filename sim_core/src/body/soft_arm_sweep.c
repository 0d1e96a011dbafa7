/* How the velocity of what lies at a point of a soft arm's disk varies with the arm's place, in reverse: see sweep() in body/derivative.h. */
#include <string.h>

#include "base/memory.h"
#include "base/svd3.h"
#include "base/vec3.h"
#include "body/soft_arm.h"
#include "body/soft_arm_jet.h"

static void add_cross(double* out, const double* a, const double* b)
{
    double product[3];
    fil_v3_cross(product, a, b);
    fil_v3_add(out, out, product);
}

/* The end of a section, or a disk in it: where it is, how it moves and turns with the section's coordinates, and how each of these changes that; in
 * the world's axes. */
typedef struct Joint {
    FilPose pose;
    FilArcRates rates, by[3];
} Joint;

/* Sections up to a disk's own; the last is the disk. */
typedef struct Reach {
    int count;
    const Joint* joints[FIL_ARM_SECTIONS];
    const double* base; /* where the first begins */
    const double* disk; /* where the disk is */
} Reach;

/* Ends of all sections at the place seen last. */
struct FilArmJoints {
    bool seen;
    double q[4 * FIL_ARM_SECTIONS];
    FilPose base;
    FilArmPlace place; /* of the disk seen last, on this; section -1: none */
    Joint disk;
    Joint ends[];
};

static void take_joint(const FilArc* arc, const FilPose* base, double s, const double* q, Joint* joint)
{
    static const double units[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    FilArcFrame frame;
    fil_arc_frame(arc, s, q, &frame);
    fil_pose_compose(&joint->pose, base, &frame.pose);
    fil_m3_multiply(joint->rates.move, base->r, frame.move);
    fil_m3_multiply(joint->rates.turn, base->r, frame.turn);
    for (int k = 0; k < 3; k++) {
        FilArcRates own;
        fil_arc_rates(arc, &frame, units[k], &own);
        fil_m3_multiply(joint->by[k].move, base->r, own.move);
        fil_m3_multiply(joint->by[k].turn, base->r, own.turn);
    }
}

/* NULL if there is no room. */
static struct FilArmJoints* see_ends(const FilSoftArm* constant)
{
    FilSoftArm* arm = (FilSoftArm*)constant;  // what is remembered is no part of its state
    const size_t count = (size_t)arm->section_count, bytes = 4 * sizeof(double) * count;
    if (arm->joints == NULL && (arm->joints = fil_alloc(1, sizeof *arm->joints + count * sizeof(Joint))) == NULL) {
        return NULL;
    }
    struct FilArmJoints* seen = arm->joints;
    if (!seen->seen || memcmp(seen->q, arm->q0, bytes) != 0 || memcmp(&seen->base, &arm->base, sizeof arm->base) != 0) {
        for (size_t k = 0; k < count; k++) {
            take_joint(&arm->arcs[k], k > 0 ? &seen->ends[k - 1].pose : &arm->base, 1.0, arm->q0 + 4 * k, &seen->ends[k]);
        }
        memcpy(seen->q, arm->q0, bytes);
        seen->base = arm->base;
        seen->seen = true;
        seen->place.section = -1;
    }
    return seen;
}

/* `own` is for where none are remembered. */
static void place_reach(const FilSoftArm* arm, FilArmPlace place, Joint own[FIL_ARM_SECTIONS], Reach* reach)
{
    struct FilArmJoints* seen = see_ends(arm);
    const FilPose* base = &arm->base;
    reach->count = place.section + 1;
    reach->base = base->p;
    for (int k = 0; k < reach->count; k++) {
        Joint* joint = seen == NULL ? &own[k] : k < place.section ? &seen->ends[k] : &seen->disk;
        const bool remembered = seen != NULL && (k < place.section || (seen->place.section == k && seen->place.s == place.s));
        if (!remembered) {
            take_joint(&arm->arcs[k], base, k < place.section ? 1.0 : place.s, arm->q0 + 4 * k, joint);
        }
        reach->joints[k] = joint;
        base = &joint->pose;
    }
    reach->disk = base->p;
    if (seen != NULL) {
        seen->place = place;
    }
}

/* Velocities and spins of the bases. */
static void move_reach(const Reach* reach, const double* z, double (*velocity)[3], double (*spin)[3])
{
    fil_v3_set(velocity[0], 0.0, 0.0, 0.0);
    fil_v3_set(spin[0], 0.0, 0.0, 0.0);
    for (int k = 0; k < reach->count; k++) {
        const Joint* joint = reach->joints[k];
        double along[3], own[3];
        fil_v3_sub(along, joint->pose.p, k > 0 ? reach->joints[k - 1]->pose.p : reach->base);
        fil_m3_apply(own, joint->rates.move, z + 4 * k);
        fil_v3_add(velocity[k + 1], velocity[k], own);
        add_cross(velocity[k + 1], spin[k], along);
        fil_m3_apply(own, joint->rates.turn, z + 4 * k);
        fil_v3_add(spin[k + 1], spin[k], own);
    }
}

/* What weighs on a section, summed over forces: on move and turn, and on their rates by each coordinate. */
typedef struct Weights {
    double move[3], turn[3], move_by[3][3], turn_by[3][3];
} Weights;

/* Of one force; `beyond` is from the end of section k to the disk. */
static void weigh(const Reach* reach, const double* force, const double* z, const double* r, Weights* weights)
{
    double velocity[FIL_ARM_SECTIONS + 1][3], spin[FIL_ARM_SECTIONS + 1][3], moment[3], across[3], twist[3];
    move_reach(reach, z, velocity, spin);
    fil_v3_cross(moment, r, force);
    fil_v3_cross(across, force, spin[reach->count]);
    fil_v3_cross(twist, spin[reach->count], moment);
    for (int k = 0; k < reach->count; k++) {
        Weights* own = &weights[k];
        double beyond[3], apart[3], by_move[3], by_turn_rate[3], turned[3];
        fil_v3_sub(beyond, reach->disk, reach->joints[k]->pose.p);
        fil_v3_sub(apart, velocity[reach->count], velocity[k + 1]);
        fil_v3_cross(turned, spin[k], beyond);
        fil_v3_sub(apart, apart, turned);
        fil_v3_cross(by_move, force, spin[k]);
        fil_v3_sub(by_move, by_move, across);
        fil_v3_add(own->move, own->move, by_move);
        add_cross(own->turn, apart, force);
        add_cross(own->turn, beyond, by_move);
        add_cross(own->turn, moment, spin[k]);
        fil_v3_add(own->turn, own->turn, twist);
        fil_v3_cross(by_turn_rate, beyond, force);
        fil_v3_add(by_turn_rate, by_turn_rate, moment);
        for (int c = 0; c < 3; c++) {
            fil_v3_axpy(own->move_by[c], z[4 * k + c], force);
            fil_v3_axpy(own->turn_by[c], z[4 * k + c], by_turn_rate);
        }
    }
}

/* place += map' a, of a section's 3 x 3 block. */
static void add_weighed(const double* map, const double* a, double* place)
{
    double sum[3];
    fil_m3_apply_transposed(sum, map, a);
    fil_v3_add(place, place, sum);
}

/* V(x) = c' + omega x (x - c), c' and omega linear in z: of the disk's motion w, c' changes by D_w c' = D_z (c' of w), which is symmetric, and omega
 * by D_w omega = D_z (omega of w) + (omega of w) x omega, as rotations do not commute. Of section k, whose base spins with W and whose end is at X,
 * c' of w is move w + turn w x (c - X) and omega of w is turn w, whose rates W turns, too. */
void fil_soft_arm_sweep(const void* pointer, int index, int part, const double* point, int count, const double (*forces)[3], const double* const* z,
                        double* place, double* by_point)
{
    (void)by_point;
    (void)part;
    const FilSoftArm* arm = pointer;
    Joint own[FIL_ARM_SECTIONS];
    Reach reach;
    Weights weights[FIL_ARM_SECTIONS];
    double r[3];
    place_reach(arm, arm->disks[index].place, own, &reach);
    memset(weights, 0, sizeof *weights * (size_t)reach.count);
    fil_v3_sub(r, point, reach.disk);
    for (int i = 0; i < count; i++) {
        weigh(&reach, forces[i], z[i], r, weights);
    }
    for (int k = 0; k < reach.count; k++) {
        const Joint* joint = reach.joints[k];
        add_weighed(joint->rates.move, weights[k].move, place + 4 * k);
        add_weighed(joint->rates.turn, weights[k].turn, place + 4 * k);
        for (int c = 0; c < 3; c++) {
            add_weighed(joint->by[c].move, weights[k].move_by[c], place + 4 * k);
            add_weighed(joint->by[c].turn, weights[k].turn_by[c], place + 4 * k);
        }
    }
}
