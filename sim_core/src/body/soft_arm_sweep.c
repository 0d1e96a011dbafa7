/* How the velocity of what lies at a point of a soft arm's disk varies with the arm's place, in reverse: see sweep() in body/derivative.h. */
#include "base/vec3.h"
#include "body/soft_arm.h"
#include "body/soft_arm_jet.h"

static void add_cross(double* out, const double* a, const double* b)
{
    double product[3];
    fil_v3_cross(product, a, b);
    fil_v3_add(out, out, product);
}

/* Sections up to a disk's own: the frame at the end of each, or at the disk, in the axes of its base, and how that base stands and moves. */
typedef struct Reach {
    int count;
    FilArcFrame local[FIL_ARM_SECTIONS];
    FilPose base[FIL_ARM_SECTIONS + 1];  // the last: the disk
    double velocity[FIL_ARM_SECTIONS + 1][3], spin[FIL_ARM_SECTIONS + 1][3];
} Reach;

static void place_reach(const FilSoftArm* arm, FilArmPlace place, Reach* reach)
{
    reach->count = place.section + 1;
    reach->base[0] = arm->base;
    for (int k = 0; k < reach->count; k++) {
        fil_arc_frame(&arm->arcs[k], k < place.section ? 1.0 : place.s, arm->q0 + 4 * k, &reach->local[k]);
        fil_pose_compose(&reach->base[k + 1], &reach->base[k], &reach->local[k].pose);
    }
}

static void move_reach(Reach* reach, const double* z)
{
    fil_v3_set(reach->velocity[0], 0.0, 0.0, 0.0);
    fil_v3_set(reach->spin[0], 0.0, 0.0, 0.0);
    for (int k = 0; k < reach->count; k++) {
        double along[3], own[3], turned[3];
        fil_v3_sub(along, reach->base[k + 1].p, reach->base[k].p);
        fil_m3_apply(own, reach->local[k].move, z + 4 * k);
        fil_m3_apply(turned, reach->base[k].r, own);
        fil_v3_add(reach->velocity[k + 1], reach->velocity[k], turned);
        add_cross(reach->velocity[k + 1], reach->spin[k], along);
        fil_m3_apply(own, reach->local[k].turn, z + 4 * k);
        fil_m3_apply(turned, reach->base[k].r, own);
        fil_v3_add(reach->spin[k + 1], reach->spin[k], turned);
    }
}

/* place += (base' a)' map, of a section's 3 x 3 block. */
static void add_weighed(const FilPose* base, const double* map, const double* a, double* place)
{
    double own[3], sum[3];
    fil_m3_apply_transposed(own, base->r, a);
    fil_m3_apply_transposed(sum, map, own);
    fil_v3_add(place, place, sum);
}

/* V(x) = c' + omega x (x - c), c' and omega linear in z: of the disk's motion w, c' changes by D_w c' = D_z (c' of w), which is symmetric, and omega
 * by D_w omega = D_z (omega of w) + (omega of w) x omega, as rotations do not commute. Of section k, whose base spins with W and whose end is at X,
 * c' of w is move w + turn w x (c - X) and omega of w is turn w, whose rates W turns, too. */
void fil_soft_arm_sweep(const void* pointer, int index, int part, const double* point, int count, const double (*forces)[3], const double* const* z,
                        double* place)
{
    (void)part;
    const FilSoftArm* arm = pointer;
    Reach reach;
    place_reach(arm, arm->disks[index].place, &reach);
    const double* c = reach.base[reach.count].p;
    double r[3];
    fil_v3_sub(r, point, c);
    for (int i = 0; i < count; i++) {
        const double* f = forces[i];
        double moment[3], across[3], twist[3];
        move_reach(&reach, z[i]);
        fil_v3_cross(moment, r, f);
        fil_v3_cross(across, f, reach.spin[reach.count]);
        fil_v3_cross(twist, reach.spin[reach.count], moment);
        for (int k = 0; k < reach.count; k++) {
            const double* w = reach.spin[k];
            double beyond[3], apart[3], by_move[3], by_turn[3], by_turn_rate[3], turned[3];
            FilArcRates rates;
            fil_arc_rates(&arm->arcs[k], &reach.local[k], z[i] + 4 * k, &rates);
            fil_v3_sub(beyond, c, reach.base[k + 1].p);
            fil_v3_sub(apart, reach.velocity[reach.count], reach.velocity[k + 1]);
            fil_v3_cross(turned, w, beyond);
            fil_v3_sub(apart, apart, turned);
            fil_v3_cross(by_move, f, w);
            fil_v3_sub(by_move, by_move, across);
            fil_v3_cross(by_turn, apart, f);
            add_cross(by_turn, beyond, by_move);
            add_cross(by_turn, moment, w);
            fil_v3_add(by_turn, by_turn, twist);
            fil_v3_cross(by_turn_rate, beyond, f);
            fil_v3_add(by_turn_rate, by_turn_rate, moment);
            add_weighed(&reach.base[k], reach.local[k].move, by_move, place + 4 * k);
            add_weighed(&reach.base[k], reach.local[k].turn, by_turn, place + 4 * k);
            add_weighed(&reach.base[k], rates.move, f, place + 4 * k);
            add_weighed(&reach.base[k], rates.turn, by_turn_rate, place + 4 * k);
        }
    }
}
