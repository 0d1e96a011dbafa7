/* Kinematics of a chain of sections. Beyond its tip a section carries the rest of the arm like a rigid body: a point at
 * the distance r from the tip moves with move + turn x r, whatever section it is on. */
#include <math.h>
#include <string.h>

#include "base/quat.h"
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
static void own_blocks(const FilSoftArm* arm, const FilArmLink* link, int k, double s, const double* q, const double* v, FilPose* pose, double* move,
                       double* turn, double* move_rate, double* turn_rate)
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
static void move_on(const FilArmLink* link, const double* point, const double* move, const double* turn, const double* v, double* velocity,
                    double* spin)
{
    double r[3];
    fil_v3_sub(r, point, link->base.p);
    fil_v3_cross(velocity, link->spin, r);
    fil_v3_add(velocity, velocity, link->velocity);
    add_apply(velocity, move, v);
    fil_v3_copy(spin, link->spin);
    add_apply(spin, turn, v);
}

/* Where a free base stands: position, an idle number, orientation. */
static FilQuat base_orientation(const FilSoftArm* arm, const double* q)
{
    const double* o = q + 4 * arm->section_count + 4;
    return (FilQuat){o[0], o[1], o[2], o[3]};
}

void fil_soft_arm_move(const FilSoftArm* arm, const double* q, const double* v, double dt, double* q1)
{
    for (int k = 0; k < 4 * arm->section_count; k++) {
        q1[k] = k % 4 == 3 ? 0.0 : q[k] + dt * v[k];
    }
    if (arm->free_base) {
        const int base = 4 * arm->section_count;
        double turn[3];
        fil_v3_copy(q1 + base, q + base);
        fil_v3_axpy(q1 + base, dt, v + base);
        q1[base + 3] = 0.0;
        fil_v3_scale(turn, dt, v + base + 4);
        const FilQuat o = fil_quat_multiply(fil_quat_exponential(turn), base_orientation(arm, q));
        const double scale = 1.0 / sqrt(o.x * o.x + o.y * o.y + o.z * o.z + o.w * o.w);
        q1[base + 4] = scale * o.x, q1[base + 5] = scale * o.y, q1[base + 6] = scale * o.z, q1[base + 7] = scale * o.w;
    }
}

/* Pose and motion of the base. */
static void place_base(const FilSoftArm* arm, const double* q, const double* v, FilArmLink* link)
{
    const int base = 4 * arm->section_count;
    link->base = arm->base;
    fil_v3_set(link->velocity, 0.0, 0.0, 0.0);
    fil_v3_set(link->spin, 0.0, 0.0, 0.0);
    if (arm->free_base) {
        fil_v3_copy(link->base.p, q + base);
        fil_m3_from_quat(link->base.r, base_orientation(arm, q));
    }
    if (arm->free_base && v != NULL) {
        fil_v3_copy(link->velocity, v + base);
        fil_v3_copy(link->spin, v + base + 4);
    }
}

void fil_soft_arm_links(const FilSoftArm* arm, const double* q, const double* v, FilArmLink* links)
{
    place_base(arm, q, v, &links[0]);
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
    FilSoftArm* arm = (FilSoftArm*)constant;  // what is remembered is no part of its state
    const size_t bytes = sizeof(double) * (size_t)fil_soft_arm_unknowns(arm);
    if (!arm->seen || memcmp(arm->seen_q, q, bytes) != 0) {
        fil_soft_arm_links(arm, q, NULL, arm->links);
        memcpy(arm->seen_q, q, bytes);
        arm->seen = true;
    }
    return arm->links;
}

void fil_soft_arm_pose(const FilSoftArm* arm, const FilArmLink* links, const double* q, FilArmPlace place, FilPose* pose)
{
    FilArcFrame local;
    fil_arc_frame(&arm->arcs[place.section], place.s, q + 4 * place.section, &local);
    fil_pose_compose(pose, &links[place.section].base, &local.pose);
}

/* The base carries everything along: velocity V + W x r, spin W, with r from the base. */
static void add_base_blocks(const FilSoftArm* arm, const FilArmLink* links, const double* v, FilArmFrame* f)
{
    static const double unit[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    const int along = arm->section_count, about = along + 1;
    double back[3], drift[3];
    f->block[f->block_count++] = along;
    f->block[f->block_count++] = about;
    memcpy(f->move[along], unit, sizeof unit);
    memset(f->turn[along], 0, sizeof unit);
    memset(f->move[about], 0, sizeof unit);
    memcpy(f->turn[about], unit, sizeof unit);
    fil_v3_sub(back, links[0].base.p, f->pose.p);
    add_spin(f->move[about], back, unit);
    if (v != NULL) {
        memset(f->move_rate[along], 0, sizeof unit);
        memset(f->turn_rate[along], 0, sizeof unit);
        memset(f->move_rate[about], 0, sizeof unit);
        memset(f->turn_rate[about], 0, sizeof unit);
        fil_v3_sub(drift, links[0].velocity, f->velocity);
        add_spin(f->move_rate[about], drift, unit);
    }
}

void fil_soft_arm_frame(const FilSoftArm* arm, const FilArmLink* links, const double* q, const double* v, FilArmPlace place, FilArmFrame* f)
{
    const int k = place.section;
    const FilArmLink* own = &links[k];
    f->section = k;
    f->block_count = 0;
    for (int j = 0; j <= k; j++) {
        f->block[f->block_count++] = j;
    }
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
            double drift[3];  // -r'
            fil_v3_sub(drift, links[j + 1].velocity, f->velocity);
            memcpy(f->turn_rate[j], links[j].turn_rate, sizeof f->turn_rate[j]);
            memcpy(f->move_rate[j], links[j].move_rate, sizeof f->move_rate[j]);
            add_spin(f->move_rate[j], back, links[j].turn_rate);
            add_spin(f->move_rate[j], drift, links[j].turn);
        }
    }
    if (arm->free_base) {
        add_base_blocks(arm, links, v, f);
    }
}

bool fil_soft_arm_has_length(const FilSoftArm* arm, const double* q)
{
    for (int k = 0; k < arm->section_count; k++) {
        double bending[2], length;
        fil_arc_shape(&arm->arcs[k], q + 4 * k, bending, &length);
        if (!(length > 0.0)) {
            return false;
        }
    }
    return true;
}
