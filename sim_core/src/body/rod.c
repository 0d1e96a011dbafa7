#include "body/rod.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/vec3.h"

enum { MAX_NODES = 50 * 1000 * 1000 };

FilRodDef fil_rod_def_default(void)
{
    return (FilRodDef){.section = {.shape = FIL_SECTION_CIRCLE},
                       .rest_shape = FIL_REST_STRAIGHT,
                       .collision = fil_collision_default(),
                       .gyroscopic = true};
}

void fil_rod_rest_from_curvature(double voronoi, const double* curvature, double* rest1, double* rest2)
{
    const double size = hypot(curvature[0], curvature[1]), angle = 0.5 * size * voronoi;
    const double scale = angle < 1e-8 ? voronoi : 2.0 * tan(angle) / size;
    *rest1 = scale * curvature[0];
    *rest2 = scale * curvature[1];
}

void fil_rod_curvature_from_rest(double voronoi, double rest1, double rest2, double* curvature)
{
    const double size = hypot(rest1, rest2);
    const double scale = (size < 1e-8 ? 1.0 : 2.0 * atan(0.5 * size) / size) / voronoi;
    curvature[0] = scale * rest1;
    curvature[1] = scale * rest2;
}

int fil_rod_body_q_size(const FilRodBody* body)
{
    return 4 * body->node_count;
}

int fil_rod_body_h_size(const FilRodBody* body)
{
    return body->node_count * (int)(sizeof(FilRodHistory) / sizeof(double));
}

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

static FilStatus check_def(const FilRodDef* def, FilError* error)
{
    const char* name = def->name != NULL ? def->name : "?";
    const int least = def->closed ? 3 : 2;
    if (def->node_count < least || def->node_count > MAX_NODES || def->nodes == NULL) {
        return fil_error(error, FIL_BAD_INPUT, "rod '%s': a%s rod needs %d to %d nodes, got %d", name,
                         def->closed ? " closed" : "n open", least, MAX_NODES, def->nodes == NULL ? 0 : def->node_count);
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
            return fil_error(error, FIL_BAD_INPUT, "rod '%s': %s must not be negative, got %g", name, damping_names[k],
                             damping[k]);
        }
    }
    for (int i = 0; i < edges; i++) {
        const double length = fil_v3_distance(def->nodes + 3 * i, def->nodes + 3 * ((i + 1) % n));
        if (!(length > 0.0)) {
            return fil_error(error, FIL_BAD_INPUT, "rod '%s': edge %d has zero length (nodes %d and %d coincide)", name, i, i,
                             (i + 1) % n);
        }
        if (def->rest_lengths != NULL && !(def->rest_lengths[i] > 0.0)) {
            return fil_error(error, FIL_BAD_INPUT, "rod '%s': rest_lengths[%d] must be positive, not %g", name, i,
                             def->rest_lengths[i]);
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
            if (fil_v3_normalise(parallel) <= 1e-9 * (1.0 + fil_v3_norm(wanted))) {
                fil_v3_orthogonal(parallel, t);
            }
        } else {
            if (fil_v3_dot(h[i - 1].tangent, t) < -1.0 + 1e-6) {
                return fil_error(error, FIL_BAD_INPUT, "rod '%s': edges %d and %d fold back on each other",
                                 def->name != NULL ? def->name : "?", i - 1, i);
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
    if (!rod->closed) { // the last node starts no edge
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

static FilStatus build_rod(FilRod* rod, FilArena* arena, const FilRodDef* def, double* mass, FilError* error)
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

/* ---- the body ---- */

static FilStatus join(FilRodBody* body, const FilRodDef* defs, const FilRodJunction* junctions, int count, FilError* error)
{
    for (int j = 0; j < count; j++) {
        const FilRodJunction* joint = &junctions[j];
        const int rods[2] = {joint->rod_a, joint->rod_b};
        int nodes[2] = {joint->node_a, joint->node_b};
        for (int s = 0; s < 2; s++) {
            if (rods[s] < 0 || rods[s] >= body->rod_count || nodes[s] < 0 || nodes[s] >= body->rods[rods[s]].node_count) {
                return fil_error(error, FIL_BAD_INPUT, "junction %d: rod %d has no node %d", j, rods[s], nodes[s]);
            }
        }
        const double* a = defs[rods[0]].nodes + 3 * nodes[0];
        const double* b = defs[rods[1]].nodes + 3 * nodes[1];
        const double size = body->rods[rods[0]].voronoi[nodes[0]];
        if (fil_v3_distance(a, b) > 1e-9 * (size + fil_v3_norm(a))) {
            return fil_error(error, FIL_BAD_INPUT, "junction %d: its two nodes are %g m apart, they must coincide", j,
                             fil_v3_distance(a, b));
        }
        // union by smallest owner
        int first = body->rods[rods[0]].first_node + nodes[0], second = body->rods[rods[1]].first_node + nodes[1];
        while (body->owner[first] != first) {
            first = body->owner[first];
        }
        while (body->owner[second] != second) {
            second = body->owner[second];
        }
        body->owner[first > second ? first : second] = first > second ? second : first;
    }
    for (int i = 0; i < body->node_count; i++) {
        body->owner[i] = body->owner[body->owner[i]]; // owners stand before their copies
        if (body->owner[i] != i) {
            body->copies[body->copy_count++] = i;
        }
        for (int k = 0; k < 3 && body->owner[i] != i; k++) {
            const double mass = body->mass[4 * body->owner[i] + k], added = body->mass[4 * i + k];
            if (k == 0) { // the mean, by mass
                double* alpha = &body->alpha[body->owner[i]];
                *alpha = (mass * *alpha + added * body->alpha[i]) / (mass + added);
            }
            body->mass[4 * body->owner[i] + k] += added;
            body->drag[4 * body->owner[i] + k] += body->drag[4 * i + k];
            body->mass[4 * i + k] = body->drag[4 * i + k] = 0.0;
        }
    }
    return FIL_OK;
}

static void destroy(void* pointer)
{
    FilRodBody* body = pointer;
    if (body == NULL) {
        return;
    }
    for (int a = 0; a < body->attachment_count; a++) {
        fil_free(body->attachments[a].origin);
    }
    fil_free(body->attachments);
    fil_sparse_destroy(body->sparse);
}

static bool allocate(FilRodBody* body)
{
    const size_t n = (size_t)body->node_count;
    double** quads[] = {&body->mass,    &body->drag,     &body->load,     &body->held_q,    &body->diagonal, &body->q_theta,
                        &body->v_theta, &body->gradient, &body->reaction, &body->initial_q, &body->initial_v,
                        &body->is_free, &body->force,    &body->damping,  &body->held_v};
    bool ok = true;
    for (size_t k = 0; k < sizeof quads / sizeof quads[0]; k++) {
        *quads[k] = fil_arena_alloc(body->arena, 4 * n, sizeof(double));
        ok = ok && *quads[k] != NULL;
    }
    body->alpha = fil_arena_alloc(body->arena, n, sizeof(double));
    body->torque = fil_arena_alloc(body->arena, 3 * n, sizeof(double));
    body->owner = fil_arena_alloc(body->arena, n, sizeof(int));
    body->copies = fil_arena_alloc(body->arena, n, sizeof(int));
    body->held = fil_arena_alloc(body->arena, 4 * n, sizeof(bool));
    body->held_at = fil_arena_alloc(body->arena, 4 * n, sizeof(int));
    return ok && body->alpha != NULL && body->torque != NULL && body->owner != NULL && body->copies != NULL && body->held != NULL &&
           body->held_at != NULL;
}

static void initial_state(FilRodBody* body, const FilRod* rod, const FilRodDef* def)
{
    double *q = body->initial_q + 4 * rod->first_node, *v = body->initial_v + 4 * rod->first_node;
    for (int i = 0; i < rod->node_count; i++) {
        fil_v3_copy(q + 4 * i, def->nodes + 3 * i);
        if (def->velocities != NULL) {
            fil_v3_copy(v + 4 * i, def->velocities + 3 * i);
        }
        q[4 * i + 3] = def->angles != NULL && i < rod->edge_count ? def->angles[i] : 0.0;
        v[4 * i + 3] = def->spins != NULL && i < rod->edge_count ? def->spins[i] : 0.0;
        for (int k = 0; k < 3; k++) {
            body->drag[4 * (rod->first_node + i) + k] = rod->drag * rod->voronoi[i];
        }
        body->alpha[rod->first_node + i] = rod->damping_mass;
    }
}

/* Rows and columns of every entry of the assembled matrix, in the order in which rods are visited. */
typedef struct Pattern {
    const FilRodBody* body;
    int first_node, count;
    int *rows, *columns;
} Pattern;

static void note_entry(void* context, int row, int column, double value)
{
    (void)value;
    Pattern* p = context;
    if (p->rows != NULL) {
        const int r = fil_rod_owner(p->body, 4 * p->first_node + row), c = fil_rod_owner(p->body, 4 * p->first_node + column);
        p->rows[p->count] = r > c ? r : c;
        p->columns[p->count] = r > c ? c : r;
    }
    p->count++;
}

static FilStatus build_sparse(FilRodBody* body, FilError* error)
{
    const int unknowns = 4 * body->node_count;
    Pattern pattern = {.body = body};
    for (int r = 0; r < body->rod_count; r++) {
        fil_rod_chain_visit(&body->rods[r].chain, note_entry, &pattern);
    }
    const size_t total = (size_t)pattern.count + (size_t)unknowns;
    pattern.rows = fil_alloc(total, sizeof(int));
    pattern.columns = fil_alloc(total, sizeof(int));
    body->slots = fil_arena_alloc(body->arena, total, sizeof(int));
    if (pattern.rows != NULL && pattern.columns != NULL && body->slots != NULL) {
        pattern.count = 0;
        for (int r = 0; r < body->rod_count; r++) {
            pattern.first_node = body->rods[r].first_node;
            fil_rod_chain_visit(&body->rods[r].chain, note_entry, &pattern);
        }
        // every unknown has a diagonal, idle ones too
        for (int k = 0; k < unknowns; k++) {
            pattern.rows[pattern.count] = pattern.columns[pattern.count] = k;
            pattern.count++;
        }
        body->sparse = fil_sparse_create(unknowns, pattern.count, pattern.rows, pattern.columns, body->slots);
    }
    fil_free(pattern.rows);
    fil_free(pattern.columns);
    return body->sparse != NULL ? FIL_OK : fil_error(error, FIL_OUT_OF_MEMORY, "rod network: out of memory");
}

FilStatus fil_rod_body_create(FilArena* arena, const FilRodDef* defs, int count, const FilRodJunction* junctions,
                              int junction_count, FilRodBody** out, FilError* error)
{
    *out = NULL;
    FilRodBody* body = fil_arena_alloc(arena, 1, sizeof *body);
    if (body == NULL || (body->rods = fil_arena_alloc(arena, (size_t)count, sizeof *body->rods)) == NULL) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    body->arena = arena;
    body->rod_count = count;
    FilStatus status = FIL_OK;
    for (int r = 0; r < count && status == FIL_OK; r++) {
        status = check_def(&defs[r], error);
        body->rods[r].first_node = body->node_count;
        body->node_count += defs[r].node_count;
        if (status == FIL_OK && body->node_count > MAX_NODES) {
            status = fil_error(error, FIL_BAD_INPUT, "a rod network may have at most %d nodes", MAX_NODES);
        }
    }
    if (status == FIL_OK && !allocate(body)) {
        status = fil_error(error, FIL_OUT_OF_MEMORY, "out of memory for %d nodes", body->node_count);
    }
    for (int r = 0; r < count && status == FIL_OK; r++) {
        FilRod* rod = &body->rods[r];
        status = build_rod(rod, arena, &defs[r], body->mass + 4 * rod->first_node, error);
        if (status == FIL_OK) {
            initial_state(body, rod, &defs[r]);
            body->network = body->network || !rod->chain.solvable;
        }
    }
    for (int i = 0; i < body->node_count && status == FIL_OK; i++) {
        body->owner[i] = i;
    }
    if (status == FIL_OK && junction_count > 0) {
        body->network = true;
        status = join(body, defs, junctions, junction_count, error);
    }
    if (status == FIL_OK && body->network) {
        status = build_sparse(body, error);
    }
    if (status != FIL_OK) {
        destroy(body);
        return status;
    }
    *out = body;
    return FIL_OK;
}

static int dofs(const void* pointer)
{
    const FilRodBody* body = pointer;
    int count = 0;
    for (int r = 0; r < body->rod_count; r++) {
        count += body->rods[r].edge_count;
    }
    for (int i = 0; i < body->node_count; i++) {
        count += body->owner[i] == i ? 3 : 0;
    }
    return count;
}

static void init_state(const void* pointer, double* q, double* v, double* h)
{
    const FilRodBody* body = pointer;
    const size_t n = (size_t)body->node_count;
    memcpy(q, body->initial_q, 4 * n * sizeof(double));
    memcpy(v, body->initial_v, 4 * n * sizeof(double));
    for (int i = 0; i < body->node_count; i++) { // copies follow their owner to the last bit
        fil_v3_copy(q + 4 * i, q + 4 * body->owner[i]);
        fil_v3_copy(v + 4 * i, v + 4 * body->owner[i]);
    }
    for (int r = 0; r < body->rod_count; r++) {
        const FilRod* rod = &body->rods[r];
        memcpy((FilRodHistory*)h + rod->first_node, rod->initial, (size_t)rod->node_count * sizeof(FilRodHistory));
    }
}

const FilBodyOps fil_rod_ops = {
    .kind = "rod",
    .points = true,
    .destroy = destroy,
    .dofs = dofs,
    .init_state = init_state,
    .begin = fil_rod_begin,
    .guess = fil_rod_guess,
    .evaluate = fil_rod_evaluate,
    .residual = fil_rod_residual,
    .diagonal = fil_rod_diagonal,
    .factor = fil_rod_factor,
    .solve = fil_rod_solve,
    .finish = fil_rod_finish,
    .push = fil_rod_push,
    .energy = fil_rod_energy,
    .momentum = fil_rod_momentum,
    .attach = fil_rod_attach,
    .set_target = fil_rod_set_target,
    .reaction = fil_rod_reaction,
    .clear_loads = fil_rod_clear_loads,
    .load = fil_rod_load,
    .load_range = fil_rod_load_range,
    .collider_count = fil_rod_collider_count,
    .collider = fil_rod_collider,
    .place = fil_rod_place,
    .part = fil_rod_part,
    .joined = fil_rod_joined,
    .frame = fil_rod_frame,
    .point_jacobian = fil_rod_point_jacobian,
    .turn_jacobian = fil_rod_turn_jacobian,
    .edge_blocks = fil_rod_edge_blocks,
    .tangent_pattern = fil_rod_tangent_pattern,
    .weak_blocks = fil_rod_weak_blocks,
    .tangent = fil_rod_tangent,
};
