/* One rod made from its definition: the definition checked, stiffness and mass, initial frames and rest strains. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "body/rod.h"

/* ---- checking a definition ---- */

static FilStatus check_array(const double* a, int count, const char* what, const char* rod, FilError* error)
{
    for (int k = 0; a != NULL && k < count; k++) {
        if (!isfinite(a[k])) {
            return fil_error(error, FIL_BAD_INPUT, "rod '%s': %s[%d] is not a finite number", rod, what, k);
        }
    }
    return FIL_OK;
}

FilStatus fil_rod_check(const FilRodDef* def, FilError* error)
{
    const char* name = def->name != NULL ? def->name : "?";
    const int min = def->closed ? 3 : 2;
    if (def->node_count < min || def->node_count > FIL_ROD_MAX_NODES || def->nodes == NULL) {
        return fil_error(error, FIL_BAD_INPUT, "rod '%s': a%s rod needs %d to %d nodes, got %d", name, def->closed ? " closed" : "n open", min,
                         FIL_ROD_MAX_NODES, def->nodes == NULL ? 0 : def->node_count);
    }
    const int n = def->node_count, edges = def->closed ? n : n - 1;
    const struct {
        const double* array;
        int count;
        const char* what;
    } arrays[] = {
        {def->nodes, 3 * n, "nodes"},
        {def->angles, edges, "angles"},
        {def->rest_lengths, edges, "rest_lengths"},
        {def->rest_curvature, 2 * n, "rest_curvature"},
        {def->rest_twist, n, "rest_twist"},
        {def->velocities, 3 * n, "velocities"},
        {def->spins, edges, "spins"},
    };
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) {
        const FilStatus status = check_array(arrays[k].array, arrays[k].count, arrays[k].what, name, error);
        if (status != FIL_OK) {
            return status;
        }
    }
    const double damping[3] = {def->damping_mass, def->damping_stiffness, def->drag};
    static const char* const damping_names[3] = {"damping_mass", "damping_stiffness", "drag"};
    for (int k = 0; k < 3; k++) {
        if (!(isfinite(damping[k]) && damping[k] >= 0.0)) {
            return fil_error(error, FIL_BAD_INPUT, "rod '%s': %s must not be negative, got %g", name, damping_names[k], damping[k]);
        }
    }
    for (int i = 0; i < edges; i++) {
        const double length = fil_v3_distance(def->nodes + 3 * i, def->nodes + 3 * ((i + 1) % n));
        if (!(length > 0.0)) {
            return fil_error(error, FIL_BAD_INPUT, "rod '%s': edge %d has zero length (nodes %d and %d coincide)", name, i, i, (i + 1) % n);
        }
        if (def->rest_twist != NULL && !(fabs(def->rest_twist[i]) * length < FIL_ROD_MAX_TWIST)) {
            return fil_error(error, FIL_BAD_INPUT, "rod '%s': rest_twist[%d] of %g rad/m turns an edge by more than %g rad", name, i,
                             def->rest_twist[i], FIL_ROD_MAX_TWIST);
        }
        if (def->rest_lengths != NULL && !(def->rest_lengths[i] > 0.0)) {
            return fil_error(error, FIL_BAD_INPUT, "rod '%s': rest_lengths[%d] must be positive, not %g", name, i, def->rest_lengths[i]);
        }
    }
    return FIL_OK;
}

/* ---- building one rod ---- */

static bool has_hinge(const FilRod* rod, int node)
{
    return rod->closed || (node > 0 && node < rod->node_count - 1);
}

/* The edge that ends at a node. */
static int edge_before(const FilRod* rod, int node)
{
    return (node + rod->node_count - 1) % rod->node_count;
}

/* Twist-free frames along the rod, turned by the given angles; the last is the closing one when closed. */
static FilStatus initial_frames(FilRod* rod, const FilRodDef* def, FilError* error)
{
    FilRodHistory* h = rod->initial;
    const int n = rod->node_count;
    double parallel[3];
    for (int i = 0; i < rod->edge_count; i++) {
        double* t = h[i].tangent;
        fil_v3_sub(t, def->nodes + 3 * ((i + 1) % n), def->nodes + 3 * i);
        fil_v3_normalise(t);
        if (i == 0) {
            const double wanted[3] = {def->director.x, def->director.y, def->director.z};
            fil_v3_copy(parallel, wanted);
            fil_v3_axpy(parallel, -fil_v3_dot(wanted, t), t);
            // what is left across the tangent is rounding, or nearly: any director will do
            if (fil_v3_normalise(parallel) <= 1e-9 * (1.0 + fil_v3_norm(wanted))) {
                fil_v3_orthogonal(parallel, t);
            }
        } else {
            if (fil_v3_dot(h[i - 1].tangent, t) < -1.0 + 1e-6) {  // within 0.08 degrees of turning back, transport is not defined
                return fil_error(error, FIL_BAD_INPUT, "rod '%s': edges %d and %d fold back on each other", def->name != NULL ? def->name : "?",
                                 i - 1, i);
            }
            fil_v3_transport(parallel, parallel, h[i - 1].tangent, t);
        }
        const double angle = def->angles != NULL ? def->angles[i] : 0.0;
        double normal[3];
        fil_v3_cross(normal, t, parallel);
        for (int k = 0; k < 3; k++) {
            h[i].director[k] = cos(angle) * parallel[k] + sin(angle) * normal[k];
        }
    }
    return FIL_OK;
}

static Frame1 frame_of(const FilRodHistory* h, double length)
{
    Frame1 frame = {.length = length, .inverse = 1.0 / length};
    fil_v3_copy(frame.t, h->tangent);
    fil_v3_copy(frame.m1, h->director);
    fil_v3_cross(frame.m2, h->tangent, h->director);
    return frame;
}

/* Lengths, stiffness and mass of each segment; a hinge is half of each segment in series. */
static FilStatus build_law(FilRod* rod, const FilRodDef* def, double* mass, FilError* error)
{
    const int n = rod->node_count;
    FilStiffness* stiffness = fil_alloc((size_t)rod->edge_count, sizeof *stiffness);
    if (stiffness == NULL) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    for (int i = 0; i < rod->edge_count; i++) {
        const FilSection* section = def->sections != NULL ? &def->sections[i] : &def->section;
        FilError inner;
        const FilStatus status = fil_section_stiffness(section, &stiffness[i], &inner);
        if (status != FIL_OK) {
            fil_free(stiffness);
            return fil_error(error, status, "rod '%s': %s", def->name != NULL ? def->name : "?", inner.text);
        }
        rod->sections[i] = *section;
        rod->law[i].ea = stiffness[i].ea;
        const double length = fil_v3_distance(def->nodes + 3 * i, def->nodes + 3 * ((i + 1) % n));
        rod->initial[i].rest_length = def->rest_lengths != NULL ? def->rest_lengths[i] : length;
    }
    for (int i = 0; i < rod->edge_count; i++) {
        const double length = rod->initial[i].rest_length;
        const int ends[2] = {i, (i + 1) % n};
        for (int e = 0; e < 2; e++) {
            for (int k = 0; k < 3; k++) {
                mass[4 * ends[e] + k] += 0.5 * stiffness[i].mass_per_length * length;
            }
            rod->voronoi[ends[e]] += 0.5 * length;
        }
        mass[4 * i + 3] = stiffness[i].inertia_per_length * length;
    }
    for (int i = 0; i < n; i++) {
        if (has_hinge(rod, i)) {
            const int b = edge_before(rod, i);
            const double la = 0.5 * rod->initial[b].rest_length, lb = 0.5 * rod->initial[i].rest_length;
            rod->law[i].k1 = 1.0 / (la / stiffness[b].ei1 + lb / stiffness[i].ei1);
            rod->law[i].k2 = 1.0 / (la / stiffness[b].ei2 + lb / stiffness[i].ei2);
            rod->law[i].kt = rod->twist_free ? 0.0 : 1.0 / (la / stiffness[b].gj + lb / stiffness[i].gj);
        }
        if (rod->twist_free && i < rod->edge_count && stiffness[i].ei1 != stiffness[i].ei2) {
            fil_free(stiffness);
            return fil_error(error, FIL_BAD_INPUT, "rod '%s': a twist-free rod must be round, but edge %d is not",
                             def->name != NULL ? def->name : "?", i);
        }
    }
    fil_free(stiffness);
    return FIL_OK;
}

/* Gives node `to` the rest curvature and the rest twist per metre of node `from`. */
static void rest_as_at(FilRod* rod, int from, int to, bool curvature, bool twist)
{
    FilRodHistory* h = rod->initial;
    if (curvature) {
        double per_metre[2];
        fil_rod_curvature_from_rest(rod->voronoi[from], h[from].rest1, h[from].rest2, per_metre);
        fil_rod_rest_from_curvature(rod->voronoi[to], per_metre, &h[to].rest1, &h[to].rest2);
    }
    if (twist) {
        h[to].rest_twist = h[from].rest_twist / rod->voronoi[from] * rod->voronoi[to];
    }
}

/* Twists of the initial shape, and rest strains from the definition. */
static void initial_strains(FilRod* rod, const FilRodDef* def)
{
    FilRodHistory* h = rod->initial;
    for (int i = 0; i < rod->node_count; i++) {
        double kappa1 = 0.0, kappa2 = 0.0;
        h[i].cosine = 1.0;
        if (has_hinge(rod, i)) {
            const Frame1 e = frame_of(&h[edge_before(rod, i)], 1.0), f = frame_of(&h[i], 1.0);
            const KnownTwist1 untwisted = {0.0, 1.0, 0.0};
            h[i].twist = twist1(&e, &f, &untwisted);
            h[i].cosine = cos(h[i].twist);
            h[i].sine = sin(h[i].twist);
            curvatures1(&e, &f, &kappa1, &kappa2);
        }
        if (def->rest_shape == FIL_REST_INITIAL) {
            h[i].rest1 = kappa1;
            h[i].rest2 = kappa2;
            h[i].rest_twist = h[i].twist;
        }
        if (def->rest_curvature != NULL) {
            fil_rod_rest_from_curvature(rod->voronoi[i], def->rest_curvature + 2 * i, &h[i].rest1, &h[i].rest2);
        }
        if (def->rest_twist != NULL) {
            h[i].rest_twist = def->rest_twist[i] * rod->voronoi[i];
        }
    }
    if (!rod->closed) {  // the last node starts no edge
        FilRodHistory* last = &h[rod->node_count - 1];
        fil_v3_copy(last->tangent, last[-1].tangent);
        fil_v3_copy(last->director, last[-1].director);
        last->rest_length = last[-1].rest_length;
        if (def->rest_shape == FIL_REST_INITIAL && rod->node_count > 2) {
            // the curve goes on as at its neighbours: what a clamp at an end sees
            const int n = rod->node_count;
            rest_as_at(rod, 1, 0, def->rest_curvature == NULL, def->rest_twist == NULL);
            rest_as_at(rod, n - 2, n - 1, def->rest_curvature == NULL, def->rest_twist == NULL);
        }
    }
}

FilStatus fil_rod_build(FilRod* rod, FilArena* arena, const FilRodDef* def, double* mass, FilError* error)
{
    const size_t n = (size_t)def->node_count;
    rod->node_count = def->node_count;
    rod->closed = def->closed;
    rod->edge_count = def->closed ? def->node_count : def->node_count - 1;
    rod->damping_mass = def->damping_mass;
    rod->damping_stiffness = def->damping_stiffness;
    rod->drag = def->drag;
    rod->gyroscopic = def->gyroscopic && !def->twist_free;
    rod->twist_free = def->twist_free;
    rod->collision = def->collision;
    rod->law = fil_arena_alloc(arena, n, sizeof *rod->law);
    rod->sections = fil_arena_alloc(arena, n, sizeof *rod->sections);
    rod->voronoi = fil_arena_alloc(arena, n, sizeof *rod->voronoi);
    rod->initial = fil_arena_alloc(arena, n, sizeof *rod->initial);
    if (rod->law == NULL || rod->sections == NULL || rod->voronoi == NULL || rod->initial == NULL ||
        !fil_rod_chain_init(&rod->chain, arena, def->node_count, def->closed)) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "rod '%s': out of memory", def->name != NULL ? def->name : "?");
    }
    rod->chain.twist_free = def->twist_free;
    FilStatus status = build_law(rod, def, mass, error);
    if (status == FIL_OK) {
        status = initial_frames(rod, def, error);
    }
    if (status == FIL_OK) {
        initial_strains(rod, def);
        status = fil_rod_build_collider(rod, arena, error);
    }
    return status;
}
