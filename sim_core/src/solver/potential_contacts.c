/* The contacts of a step as terms of the potential: what a model needs to know of each, their forces, their impulses.
 */
#include "solver/potential_stage.h"

#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "geometry/closest.h"
#include "world/world.h"

/* ---- what is known of a contact ---- */

/* Blocks of one side of a contact: the first, and how many. */
static int side_blocks(const FilWorld* world, const FilContact* contact, int side, int* count)
{
    const FilContactSet* set = &world->collision.set;
    const FilBody* body = &world->bodies[contact->body[0]];
    int first = contact->plain ? 2 : 0;
    // those of side 0 stand in front
    while (!contact->plain && first < contact->block_count) {
        const int variable = set->variable[contact->first_block + first];
        const bool of_first = variable >= body->v / 4 && variable < (body->v + body->v_count) / 4;
        if (!of_first) {
            break;
        }
        first++;
    }
    if (contact->body[0] == contact->body[1]) {
        first = contact->block_count / 2;  // a rod with itself: as many on both sides
    }
    *count = side == 0 ? first : contact->block_count - first;
    return side == 0 ? 0 : first;
}

/* Whether both sides are round edges, whose distance is a function of their ends. */
static bool is_round(const FilWorld* world, const FilContact* contact)
{
    for (int side = 0; side < 2 && !contact->plain; side++) {
        const FilCollider* c = &world->collision.colliders[contact->collider[side]].collider;
        if (c->kind != FIL_COLLIDER_ROW || (c->boxes && world->def.imc.rectangles)) {
            return false;
        }
    }
    return true;
}

static void take_ends(const FilWorld* world, FilPotentialContact* c)
{
    const FilContact* contact = c->contact;
    c->thickness = 0.0;
    for (int side = 0; side < 2; side++) {
        const FilWorldCollider* row = &world->collision.colliders[contact->collider[side]];
        const int edge = contact->part[side], ends[2] = {edge, edge + 1 == row->collider.node_count ? 0 : edge + 1};
        int count;
        const int first = side_blocks(world, contact, side, &count);
        c->thickness += row->collider.radii[edge];
        for (int e = 0; e < 2; e++) {
            const int n = 2 * side + e;
            c->local[n] = first + e;
            c->variable[n] = world->collision.set.variable[contact->first_block + first + e];
            fil_v3_copy(c->x + 3 * n, row->place.nodes + 4 * ends[e]);
            fil_v3_copy(c->speed + 3 * n, row->place.velocities + 4 * ends[e]);
        }
    }
}

/* What lengths are measured in: the mean radius of edges, or the smallest shape at hand. */
static double contact_radius(const FilWorld* world, const FilContact* contact)
{
    double sum = 0.0;
    int rows = 0;
    for (int side = 0; side < 2; side++) {
        const FilCollider* c = &world->collision.colliders[contact->collider[side]].collider;
        if (c->kind == FIL_COLLIDER_ROW) {
            sum += c->radii[contact->part[side]];
            rows++;
        }
    }
    return rows > 0 ? sum / rows : world->contact_length;
}

/* How heavy what the contact moves is, by the diagonal of the tangent. */
static void weigh_contact(const FilWorld* world, FilPotentialContact* c)
{
    const FilContactSet* set = &world->collision.set;
    const double* inverse = world->scratch.weight;
    double largest = 0.0;
    c->compliance = 0.0;
    for (int b = c->contact->first_block; b < c->contact->first_block + c->contact->block_count; b++) {
        const double* w = inverse + 4 * set->variable[b];
        largest = fmax(largest, fmax(fmax(w[0], w[1]), w[2]));
        for (int k = 0; k < 4 && !c->contact->plain; k++) {
            const double normal = set->jacobian[12 * (size_t)b + 8 + (size_t)k];
            c->compliance += normal * normal * w[k];
        }
    }
    c->diagonal = largest > 0.0 ? 1.0 / largest : 0.0;
}

static int memory_of(const FilWorld* world, const FilContact* contact, int side)
{
    const FilWorldCollider* c = &world->collision.colliders[contact->collider[side]];
    return c->memory >= 0 ? c->memory + contact->part[side] : -1;
}

static void take_lane(const FilPotentialContact* c, int k, FilPotentialEdges* e, int lane)
{
    e->contact[lane] = k;
    e->stiffness[lane] = c->stiffness;
    e->radius[lane] = c->radius;
    e->thickness[lane] = c->thickness;
    for (int n = 0; n < 4; n++) {
        e->variable[n][lane] = c->variable[n];
    }
    for (int i = 0; i < 12; i++) {
        e->x[i][lane] = c->x[i];
    }
    for (int i = 0; i < 3; i++) {
        e->push[i][lane] = c->push[i];
    }
}

/* Contacts that can be evaluated side by side. */
static void line_up(FilPotentialStage* stage, const FilPotentialModel* model)
{
    const FilPotentialProblem* p = &stage->problem;
    stage->edges_count = 0;
    for (int k = 0, lane = 0; k < p->count; k++) {
        FilPotentialContact* c = &p->contacts[k];
        c->edges = -1;
        if (model->evaluate_edges == NULL || !c->nodes || c->rows) {
            continue;
        }
        stage->edges_count += lane == 0 ? 1 : 0;
        c->edges = stage->edges_count - 1;
        c->lane = lane;
        FilPotentialEdges* e = fil_potential_edges(stage, c->edges);
        for (int left = lane; left < (lane == 0 ? FIL_WIDE_COUNT : lane + 1); left++) {
            take_lane(c, k, e, left);
        }
        e->count = ++lane;
        lane %= FIL_WIDE_COUNT;
    }
}

FilStatus fil_potential_set_up(FilWorld* world, const FilPotentialModel* model, double dt)
{
    FilPotentialStage* stage = &world->potential;
    FilContactSet* set = &world->collision.set;
    const size_t count = (size_t)set->count;
    if (!fil_buffer_reserve(&stage->contacts, &stage->contact_capacity, count, sizeof(FilPotentialContact)) ||
        !fil_buffer_reserve(&stage->forces, &stage->force_capacity, count, sizeof(FilPotentialForce)) ||
        !fil_buffer_reserve(&stage->edges, &stage->edges_capacity, count / FIL_WIDE_COUNT + 1, sizeof(FilPotentialEdges)) ||
        !fil_doubles_reserve(&stage->distances, count) ||
        !fil_doubles_reserve(&stage->impulse, (size_t)world->v_count) ||
        !fil_doubles_reserve(&stage->edge_scratch, (size_t)world->h_count)) {
        return FIL_OUT_OF_MEMORY;
    }
    stage->bound = false;
    FilPotentialProblem* p = &stage->problem;
    *p = (FilPotentialProblem){
        .dt = dt,
        .gravity = fil_v3_norm((const double[3]){world->def.gravity.x, world->def.gravity.y, world->def.gravity.z}),
        .settings = &world->def.imc,
        .soft = fil_soft_clamp(world->def.imc.smoothing),
        .contacts = stage->contacts,
        .memory = world->next.h + world->memory,
        .edge_memory = world->next.h,
        .edge_scratch = stage->edge_scratch.at};
    for (int k = 0; k < set->count; k++) {
        FilPotentialContact* c = &p->contacts[p->count];
        *c = (FilPotentialContact){.contact = &set->contacts[k], .radius = contact_radius(world, &set->contacts[k])};
        if (set->contacts[k].distance > world->def.imc.reach * c->radius && model->refine == NULL) {
            fil_v3_set(set->contacts[k].impulse, 0.0, 0.0, 0.0);
            continue;  // P2 eq. 22
        }
        c->nodes = is_round(world, c->contact);
        if (c->nodes) {
            take_ends(world, c);
        }
        if (!c->contact->plain) {
            fil_contact_velocity(set, c->contact, world->state.v, c->slip);
        }
        weigh_contact(world, c);
        c->memory[0] = memory_of(world, c->contact, 0);
        c->memory[1] = memory_of(world, c->contact, 1);
        p->count++;
    }
    if (model->begin != NULL) {
        model->begin(p);
    }
    line_up(stage, model);
    return FIL_OK;
}

/* ---- forces ---- */

void fil_potential_place(const FilPotentialContact* c, const double* v, double dt, double* x)
{
    for (int n = 0; n < 4; n++) {
        for (int k = 0; k < 3; k++) {
            x[3 * n + k] = c->x[3 * n + k] + dt * v[4 * c->variable[n] + k];
        }
    }
}

static void clear_term(FilPotentialTerm* term, const FilPotentialContact* c, FilPotentialOrder order)
{
    term->energy = 0.0;
    memset(term->gradient, 0, sizeof term->gradient);
    memset(term->row_gradient, 0, sizeof term->row_gradient);
    if (order != FIL_POTENTIAL_FORCE) {
        memset(term->row_hessian, 0, sizeof term->row_hessian);
        if (c->nodes) {
            memset(term->hessian, 0, sizeof term->hessian);
        }
    }
}

void fil_potential_evaluate(const FilWorld* world, const FilPotentialModel* model, int k, const double* v,
                            FilPotentialOrder order, FilPotentialTerm* term)
{
    const FilPotentialProblem* p = &world->potential.problem;
    const FilPotentialContact* c = &p->contacts[k];
    double x[12], u[3];
    clear_term(term, c, order);
    if (c->nodes) {
        fil_potential_place(c, v, p->dt, x);
    }
    if (c->rows) {
        fil_contact_velocity(&world->collision.set, c->contact, v, u);
    }
    model->evaluate(p, c, x, u, order, term);
}

/* Where the ends of pairs side by side are after a step with velocities v. */
static void place_edges(const FilPotentialEdges* e, const double* v, double dt, FilWide x[12])
{
    const FilWide step = fil_wide_splat(dt);
    for (int n = 0; n < 4; n++) {
        for (int k = 0; k < 3; k++) {
            x[3 * n + k] = fil_wide_load(e->x[3 * n + k]) + step * fil_wide_gather(v + k, e->variable[n], 4);
        }
    }
}

static void add_edges(const FilPotentialEdges* e, double dt, double* sum)
{
    for (int lane = 0; lane < e->count; lane++) {
        for (int n = 0; n < 4; n++) {
            double* to = sum + 4 * e->variable[n][lane];
            for (int k = 0; k < 3; k++) {
                to[k] += dt * e->gradient[3 * n + k][lane];
            }
        }
    }
}

/* Adds what is kept of contact k, which is not among the pairs side by side, times dt. */
static void add_contact(const FilWorld* world, int k, double* sum)
{
    const FilPotentialProblem* p = &world->potential.problem;
    const FilContactSet* set = &world->collision.set;
    const FilPotentialContact* c = &p->contacts[k];
    const FilPotentialForce* force = fil_potential_force(&world->potential, k);
    const double* rows = force->row_gradient;
    for (int n = 0; n < 4 && c->nodes; n++) {
        fil_v3_axpy(sum + 4 * c->variable[n], p->dt, force->gradient + 3 * n);
    }
    for (int b = c->contact->first_block; c->rows && b < c->contact->first_block + c->contact->block_count; b++) {
        const double* j = set->jacobian + 12 * (size_t)b;
        for (int m = 0; m < 4; m++) {
            sum[4 * set->variable[b] + m] += p->dt * (j[m] * rows[0] + j[4 + m] * rows[1] + j[8 + m] * rows[2]);
        }
    }
}

void fil_potential_add_kept(const FilWorld* world, double* sum)
{
    const FilPotentialStage* stage = &world->potential;
    const FilPotentialProblem* p = &stage->problem;
    for (int k = 0; k < stage->edges_count; k++) {
        add_edges(fil_potential_edges(stage, k), p->dt, sum);
    }
    for (int k = 0; k < p->count; k++) {
        if (p->contacts[k].edges < 0) {
            add_contact(world, k, sum);
        }
    }
}

/* Finds the force of one contact; returns its energy. */
static double find_force(FilWorld* world, const FilPotentialModel* model, int k, const double* v)
{
    FilPotentialForce* force = fil_potential_force(&world->potential, k);
    FilPotentialTerm term;
    fil_potential_evaluate(world, model, k, v, FIL_POTENTIAL_FORCE, &term);
    memcpy(force->gradient, term.gradient, sizeof term.gradient);
    memcpy(force->row_gradient, term.row_gradient, sizeof term.row_gradient);
    return term.energy;
}

double fil_potential_add(FilWorld* world, const FilPotentialModel* model, const double* v, double* residual)
{
    const FilPotentialStage* stage = &world->potential;
    const FilPotentialProblem* p = &stage->problem;
    double energy = 0.0;
    for (int k = 0; k < stage->edges_count; k++) {
        FilPotentialEdges* e = fil_potential_edges(stage, k);
        FilWide x[12];
        place_edges(e, v, p->dt, x);
        model->evaluate_edges(p, x, e);
        add_edges(e, p->dt, residual);
        for (int lane = 0; lane < e->count; lane++) {
            energy += e->energy[lane];
        }
    }
    for (int k = 0; k < p->count; k++) {
        if (p->contacts[k].edges < 0) {
            energy += find_force(world, model, k, v);
            add_contact(world, k, residual);
        }
    }
    return energy;
}

/* ---- the end of a step ---- */

/* Distances of surfaces at the solution. */
void fil_potential_measure(FilWorld* world, const double* v)
{
    FilPotentialStage* stage = &world->potential;
    const FilPotentialProblem* p = &stage->problem;
    for (int k = 0; k < p->count; k++) {
        FilPotentialContact* c = &p->contacts[k];
        double u[3];
        if (is_round(world, c->contact)) {
            double x[12], s, t;
            fil_potential_place(c, v, p->dt, x);
            stage->distances.at[k] = sqrt(fil_segment_segment(x, x + 3, x + 6, x + 9, &s, &t)) - c->thickness;
        } else {
            fil_contact_velocity(&world->collision.set, c->contact, v, u);
            stage->distances.at[k] = c->contact->distance + p->dt * u[2];
        }
    }
}

/* The force of one of several side by side. */
static void take_force(const FilPotentialEdges* e, int lane, FilPotentialForce* force)
{
    for (int k = 0; k < 12; k++) {
        force->gradient[k] = e->gradient[k][lane];
    }
    fil_v3_set(force->row_gradient, 0.0, 0.0, 0.0);
}

/* Impulses of the contacts in their frames, and on the bodies. */
void fil_potential_spread(FilWorld* world, const FilPotentialModel* model, const double* v, FilStepInfo* info)
{
    FilPotentialStage* stage = &world->potential;
    const FilPotentialProblem* p = &stage->problem;
    double* impulse = stage->impulse.at;
    memset(impulse, 0, sizeof(double) * (size_t)world->v_count);
    // v is what everything was evaluated at last
    if (model->field == NULL) {
        fil_potential_add_kept(world, impulse);
    }
    for (int k = 0; k < p->count && model->field == NULL; k++) {
        const FilPotentialContact* c = &p->contacts[k];
        FilPotentialForce alone;
        const FilPotentialForce* kept = c->edges >= 0 ? &alone : fil_potential_force(stage, k);
        double force[3];
        if (c->edges >= 0) {
            take_force(fil_potential_edges(stage, c->edges), c->lane, &alone);
        }
        fil_v3_add(force, kept->gradient + 6, kept->gradient + 9);  // on side 1, negative
        fil_m3_apply(c->contact->impulse, c->contact->frame, force);
        fil_v3_add(c->contact->impulse, c->contact->impulse, kept->row_gradient);
        fil_v3_scale(c->contact->impulse, -p->dt, c->contact->impulse);
    }
    for (int k = 0; k < world->v_count; k++) {
        impulse[k] = -impulse[k];
    }
    if (model->field != NULL) {
        model->field->finish(world, v, impulse, info);
    }
    fil_potential_joints_finish(world, v, impulse);
    for (int b = 0; b < world->body_count; b++) {
        const FilBody* body = &world->bodies[b];
        if (fil_potential_takes_part(world, b) && body->ops->push != NULL) {
            body->ops->push(body->impl, v + body->v, impulse + body->v, NULL);
        }
    }
}
