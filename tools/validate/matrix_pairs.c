/* Two of a kind or of two kinds: one flies at the other without gravity, and lies on it with gravity.
 *
 * Tolerances:
 *   collides  they meet, do not pass each other, and neither enters the other by more than a tenth of its size
 *   keeps     momentum to 1e-9 of what flies in (robots and arms, whose coordinates are not places: as angular momentum); angular momentum to 1e-4 of
 * it, or falling with dt: steps take forces of their end at arms of their start, an error of first order rubs      tangential over mu times normal
 * impulse of contacts that slip, within 2 %, or its error falls with dt rests     what the upper one feels from the lower one is its weight within 1
 * %, and the ground bears both within 0.1 %
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "validate/matrix.h"

static const double MU = 0.3;
/* m: ipc needs objects apart, and feels them from 1 mm on; what flies begins beyond that, without energy in a barrier */
static const double GAP = 5e-4, AWAY = 1.5e-3;
/* m/s: as on the ground */
static const double STILL = 1e-4;

/* Contacts between the two, summed over a run. */
typedef struct Meeting {
    double normal;     /* N s, of all contacts */
    double slipping;   /* ... of those that slip */
    double tangential; /* N s, of those that slip, against their slip */
    double deepest;    /* m, least distance */
    double last;       /* N, along z, on the upper one, last step */
} Meeting;

static double dot(FilVec3 a, FilVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static double size(FilVec3 a)
{
    return sqrt(dot(a, a));
}

static FilVec3 minus(FilVec3 a, FilVec3 b)
{
    return (FilVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

/* 1 if the object belongs to the upper one, -1 to the lower one, 0 to the ground. */
static int side(const FilMatrixBench* bench, FilId object)
{
    const char* name = fil_object_name(bench->world, object);
    return name == NULL || strcmp(name, "ground") == 0 ? 0 : name[0] == 'a' ? 1 : -1;
}

static void look(const FilMatrixBench* bench, Meeting* meeting)
{
    const double dt = fil_world_dt(bench->world);
    meeting->last = 0.0;
    for (int k = 0; k < fil_world_contact_count(bench->world); k++) {
        const FilContactInfo c = fil_world_contact(bench->world, k);
        const int sign = side(bench, c.b);
        if (sign * side(bench, c.a) >= 0) {
            continue;
        }
        const double normal = dot(c.force, c.normal), slip = size(c.slip);
        meeting->last += sign * c.force.z;
        meeting->normal += dt * normal;
        meeting->deepest = fmin(meeting->deepest, c.distance);
        // fast enough for every model's regularisation
        if (slip > 0.02) {
            meeting->slipping += dt * normal;
            meeting->tangential -= dt * dot(c.force, c.slip) / slip;
        }
    }
}

static void place(const FilMatrixKind* const* kinds, bool ground, FilMatrixPlace* places)
{
    const double base = ground ? kinds[1]->below + GAP : 0.0;
    const double aside = kinds[0] == kinds[1] ? kinds[0]->aside : 0.0;
    places[0] = (FilMatrixPlace){
        .name = "a", .across = true, .position = {aside, 0.7 * aside, base + kinds[1]->above + (ground ? GAP : AWAY) + kinds[0]->below}};
    places[1] = (FilMatrixPlace){.name = "b", .position = {0.0, 0.0, base}};
    places[0].flies = places[1].flies = !ground;
}

/* One collision: what is left of it. */
typedef struct Collision {
    Meeting meeting;
    double momentum, angular; /* relative changes */
    FilMatrixOutcome lost;    /* sign NONE: nothing is */
} Collision;

static Collision collide(const char* model, const FilMatrixKind* const* kinds, double dt)
{
    Collision c = {0};
    FilMatrixPlace places[2];
    place(kinds, false, places);
    // off the middle, along both axes of the plane
    places[0].position.x = 0.011;
    places[0].position.y = 0.007;
    places[0].velocity = (FilVec3){0.5, 0.0, -0.4};
    FilMatrixBench bench = fil_matrix_begin(model, dt, MU, false, kinds, places, 2);
    const FilVec3 p = bench.failed ? (FilVec3){0} : fil_world_momentum(bench.world);
    const FilVec3 l = bench.failed ? (FilVec3){0} : fil_world_angular_momentum(bench.world);
    const int steps = (int)lround(0.02 / dt);
    for (int k = 0; k < steps && !bench.failed; k++) {
        fil_matrix_run(&bench, dt);
        if (!bench.failed) {
            look(&bench, &c.meeting);
        }
    }
    if (bench.failed) {
        c.lost = fil_matrix_failed(&bench);
    } else {
        c.momentum = size(minus(fil_world_momentum(bench.world), p)) / size(p);
        c.angular = size(minus(fil_world_angular_momentum(bench.world), l)) / size(l);
    }
    fil_matrix_end(&bench);
    return c;
}

/* 1e-4, or falling with dt: at a quarter of the step 0.6 at most, where first order leaves 0.25. */
static FilMatrixOutcome judge_falling(const char* what, double coarse, double fine)
{
    return fil_matrix_judge(what, fine, 0.0, fmax(1e-4, 0.6 * fmin(coarse, 1e-2)));
}

/* Friction over mu times normal force, of contacts that slip. */
static double rubbing(const Meeting* meeting)
{
    return meeting->tangential / (MU * meeting->slipping);
}

static void judge_collision(const char* model, const FilMatrixKind* const* kinds, FilMatrixCell* cell)
{
    const Collision coarse = collide(model, kinds, 1e-3);
    FilMatrixOutcome* collides = &cell->outcomes[FIL_MATRIX_COLLIDES];
    if (coarse.lost.sign != FIL_MATRIX_NONE) {
        *collides = coarse.lost;
        return;
    }
    const Collision fine = collide(model, kinds, 2.5e-4);
    if (fine.lost.sign != FIL_MATRIX_NONE) {
        *collides = fine.lost;
        return;
    }
    *collides = fil_matrix_judge("no contact force: impulse, N s,", coarse.meeting.normal > 0.0 && fine.meeting.normal > 0.0, 1.0, 0.0);
    if (collides->sign == FIL_MATRIX_FAILS) {
        snprintf(collides->text, sizeof collides->text, "they pass through each other without a contact force");
        return;
    }
    const double bound = 0.1 * fmin(kinds[0]->below + kinds[0]->above, kinds[1]->below + kinds[1]->above);
    *collides = fil_matrix_judge("overlap, m,", fmax(0.0, -fine.meeting.deepest), 0.0, bound);
    FilMatrixOutcome* keeps = &cell->outcomes[FIL_MATRIX_KEEPS];
    const bool reduced = kinds[0]->reduced || kinds[1]->reduced;
    *keeps = reduced ? judge_falling("change of momentum", coarse.momentum, fine.momentum)
                     : fil_matrix_judge("change of momentum", fmax(coarse.momentum, fine.momentum), 0.0, 1e-9);
    if (keeps->sign == FIL_MATRIX_HOLDS) {
        *keeps = judge_falling("change of angular momentum", coarse.angular, fine.angular);
    }
    if (fine.meeting.slipping > 0.5 * fine.meeting.normal && coarse.meeting.slipping > 0.5 * coarse.meeting.normal) {
        cell->outcomes[FIL_MATRIX_RUBS] = fil_matrix_judge("friction over mu N in a collision", rubbing(&fine.meeting), 1.0,
                                                           fmax(0.02, 0.6 * fmin(fabs(rubbing(&coarse.meeting) - 1.0), 0.5)));
    }
}

/* One on the other, on the ground. */
static FilMatrixOutcome rest(const char* model, const FilMatrixKind* const* kinds)
{
    enum { STEPS = 50 };
    FilMatrixPlace places[2];
    Meeting meeting = {0};
    double ground = 0.0, upper = 0.0;
    place(kinds, true, places);
    FilMatrixBench alone = fil_matrix_begin(model, 1e-3, MU, true, kinds, places, 1);
    FilMatrixBench bench = fil_matrix_begin(model, 1e-3, MU, true, kinds, places, 2);
    const double weight = alone.weight;
    fil_matrix_end(&alone);
    // what sways on barriers, which lose energy by the step only, is given a second more
    fil_matrix_run(&bench, 0.5);
    for (double fastest = INFINITY, waited = 0.0; !bench.failed && fastest > STILL && waited < 1.0; waited += 0.05) {
        fastest = 0.0;
        for (int k = 0; k < 10 && !bench.failed; k++) {
            fil_matrix_run(&bench, 5e-3);
            fastest = fmax(fastest, fabs(fil_matrix_velocity(&bench).z));
        }
    }
    const FilVec3 before = fil_matrix_velocity(&bench);
    for (int k = 0; k < STEPS && !bench.failed; k++) {
        FilVec3 f, torque;
        fil_matrix_run(&bench, 1e-3);
        if (!bench.failed) {
            look(&bench, &meeting);
            fil_world_contact_wrench(bench.world, fil_world_find_rigid(bench.world, "ground"), &f, &torque);
            ground -= f.z / STEPS;
            upper += meeting.last / STEPS;
        }
    }
    FilMatrixOutcome outcome = fil_matrix_failed(&bench);
    if (!bench.failed) {
        const double inertia = bench.mass * (fil_matrix_velocity(&bench).z - before.z) / (STEPS * 1e-3);
        outcome = fil_matrix_judge("force on the ground over both weights", (ground - inertia) / bench.weight, 1.0, 1e-3);
        if (outcome.sign == FIL_MATRIX_HOLDS) {
            outcome = fil_matrix_judge("force on the upper one over its weight", upper / weight, 1.0, 1e-2);
        }
    }
    fil_matrix_end(&bench);
    return outcome;
}

void fil_matrix_pair(const char* model, const FilMatrixKind* upper, const FilMatrixKind* lower, FilMatrixCell* cell)
{
    const FilMatrixKind* const kinds[2] = {upper, lower};
    judge_collision(model, kinds, cell);
    if (cell->outcomes[FIL_MATRIX_COLLIDES].sign != FIL_MATRIX_REFUSED) {
        cell->outcomes[FIL_MATRIX_RESTS] = rest(model, kinds);
    }
}
