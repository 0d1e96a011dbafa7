#include "contact/imc.h"

#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "contact/imc_edges.h"

/* Of an edge's own stiffness, against the global one, which follows the pair that bears most. */
static const double SOFTEST = 0.05, STIFFEST = 2.0;

FilImcSettings fil_imc_settings_default(void)
{
    // P2's: ce_k (sec. 2.5), k (sec. 2.3), delta (sec. 3), c (sec. 2.4). closest, farthest: 2.4 and 11 um in P2's knots of h = 1.6 mm, inside the
    // band of -5 to 20 um that it reports. rate: P2's fraction of a percent lets strands through when knots get tight fast (docs/imc.md).
    // dissipation: critical. static_speed: a 300th of P2's slowest pull, so that what P2 pulls slides. friction_iterations: rods that slide from edge
    // to edge take two or three
    return (FilImcSettings){.sharpness = 50.0,
                            .smoothing = 50.0,
                            .reach = 0.15,
                            .closest = 0.0015,
                            .farthest = 0.007,
                            .rate = 0.02,
                            .dissipation = 1.0,
                            .tangent_after = -1,
                            .slip_speed = 0.15,
                            .friction = FIL_IMC_STATIC,
                            .static_speed = 1e-5,
                            .friction_iterations = 7,
                            .contact_points = true};
}

const char* fil_imc_settings_problem(const FilImcSettings* s)
{
    const double positive[] = {s->sharpness, s->smoothing, s->reach, s->static_speed};
    const double others[] = {s->stiffness, s->rate, s->force_tolerance, s->reduction, s->slip_speed, s->dissipation};
    for (size_t k = 0; k < sizeof positive / sizeof *positive; k++) {
        if (!(isfinite(positive[k]) && positive[k] > 0.0)) {
            return "sharpness, smoothing, reach and static_speed must be positive";
        }
    }
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        if (!(isfinite(others[k]) && others[k] >= 0.0)) {
            return "stiffness, rate, force_tolerance, reduction, slip_speed and dissipation must not be negative";
        }
    }
    if (!(s->closest < s->farthest && s->farthest < s->reach)) {
        return "closest must be below farthest, and that below reach";
    }
    if (!(s->rate < 0.5 && s->reduction < 1.0)) {
        return "rate must be below 0.5 and reduction below 1";
    }
    if (s->friction_iterations < 1) {
        return "friction_iterations must be positive";
    }
    return (unsigned)s->friction > FIL_IMC_STATIC ? "unknown kind of friction" : NULL;
}

/* ---- the energy ---- */

double fil_imc_energy(const FilImcSettings* settings, double stiffness, double radius, double over, double* first, double* second)
{
    FilDouble4 f, s;
    const FilDouble4 energy = energy_wide(settings, fil_double4_all(stiffness), fil_double4_all(radius), fil_double4_all(over), &f, &s);
    *first = fil_double4_get(&f, 0);
    *second = fil_double4_get(&s, 0);
    return fil_double4_get(&energy, 0);
}

/* ---- dissipation ---- */

/* A contact's force is that of the distance d + tau d', which is where it will be tau from now: a potential of d by itself, as d' is
 * (d - d0)/dt. With a mass m on the stiffness k = E'' that is damping by k tau, critical where tau = 2 sqrt(m/k). */
double fil_imc_steps_ahead(const FilPotentialProblem* problem, const FilPotentialContact* c)
{
    const FilImcSettings* s = problem->settings;
    const double largest = 0.25 * c->stiffness * s->sharpness / c->radius;  // E'' where surfaces touch
    return largest > 0.0 ? 2.0 * s->dissipation * sqrt(c->diagonal / largest) / problem->dt : 0.0;
}

/* The energy at a distance `over` at the step's end, and its derivatives by that. */
static double damped_energy(const FilPotentialProblem* problem, const FilPotentialContact* c, double over, double* first, double* second)
{
    const double more = 1.0 + c->ahead;
    const double energy = fil_imc_energy(problem->settings, c->stiffness, c->radius, over + c->ahead * (over - c->start), first, second);
    *second *= more;
    return energy / more;
}

/* ---- stiffness ---- */

/* Where a push on one node goes on for n steps, what it moves grows along the rod. Of a rod without end, of nodes of mass m that bending couples as
 * 1, -4, 6, -4, 1, the response to a push is m^-1 mean over t of 1/(1 + s (2 - 2 cos t)^2) with s = elastic n^2/6, which is sqrt((R + 1)/2)/(R m)
 * with R^2 = 1 + 16 s: the mass alone where a rod is soft, and that of 2.8 (EI T^2/rho A)^(1/4) of it where it is stiff, on meshes however fine. The
 * diagonal itself is the inertia of a node whose neighbours are held. */
FilImcInertia fil_imc_inertia(const FilPotentialContact* c, double steps)
{
    const double mass = c->diagonal / (1.0 + c->elastic), by = 8.0 / 3.0 * steps * steps, r = sqrt(1.0 + by * c->elastic);
    const double share = r * sqrt(2.0 / (r + 1.0));
    const double by_diagonal = 0.25 * by * share * (r + 2.0) / (r * r * (r + 1.0));
    return (FilImcInertia){mass * share, by_diagonal, 2.0 * (c->diagonal - mass) * by_diagonal};
}

double fil_imc_follows(const FilPotentialProblem* problem, const FilPotentialContact* c, double stiffness)
{
    // by the inertia that it is damped for, whose time is how fast it sinks by its weight; where nothing weighs, strands are pulled together
    const double inertia = problem->gravity > 0.0 ? c->diagonal : 0.0;
    return inertia > 0.0 ? fmin(problem->dt * sqrt(0.25 * stiffness * problem->settings->sharpness / (c->radius * inertia)), 1.0) : 1.0;
}

double fil_imc_adapt(const FilImcSettings* s, double stiffness, double min, double speed, double follows)
{
    // by more the further off, so that sudden changes are followed
    const double width = s->farthest - s->closest, near = min - FIL_IMC_LOOK_AHEAD * fabs(speed);
    if (near < s->closest) {
        const double change = 1.0 + s->rate * fmin((s->closest - near) / width, FIL_IMC_MAX_GROWTH);
        // where contacts dissipate, what parts slowly is what the growing stiffness lifts
        const double still = s->dissipation > 0.0 ? FIL_IMC_STILL * width : 0.0;
        return speed <= still ? stiffness * change : speed > FIL_IMC_FAST * width ? stiffness / change : stiffness;
    }
    return min > s->farthest ? stiffness / (1.0 + follows * s->rate * fmin((min - s->farthest) / width, FIL_IMC_MAX_FALL)) : stiffness;
}

static double bounded(double stiffness, double global)
{
    return fmin(fmax(stiffness, SOFTEST * global), STIFFEST * global);
}

/* What a push on one contact moves in some time, s: no more than its part of the body, and no less than `min`. */
static FilImcInertia inertia_within(const FilPotentialProblem* problem, const FilPotentialContact* c, double time, FilImcInertia min)
{
    const double steps = time / problem->dt;
    const FilImcInertia moved = steps >= 1.0 ? fil_imc_inertia(c, steps) : min, part = {.kg = c->part};
    const FilImcInertia bounded = moved.kg <= part.kg ? moved : part;
    return bounded.kg > min.kg ? bounded : min;
}

/* What a contact bears of a weight at first: what a push moves until the weight has fallen as far as what comes may go. */
FilImcInertia fil_imc_borne(const FilPotentialProblem* problem, const FilPotentialContact* c)
{
    // of bodies whose mass is not known what one unknown moves
    const FilImcInertia min = {.kg = c->part > 0.0 ? 0.0 : c->diagonal / (1.0 + c->elastic)};
    const double fall = sqrt(2.0 * FIL_IMC_STOPPING_ROOM * c->radius / problem->gravity);
    return inertia_within(problem, c, fmax(fall, problem->dt), min);
}

FilImcStop fil_imc_stop(const FilPotentialProblem* problem, const FilPotentialContact* c)
{
    FilImcStop stop = {.speed = fmin(c->contact->normal_velocity, 0.0), .room = fmax(c->contact->distance, 0.0) + FIL_IMC_STOPPING_ROOM * c->radius};
    if (!(problem->gravity > 0.0)) {
        stop.inertia = (FilImcInertia){.kg = c->diagonal, .by_diagonal = 1.0};  // strands that are pulled together on both sides of what meets
    } else if (stop.speed < 0.0) {
        FilImcInertia step = fil_imc_inertia(c, 1.0);
        step.by_log_steps = 0.0;
        stop.inertia = inertia_within(problem, c, -2.0 * stop.room / stop.speed, step);
    }
    return stop;
}

double fil_imc_stopping_stiffness(const FilPotentialProblem* problem, const FilPotentialContact* c)
{
    const FilImcStop stop = fil_imc_stop(problem, c);
    return stop.inertia.kg * stop.speed * stop.speed / stop.room;
}

double fil_imc_starting_stiffness(const FilPotentialProblem* problem, const FilPotentialContact* c)
{
    // beside the weight, for where there is none, a millionth of what moves a node by h/ce_k, the width of the energy, in a step: it only must not be
    // zero, as the stiffness follows the contacts from then on, and moves nothing by more than a hundredth of that width in a hundred steps
    const double leap = c->radius / (problem->settings->sharpness * problem->dt * problem->dt), mass = c->diagonal / (1.0 + c->elastic);
    return (problem->gravity > 0.0 ? 2.0 * problem->gravity * fil_imc_borne(problem, c).kg : 0.0) + 1e-6 * leap * mass;
}

static double starting_stiffness(const FilPotentialProblem* problem)
{
    const FilImcSettings* s = problem->settings;
    double force = 0.0;
    if (s->stiffness > 0.0) {
        return s->stiffness;
    }
    for (int k = 0; k < problem->count; k++) {
        const double needed = fil_imc_starting_stiffness(problem, &problem->contacts[k]);
        force = needed > force ? needed : force;
    }
    return force > 0.0 ? force : 1.0;  // N: nothing that is met can move
}

/* Change of a distance in a step, radii. */
static double step_of(const FilPotentialProblem* problem, const FilPotentialContact* c)
{
    return c->contact->normal_velocity * problem->dt / c->radius;
}

int fil_imc_closest(const FilPotentialProblem* problem)
{
    static const double CLEARLY = 1e-9;  // radii: far above rounding, far below what a stiffness is adapted to
    int closest = 0;
    double min = INFINITY;
    for (int k = 0; k < problem->count; k++) {
        const double distance = problem->contacts[k].contact->distance / problem->contacts[k].radius;
        closest = distance < min - CLEARLY ? k : closest;
        min = distance < min - CLEARLY ? distance : min;
    }
    return closest;
}

static double edge_stiffness(const FilPotentialProblem* problem, int edge, double global)
{
    return edge >= 0 && problem->edge_memory[edge] > 0.0 ? problem->edge_memory[edge] : global;
}

/* Each edge's own, driven by what is closest to it; a pair has the larger of its two. */
static void adapt_edges(FilPotentialProblem* problem, double global)
{
    double* min = problem->edge_scratch;
    for (int pass = 0; pass < 3; pass++) {
        for (int k = 0; k < problem->count; k++) {
            FilPotentialContact* c = &problem->contacts[k];
            for (int side = 0; side < 2; side++) {
                const int edge = c->memory[side];
                if (edge < 0) {
                    continue;
                }
                if (pass == 0) {
                    min[edge] = INFINITY;
                } else if (pass == 1) {
                    min[edge] = fmin(min[edge], c->contact->distance / c->radius);
                } else if (min[edge] < problem->settings->reach) {
                    const double old = edge_stiffness(problem, edge, global);
                    // what an edge's own falls by is bounded by the global one, which no pair is let down with faster than it can follow
                    problem->edge_memory[edge] = bounded(fil_imc_adapt(problem->settings, old, min[edge], step_of(problem, c), 1.0), global);
                    min[edge] = INFINITY;  // once
                }
            }
        }
    }
    for (int k = 0; k < problem->count; k++) {
        FilPotentialContact* c = &problem->contacts[k];
        c->stiffness = fmax(edge_stiffness(problem, c->memory[0], global), edge_stiffness(problem, c->memory[1], global));
    }
}

static void set_stiffness(FilPotentialProblem* problem)
{
    const FilImcSettings* s = problem->settings;
    double* global = &problem->memory[FIL_IMC_STIFFNESS];
    if (problem->count == 0) {
        return;
    }
    if (!(*global > 0.0)) {
        *global = starting_stiffness(problem);
    }
    const FilPotentialContact* closest = &problem->contacts[fil_imc_closest(problem)];
    const double min = closest->contact->distance / closest->radius, speed = step_of(problem, closest);
    if (min < s->reach) {
        // it parts if it does so on the mean of two steps: the stiffness itself may make one the reverse of the other
        const double parting = fmin(speed, 0.5 * (speed + problem->memory[FIL_IMC_SPEED]));
        *global = fil_imc_adapt(s, *global, min, parting, fil_imc_follows(problem, closest, *global));
    }
    problem->memory[FIL_IMC_SPEED] = speed;
    // what is coming has a stiffness of its own, so that it pushes nothing else apart; but not one of another kind
    for (int k = 0; k < problem->count && !(s->stiffness > 0.0); k++) {
        *global = fmax(*global, fil_imc_stopping_stiffness(problem, &problem->contacts[k]) / FIL_IMC_STIFFEST_COMING);
    }
    for (int k = 0; k < problem->count; k++) {
        problem->contacts[k].stiffness = *global;
    }
    if (s->local_stiffness) {
        adapt_edges(problem, *global);
    }
    for (int k = 0; k < problem->count && !(s->stiffness > 0.0); k++) {
        FilPotentialContact* c = &problem->contacts[k];
        c->stiffness = fmax(c->stiffness, fil_imc_stopping_stiffness(problem, c));
    }
}

/* ---- friction ---- */

/* Direction of slip weighted by the threshold, times mu (P2 eq. 18, 19): slip of side 0 against side 1, across
 * `normal`. */
static void weigh_slip(const FilImcSettings* s, double mu, double radius, const double* slip, const double* normal, double* push)
{
    fil_v3_copy(push, slip);
    fil_v3_axpy(push, -fil_v3_dot(slip, normal), normal);
    const double speed = fil_v3_norm(push);
    const double weight = 1.0 / (1.0 + exp(-s->smoothing * (speed / radius - s->slip_speed)));
    fil_v3_scale(push, speed > 0.0 ? mu * weight / speed : 0.0, push);
}

/* Slip of edge 0 against edge 1 at mid-edge. */
static void mid_edge_slip(const double* speed, double* slip)
{
    for (int k = 0; k < 3; k++) {
        slip[k] = 0.0;
        for (int n = 0; n < 4; n++) {
            slip[k] += MID_EDGE[n] * speed[3 * n + k];
        }
    }
}

/* Potential mu F sqrt(|u|^2 + e^2) of the tangential slip u, as energy over the step: gradient and Hessian by u dt. In
 * place of the Hessian, whose steps along the slip leap to and fro across u = 0, `definite` gives one that is larger
 * and leads to rest within a few steps: that of the paraboloid which touches the potential at u and lies above it. */
static double hold(double force, double creep, double dt, const double* u, bool definite, double* gradient, double* hessian)
{
    const double s = sqrt(fil_v3_dot(u, u) + creep * creep), along = definite ? 0.0 : 1.0 / (s * s);
    for (int i = 0; i < 3; i++) {
        gradient[i] = force * u[i] / s;
        for (int j = 0; j < 3; j++) {
            hessian[3 * i + j] = force / (dt * s) * ((i == j ? 1.0 : 0.0) - along * u[i] * u[j]);
        }
    }
    return force * dt * (s - creep);
}

/* ---- the model ---- */

void fil_imc_bound_at_start(const FilPotentialProblem* problem, FilPotentialContact* c)
{
    const FilImcSettings* s = problem->settings;
    const double ahead = c->ahead * problem->dt * c->contact->normal_velocity;
    double first, second;
    if (c->nodes) {
        FilSmoothDistance d;
        double gradient[12];
        fil_smooth_distance(c->x, s->smoothing, &d);
        fil_imc_energy(s, c->stiffness, c->radius, c->start + ahead, &first, &second);
        fil_smooth_distance_gradient(&d, gradient);
        fil_v3_add(c->normal, gradient, gradient + 3);  // away from side 1
        c->normal_force = -first * fil_v3_normalise(c->normal);
    } else {
        fil_imc_energy(s, c->stiffness, c->radius, c->start + ahead, &first, &second);
        c->normal_force = -first;
    }
}

/* Where sliding friction pushes in this step: against the slip of the last one. */
static void lag_slip(const FilImcSettings* s, FilPotentialContact* c)
{
    static const double up[3] = {0.0, 0.0, 1.0};
    double slip[3];
    if (c->rows) {
        weigh_slip(s, c->contact->mu, c->radius, c->slip, up,
                   c->push);  // of side 1 against side 0, in the contact's frame
    } else {
        mid_edge_slip(c->speed, slip);
        weigh_slip(s, c->contact->mu, c->radius, slip, c->contact->frame + 6, c->push);
    }
}

/* How far a normal tilts along an edge: nothing but at its ends. */
static double tilt(const double* ends, const double* normal)
{
    double edge[3];
    fil_v3_sub(edge, ends + 3, ends);
    return fabs(fil_v3_dot(edge, normal)) / fil_v3_norm(edge);
}

/* Where contacts begin, as their energy sees it. */
static void set_start(const FilPotentialProblem* problem, FilPotentialContact* c)
{
    double inclination = 0.0;
    c->start = c->contact->distance;
    if (c->nodes) {
        FilSmoothDistance d;
        double gradient[12], normal[3];
        fil_smooth_distance(c->x, problem->settings->smoothing, &d);
        fil_smooth_distance_gradient(&d, gradient);
        fil_v3_add(normal, gradient, gradient + 3);
        c->start = d.distance - c->thickness;
        inclination = fmax(tilt(c->x, normal), tilt(c->x + 6, normal));
    }
    c->ahead = fmax(1.0 - inclination / FIL_IMC_MAX_TILT, 0.0) * fil_imc_steps_ahead(problem, c);
}

static void begin(FilPotentialProblem* problem)
{
    set_stiffness(problem);
    for (int k = 0; k < problem->count; k++) {
        FilPotentialContact* c = &problem->contacts[k];
        c->stiffness *= c->share;
        if (problem->settings->dissipation > 0.0 || problem->settings->friction == FIL_IMC_STATIC) {
            set_start(problem, c);
        }
        c->rows = !c->nodes || (problem->settings->contact_points && c->contact->mu > 0.0);
        if (c->contact->mu > 0.0 && problem->settings->friction == FIL_IMC_STATIC) {
            fil_imc_bound_at_start(problem, c);
        } else if (c->contact->mu > 0.0) {
            lag_slip(problem->settings, c);
        }
    }
}

/* Friction of two edges at mid-edge, on their four ends. */
static void mid_edge_friction(const FilPotentialProblem* problem, const FilPotentialContact* c, const double* x, const double* distance_gradient,
                              double first, FilPotentialOrder order, FilPotentialTerm* term)
{
    const FilImcSettings* s = problem->settings;
    double slip[3], force[3], hessian[9];
    if (s->friction == FIL_IMC_SLIDING) {
        // the direction is the last step's, the size follows the normal force (P2 eq. 18-20)
        double normal[3];
        fil_v3_add(normal, distance_gradient, distance_gradient + 3);
        fil_v3_scale(force, -first * fil_v3_norm(normal), c->push);
        order = FIL_POTENTIAL_FORCE;
    } else {
        double moved[12];
        for (int k = 0; k < 12; k++) {
            moved[k] = (x[k] - c->x[k]) / problem->dt;
        }
        mid_edge_slip(moved, slip);
        fil_v3_axpy(slip, -fil_v3_dot(slip, c->normal), c->normal);
        term->energy += hold(c->contact->mu * c->normal_force, s->static_speed, problem->dt, slip, order != FIL_POTENTIAL_FULL, force, hessian);
    }
    for (int n = 0; n < 4; n++) {
        fil_v3_axpy(term->gradient + 3 * n, MID_EDGE[n], force);
    }
    if (order == FIL_POTENTIAL_FORCE) {
        return;
    }
    // seen across the normal only
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            hessian[3 * i + j] -= c->contact->mu * c->normal_force /
                                  (problem->dt * sqrt(fil_v3_dot(slip, slip) + s->static_speed * s->static_speed)) * c->normal[i] * c->normal[j];
        }
    }
    for (int a = 0; a < 12; a++) {
        for (int b = 0; b < 12; b++) {
            term->hessian[12 * a + b] += MID_EDGE[a / 3] * MID_EDGE[b / 3] * hessian[3 * (a % 3) + b % 3];
        }
    }
}

/* Friction at the contact point, through the Jacobian. */
static void point_friction(const FilPotentialProblem* problem, const FilPotentialContact* c, const double* u, double first, FilPotentialOrder order,
                           FilPotentialTerm* term)
{
    if (problem->settings->friction == FIL_IMC_SLIDING) {
        fil_v3_axpy(term->row_gradient, -first, c->push);
        return;
    }
    const double across[3] = {u[0], u[1], 0.0};
    double force[3], hessian[9];
    term->energy +=
        hold(c->contact->mu * c->normal_force, problem->settings->static_speed, problem->dt, across, order != FIL_POTENTIAL_FULL, force, hessian);
    for (int i = 0; i < 2; i++) {
        term->row_gradient[i] += force[i];
        for (int j = 0; j < 2; j++) {
            term->row_hessian[3 * i + j] += hessian[3 * i + j];
        }
    }
}

static void evaluate(const FilPotentialProblem* problem, const FilPotentialContact* c, const double* x, const double* u, FilPotentialOrder order,
                     FilPotentialTerm* term)
{
    const FilImcSettings* s = problem->settings;
    double first, second;
    if (!c->nodes) {
        // a shape: its distance is linear over the step
        term->energy = damped_energy(problem, c, c->contact->distance + problem->dt * u[2], &first, &second);
        term->row_gradient[2] = first;
        term->row_hessian[8] = second;
    } else {
        FilSmoothDistance d;
        double gradient[12];
        (order == FIL_POTENTIAL_FULL ? fil_smooth_distance_second : fil_smooth_distance)(x, s->smoothing, &d);
        fil_smooth_distance_gradient(&d, gradient);
        term->energy = damped_energy(problem, c, d.distance - c->thickness, &first, &second);
        for (int k = 0; k < 12; k++) {
            term->gradient[k] = first * gradient[k];
        }
        if (order != FIL_POTENTIAL_FORCE) {
            fil_smooth_distance_hessian(&d, gradient, second, order == FIL_POTENTIAL_FULL ? first : 0.0, term->hessian);
        }
        if (c->contact->mu > 0.0 && !c->rows) {
            mid_edge_friction(problem, c, x, gradient, first, order, term);
        }
    }
    if (c->contact->mu > 0.0 && c->rows) {
        point_friction(problem, c, u, first, order, term);
    }
}

/* Adds static friction, one by one; returns whether there is any. */
static bool hold_edges(const FilPotentialProblem* problem, const FilDouble4 x[12], FilPotentialEdges* e)
{
    bool any = false;
    for (int lane = 0; lane < e->count; lane++) {
        const FilPotentialContact* c = &problem->contacts[e->contact[lane]];
        FilPotentialTerm term = {.energy = 0.0};
        double ends[12];
        if (!(c->contact->mu > 0.0)) {
            continue;
        }
        any = true;
        for (int k = 0; k < 12; k++) {
            ends[k] = fil_double4_get(&x[k], lane);
        }
        mid_edge_friction(problem, c, ends, NULL, 0.0, FIL_POTENTIAL_FORCE, &term);
        e->energy[lane] += term.energy;
        for (int k = 0; k < 12; k++) {
            e->gradient[k][lane] += term.gradient[k];
        }
    }
    return any;
}

static void evaluate_edges(const FilPotentialProblem* problem, const FilDouble4 x[12], FilPotentialEdges* e)
{
#if defined(FIL_VECTOR_AVX2)
    if (fil_vector_level() >= FIL_VECTOR_256) {
        fil_imc_edges_avx2(problem, x, e);
    } else
#endif
    {
        FilSmoothWide d;
        FilDouble4 slope[12];
        fil_smooth_distance_wide(x, &problem->soft, &d);
        fil_smooth_wide_gradient(&d, slope);
        push_edges(problem, d.distance, slope, e);
    }
    e->simple = problem->settings->friction == FIL_IMC_SLIDING || !hold_edges(problem, x, e);
}

static double bound(const FilPotentialProblem* problem, const FilPotentialContact* c, const double* x, const double* u)
{
    double first, second, scale = 1.0;
    if (!(c->contact->mu > 0.0) || problem->settings->friction != FIL_IMC_STATIC) {
        return -1.0;
    }
    if (c->nodes) {
        FilSmoothDistance d;
        double gradient[12], normal[3];
        fil_smooth_distance(x, problem->settings->smoothing, &d);
        fil_smooth_distance_gradient(&d, gradient);
        fil_v3_add(normal, gradient, gradient + 3);
        scale = fil_v3_norm(normal);
        damped_energy(problem, c, d.distance - c->thickness, &first, &second);
    } else {
        damped_energy(problem, c, c->contact->distance + problem->dt * u[2], &first, &second);
    }
    return -first * scale;
}

const FilPairPotential fil_imc_pair = {.begin = begin, .evaluate = evaluate, .evaluate_edges = evaluate_edges, .bound = bound, .tangent = true};
