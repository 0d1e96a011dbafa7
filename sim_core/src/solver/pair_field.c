/* Contacts that collision found as terms of a potential: what a model needs to know of each, their forces, second derivatives and
 * impulses. */
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "geometry/closest.h"
#include "solver/pair_weight.h"
#include "solver/solver.h"

/* Friction's bounds are those of the step's start while the solution's differ by less than this share of all: what slides slowly
 * from edge to edge stays below; a hundredth of friction is what steps of first order are off by anyway. */
static const double BOUNDS_DIFFER = 0.01;

/* What is kept of a contact as last evaluated, unless it is one of several side by side. */
static FilPotentialForce* force_of(const FilPotentialStage* stage, int contact)
{
    return (FilPotentialForce*)stage->forces + contact;
}

static FilPotentialEdges* edges_of(const FilPotentialStage* stage, int index)
{
    return (FilPotentialEdges*)stage->edges + index;
}

/* ---- what is known of a contact ---- */

/* Blocks of one side of a contact: the first, and how many. */
static int side_blocks(const FilSolver* solver, const FilContact* contact, int side, int* count)
{
    const FilContactSet* set = &solver->collision->set;
    const FilBody* body = &solver->system->bodies[contact->body[0]];
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
static bool is_round(const FilSolver* solver, const FilContact* contact)
{
    for (int side = 0; side < 2 && !contact->plain; side++) {
        const FilCollider* c = &solver->collision->colliders[contact->collider[side]].collider;
        if (c->kind != FIL_COLLIDER_ROW || (c->boxes && !solver->collision->wants.round)) {
            return false;
        }
    }
    return true;
}

static void take_ends(const FilSolver* solver, FilPotentialContact* c)
{
    const FilContact* contact = c->contact;
    c->thickness = 0.0;
    c->share = solver->collision->wants.shares ? fil_collision_share(solver->collision, contact, solver->potential.problem.dt) : 1.0;
    for (int side = 0; side < 2; side++) {
        const FilWorldCollider* row = &solver->collision->colliders[contact->collider[side]];
        const int edge = contact->part[side], ends[2] = {edge, edge + 1 == row->collider.node_count ? 0 : edge + 1};
        int count;
        const int first = side_blocks(solver, contact, side, &count);
        c->thickness += row->collider.radii[edge];
        for (int e = 0; e < 2; e++) {
            const int n = 2 * side + e;
            c->local[n] = first + e;
            c->variable[n] = solver->collision->set.variable[contact->first_block + first + e];
            fil_v3_copy(c->x + 3 * n, row->place.nodes + 4 * ends[e]);
            fil_v3_copy(c->speed + 3 * n, row->place.velocities + 4 * ends[e]);
        }
    }
}

/* What lengths are measured in: the mean radius of edges, or the smallest shape at hand. */
static double contact_radius(const FilSolver* solver, const FilContact* contact)
{
    double sum = 0.0;
    int rows = 0;
    for (int side = 0; side < 2; side++) {
        const FilCollider* c = &solver->collision->colliders[contact->collider[side]].collider;
        if (c->kind == FIL_COLLIDER_ROW) {
            sum += c->radii[contact->part[side]];
            rows++;
        }
    }
    return rows > 0 ? sum / rows : solver->collision->length;
}

static int memory_of(const FilSolver* solver, const FilContact* contact, int side)
{
    const FilWorldCollider* c = &solver->collision->colliders[contact->collider[side]];
    return c->memory >= 0 ? c->memory + contact->part[side] : -1;
}

static void take_lane(const FilPotentialContact* c, int k, FilPotentialEdges* e, int lane)
{
    e->contact[lane] = k;
    e->stiffness[lane] = c->stiffness;
    e->radius[lane] = c->radius;
    e->thickness[lane] = c->thickness;
    e->start[lane] = c->start;
    e->ahead[lane] = c->ahead;
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
static void line_up(FilPotentialStage* stage, const FilPairPotential* pair)
{
    const FilPotentialProblem* p = &stage->problem;
    stage->edges_count = 0;
    for (int k = 0, lane = 0; k < p->count; k++) {
        FilPotentialContact* c = &p->contacts[k];
        c->edges = -1;
        if (pair->evaluate_edges == NULL || !c->nodes || c->rows) {
            continue;
        }
        stage->edges_count += lane == 0 ? 1 : 0;
        c->edges = stage->edges_count - 1;
        c->lane = lane;
        FilPotentialEdges* e = edges_of(stage, c->edges);
        for (int left = lane; left < (lane == 0 ? FIL_DOUBLE4_COUNT : lane + 1); left++) {
            take_lane(c, k, e, left);
        }
        e->count = ++lane;
        lane %= FIL_DOUBLE4_COUNT;
    }
}

/* Whether something that is out of a shape's reach would be deeper in it than its radius after the step: smaller ones are needed. */
static bool too_fast(const FilPotentialProblem* p, const FilPotentialContact* c)
{
    return !c->nodes && !c->contact->plain && c->contact->distance + p->dt * c->contact->normal_velocity < -c->radius;
}

static FilStatus weigh(FilSolver* solver)
{
    FilPotentialStage* stage = &solver->potential;
    const FilPairPotential* pair = solver->model->pair;
    FilContactSet* set = &solver->collision->set;
    const size_t count = (size_t)set->count;
    if (!fil_buffer_reserve(&stage->contacts, &stage->contact_capacity, count, sizeof(FilPotentialContact)) ||
        !fil_buffer_reserve(&stage->forces, &stage->force_capacity, count, sizeof(FilPotentialForce)) ||
        !fil_buffer_reserve(&stage->edges, &stage->edges_capacity, count / FIL_DOUBLE4_COUNT + 1, sizeof(FilPotentialEdges)) ||
        !fil_doubles_reserve(&stage->distances, count)) {
        return FIL_OUT_OF_MEMORY;
    }
    FilPotentialProblem* p = &stage->problem;
    p->contacts = stage->contacts;
    for (int k = 0; k < set->count; k++) {
        FilPotentialContact* c = &p->contacts[p->count];
        *c = (FilPotentialContact){.contact = &set->contacts[k], .share = 1.0, .radius = contact_radius(solver, &set->contacts[k])};
        c->nodes = is_round(solver, c->contact);
        if (set->contacts[k].distance > p->settings->reach * c->radius && pair->refine == NULL) {
            if (too_fast(p, c)) {
                return FIL_NOT_CONVERGED;
            }
            fil_v3_set(set->contacts[k].impulse, 0.0, 0.0, 0.0);
            continue;  // P2 eq. 22
        }
        if (c->nodes) {
            take_ends(solver, c);
        }
        if (!c->contact->plain) {
            fil_contact_velocity(set, c->contact, solver->system->state.v, c->slip);
        }
        fil_pair_weigh(solver, c);
        c->memory[0] = memory_of(solver, c->contact, 0);
        c->memory[1] = memory_of(solver, c->contact, 1);
        p->count++;
    }
    fil_pair_share_masses(solver);
    if (pair->begin != NULL) {
        pair->begin(p);
    }
    line_up(stage, pair);
    return FIL_OK;
}

static void set_newton(const FilSolver* solver, FilPotentialNewton* options)
{
    const FilImcSettings* s = &solver->settings.model.imc;
    // friction as published has no potential; static friction's is sharp, and a smaller residual may lead away from rest; so are joints'
    const bool sharp = solver->model->pair->bound != NULL || solver->contact.constraint_count > 0;
    *options = (FilPotentialNewton){.force_tolerance = s->force_tolerance,
                                    .reduction = s->reduction,
                                    .tangent = solver->model->pair->tangent,
                                    .tangent_after = s->tangent_after,
                                    .full_tangent = s->full_tangent,
                                    .damping = s->damping,
                                    .descends = sharp && s->friction == FIL_IMC_STATIC};
}

/* ---- forces ---- */

static void place(const FilPotentialContact* c, const double* v, double dt, double* x)
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

static void evaluate(const FilSolver* solver, int k, const double* v, FilPotentialOrder order, FilPotentialTerm* term)
{
    const FilPotentialProblem* p = &solver->potential.problem;
    const FilPotentialContact* c = &p->contacts[k];
    double x[12], u[3];
    clear_term(term, c, order);
    if (c->nodes) {
        place(c, v, p->dt, x);
    }
    if (c->rows) {
        fil_contact_velocity(&solver->collision->set, c->contact, v, u);
    }
    solver->model->pair->evaluate(p, c, x, u, order, term);
}

/* Where the ends of pairs side by side are after a step with velocities v. */
static void place_edges(const FilPotentialEdges* e, const double* v, double dt, FilDouble4 x[12])
{
    const FilDouble4 step = fil_double4_all(dt);
    for (int n = 0; n < 4; n++) {
        for (int k = 0; k < 3; k++) {
            x[3 * n + k] = fil_double4_load(e->x[3 * n + k]) + step * fil_double4_gather(v + k, e->variable[n], 4);
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
static void add_contact(const FilSolver* solver, int k, double* sum)
{
    const FilPotentialProblem* p = &solver->potential.problem;
    const FilContactSet* set = &solver->collision->set;
    const FilPotentialContact* c = &p->contacts[k];
    const FilPotentialForce* force = force_of(&solver->potential, k);
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

static void add_kept(const FilSolver* solver, double* sum)
{
    const FilPotentialStage* stage = &solver->potential;
    const FilPotentialProblem* p = &stage->problem;
    for (int k = 0; k < stage->edges_count; k++) {
        add_edges(edges_of(stage, k), p->dt, sum);
    }
    for (int k = 0; k < p->count; k++) {
        if (p->contacts[k].edges < 0) {
            add_contact(solver, k, sum);
        }
    }
}

/* Finds the force of one contact; returns its energy. */
static double find_force(FilSolver* solver, int k, const double* v)
{
    FilPotentialForce* force = force_of(&solver->potential, k);
    FilPotentialTerm term;
    evaluate(solver, k, v, FIL_POTENTIAL_FORCE, &term);
    memcpy(force->gradient, term.gradient, sizeof term.gradient);
    memcpy(force->row_gradient, term.row_gradient, sizeof term.row_gradient);
    return term.energy;
}

static double add(FilSolver* solver, const double* v, double* residual)
{
    const FilPotentialStage* stage = &solver->potential;
    const FilPotentialProblem* p = &stage->problem;
    double energy = 0.0;
    for (int k = 0; k < stage->edges_count; k++) {
        FilPotentialEdges* e = edges_of(stage, k);
        FilDouble4 x[12];
        place_edges(e, v, p->dt, x);
        solver->model->pair->evaluate_edges(p, x, e);
        add_edges(e, p->dt, residual);
        for (int lane = 0; lane < e->count; lane++) {
            energy += e->energy[lane];
        }
    }
    for (int k = 0; k < p->count; k++) {
        if (p->contacts[k].edges < 0) {
            energy += find_force(solver, k, v);
            add_contact(solver, k, residual);
        }
    }
    return energy;
}

/* ---- second derivatives ---- */

/* Column of the matrix for a block of the world's velocities. */
static int column_of(const FilSolver* solver, const FilContact* contact, int block)
{
    for (int side = 0; side < 2; side++) {
        const FilBody* body = &solver->system->bodies[contact->body[side]];
        if (block >= body->v / 4 && block < (body->v + body->v_count) / 4) {
            return solver->contact.offset[contact->body[side]] + block - body->v / 4;
        }
    }
    return -1;
}

/* The columns that each contact couples. */
static FilStatus list(FilSolver* solver, FilInts* list_end, FilInts* variable, int* count)
{
    const FilPotentialProblem* p = &solver->potential.problem;
    const FilContactSet* set = &solver->collision->set;
    if (!fil_ints_reserve(list_end, (size_t)p->count) || !fil_ints_reserve(variable, (size_t)set->block_count)) {
        return FIL_OUT_OF_MEMORY;
    }
    int end = 0;
    for (int k = 0; k < p->count; k++) {
        const FilContact* contact = p->contacts[k].contact;
        for (int b = contact->first_block; b < contact->first_block + contact->block_count; b++) {
            variable->at[end++] = column_of(solver, contact, set->variable[b]);
        }
        list_end->at[k] = end;
    }
    *count = p->count;
    return FIL_OK;
}

/* One 4x4 block of a 12 x 12 matrix of four ends: the angle has no part in it. */
static void end_block(const double* hessian, int row, int column, double scale, double* block)
{
    memset(block, 0, FIL_BLOCK_SIZE * sizeof *block);
    for (int c = 0; c < 3; c++) {
        for (int r = 0; r < 3; r++) {
            block[4 * c + r] = scale * hessian[12 * (3 * row + r) + 3 * column + c];
        }
    }
}

/* Adds scale second slope slope' of contact k. */
static void add_simple(FilBlockSum* hessian, int k, const FilPotentialContact* contact, const FilPotentialEdges* e, double scale)
{
    const double second = scale * e->second[contact->lane];
    double slope[12];
    for (int i = 0; i < 12; i++) {
        slope[i] = e->slope[i][contact->lane];
    }
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            double* sum = fil_block_sum_at(hessian, k, contact->local[i], contact->local[j]);
            for (int c = 0; c < 3 && sum != NULL; c++) {
                const double scaled = second * slope[3 * j + c];
                for (int r = 0; r < 3; r++) {
                    sum[4 * c + r] += slope[3 * i + r] * scaled;
                }
            }
        }
    }
}

static void hessian(FilSolver* solver, const double* v, FilPotentialOrder order, FilBlockSum* sum)
{
    const FilPotentialStage* stage = &solver->potential;
    const FilPotentialProblem* p = &stage->problem;
    const FilContactSet* set = &solver->collision->set;
    const double scale = p->dt * p->dt;
    double block[FIL_BLOCK_SIZE];
    for (int k = 0; k < p->count; k++) {
        const FilPotentialContact* c = &p->contacts[k];
        const FilPotentialEdges* e = c->edges >= 0 ? edges_of(stage, c->edges) : NULL;
        if (e != NULL && e->simple && order == FIL_POTENTIAL_DEFINITE) {  // known since the forces were: v is where
            add_simple(sum, k, c, e, scale);
            continue;
        }
        FilPotentialTerm term;
        evaluate(solver, k, v, order, &term);
        for (int i = 0; c->nodes && i < 4; i++) {
            for (int j = 0; j < 4; j++) {
                end_block(term.hessian, i, j, scale, block);
                fil_block_sum_add(sum, k, c->local[i], c->local[j], block);
            }
        }
        const double* jacobian = set->jacobian + 12 * (size_t)c->contact->first_block;
        for (int i = 0; c->rows && i < c->contact->block_count; i++) {
            for (int j = 0; j < c->contact->block_count; j++) {
                fil_potential_row_block(jacobian + 12 * i, term.row_hessian, jacobian + 12 * j, scale, block);
                fil_block_sum_add(sum, k, i, j, block);
            }
        }
    }
}

/* ---- the end of a step ---- */

/* Distances of surfaces at the solution. */
static void measure(FilSolver* solver, const double* v)
{
    FilPotentialStage* stage = &solver->potential;
    const FilPotentialProblem* p = &stage->problem;
    for (int k = 0; k < p->count; k++) {
        FilPotentialContact* c = &p->contacts[k];
        double u[3];
        if (is_round(solver, c->contact)) {
            double x[12], s, t;
            place(c, v, p->dt, x);
            stage->distances.at[k] = sqrt(fil_segment_segment(x, x + 3, x + 6, x + 9, &s, &t)) - c->thickness;
        } else {
            fil_contact_velocity(&solver->collision->set, c->contact, v, u);
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

/* Whether something has gone into a shape by more than its own radius within the step: its force is bounded, and beyond the middle of
 * a wall it would push it out on the other side. */
static bool goes_through(const FilSolver* solver, const double* v)
{
    const FilPotentialProblem* p = &solver->potential.problem;
    for (int k = 0; k < p->count; k++) {
        const FilPotentialContact* c = &p->contacts[k];
        double u[3];
        if (c->nodes || c->contact->plain || c->contact->distance < 0.0) {
            continue;
        }
        fil_contact_velocity(&solver->collision->set, c->contact, v, u);
        if (c->contact->distance + p->dt * u[2] < -c->radius) {
            return true;
        }
    }
    return false;
}

/* Impulses of the contacts in their frames, and on the bodies. */
static FilStatus finish(FilSolver* solver, const double* v, double* impulse, FilStepInfo* info)
{
    const FilPotentialStage* stage = &solver->potential;
    const FilPotentialProblem* p = &stage->problem;
    (void)info;
    if (goes_through(solver, v)) {
        return FIL_NOT_CONVERGED;
    }
    // v is what everything was evaluated at last
    add_kept(solver, impulse);
    for (int k = 0; k < p->count; k++) {
        const FilPotentialContact* c = &p->contacts[k];
        FilPotentialForce alone;
        const FilPotentialForce* kept = c->edges >= 0 ? &alone : force_of(stage, k);
        double force[3];
        if (c->edges >= 0) {
            take_force(edges_of(stage, c->edges), c->lane, &alone);
        }
        fil_v3_add(force, kept->gradient + 6, kept->gradient + 9);  // on side 1, negative
        fil_m3_apply(c->contact->impulse, c->contact->frame, force);
        fil_v3_add(c->contact->impulse, c->contact->impulse, kept->row_gradient);
        fil_v3_scale(c->contact->impulse, -p->dt, c->contact->impulse);
    }
    for (int k = 0; k < solver->system->v_count; k++) {
        impulse[k] = -impulse[k];
    }
    return FIL_OK;
}

static double longest(FilSolver* solver, const double* v, const double* direction)
{
    const FilPairPotential* pair = solver->model->pair;
    const FilPotentialProblem* p = &solver->potential.problem;
    double longest = 1.0;
    for (int k = 0; pair->step_limit != NULL && k < p->count; k++) {
        const FilPotentialContact* c = &p->contacts[k];
        double x[12], moved[12];
        place(c, v, p->dt, x);
        for (int i = 0; i < 12; i++) {
            moved[i] = -p->dt * direction[4 * c->variable[i / 3] + i % 3];
        }
        longest = fmin(longest, pair->step_limit(p, c, x, moved));
    }
    return longest;
}

/* Takes the solution's normal forces as bounds of friction where they differ by so much that it must be solved again, and says so. */
static bool follow_bounds(FilSolver* solver, const double* v)
{
    FilPotentialProblem* p = &solver->potential.problem;
    double change = 0.0, sum = 0.0, *bounds = solver->potential.distances.at;
    for (int k = 0; k < p->count; k++) {
        const FilPotentialContact* c = &p->contacts[k];
        double x[12], u[3] = {0.0, 0.0, 0.0};
        c->nodes ? place(c, v, p->dt, x) : fil_contact_velocity(&solver->collision->set, c->contact, v, u);
        bounds[k] = solver->model->pair->bound(p, c, x, u);
        if (bounds[k] >= 0.0) {
            change += fabs(bounds[k] - c->normal_force);
            sum += bounds[k];
        }
    }
    const bool again = change > BOUNDS_DIFFER * sum && p->round + 1 < p->settings->friction_iterations;  // each leaves about mu of the difference
    for (int k = 0; k < p->count && again; k++) {
        p->contacts[k].normal_force = bounds[k] >= 0.0 ? bounds[k] : p->contacts[k].normal_force;
    }
    p->round += again;
    return again;
}

static FilStatus refine(FilSolver* solver, const double* v, bool* again, FilStepInfo* info)
{
    const FilPairPotential* pair = solver->model->pair;
    (void)info;
    if (pair->refine == NULL) {
        *again = pair->bound != NULL && follow_bounds(solver, v);
        return FIL_OK;
    }
    measure(solver, v);
    solver->potential.problem.round++;
    *again = pair->refine(&solver->potential.problem, solver->potential.distances.at);
    return FIL_OK;
}

const FilPotentialField fil_pair_field = {
    .scheme = &fil_scheme_hybrid,
    .newton = set_newton,
    .weigh = weigh,
    .add = add,
    .add_kept = add_kept,
    .list = list,
    .hessian = hessian,
    .longest = longest,
    .refine = refine,
    .finish = finish,
};
