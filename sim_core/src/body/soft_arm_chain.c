/* Kinematics of a chain of sections. Beyond its tip a section carries the rest of the arm like a rigid body: a point at
 * the distance r from the tip moves with move + turn x r, whatever section it is on. */
#include <string.h>

#include "base/vec3.h"
#include "body/soft_arm.h"

/* out = r a for 3 x 3 matrices by rows. */
static void rotate(double* out, const double* r, const double* a)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] = r[3 * i] * a[j] + r[3 * i + 1] * a[3 + j] + r[3 * i + 2] * a[6 + j];
        }
    }
}

/* out += w x a, column by column. */
static void add_spin(double* out, const double* w, const double* a)
{
    for (int j = 0; j < 3; j++) {
        out[j] += w[1] * a[6 + j] - w[2] * a[3 + j];
        out[3 + j] += w[2] * a[j] - w[0] * a[6 + j];
        out[6 + j] += w[0] * a[3 + j] - w[1] * a[j];
    }
}

/* out += a v */
static void add_apply(double* out, const double* a, const double* v)
{
    double sum[3];
    fil_m3_apply(sum, a, v);
    fil_v3_add(out, out, sum);
}

/* How a section's own coordinates move and turn the frame at its fraction s, world frame, and the rates of that. */
static void own_blocks(const FilSoftArm* arm, const FilArmLink* link, int k, double s, const double* q, const double* v,
                       FilPose* pose, double* move, double* turn, double* move_rate, double* turn_rate)
{
    FilArcFrame local;
    fil_arc_frame(&arm->arcs[k], s, q + 4 * k, &local);
    fil_pose_compose(pose, &link->base, &local.pose);
    rotate(move, link->base.r, local.move);
    rotate(turn, link->base.r, local.turn);
    if (v != NULL) {
        FilArcRates rates;
        fil_arc_rates(&arm->arcs[k], &local, v + 4 * k, &rates);
        rotate(move_rate, link->base.r, rates.move);
        rotate(turn_rate, link->base.r, rates.turn);
        add_spin(move_rate, link->spin, move);
        add_spin(turn_rate, link->spin, turn);
    }
}

/* Velocity of a point that its section's base carries along and its coordinates move: V + W x r + move v. */
static void move_on(const FilArmLink* link, const double* point, const double* move, const double* turn,
                    const double* v, double* velocity, double* spin)
{
    double r[3];
    fil_v3_sub(r, point, link->base.p);
    fil_v3_cross(velocity, link->spin, r);
    fil_v3_add(velocity, velocity, link->velocity);
    add_apply(velocity, move, v);
    fil_v3_copy(spin, link->spin);
    add_apply(spin, turn, v);
}

void fil_soft_arm_links(const FilSoftArm* arm, const double* q, const double* v, FilArmLink* links)
{
    links[0].base = arm->base;
    fil_v3_set(links[0].velocity, 0.0, 0.0, 0.0);
    fil_v3_set(links[0].spin, 0.0, 0.0, 0.0);
    for (int k = 0; k < arm->section_count; k++) {
        FilArmLink *link = &links[k], *next = &links[k + 1];
        own_blocks(arm, link, k, 1.0, q, v, &next->base, link->move, link->turn, link->move_rate, link->turn_rate);
        if (v != NULL) {
            move_on(link, next->base.p, link->move, link->turn, v + 4 * k, next->velocity, next->spin);
        }
    }
}

const FilArmLink* fil_soft_arm_see(const FilSoftArm* constant, const double* q)
{
    FilSoftArm* arm = (FilSoftArm*)constant; // what is remembered is no part of its state
    const size_t bytes = sizeof(double) * 4 * (size_t)arm->section_count;
    if (!arm->seen || memcmp(arm->seen_q, q, bytes) != 0) {
        fil_soft_arm_links(arm, q, NULL, arm->links);
        memcpy(arm->seen_q, q, bytes);
        arm->seen = true;
    }
    return arm->links;
}

void fil_soft_arm_pose(const FilSoftArm* arm, const FilArmLink* links, const double* q, FilArmPlace place,
                       FilPose* pose)
{
    FilArcFrame local;
    fil_arc_frame(&arm->arcs[place.section], place.s, q + 4 * place.section, &local);
    fil_pose_compose(pose, &links[place.section].base, &local.pose);
}

void fil_soft_arm_frame(const FilSoftArm* arm, const FilArmLink* links, const double* q, const double* v,
                        FilArmPlace place, FilArmFrame* f)
{
    const int k = place.section;
    const FilArmLink* own = &links[k];
    f->section = k;
    own_blocks(arm, own, k, place.s, q, v, &f->pose, f->move[k], f->turn[k], f->move_rate[k], f->turn_rate[k]);
    if (v != NULL) {
        move_on(own, f->pose.p, f->move[k], f->turn[k], v + 4 * k, f->velocity, f->spin);
    }
    for (int j = 0; j < k; j++) {
        // move + turn x r, and its rate
        double r[3], back[3];
        fil_v3_sub(r, f->pose.p, links[j + 1].base.p);
        fil_v3_scale(back, -1.0, r);
        memcpy(f->turn[j], links[j].turn, sizeof f->turn[j]);
        memcpy(f->move[j], links[j].move, sizeof f->move[j]);
        add_spin(f->move[j], back, links[j].turn);
        if (v != NULL) {
            double drift[3]; // -r'
            fil_v3_sub(drift, links[j + 1].velocity, f->velocity);
            memcpy(f->turn_rate[j], links[j].turn_rate, sizeof f->turn_rate[j]);
            memcpy(f->move_rate[j], links[j].move_rate, sizeof f->move_rate[j]);
            add_spin(f->move_rate[j], back, links[j].turn_rate);
            add_spin(f->move_rate[j], drift, links[j].turn);
        }
    }
}
