#include "world/potential_stage.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "geometry/closest.h"
#include "world/world.h"

/* A Newton step that leaves more than this share of the residual was too little: the contacts' tangent joins in. */
static const double SLOW = 0.25;

/* Memory of the model's own numbers: the last is the stage's, iterations of the last step. */
enum { TANGENT_HINT = FIL_POTENTIAL_MEMORY - 1 };

enum { GRADIENTS = 15 }; /* numbers per contact: 12 of nodes, 3 of rows */

void fil_potential_stage_free(FilPotentialStage* stage)
{
    fil_free(stage->contacts);
    fil_free(stage->gradients.at);
    fil_free(stage->distances.at);
    fil_free(stage->impulse.at);
    fil_free(stage->edge_scratch.at);
    fil_block_cholesky_destroy(stage->cholesky);
    fil_block_sum_free(&stage->hessian);
    fil_free(stage->list_end.at);
    fil_free(stage->list_variable.at);
}

static bool takes_part(const FilWorld* world, int b)
{
    return world->contact.active && world->contact.offset[b] >= 0;
}

/* ---- contacts ---- */

/* Blocks of one side of a contact: the first, and how many. */
static int side_blocks(const FilWorld* world, const FilContact* contact, int side, int* count)
{
    const FilContactSet* set = &world->collision.set;
    const FilBody* body = &world->bodies[contact->body[0]];
    int first = 0;
    // those of side 0 stand in front
    while (first < contact->block_count) {
        const int variable = set->variable[contact->first_block + first];
        const bool of_first = variable >= body->v / 4 && variable < (body->v + body->v_count) / 4;
        if (!of_first) {
            break;
        }
        first++;
    }
    if (contact->body[0] == contact->body[1]) {
        first = contact->block_count / 2; // a rod with itself: as many on both sides
    }
    *count = side == 0 ? first : contact->block_count - first;
    return side == 0 ? 0 : first;
}

/* Whether both sides are round edges, whose distance is a function of their ends. */
static bool is_round(const FilWorld* world, const FilContact* contact)
{
    for (int side = 0; side < 2; side++) {
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
        const int edge = contact->element[side], ends[2] = {edge, (edge + 1) % row->collider.node_count};
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
            sum += c->radii[contact->element[side]];
            rows++;
        }
    }
    return rows > 0 ? sum / rows : world->contact_length;
}

/* J v + bias of a contact, v on the world's velocities. */
static void contact_velocity(const FilWorld* world, const FilContact* contact, const double* v, double* u)
{
    const FilContactSet* set = &world->collision.set;
    fil_v3_copy(u, contact->bias);
    for (int b = contact->first_block; b < contact->first_block + contact->block_count; b++) {
        const double *j = set->jacobian + 12 * (size_t)b, *x = v + 4 * (size_t)set->variable[b];
        for (int row = 0; row < 3; row++) {
            u[row] += j[4 * row] * x[0] + j[4 * row + 1] * x[1] + j[4 * row + 2] * x[2] + j[4 * row + 3] * x[3];
        }
    }
}

/* How heavy what the contact moves is, by the diagonal of the tangent. */
static void weigh_contact(const FilWorld* world, FilPotentialContact* c)
{
    const FilContactSet* set = &world->collision.set;
    const double* inverse = world->scratch.weight;
    double largest = 0.0;
    c->compliance = 0.0;
    for (int b = c->contact->first_block; b < c->contact->first_block + c->contact->block_count; b++) {
        for (int k = 0; k < 4; k++) {
            const double normal = set->jacobian[12 * (size_t)b + 8 + (size_t)k], w = inverse[4 * set->variable[b] + k];
            c->compliance += normal * normal * w;
            largest = fmax(largest, k < 3 ? w : 0.0);
        }
    }
    c->diagonal = largest > 0.0 ? 1.0 / largest : 0.0;
}

static int memory_of(const FilWorld* world, const FilContact* contact, int side)
{
    const FilWorldCollider* c = &world->collision.colliders[contact->collider[side]];
    return c->memory >= 0 ? c->memory + contact->element[side] : -1;
}

static FilStatus set_up(FilWorld* world, const FilPotentialModel* model, double dt)
{
    FilPotentialStage* stage = &world->potential;
    FilContactSet* set = &world->collision.set;
    const size_t count = (size_t)set->count;
    if (!fil_buffer_reserve(&stage->contacts, &stage->contact_capacity, count, sizeof(FilPotentialContact)) ||
        !fil_doubles_reserve(&stage->gradients, GRADIENTS * count) || !fil_doubles_reserve(&stage->distances, count) ||
        !fil_doubles_reserve(&stage->impulse, (size_t)world->v_count) ||
        !fil_doubles_reserve(&stage->edge_scratch, (size_t)world->h_count)) {
        return FIL_OUT_OF_MEMORY;
    }
    stage->bound = false;
    FilPotentialProblem* p = &stage->problem;
    *p = (FilPotentialProblem){.dt = dt, .settings = &world->def.imc, .contacts = stage->contacts,
                               .memory = world->next.h + world->memory, .edge_memory = world->next.h,
                               .edge_scratch = stage->edge_scratch.at};
    for (int k = 0; k < set->count; k++) {
        FilPotentialContact* c = &p->contacts[p->count];
        *c = (FilPotentialContact){.contact = &set->contacts[k], .radius = contact_radius(world, &set->contacts[k])};
        if (set->contacts[k].distance > world->def.imc.reach * c->radius && model->refine == NULL) {
            fil_v3_set(set->contacts[k].impulse, 0.0, 0.0, 0.0);
            continue; // P2 eq. 22
        }
        c->nodes = is_round(world, c->contact);
        if (c->nodes) {
            take_ends(world, c);
        }
        contact_velocity(world, c->contact, world->state.v, c->slip);
        weigh_contact(world, c);
        c->memory[0] = memory_of(world, c->contact, 0);
        c->memory[1] = memory_of(world, c->contact, 1);
        p->count++;
    }
    if (model->begin != NULL) {
        model->begin(p);
    }
    return FIL_OK;
}

/* ---- the residual ---- */

static void place_ends(const FilPotentialContact* c, const double* v, double dt, double* x)
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

static void evaluate_contact(FilWorld* world, const FilPotentialModel* model, int k, const double* v, FilPotentialOrder order,
                             FilPotentialTerm* term)
{
    const FilPotentialProblem* p = &world->potential.problem;
    const FilPotentialContact* c = &p->contacts[k];
    double x[12], u[3];
    clear_term(term, c, order);
    if (c->nodes) {
        place_ends(c, v, p->dt, x);
    }
    if (c->rows) {
        contact_velocity(world, c->contact, v, u);
    }
    model->evaluate(p, c, x, u, order, term);
}

/* Forces of all contacts at v, kept per contact; adds their impulses' negative to `residual`. Returns their energy. */
static double add_contacts(FilWorld* world, const FilPotentialModel* model, const double* v, double* residual)
{
    FilPotentialStage* stage = &world->potential;
    const FilPotentialProblem* p = &stage->problem;
    const FilContactSet* set = &world->collision.set;
    double energy = 0.0;
    for (int k = 0; k < p->count; k++) {
        const FilPotentialContact* c = &p->contacts[k];
        FilPotentialTerm term;
        evaluate_contact(world, model, k, v, FIL_POTENTIAL_FORCE, &term);
        energy += term.energy;
        double* kept = stage->gradients.at + GRADIENTS * k;
        memcpy(kept, term.gradient, sizeof term.gradient);
        memcpy(kept + 12, term.row_gradient, sizeof term.row_gradient);
        for (int n = 0; n < 4 && c->nodes; n++) {
            fil_v3_axpy(residual + 4 * c->variable[n], p->dt, term.gradient + 3 * n);
        }
        for (int b = c->contact->first_block; c->rows && b < c->contact->first_block + c->contact->block_count; b++) {
            const double* j = set->jacobian + 12 * (size_t)b;
            for (int m = 0; m < 4; m++) {
                residual[4 * set->variable[b] + m] +=
                    p->dt * (j[m] * term.row_gradient[0] + j[4 + m] * term.row_gradient[1] + j[8 + m] * term.row_gradient[2]);
            }
        }
    }
    return energy;
}

/* Residual of the bodies that take part, without contact; false if v leads out of reach. Prepares their tangents. */
static bool evaluate_bodies(FilWorld* world, const double* v, double* residual, double* potential)
{
    *potential = 0.0;
    for (int b = 0; b < world->body_count; b++) {
        const FilBody* body = &world->bodies[b];
        double own;
        if (takes_part(world, b)) {
            if (!body->ops->evaluate(body->impl, v + body->v, 0.0, residual + body->v, &own)) {
                return false;
            }
            *potential += own;
        }
    }
    return true;
}

/* Adds the contacts to what evaluate_bodies() has found. */
static bool evaluate_contacts(FilWorld* world, const FilPotentialModel* model, const double* v, double* residual,
                              double* potential)
{
    *potential += model->field != NULL ? model->field->add(world, v, residual) : add_contacts(world, model, v, residual);
    // what is held feels no contact
    const double* weight = world->scratch.weight;
    for (int b = 0; b < world->body_count; b++) {
        for (int k = world->bodies[b].v; takes_part(world, b) && k < world->bodies[b].v + world->bodies[b].v_count; k++) {
            residual[k] = weight[k] > 0.0 ? residual[k] : 0.0;
        }
    }
    return isfinite(*potential);
}

static bool evaluate(FilWorld* world, const FilPotentialModel* model, const double* v, double* residual, double* potential)
{
    return evaluate_bodies(world, v, residual, potential) && evaluate_contacts(world, model, v, residual, potential);
}

/* ---- the measure ---- */

/* Inverse diagonals as weights; returns the size of momenta at work, and what rounding leaves. */
static double set_measure(FilWorld* world, double dt, const double* v, double* rounding)
{
    double sum = 0.0, stiffness = 0.0, reach = 0.0;
    FilNewtonScratch* s = &world->scratch;
    for (int b = 0; b < world->body_count; b++) {
        const FilBody* body = &world->bodies[b];
        if (!takes_part(world, b)) {
            continue;
        }
        body->ops->diagonal(body->impl, v + body->v, s->weight + body->v, s->scale + body->v);
        for (int k = body->v; k < body->v + body->v_count; k++) {
            stiffness += s->weight[k];
            s->weight[k] = s->weight[k] > 0.0 ? 1.0 / s->weight[k] : 0.0;
            sum += s->scale[k] * s->scale[k] * s->weight[k];
        }
        for (int k = body->q; k < body->q + body->q_count; k++) {
            reach = fmax(reach, fabs(world->state.q[k]));
        }
    }
    *rounding = 4.0 * DBL_EPSILON * reach / dt * sqrt(stiffness);
    return sqrt(sum);
}

/* Size of a residual: weighted, or as plain force where a force is what Newton shall stop at. */
static double size_of(const FilWorld* world, const double* residual, bool as_force)
{
    double sum = 0.0;
    for (int b = 0; b < world->body_count; b++) {
        const FilBody* body = &world->bodies[b];
        for (int k = body->v; takes_part(world, b) && k < body->v + body->v_count; k++) {
            sum += residual[k] * residual[k] * (as_force ? 1.0 : world->scratch.weight[k]);
        }
    }
    return sqrt(sum) / (as_force ? world->potential.problem.dt : 1.0);
}

/* ---- linear solves ---- */

/* Each body by itself, its mass part enlarged where its tangent is not positive definite. */
static bool solve_bodies(FilWorld* world, const double* v, const double* residual, double* direction, FilStepInfo* info)
{
    for (int b = 0; b < world->body_count; b++) {
        const FilBody* body = &world->bodies[b];
        if (!takes_part(world, b)) {
            continue;
        }
        double shift = 0.0, potential;
        while (!body->ops->factor(body->impl)) {
            shift = shift == 0.0 ? 0.1 : 10.0 * shift;
            info->regularised++;
            if (shift > 1e20 || !body->ops->evaluate(body->impl, v + body->v, shift, direction + body->v, &potential)) {
                return false;
            }
        }
        memcpy(direction + body->v, residual + body->v, sizeof(double) * (size_t)body->v_count);
        body->ops->solve(body->impl, direction + body->v);
    }
    return true;
}

/* Column of the matrix for a block of the world's velocities. */
static int column_of(const FilWorld* world, const FilContact* contact, int block)
{
    for (int side = 0; side < 2; side++) {
        const FilBody* body = &world->bodies[contact->body[side]];
        if (block >= body->v / 4 && block < (body->v + body->v_count) / 4) {
            return world->contact.offset[contact->body[side]] + block - body->v / 4;
        }
    }
    return -1;
}

/* The columns that each contact couples. */
static FilStatus list_contacts(FilWorld* world, int* count)
{
    FilPotentialStage* stage = &world->potential;
    const FilPotentialProblem* p = &stage->problem;
    const FilContactSet* set = &world->collision.set;
    if (!fil_ints_reserve(&stage->list_end, (size_t)p->count) ||
        !fil_ints_reserve(&stage->list_variable, (size_t)set->block_count)) {
        return FIL_OUT_OF_MEMORY;
    }
    int end = 0;
    for (int k = 0; k < p->count; k++) {
        const FilContact* contact = p->contacts[k].contact;
        for (int b = contact->first_block; b < contact->first_block + contact->block_count; b++) {
            stage->list_variable.at[end++] = column_of(world, contact, set->variable[b]);
        }
        stage->list_end.at[k] = end;
    }
    *count = p->count;
    return FIL_OK;
}

/* The pattern of the contacts' part, and the analysis of the whole. */
static FilStatus bind(FilWorld* world, const FilPotentialModel* model, FilStepInfo* info)
{
    FilPotentialStage* stage = &world->potential;
    if (stage->cholesky == NULL && (stage->cholesky = fil_block_cholesky_create()) == NULL) {
        return FIL_OUT_OF_MEMORY;
    }
    int count = 0;
    FilStatus status = model->field != NULL ? model->field->list(world, &stage->list_end, &stage->list_variable, &count)
                                            : list_contacts(world, &count);
    if (status != FIL_OK) {
        return status;
    }
    const FilBlockPattern a = {world->contact.column_count, world->contact.start, world->contact.row};
    bool same;
    if (!fil_block_sum_adopt(&stage->hessian, a.columns, count, stage->list_end.at, stage->list_variable.at, &same)) {
        return FIL_OUT_OF_MEMORY;
    }
    const FilBlockPattern c = fil_block_sum_pattern(&stage->hessian);
    const int blocks = a.start[a.columns] + c.start[c.columns];
    bool fits = false;
    // an old analysis serves while the blocks fit and it is not mostly about blocks that are gone
    if (stage->analysed && 2 * blocks > stage->analysed_blocks) {
        status = fil_block_cholesky_bind(stage->cholesky, &a, &c, &fits);
    }
    if (status == FIL_OK && !fits) {
        status = fil_block_cholesky_analyze(stage->cholesky, &a, &c);
        stage->analysed_blocks = blocks;
        info->analyses++;
    }
    stage->analysed = stage->bound = status == FIL_OK;
    return status;
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

/* J_row' G J_column */
static void row_block(const double* a, const double* g, const double* b, double scale, double* block)
{
    for (int c = 0; c < 4; c++) {
        double turned[3];
        for (int i = 0; i < 3; i++) {
            turned[i] = scale * (g[3 * i] * b[c] + g[3 * i + 1] * b[4 + c] + g[3 * i + 2] * b[8 + c]);
        }
        for (int r = 0; r < 4; r++) {
            block[4 * c + r] = a[r] * turned[0] + a[4 + r] * turned[1] + a[8 + r] * turned[2];
        }
    }
}

static void assemble(FilWorld* world, const FilPotentialModel* model, const double* v, FilPotentialOrder order)
{
    FilPotentialStage* stage = &world->potential;
    const FilPotentialProblem* p = &stage->problem;
    const FilContactSet* set = &world->collision.set;
    const double scale = p->dt * p->dt;
    double block[FIL_BLOCK_SIZE];
    fil_block_sum_clear(&stage->hessian);
    if (model->field != NULL) {
        model->field->hessian(world, v, &stage->hessian);
        return;
    }
    for (int k = 0; k < p->count; k++) {
        const FilPotentialContact* c = &p->contacts[k];
        FilPotentialTerm term;
        evaluate_contact(world, model, k, v, order, &term);
        for (int i = 0; c->nodes && i < 4; i++) {
            for (int j = 0; j < 4; j++) {
                end_block(term.hessian, i, j, scale, block);
                fil_block_sum_add(&stage->hessian, k, c->local[i], c->local[j], block);
            }
        }
        const double* jacobian = set->jacobian + 12 * (size_t)c->contact->first_block;
        for (int i = 0; c->rows && i < c->contact->block_count; i++) {
            for (int j = 0; j < c->contact->block_count; j++) {
                row_block(jacobian + 12 * i, term.row_hessian, jacobian + 12 * j, scale, block);
                fil_block_sum_add(&stage->hessian, k, i, j, block);
            }
        }
    }
}

/* Bodies and contacts together. Where the sum is not positive definite, first the contacts' own bending is left out, then
 * the bodies' mass part is enlarged. */
static FilStatus solve_all(FilWorld* world, const FilPotentialModel* model, const double* v, const double* residual,
                           double* direction, FilStepInfo* info)
{
    FilPotentialStage* stage = &world->potential;
    const FilContactStage* all = &world->contact;
    FilStatus status = stage->bound ? FIL_OK : bind(world, model, info);
    if (status != FIL_OK) {
        return status;
    }
    double shift = 0.0;
    for (int attempt = 0;; attempt++) {
        for (int b = 0; b < world->body_count; b++) {
            const FilBody* body = &world->bodies[b];
            double potential;
            if (!takes_part(world, b)) {
                continue;
            }
            if (shift > 0.0 && !body->ops->evaluate(body->impl, v + body->v, shift, direction + body->v, &potential)) {
                return FIL_NOT_CONVERGED;
            }
            body->ops->tangent(body->impl, all->values + (size_t)16 * (size_t)all->first_block[b]);
        }
        if (attempt < 2) {
            assemble(world, model, v, attempt == 0 ? FIL_POTENTIAL_FULL : FIL_POTENTIAL_DEFINITE);
        }
        if (fil_block_cholesky_factor(stage->cholesky, all->values, stage->hessian.values.at)) {
            break;
        }
        info->regularised++;
        shift = attempt == 0 ? 0.0 : shift == 0.0 ? 0.1 : 10.0 * shift;
        if (shift > 1e20) {
            return FIL_NOT_CONVERGED;
        }
    }
    for (int b = 0; b < world->body_count; b++) {
        if (takes_part(world, b)) {
            memcpy(all->v + 4 * all->offset[b], residual + world->bodies[b].v, sizeof(double) * (size_t)world->bodies[b].v_count);
        }
    }
    fil_block_cholesky_solve(stage->cholesky, all->v);
    for (int b = 0; b < world->body_count; b++) {
        if (takes_part(world, b)) {
            memcpy(direction + world->bodies[b].v, all->v + 4 * all->offset[b], sizeof(double) * (size_t)world->bodies[b].v_count);
        }
    }
    info->contact_iterations++;
    return FIL_OK;
}

/* ---- Newton ---- */

typedef struct Newton {
    bool as_force;    /* the residual is measured in N */
    double tolerance; /* of its size */
    double norm, potential;
    int iterations;
    bool tangent; /* the contacts' tangent takes part */
} Newton;

/* v - step * direction of everything that takes part. */
static void try_step(FilWorld* world, const double* v, const double* direction, double step, double* trial)
{
    for (int b = 0; b < world->body_count; b++) {
        const FilBody* body = &world->bodies[b];
        for (int k = body->v; takes_part(world, b) && k < body->v + body->v_count; k++) {
            trial[k] = v[k] - step * direction[k];
        }
    }
}

/* The largest step along the direction that the model allows. */
static double longest_step(FilWorld* world, const FilPotentialModel* model, const double* v, const double* direction)
{
    const FilPotentialProblem* p = &world->potential.problem;
    double longest = model->field != NULL ? model->field->longest(world, v, direction) : 1.0;
    for (int k = 0; model->step_limit != NULL && k < p->count; k++) {
        const FilPotentialContact* c = &p->contacts[k];
        double x[12], moved[12];
        place_ends(c, v, p->dt, x);
        for (int i = 0; i < 12; i++) {
            moved[i] = -p->dt * direction[4 * c->variable[i / 3] + i % 3];
        }
        longest = fmin(longest, model->step_limit(p, c, x, moved));
    }
    return longest;
}

/* Walks along the direction until the residual or the potential has fallen; v and the residual follow. */
static bool search(FilWorld* world, const FilPotentialModel* model, Newton* newton, double* v)
{
    FilNewtonScratch* s = &world->scratch;
    const FilImcSettings* settings = &world->def.imc;
    double slope = 0.0;
    for (int b = 0; b < world->body_count; b++) {
        const FilBody* body = &world->bodies[b];
        for (int k = body->v; takes_part(world, b) && k < body->v + body->v_count; k++) {
            slope -= s->residual[k] * s->direction[k];
        }
    }
    // P2 section 2.5: halved every other iteration, whatever comes of it
    const double longest = longest_step(world, model, v, s->direction);
    const bool damping = settings->damping && model->field == NULL;
    const double first = damping ? ldexp(1.0, -(newton->iterations - 1) / 2) : longest;
    const double shortest = damping ? first : (newton->tangent ? 1e-4 * longest : 0.2);
    for (double step = first; step >= shortest; step *= 0.5) {
        double potential;
        try_step(world, v, s->direction, step, s->trial);
        if (!evaluate(world, model, s->trial, s->residual, &potential)) {
            continue;
        }
        const double norm = size_of(world, s->residual, newton->as_force);
        if (damping || norm <= (1.0 - 1e-4 * step) * newton->norm || norm <= newton->tolerance ||
            potential <= newton->potential + 1e-4 * step * slope) {
            try_step(world, v, s->direction, step, v);
            newton->tangent = newton->tangent || (settings->tangent_after < 0 && norm > SLOW * newton->norm);
            newton->norm = norm;
            newton->potential = potential;
            return true;
        }
    }
    return false;
}

/* Newton's method from v; the residual at the solution is left evaluated. */
static FilStatus iterate(FilWorld* world, const FilPotentialModel* model, Newton* newton, double* v, FilStepInfo* info)
{
    FilPotentialStage* stage = &world->potential;
    FilNewtonScratch* s = &world->scratch;
    const int after = world->def.imc.tangent_after;
    for (int first = newton->iterations; newton->norm > newton->tolerance || newton->iterations == first;) {
        if (newton->iterations == world->def.newton_max_iterations) {
            return FIL_NOT_CONVERGED;
        }
        newton->tangent = model->tangent && (newton->tangent || (after >= 0 && newton->iterations - first >= after));
        newton->iterations++;
        FilStatus status = FIL_OK;
        if (newton->tangent) {
            status = solve_all(world, model, v, s->residual, s->direction, info);
        } else if (!solve_bodies(world, v, s->residual, s->direction, info)) {
            status = FIL_NOT_CONVERGED;
        }
        if (status != FIL_OK) {
            return status;
        }
        if (!search(world, model, newton, v)) {
            // without the contacts' tangent the direction may be a bad one
            double potential;
            if (newton->tangent || !model->tangent || !evaluate(world, model, v, s->residual, &potential)) {
                return FIL_NOT_CONVERGED;
            }
            newton->tangent = true;
        } else if (model->field != NULL) {
            bool changed = false;
            status = model->field->accept(world, v, &changed);
            if (status != FIL_OK) {
                return status;
            }
            stage->bound = stage->bound && !changed;
        }
    }
    return FIL_OK;
}

/* ---- the end of a step ---- */

/* Distances of surfaces at the solution. */
static void measure_distances(FilWorld* world, const double* v)
{
    FilPotentialStage* stage = &world->potential;
    const FilPotentialProblem* p = &stage->problem;
    for (int k = 0; k < p->count; k++) {
        FilPotentialContact* c = &p->contacts[k];
        double u[3];
        if (is_round(world, c->contact)) {
            double x[12], s, t;
            place_ends(c, v, p->dt, x);
            stage->distances.at[k] = sqrt(fil_segment_segment(x, x + 3, x + 6, x + 9, &s, &t)) - c->thickness;
        } else {
            contact_velocity(world, c->contact, v, u);
            stage->distances.at[k] = c->contact->distance + p->dt * u[2];
        }
    }
}

/* Impulses of the contacts in their frames, and on the bodies. */
static void spread_impulses(FilWorld* world, const FilPotentialModel* model, const double* v, FilStepInfo* info)
{
    FilPotentialStage* stage = &world->potential;
    const FilPotentialProblem* p = &stage->problem;
    double* impulse = stage->impulse.at;
    memset(impulse, 0, sizeof(double) * (size_t)world->v_count);
    if (model->field == NULL) {
        add_contacts(world, model, v, impulse);
    }
    for (int k = 0; k < p->count; k++) {
        const FilPotentialContact* c = &p->contacts[k];
        const double* kept = stage->gradients.at + GRADIENTS * k;
        double force[3];
        fil_v3_add(force, kept + 6, kept + 9); // on side 1, negative
        fil_m3_apply(c->contact->impulse, c->contact->frame, force);
        fil_v3_add(c->contact->impulse, c->contact->impulse, kept + 12);
        fil_v3_scale(c->contact->impulse, -p->dt, c->contact->impulse);
    }
    for (int k = 0; k < world->v_count; k++) {
        impulse[k] = -impulse[k];
    }
    if (model->field != NULL) {
        model->field->finish(world, v, impulse, info);
    }
    for (int b = 0; b < world->body_count; b++) {
        const FilBody* body = &world->bodies[b];
        if (takes_part(world, b) && body->ops->push != NULL) {
            body->ops->push(body->impl, v + body->v, impulse + body->v, world->scratch.residual + body->v);
        }
    }
}

/* What Newton stops at. */
static Newton start_newton(const FilWorld* world, const FilPotentialModel* model, double at_work, double rounding)
{
    const FilImcSettings* settings = &world->def.imc;
    Newton newton = {.as_force = model->field == NULL && (settings->reduction > 0.0 || settings->force_tolerance > 0.0)};
    newton.norm = size_of(world, world->scratch.residual, newton.as_force);
    if (newton.as_force) {
        newton.tolerance = fmax(settings->force_tolerance, settings->reduction * newton.norm);
    } else {
        newton.tolerance = world->def.newton_tolerance * fmax(at_work, newton.norm) + rounding;
    }
    return newton;
}

/* First guess of all velocities: changing on as in the last step, or not at all. */
static void guess(FilWorld* world, bool change, double* v)
{
    memset(world->scratch.direction, 0, sizeof(double) * (size_t)world->v_count);
    for (int b = 0; b < world->body_count; b++) {
        const FilBody* body = &world->bodies[b];
        if (takes_part(world, b)) {
            body->ops->guess(body->impl, (change ? world->state.change : world->scratch.direction) + body->v, v + body->v);
        }
    }
}

/* Lets a field find its pairs; v keeps things apart from then on. */
static FilStatus set_up_field(FilWorld* world, const FilPotentialModel* model, double dt, double* v, FilStepInfo* info)
{
    return model->field != NULL ? model->field->begin(world, dt, v, info) : FIL_OK;
}

/* All bodies that touch something, together. */
static FilStatus solve_touching(FilWorld* world, const FilPotentialModel* model, double dt, FilStepInfo* info)
{
    FilPotentialStage* stage = &world->potential;
    double *v = world->scratch.solution, potential, rounding;
    guess(world, true, v);
    FilStatus status = set_up_field(world, model, dt, v, info);
    if (status != FIL_OK) {
        return status;
    }
    if (!evaluate_bodies(world, v, world->scratch.residual, &potential)) {
        guess(world, false, v); // that was too far
        status = set_up_field(world, model, dt, v, info);
        if (status != FIL_OK || !evaluate_bodies(world, v, world->scratch.residual, &potential)) {
            return FIL_NOT_CONVERGED;
        }
    }
    // contacts are weighed by the tangent's diagonal
    const double at_work = set_measure(world, dt, v, &rounding);
    status = set_up(world, model, dt);
    if (status != FIL_OK) {
        return status;
    }
    double* hint = &stage->problem.memory[TANGENT_HINT];
    if (!evaluate_contacts(world, model, v, world->scratch.residual, &potential)) {
        return FIL_NOT_CONVERGED;
    }
    Newton newton = start_newton(world, model, at_work, rounding);
    newton.potential = potential;
    newton.tangent = model->field != NULL || (world->def.imc.tangent_after < 0 && *hint > 0.0);
    bool again;
    do {
        status = iterate(world, model, &newton, v, info);
        if (status != FIL_OK) {
            return status;
        }
        again = false;
        if (model->refine != NULL) {
            measure_distances(world, v);
            stage->problem.round++;
            again = model->refine(&stage->problem, stage->distances.at);
            if (again && !evaluate(world, model, v, world->scratch.residual, &newton.potential)) {
                return FIL_NOT_CONVERGED;
            }
            newton.norm = size_of(world, world->scratch.residual, newton.as_force);
        }
    } while (again);
    info->newton_iterations += newton.iterations;
    info->residual = fmax(info->residual, newton.norm);
    spread_impulses(world, model, v, info);
    return FIL_OK;
}

FilStatus fil_solve_potential(FilWorld* world, const FilPotentialModel* model, double dt, FilStepInfo* info)
{
    const FilContactSet* set = &world->collision.set;
    info->contacts = set->count;
    for (int k = 0; k < set->count; k++) {
        info->max_penetration = fmax(info->max_penetration, -set->contacts[k].distance);
        info->least_distance = fmin(info->least_distance, set->contacts[k].distance);
    }
    FilStatus status = FIL_OK;
    if (world->contact.active) {
        status = solve_touching(world, model, dt, info);
    }
    for (int b = 0; b < world->body_count && status == FIL_OK; b++) {
        const FilBody* body = &world->bodies[b];
        double *v = world->scratch.solution + body->v, *change = world->next.change + body->v;
        for (int k = 0; k < body->v_count; k++) {
            change[k] = v[k] - world->state.v[body->v + k];
        }
    }
    return status;
}
