/* Rings and hoops in the matrix: they touch nothing but the rod that they are threaded on, so that is their ground. */
#include <math.h>
#include <stdio.h>

#include "filum/ring.h"
#include "validate/matrix.h"

static const double G = 9.81;
static const double MU = 0.3; /* as in the scenes below */
static const double DT = 1e-3;
static const double MASS = 0.1;

/* What hangs on the bar, leaning along it by an angle of this tangent. */
typedef void Writer(double tilt, char* text, size_t size);

static void write_ring(double tilt, char* text, size_t size)
{
    (void)tilt;  // a point
    snprintf(text, size,
             "rings:\n"
             "  - {name: a, rod: bar, range: 1e-3, stiffness: 1e4, friction: 0.3,\n"
             "     point: {mass: 0.1, position: [0, 0, 0], settled: true}}\n");
}

/* Its centre hangs below where the bar crosses its plane: a slope's gravity, or friction, draws it aside. */
static void write_hoop(double tilt, char* text, size_t size)
{
    const double angle = atan(tilt), way = 0.1 - 0.8e-4 - 0.005 / cos(angle);
    snprintf(text, size,
             "rigid_bodies:\n"
             "  - {name: hoop, mass: 0.1, inertia: [1e-3, 5e-4, 5e-4, 0, 0, 0], position: [%.17g, 0, %.17g], rotation: [0, %.17g, 0]}\n"
             "rings:\n"
             "  - {name: a, rod: bar, range: 1e-4, stiffness: 1e5, friction: 0.3,\n"
             "     hole: {rigid_body: hoop, axis: [1, 0, 0], radius: 0.1}}\n",
             way * sin(angle), -way * cos(angle), -angle);
}

/* A stiff bar along x, clamped at both ends, and what hangs on it. */
static FilMatrixBench begin(const char* model, Writer* write, double tilt, double dt)
{
    char objects[1024], text[2048];
    write(tilt, objects, sizeof objects);
    snprintf(text, sizeof text,
             "world: {dt: %.17g, contact: %s, gravity: [0, 0, -9.81], max_halvings: 3}\n"
             "materials: {steel: {young: 1e+12, poisson: 0.3, density: 1000}}\n"
             "rods:\n"
             "  - {name: bar, material: steel, section: {circle: {radius: 0.005}},\n"
             "     shape: {straight: {from: [-0.3, 0, 0], to: [1.7, 0, 0], nodes: 21}}}\n"
             "attachments: [{name: left, clamp: {rod: bar, node: 0}}, {name: right, clamp: {rod: bar, node: -1}}]\n%s",
             dt, model, objects);
    return fil_matrix_load(text);
}

static double speed(const FilMatrixBench* bench)
{
    return bench->failed ? NAN : fil_ring_velocity(bench->world, fil_world_find_ring(bench->world, "a")).x;
}

static double place(const FilMatrixBench* bench)
{
    return bench->failed ? NAN : fil_ring_travel(bench->world, fil_world_find_ring(bench->world, "a"));
}

static FilMatrixOutcome rest(FilMatrixBench* bench)
{
    enum { STEPS = 50 };
    double force = 0.0;
    fil_matrix_run(bench, 0.4);
    const double start = place(bench);
    for (int k = 0; k < STEPS && !bench->failed; k++) {
        fil_matrix_run(bench, DT);
        force += fil_ring_force(bench->world, fil_world_find_ring(bench->world, "a")) / STEPS;
    }
    const double drift = (place(bench) - start) / (STEPS * DT);
    if (bench->failed) {
        return fil_matrix_failed(bench);
    }
    const FilMatrixOutcome outcome = fil_matrix_judge("force over weight", force / (MASS * G), 1.0, 1e-3);
    return outcome.sign != FIL_MATRIX_HOLDS ? outcome : fil_matrix_judge("drift at rest, m/s,", drift, 0.0, 1e-4);
}

static FilMatrixOutcome stick(FilMatrixBench* bench)
{
    const double tangent = 0.8 * MU;
    fil_matrix_tilt(bench, 0, tangent);
    fil_matrix_run(bench, 0.2);
    const double start = place(bench);
    fil_matrix_run(bench, 0.05);
    return bench->failed ? fil_matrix_failed(bench)
                         : fil_matrix_judge("creep on a slope of 0.8 mu, m/s,", (place(bench) - start) / 0.05, 0.0, 1e-2 * G * tangent * 0.15);
}

static FilMatrixOutcome slide(FilMatrixBench* bench)
{
    const double tangent = 2.0 * MU, cosine = 1.0 / sqrt(1.0 + tangent * tangent);
    fil_matrix_tilt(bench, 0, tangent);
    fil_matrix_run(bench, 0.2);
    const double first = speed(bench);
    fil_matrix_run(bench, 0.2);
    const double measured = (G * tangent * cosine - (speed(bench) - first) / 0.2) / (G * cosine);
    return bench->failed ? fil_matrix_failed(bench) : fil_matrix_judge("friction over normal force on a slope", measured, MU, 1e-2 * MU);
}

static FilMatrixOutcome converge(const char* model, Writer* write)
{
    double places[3];
    for (int k = 0; k < 3; k++) {
        FilMatrixBench bench = begin(model, write, MU, DT / (1 << k));
        fil_matrix_tilt(&bench, 0, 2.0 * MU);
        fil_matrix_run(&bench, 0.2);
        const FilMatrixOutcome lost = fil_matrix_failed(&bench);
        const bool failed = bench.failed;
        places[k] = place(&bench);
        fil_matrix_end(&bench);
        if (failed) {
            return lost;
        }
    }
    const double coarse = fabs(places[1] - places[0]), fine = fabs(places[2] - places[1]);
    return fil_matrix_judge("change of place by halving dt, m,", fine, 0.0, fmax(1e-5, 0.75 * coarse));
}

static void run(const char* model, Writer* write, FilMatrixCell* cell)
{
    typedef FilMatrixOutcome Act(FilMatrixBench * bench);
    static const struct {
        FilMatrixProperty property;
        Act* act;
        double tilt;  // of its steady state: along gravity where it holds, by the angle of friction where it slides
    } acts[] = {{FIL_MATRIX_RESTS, rest, 0.0}, {FIL_MATRIX_STICKS, stick, 0.8 * MU}, {FIL_MATRIX_SLIDES, slide, MU}};
    bool refused = false;
    for (int k = 0; k < 3 && !refused; k++) {
        FilMatrixBench bench = begin(model, write, acts[k].tilt, DT);
        cell->outcomes[acts[k].property] = acts[k].act(&bench);
        refused = bench.refused;
        fil_matrix_end(&bench);
    }
    if (!refused) {
        cell->outcomes[FIL_MATRIX_CONVERGES] = converge(model, write);
    }
}

void fil_matrix_ring(const char* model, const FilMatrixKind* kind, FilMatrixCell* cell)
{
    (void)kind;
    run(model, write_ring, cell);
}

void fil_matrix_hoop(const char* model, const FilMatrixKind* kind, FilMatrixCell* cell)
{
    (void)kind;
    run(model, write_hoop, cell);
}
