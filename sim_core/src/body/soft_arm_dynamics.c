/* Inertia, Coriolis terms, gravity and loads of a soft arm, summed over slices of its sections. A slice is a thin disk
 * of mass m and, if rotation counts, of inertia I = I_t + (I_p - I_t) t t' with I_t = m R^2 / 4 and I_p = m R^2 / 2. */
#include <string.h>

#include "base/vec3.h"
#include "body/soft_arm.h"

/* ---- slices ---- */

typedef struct Slice {
    FilArmPlace place;
    double mass, across, along; /* m, I_t, I_p */
} Slice;

/* Slice i of `count` that a section is cut into. */
static Slice slice_of(const FilSoftArm* arm, int section, int i, int count)
{
    const double mass = arm->sections[section].mass / count, radius = arm->sections[section].disk_radius;
    const double across = arm->rotational_energy ? 0.25 * mass * radius * radius : 0.0;
    return (Slice){{section, (i + 0.5) / count}, mass, across, 2.0 * across};
}

/* Slice p of all that the arm is cut into: those of its sections, then the disk of a free base. */
static int slice_count(const FilSoftArm* arm)
{
    return arm->section_count * arm->mass_points + (arm->free_base ? 1 : 0);
}

static Slice slice_at(const FilSoftArm* arm, int p)
{
    if (p < arm->section_count * arm->mass_points) {
        return slice_of(arm, p / arm->mass_points, p % arm->mass_points, arm->mass_points);
    }
    const double radius = arm->disks[0].radius, across = 0.25 * arm->base_mass * radius * radius;
    return (Slice){{0, 0.0}, arm->base_mass, across, 2.0 * across};
}

/* out = I a */
static void apply_inertia(double* out, const Slice* slice, const FilArmFrame* frame, const double* a)
{
    double tangent[3];
    fil_pose_axis(tangent, &frame->pose, 2);
    fil_v3_scale(out, slice->across, a);
    fil_v3_axpy(out, (slice->along - slice->across) * fil_v3_dot(tangent, a), tangent);
}

/* ---- small algebra on 3 x 3 blocks inside a 4 n x 4 n matrix ---- */

/* Block (j, i) += factor a' b */
static void add_product(double* matrix, int n, int j, int i, double factor, const double* a, const double* b)
{
    for (int r = 0; r < 3; r++) {
        double* row = matrix + (size_t)(4 * j + r) * (size_t)n + 4 * i;
        for (int c = 0; c < 3; c++) {
            row[c] += factor * (a[r] * b[c] + a[3 + r] * b[3 + c] + a[6 + r] * b[6 + c]);
        }
    }
}

/* out += factor a' f */
static void add_transposed(double* out, double factor, const double* a, const double* f)
{
    double sum[3];
    fil_m3_apply_transposed(sum, a, f);
    fil_v3_axpy(out, factor, sum);
}

/* sum a_j v_j over the frame's blocks */
static void sum_apply(double* out, const FilArmFrame* frame, const double (*blocks)[9], const double* v)
{
    fil_v3_set(out, 0.0, 0.0, 0.0);
    for (int b = 0; b < frame->block_count; b++) {
        const int j = frame->block[b];
        double part[3];
        fil_m3_apply(part, blocks[j], v + 4 * j);
        fil_v3_add(out, out, part);
    }
}

/* Columns of I a, for a block a. */
static void inertia_times(double* out, const Slice* slice, const FilArmFrame* frame, const double* a)
{
    for (int c = 0; c < 3; c++) {
        const double column[3] = {a[c], a[3 + c], a[6 + c]};
        double turned[3];
        apply_inertia(turned, slice, frame, column);
        out[c] = turned[0], out[3 + c] = turned[1], out[6 + c] = turned[2];
    }
}

static size_t matrix_bytes(const FilSoftArm* arm)
{
    const size_t n = (size_t)fil_soft_arm_unknowns(arm);
    return sizeof(double) * n * n;
}

/* ---- parts of the equations of motion ---- */

/* M += m move' move + turn' I turn, lower triangle. */
static void add_mass(const FilSoftArm* arm, const Slice* slice, const FilArmFrame* frame, double* mass)
{
    const int n = fil_soft_arm_unknowns(arm);
    for (int b = 0; b < frame->block_count; b++) {
        const int j = frame->block[b];
        double turned[9];
        if (slice->across > 0.0) {
            inertia_times(turned, slice, frame, frame->turn[j]);
        }
        for (int a = 0; a <= b; a++) {
            const int i = frame->block[a];
            add_product(mass, n, j, i, slice->mass, frame->move[j], frame->move[i]);
            if (slice->across > 0.0) {
                add_product(mass, n, j, i, 1.0, turned, frame->turn[i]);
            }
        }
    }
}

/* Both triangles, and 1 for idle unknowns. */
static void complete(const FilSoftArm* arm, double* mass)
{
    const int n = fil_soft_arm_unknowns(arm);
    for (int r = 0; r < n; r++) {
        for (int c = 0; c < r; c++) {
            mass[c * n + r] = mass[r * n + c];
        }
        if (r % 4 == 3) {
            mass[r * n + r] = 1.0;
        }
    }
}

/* force -= m move' (move_rate v) + turn' (I turn_rate v + w x I w) */
static void add_coriolis(const Slice* slice, const FilArmFrame* frame, const double* v, double* force)
{
    double acceleration[3], torque[3] = {0.0}, turning[3], spin_momentum[3], gyro[3];
    sum_apply(acceleration, frame, frame->move_rate, v);
    if (slice->across > 0.0) {
        sum_apply(turning, frame, frame->turn_rate, v);
        apply_inertia(torque, slice, frame, turning);
        apply_inertia(spin_momentum, slice, frame, frame->spin);
        fil_v3_cross(gyro, frame->spin, spin_momentum);
        fil_v3_add(torque, torque, gyro);
    }
    for (int b = 0; b < frame->block_count; b++) {
        const int j = frame->block[b];
        add_transposed(force + 4 * j, -slice->mass, frame->move[j], acceleration);
        if (slice->across > 0.0) {
            add_transposed(force + 4 * j, -1.0, frame->turn[j], torque);
        }
    }
}

/* force += J' F of the loads on disks. */
static void add_loads(const FilSoftArm* arm, const FilArmLink* links, const double* q, double* force)
{
    FilArmFrame frame;
    for (int d = 0; d < arm->disk_count && arm->loaded; d++) {
        const double* wrench = arm->wrench + 6 * d;
        if (fil_v3_dot(wrench, wrench) + fil_v3_dot(wrench + 3, wrench + 3) == 0.0) {
            continue;
        }
        fil_soft_arm_frame(arm, links, q, NULL, arm->disks[d].place, &frame);
        for (int b = 0; b < frame.block_count; b++) {
            const int j = frame.block[b];
            add_transposed(force + 4 * j, 1.0, frame.move[j], wrench);
            add_transposed(force + 4 * j, 1.0, frame.turn[j], wrench + 3);
        }
    }
}

void fil_soft_arm_dynamics(const FilSoftArm* arm, const double* q, const double* v, const double* gravity, double* mass, double* force)
{
    FilArmLink links[FIL_ARM_SECTIONS + 1];
    FilArmFrame frame;
    const bool full = arm->coriolis == FIL_ARM_CORIOLIS_FULL;
    memset(mass, 0, matrix_bytes(arm));
    memset(force, 0, sizeof(double) * (size_t)fil_soft_arm_unknowns(arm));
    fil_soft_arm_links(arm, q, arm->coriolis == FIL_ARM_CORIOLIS_NONE ? NULL : v, links);
    for (int p = 0; p < slice_count(arm); p++) {
        const Slice slice = slice_at(arm, p);
        fil_soft_arm_frame(arm, links, q, full ? v : NULL, slice.place, &frame);
        add_mass(arm, &slice, &frame, mass);
        for (int b = 0; b < frame.block_count; b++) {
            add_transposed(force + 4 * frame.block[b], slice.mass, frame.move[frame.block[b]], gravity);
        }
        if (full) {
            add_coriolis(&slice, &frame, v, force);
        }
    }
    for (int k = 0; k < arm->section_count && arm->coriolis == FIL_ARM_CORIOLIS_LUMPED; k++) {
        const Slice whole = slice_of(arm, k, 0, 1);
        fil_soft_arm_frame(arm, links, q, v, whole.place, &frame);
        add_coriolis(&whole, &frame, v, force);
    }
    complete(arm, mass);
    add_loads(arm, links, q, force);
}

void fil_soft_arm_mass(const FilSoftArm* arm, const double* q, double* mass)
{
    FilArmFrame frame;
    FilArmLink links[FIL_ARM_SECTIONS + 1];
    fil_soft_arm_links(arm, q, NULL, links);
    memset(mass, 0, matrix_bytes(arm));
    for (int p = 0; p < slice_count(arm); p++) {
        const Slice slice = slice_at(arm, p);
        fil_soft_arm_frame(arm, links, q, NULL, slice.place, &frame);
        add_mass(arm, &slice, &frame, mass);
    }
    complete(arm, mass);
}

/* C += m move' move_rate + turn' (I turn_rate + X turn), where X w = w x I w and I' - 2 X is skew:
 * X = ([w] I - I [w] - [I w]) / 2. */
void fil_soft_arm_coriolis(const FilSoftArm* arm, const double* q, const double* v, double* coriolis)
{
    const int n = fil_soft_arm_unknowns(arm);
    FilArmFrame frame;
    FilArmLink links[FIL_ARM_SECTIONS + 1];
    fil_soft_arm_links(arm, q, v, links);
    memset(coriolis, 0, matrix_bytes(arm));
    for (int p = 0; p < slice_count(arm); p++) {
        const Slice slice = slice_at(arm, p);
        fil_soft_arm_frame(arm, links, q, v, slice.place, &frame);
        double momentum[3];
        apply_inertia(momentum, &slice, &frame, frame.spin);
        for (int a = 0; a < frame.block_count; a++) {
            const int i = frame.block[a];
            double block[9];
            for (int c = 0; c < 3; c++) {
                const double turn[3] = {frame.turn[i][c], frame.turn[i][3 + c], frame.turn[i][6 + c]};
                const double rate[3] = {frame.turn_rate[i][c], frame.turn_rate[i][3 + c], frame.turn_rate[i][6 + c]};
                double sum[3], turned[3], crossed[3], term[3];
                apply_inertia(sum, &slice, &frame, rate);
                apply_inertia(turned, &slice, &frame, turn);
                fil_v3_cross(term, frame.spin, turned);
                fil_v3_axpy(sum, 0.5, term);
                fil_v3_cross(crossed, frame.spin, turn);
                apply_inertia(term, &slice, &frame, crossed);
                fil_v3_axpy(sum, -0.5, term);
                fil_v3_cross(term, momentum, turn);
                fil_v3_axpy(sum, -0.5, term);
                block[c] = sum[0], block[3 + c] = sum[1], block[6 + c] = sum[2];
            }
            for (int b = 0; b < frame.block_count; b++) {
                const int j = frame.block[b];
                add_product(coriolis, n, j, i, slice.mass, frame.move[j], frame.move_rate[i]);
                add_product(coriolis, n, j, i, 1.0, frame.turn[j], block);
            }
        }
    }
}

/* ---- measures ---- */

void fil_soft_arm_energy(const FilSoftArm* arm, const double* q, const double* v, const double* gravity, FilEnergy* add_to)
{
    FilArmFrame frame;
    FilArmLink links[FIL_ARM_SECTIONS + 1];
    fil_soft_arm_links(arm, q, v, links);
    for (int p = 0; p < slice_count(arm); p++) {
        const Slice slice = slice_at(arm, p);
        double momentum[3];
        fil_soft_arm_frame(arm, links, q, v, slice.place, &frame);
        apply_inertia(momentum, &slice, &frame, frame.spin);
        add_to->kinetic += 0.5 * (slice.mass * fil_v3_dot(frame.velocity, frame.velocity) + fil_v3_dot(frame.spin, momentum));
        add_to->gravity -= slice.mass * fil_v3_dot(gravity, frame.pose.p);
    }
    for (int k = 0; k < arm->section_count; k++) {
        add_to->elastic += 0.5 * fil_soft_arm_stiffness(arm, k) * fil_v3_dot(q + 4 * k, q + 4 * k);
    }
}

void fil_soft_arm_momentum(const FilSoftArm* arm, const double* q, const double* v, double* linear, double* angular)
{
    FilArmFrame frame;
    FilArmLink links[FIL_ARM_SECTIONS + 1];
    fil_soft_arm_links(arm, q, v, links);
    for (int p = 0; p < slice_count(arm); p++) {
        const Slice slice = slice_at(arm, p);
        double spin[3], moment[3];
        fil_soft_arm_frame(arm, links, q, v, slice.place, &frame);
        fil_v3_axpy(linear, slice.mass, frame.velocity);
        fil_v3_cross(moment, frame.pose.p, frame.velocity);
        fil_v3_axpy(angular, slice.mass, moment);
        apply_inertia(spin, &slice, &frame, frame.spin);
        fil_v3_add(angular, angular, spin);
    }
}
