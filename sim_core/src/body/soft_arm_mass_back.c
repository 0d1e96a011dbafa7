/* How a weighted sum of entries of a soft arm's mass matrix follows its place, in reverse: of
 *     F = w' M z + sum over sections of <W_k, M_kk>,
 * with W_k on the diagonal blocks. Slices at p(y) of a section, in the axes of its base, have V = V_0 + W x p + move y' and the spin W + turn y'. The
 * first sum goes out along the sections with the motions of z and w, and back with their momenta: by its base's motion of z a section's share of F is
 * the momentum of w of all that it carries. In the second only section k moves, and what it carries does so as one rigid body, of the mass m, first
 * moment h and second moment I about the section's tip: these come in along the sections, and their weights go out. */
#include <string.h>

#include "base/vec3.h"
#include "body/soft_arm.h"
#include "body/soft_arm_jet.h"

/* Motion of a section's base in its own axes, or what weighs on it: linear and angular. */
typedef struct Motion {
    double linear[3], angular[3];
} Motion;

/* What a section carries, about its tip and in the axes there, or what weighs on that. */
typedef struct Inertia {
    double mass, first[3], second[9];
} Inertia;

/* A slice: p, move and turn of its place, with the mass and how it resists turning: across + more t t'. */
typedef struct Slice {
    const FilArcJet* arc;
    double mass, across, more, axis[3];
} Slice;

typedef struct Work {
    const FilSoftArm* arm;
    const FilArcJet* jets; /* of each section: slices, then the tip */
    Motion motion[2][FIL_ARM_SECTIONS + 1];
    double rate[2][FIL_ARM_SECTIONS][3]; /* y' of z and w */
    Inertia carried[FIL_ARM_SECTIONS + 1];
} Work;

static const FilArcJet* jet_of(const Work* work, int section, int i)
{
    return work->jets + (size_t)section * (size_t)(work->arm->mass_points + 1) + i;
}

static Slice slice_of(const Work* work, int section, int i)
{
    const FilArmSection* def = &work->arm->sections[section];
    const double mass = def->mass / work->arm->mass_points;
    const double across = work->arm->rotational_energy ? 0.25 * mass * def->disk_radius * def->disk_radius : 0.0;
    const FilArcJet* arc = jet_of(work, section, i);
    return (Slice){arc, mass, across, across, {arc->rotation[2], arc->rotation[5], arc->rotation[8]}};
}

static void add_cross(double* out, const double* a, const double* b)
{
    double product[3];
    fil_v3_cross(product, a, b);
    fil_v3_add(out, out, product);
}

/* out = sum of columns c times x_c. */
static void combine(double* out, const double columns[3][3], const double* x)
{
    for (int k = 0; k < 3; k++) {
        out[k] = columns[0][k] * x[0] + columns[1][k] * x[1] + columns[2][k] * x[2];
    }
}

/* ---- w' M z ---- */

/* Motion of a place of a section, in the axes of its base. */
static Motion move_place(const FilArcJet* arc, const Motion* base, const double* rate)
{
    Motion out;
    combine(out.linear, arc->move, rate);
    fil_v3_add(out.linear, out.linear, base->linear);
    add_cross(out.linear, base->angular, arc->p);
    combine(out.angular, arc->turn, rate);
    fil_v3_add(out.angular, out.angular, base->angular);
    return out;
}

/* How that varies with the shape y_a. */
static Motion vary_place(const FilArcJet* arc, const Motion* base, const double* rate, int a)
{
    Motion out;
    combine(out.linear, arc->move2[a], rate);  // the same in any order
    add_cross(out.linear, base->angular, arc->move[a]);
    for (int k = 0; k < 3; k++) {
        out.angular[k] = arc->turn_by[0][a][k] * rate[0] + arc->turn_by[1][a][k] * rate[1] + arc->turn_by[2][a][k] * rate[2];
    }
    return out;
}

static void set_motions(Work* work, const double* const x[2])
{
    for (int side = 0; side < 2; side++) {
        work->motion[side][0] = (Motion){.linear = {0.0}};
        for (int k = 0; k < work->arm->section_count; k++) {
            const FilArcJet* tip = jet_of(work, k, work->arm->mass_points);
            fil_m3_apply(work->rate[side][k], work->arm->arcs[k].shape, x[side] + 4 * k);
            const Motion at = move_place(tip, &work->motion[side][k], work->rate[side][k]);
            fil_m3_apply_transposed(work->motion[side][k + 1].linear, tip->rotation, at.linear);
            fil_m3_apply_transposed(work->motion[side][k + 1].angular, tip->rotation, at.angular);
        }
    }
}

/* Momentum of a slice, and to[a] += how its share of w' M z varies with y_a. */
static void vary_slice(const Slice* slice, const Motion base[2], double rate[2][3], Motion momentum[2], double* to)
{
    const FilArcJet* arc = slice->arc;
    const double* t = slice->axis;
    Motion motion[2];
    for (int side = 0; side < 2; side++) {
        motion[side] = move_place(arc, &base[side], rate[side]);
        fil_v3_scale(momentum[side].linear, slice->mass, motion[side].linear);
        fil_v3_scale(momentum[side].angular, slice->across, motion[side].angular);
        fil_v3_axpy(momentum[side].angular, slice->more * fil_v3_dot(t, motion[side].angular), t);
    }
    const double along[2] = {fil_v3_dot(t, motion[0].angular), fil_v3_dot(t, motion[1].angular)};
    for (int a = 0; a < 3; a++) {
        double turned[3];
        fil_v3_cross(turned, arc->turn[a], t);
        for (int side = 0; side < 2; side++) {
            const Motion change = vary_place(arc, &base[side], rate[side], a);
            to[a] += fil_v3_dot(change.linear, momentum[1 - side].linear) + fil_v3_dot(change.angular, momentum[1 - side].angular) +
                     slice->more * fil_v3_dot(turned, motion[side].angular) * along[1 - side];
        }
    }
}

/* The same of the tip, where what comes after has the momentum `beyond` in its axes; momentum receives it in those of the base. */
static void vary_tip(const FilArcJet* tip, const Motion base[2], double rate[2][3], const Motion beyond[2], Motion momentum[2], double* to)
{
    for (int side = 0; side < 2; side++) {
        fil_m3_apply(momentum[side].linear, tip->rotation, beyond[side].linear);
        fil_m3_apply(momentum[side].angular, tip->rotation, beyond[side].angular);
    }
    for (int side = 0; side < 2; side++) {
        const Motion motion = move_place(tip, &base[side], rate[side]);
        for (int a = 0; a < 3; a++) {  // d(R' x) = R' (dx - turn x x)
            Motion change = vary_place(tip, &base[side], rate[side], a);
            double turned[3];
            fil_v3_cross(turned, tip->turn[a], motion.linear);
            fil_v3_axpy(change.linear, -1.0, turned);
            fil_v3_cross(turned, tip->turn[a], motion.angular);
            fil_v3_axpy(change.angular, -1.0, turned);
            to[a] += fil_v3_dot(change.linear, momentum[1 - side].linear) + fil_v3_dot(change.angular, momentum[1 - side].angular);
        }
    }
}

/* Back from the tip: to[section] += the derivative by its shape. */
static void vary_motions(const Work* work, double (*to)[3])
{
    const int points = work->arm->mass_points;
    Motion beyond[2] = {{.linear = {0.0}}, {.linear = {0.0}}};
    for (int k = work->arm->section_count - 1; k >= 0; k--) {
        const Motion base[2] = {work->motion[0][k], work->motion[1][k]};
        double rate[2][3];
        memcpy(rate[0], work->rate[0][k], sizeof rate[0]);
        memcpy(rate[1], work->rate[1][k], sizeof rate[1]);
        Motion sum[2] = {{.linear = {0.0}}, {.linear = {0.0}}};
        for (int i = 0; i <= points; i++) {
            Motion momentum[2];
            const FilArcJet* arc = jet_of(work, k, i);
            if (i < points) {
                const Slice slice = slice_of(work, k, i);
                vary_slice(&slice, base, rate, momentum, to[k]);
            } else {
                vary_tip(arc, base, rate, beyond, momentum, to[k]);
            }
            for (int side = 0; side < 2; side++) {
                fil_v3_add(sum[side].linear, sum[side].linear, momentum[side].linear);
                fil_v3_add(sum[side].angular, sum[side].angular, momentum[side].angular);
                add_cross(sum[side].angular, arc->p, momentum[side].linear);
            }
        }
        beyond[0] = sum[0];
        beyond[1] = sum[1];
    }
}

/* ---- blocks ---- */

/* out = R a R', or R' a R. */
static void turn_matrix(double* out, const double* r, const double* a, bool back)
{
    double half[9];
    for (int i = 0; i < 9; i++) {
        half[i] = 0.0;
        for (int k = 0; k < 3; k++) {
            half[i] += (back ? r[3 * k + i / 3] : r[3 * (i / 3) + k]) * a[3 * k + i % 3];
        }
    }
    for (int i = 0; i < 9; i++) {
        out[i] = 0.0;
        for (int k = 0; k < 3; k++) {
            out[i] += half[3 * (i / 3) + k] * (back ? r[3 * k + i % 3] : r[3 * (i % 3) + k]);
        }
    }
}

/* sum += of a mass m at p with the first moment h about p: m (p.p - p p') + 2 p.h - p h' - h p'. */
static void add_second(double* sum, double m, const double* p, const double* h)
{
    const double trace = m * fil_v3_dot(p, p) + 2.0 * fil_v3_dot(p, h);
    for (int i = 0; i < 9; i++) {
        sum[i] += (i % 4 == 0 ? trace : 0.0) - m * p[i / 3] * p[i % 3] - p[i / 3] * h[i % 3] - h[i / 3] * p[i % 3];
    }
}

/* In the axes of the section's base. */
static Inertia turn_inertia(const FilArcJet* tip, const Inertia* carried)
{
    Inertia out = {.mass = carried->mass};
    fil_m3_apply(out.first, tip->rotation, carried->first);
    turn_matrix(out.second, tip->rotation, carried->second, false);
    return out;
}

/* What each section carries, from the tip. */
static void set_carried(Work* work)
{
    static const double none[3];
    const int points = work->arm->mass_points;
    work->carried[work->arm->section_count] = (Inertia){.mass = 0.0};
    for (int k = work->arm->section_count - 1; k >= 0; k--) {
        const FilArcJet* tip = jet_of(work, k, points);
        Inertia* sum = &work->carried[k];
        *sum = turn_inertia(tip, &work->carried[k + 1]);
        add_second(sum->second, sum->mass, tip->p, sum->first);
        fil_v3_axpy(sum->first, sum->mass, tip->p);
        for (int i = 0; i < points; i++) {
            const Slice slice = slice_of(work, k, i);
            sum->mass += slice.mass;
            fil_v3_axpy(sum->first, slice.mass, slice.arc->p);
            add_second(sum->second, slice.mass, slice.arc->p, none);
            for (int j = 0; j < 9; j++) {
                sum->second[j] += (j % 4 == 0 ? slice.across : 0.0) + slice.more * slice.axis[j / 3] * slice.axis[j % 3];
            }
        }
    }
}

/* By p, h and the rest of weight.first . (m p + h) + <weight.second, m (p.p - p p') + 2 p.h - p h' - h p'>: by p, and (NULL: not wanted) by h. */
static void weigh_place(const Inertia* weight, double m, const double* p, const double* h, double* by_p, double* by_h)
{
    const double *s = weight->second, trace = s[0] + s[4] + s[8];
    double at_p[3], at_h[3];
    fil_m3_apply(at_p, s, p);
    fil_m3_apply(at_h, s, h);
    for (int k = 0; k < 3; k++) {
        by_p[k] = m * weight->first[k] + 2.0 * (trace * (m * p[k] + h[k]) - m * at_p[k] - at_h[k]);
        if (by_h != NULL) {
            by_h[k] = weight->first[k] + 2.0 * (trace * p[k] - at_p[k]);
        }
    }
}

/* Rows of w times columns: out[i] = sum_j w_ij columns_j. */
static void mix(double out[3][3], const double* w, const double columns[3][3])
{
    for (int i = 0; i < 3; i++) {
        combine(out[i], columns, w + 3 * i);
    }
}

/* to[a] += of a slice: its share of <w, M_kk> and of what weighs on the inertia at the base. */
static void vary_own_slice(const Slice* slice, const double* w, const Inertia* weight, double* to)
{
    static const double none[3];
    const FilArcJet* arc = slice->arc;
    const double* t = slice->axis;
    double by_p[3], move[3][3], turn[3][3], by_axis[3], along[3];
    weigh_place(weight, slice->mass, arc->p, none, by_p, NULL);
    mix(move, w, arc->move);
    mix(turn, w, arc->turn);
    fil_m3_apply(by_axis, weight->second, t);
    for (int j = 0; j < 3; j++) {
        along[j] = fil_v3_dot(t, turn[j]);  // sum_i w_ij t . turn_i
        fil_v3_axpy(by_axis, along[j], arc->turn[j]);
    }
    for (int a = 0; a < 3; a++) {
        double turned[3], sum = 0.0;
        fil_v3_cross(turned, arc->turn[a], t);
        for (int j = 0; j < 3; j++) {
            const double* by = arc->turn_by[j][a];
            sum += slice->mass * fil_v3_dot(move[j], arc->move2[j][a]) + slice->across * fil_v3_dot(turn[j], by) +
                   slice->more * along[j] * fil_v3_dot(t, by);
        }
        to[a] += fil_v3_dot(by_p, arc->move[a]) + 2.0 * sum + 2.0 * slice->more * fil_v3_dot(by_axis, turned);
    }
}

/* The same of the tip with what it carries; `beyond` receives what weighs on that, in the tip's axes. */
static void vary_own_tip(const FilArcJet* tip, const Inertia* carried, const double* w, const Inertia* weight, Inertia* beyond, double* to)
{
    const Inertia own = turn_inertia(tip, carried);
    double by_p[3], by_h[3], by_second[9], move[3][3], turn[3][3], arm[3][3], spun[3][3];
    weigh_place(weight, own.mass, tip->p, own.first, by_p, by_h);
    mix(move, w, tip->move);
    mix(turn, w, tip->turn);
    memcpy(by_second, weight->second, sizeof by_second);
    for (int j = 0; j < 3; j++) {  // M_ij = m move_i . move_j + 2 move_i . (turn_j x h) + turn_i . I turn_j
        double across[3];
        fil_v3_cross(across, move[j], tip->turn[j]);
        fil_v3_axpy(by_h, 2.0, across);
        for (int k = 0; k < 9; k++) {
            by_second[k] += turn[j][k / 3] * tip->turn[j][k % 3];
        }
        // by move_j and turn_j, over two
        fil_v3_scale(arm[j], own.mass, move[j]);
        add_cross(arm[j], turn[j], own.first);
        fil_m3_apply(spun[j], own.second, turn[j]);
        add_cross(spun[j], own.first, move[j]);
    }
    for (int a = 0; a < 3; a++) {
        double turned[3], sum = fil_v3_dot(by_p, tip->move[a]), half[9];
        fil_v3_cross(turned, tip->turn[a], own.first);
        sum += fil_v3_dot(by_h, turned);
        for (int k = 0; k < 3; k++) {  // dI = [turn] I + ([turn] I)'
            const double column[3] = {own.second[k], own.second[3 + k], own.second[6 + k]};
            fil_v3_cross(turned, tip->turn[a], column);
            half[k] = turned[0], half[3 + k] = turned[1], half[6 + k] = turned[2];
        }
        for (int k = 0; k < 9; k++) {
            sum += (by_second[k] + by_second[3 * (k % 3) + k / 3]) * half[k];
        }
        for (int j = 0; j < 3; j++) {
            sum += 2.0 * (fil_v3_dot(arm[j], tip->move2[j][a]) + fil_v3_dot(spun[j], tip->turn_by[j][a]));
        }
        to[a] += sum;
    }
    fil_m3_apply_transposed(beyond->first, tip->rotation, by_h);
    turn_matrix(beyond->second, tip->rotation, by_second, true);
}

/* Out from the base. */
static void vary_blocks(const Work* work, const double* blocks, double (*to)[3])
{
    const int points = work->arm->mass_points;
    Inertia weight = {.mass = 0.0};
    for (int k = 0; k < work->arm->section_count; k++) {
        double own[9], w[9];
        for (int i = 0; i < 9; i++) {
            own[i] = blocks[16 * k + 4 * (i / 3) + i % 3];
        }
        turn_matrix(w, work->arm->arcs[k].shape, own, false);  // to shapes: M = shape' M_y shape
        for (int i = 0; i < points; i++) {
            const Slice slice = slice_of(work, k, i);
            vary_own_slice(&slice, w, &weight, to[k]);
        }
        Inertia beyond = {.mass = 0.0};
        vary_own_tip(jet_of(work, k, points), &work->carried[k + 1], w, &weight, &beyond, to[k]);
        weight = beyond;
    }
}

void fil_soft_arm_mass_back(const FilSoftArm* arm, const FilArcJet* jets, const double* w, const double* z, const double* blocks, double* place)
{
    Work work;
    double to[FIL_ARM_SECTIONS][3] = {{0.0}};
    const double* const x[2] = {z, w};
    work.arm = arm;
    work.jets = jets;
    set_motions(&work, x);
    vary_motions(&work, to);
    set_carried(&work);
    vary_blocks(&work, blocks, to);
    for (int k = 0; k < arm->section_count; k++) {
        double change[3];
        fil_m3_apply_transposed(change, arm->arcs[k].shape, to[k]);
        fil_v3_add(place + 4 * k, place + 4 * k, change);
    }
}
