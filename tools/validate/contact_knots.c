/* Strands against strands: knots drawn tight, chains of linked rings. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "scene/knot.h"
#include "validate/contact.h"
#include "validate/contact_sandbox.h"
#include "validate/knots.h"

/* ---- knots ---- */

enum { KNOT_NODES = 301 };

static const double KNOT_RADIUS = 1.5e-3, KNOT_SPEED = 0.4;

/* An end drawn along y by a stiff handle whose target moves. */
static FilId draw_end(FilSandbox* box, FilId rod, int node, double speed)
{
    FilAttachmentDef end = fil_attachment_def_default();
    end.kind = FIL_ATTACH_HANDLE;
    end.object = rod;
    end.first = node;
    end.stiffness = 1e6;
    end.damping = 0.0;
    FilDriveDef drive = fil_drive_def_default();
    drive.kind = FIL_DRIVE_VELOCITY;
    drive.attachment = fil_sandbox_attach(box, &end);
    fil_sandbox_set(box, fil_sandbox_drive(box, &drive), 0.0, speed, 0.0);
    return drive.attachment;
}

static FilId add_knot(FilSandbox* box, int n, double* nodes)
{
    FilKnotDef knot = fil_knot_def_default();
    knot.n = n;
    FilError error = {{0}};
    if (fil_knot_build(&knot, nodes, &error) != FIL_OK) {
        fil_check_fail(box->check, "building the knot: %s", error.text);
        box->failed = true;
    }
    FilRodDef def = fil_rod_def_default();
    def.node_count = KNOT_NODES;
    def.nodes = nodes;
    def.section = (FilSection){.shape = FIL_SECTION_CIRCLE, .radius = KNOT_RADIUS, .young = 18e6, .shear = 6e6, .density = 1000.0};
    def.damping_mass = 1.0;
    def.collision.surface = (FilSurface){.friction = 0.0, .stiffness = 2e5};  // two in series: 1e5 N/m
    return fil_sandbox_add_rod(box, &def);
}

/* How far the rod reaches out from the line through its ends, which lie along y: the loop's size. */
static double loop_size(const double* nodes)
{
    double size = 0.0;
    for (int i = 0; i < KNOT_NODES; i++) {
        size = fmax(size, hypot(nodes[3 * i] - nodes[0], nodes[3 * i + 2] - nodes[2]));
    }
    return size;
}

/* What is watched while a knot is drawn tight, at outputs 10 ms apart. */
typedef struct Watch {
    double min_determinant, largest_determinant;
    double peak;          /* N, highest pull so far, as the mean between outputs */
    double largest, size; /* m, of the loop: ever, and at the peak */
    double drop;          /* lowest pull after a peak / that peak */
    double sum;           /* of the pull since the last output */
    double last_pull;     /* N */
} Watch;

static void take_output(Watch* watch, const double* nodes, int steps)
{
    const double determinant = fil_knots_determinant(nodes, KNOT_NODES), size = loop_size(nodes);
    watch->min_determinant = fmin(watch->min_determinant, determinant);
    watch->largest_determinant = fmax(watch->largest_determinant, determinant);
    watch->largest = fmax(watch->largest, size);
    watch->last_pull = watch->sum / steps;
    watch->sum = 0.0;
    // the swing of the first moments is below what a tightening knot takes
    if (watch->last_pull > fmax(watch->peak, 0.25) && watch->drop >= 0.5) {
        watch->peak = watch->last_pull;
        watch->size = size;
    } else if (watch->peak > 0.0) {
        watch->drop = fmin(watch->drop, watch->last_pull / watch->peak);
    }
}

/* An overhand knot of unknotting number n, without friction, drawn tight (P0 Fig. 1). Its determinant, 2 n + 1, would
 * change if a strand passed through another. With n = 4 it snaps through on the way (P2 Fig. 6): the loop has collapsed
 * onto the braid, turns over, and the pull falls. */
static void check_knot(FilCheck* check, int n)
{
    const int output = 100;
    FilSandbox box = fil_sandbox_begin(check, "sap", 1e-4);
    fil_sandbox_set_gravity(&box, 0.0, 0.0, 0.0);
    fil_sandbox_set_friction(&box, 0.0);
    double nodes[3 * KNOT_NODES];
    const FilId rod = add_knot(&box, n, nodes);
    draw_end(&box, rod, 0, -KNOT_SPEED);
    const FilId handle = draw_end(&box, rod, -1, KNOT_SPEED);
    Watch watch = {.min_determinant = INFINITY, .drop = 1.0};
    for (int k = 1; k <= 7000 && !box.failed; k++) {
        fil_sandbox_step(&box);
        if (!box.failed) {
            watch.sum += fil_attachment_force(box.world, handle).y;
        }
        if (!box.failed && k % output == 0) {
            fil_rod_get_positions(box.world, rod, nodes);
            take_output(&watch, nodes, output);
        }
    }
    if (!box.failed) {
        fil_check_near(check, "least determinant", watch.min_determinant, 2 * n + 1, 1e-6);
        fil_check_near(check, "largest determinant", watch.largest_determinant, 2 * n + 1, 1e-6);
        fil_check_below(check, "penetration / radius", box.penetration / KNOT_RADIUS, 0.05);
        fil_check_above(check, "pull at the end (N)", watch.last_pull, 0.05);  // it has become tight
        if (n == 4) {
            fil_check_below(check, "loop before it snaps through / largest", watch.size / watch.largest, 0.3);
            fil_check_below(check, "pull after it has snapped through / before", watch.drop, 0.5);
        }
        fil_sandbox_check_solution(&box, "knot");
    }
    fil_sandbox_end(&box);
}

void fil_check_knot_one(FilCheck* check)
{
    check_knot(check, 1);
}

void fil_check_knot_two(FilCheck* check)
{
    check_knot(check, 2);
}

void fil_check_knot_three(FilCheck* check)
{
    check_knot(check, 3);
}

void fil_check_knot_four(FilCheck* check)
{
    check_knot(check, 4);
}

/* ---- rings ---- */

enum { RING_NODES = 20, MAX_RINGS = 100 };

static const double RING_RADIUS = 0.01, WIRE = 2.5e-3; /* m */

/* A chain of rings hung by half of the first ring's nodes, each through the one above; what holds it. */
static FilId hang_chain(FilSandbox* box, int rings, FilId* ids)
{
    for (int k = 0; k < rings; k++) {
        double nodes[3 * RING_NODES];
        for (int i = 0; i < RING_NODES; i++) {
            const double angle = 2.0 * M_PI * i / RING_NODES, c = RING_RADIUS * cos(angle);
            nodes[3 * i] = k % 2 == 0 ? c : 0.0;
            nodes[3 * i + 1] = k % 2 == 0 ? 0.0 : c;
            nodes[3 * i + 2] = -k * (RING_RADIUS + WIRE) + RING_RADIUS * sin(angle);
        }
        FilRodDef def = fil_rod_def_default();
        def.node_count = RING_NODES;
        def.nodes = nodes;
        def.closed = true;
        def.rest_shape = FIL_REST_INITIAL;
        def.section = (FilSection){.shape = FIL_SECTION_CIRCLE, .radius = 0.5 * WIRE, .young = 1e7, .poisson = 0.4, .density = 500.0};
        def.damping_mass = 10.0;
        def.collision.surface = (FilSurface){.friction = 0.1, .stiffness = 2e4, .dissipation = 50.0};  // in series 1e4 N/m
        ids[k] = fil_sandbox_add_rod(box, &def);
    }
    FilAttachmentDef hold = fil_attachment_def_default();
    hold.kind = FIL_ATTACH_PIN;
    hold.object = ids[0];
    hold.count = RING_NODES / 2;
    return fil_sandbox_attach(box, &hold);
}

/* How many pairs of rings are linked otherwise than they should be: neighbours once, others not. */
static int wrong_links(const FilSandbox* box, int rings, const FilId* ids)
{
    double nodes[MAX_RINGS][3 * RING_NODES];
    int wrong = 0;
    for (int k = 0; k < rings; k++) {
        fil_rod_get_positions(box->world, ids[k], nodes[k]);
        for (int j = 0; j < k; j++) {
            wrong += abs(fil_knots_linking(nodes[k], RING_NODES, nodes[j], RING_NODES)) != (j == k - 1 ? 1 : 0);
        }
    }
    return wrong;
}

/* After `settling` seconds the chain hangs still: the bound on its kinetic energy is that of 10 um/s. */
static void check_chain(FilCheck* check, int rings, double settling, double duration)
{
    const double dt = 8e-4;
    FilSandbox box = fil_sandbox_begin(check, "sap_lagged", dt);
    FilId ids[MAX_RINGS];
    (void)hang_chain(&box, rings, ids);
    fil_sandbox_run(&box, (int)(settling / dt));
    const int outputs = (int)ceil(duration), steps = (int)(duration / dt / outputs);
    double kinetic = 0.0;
    int wrong = 0;
    for (int o = 0; o < outputs && !box.failed; o++) {
        for (int k = 0; k < steps && !box.failed; k++) {
            fil_sandbox_step(&box);
            kinetic = box.failed ? 0.0 : fmax(kinetic, fil_world_energy(box.world).kinetic);
        }
        wrong += box.failed ? 0 : wrong_links(&box, rings, ids);
    }
    if (!box.failed) {
        const double mass = rings * 500.0 * 0.25 * M_PI * WIRE * WIRE * 2.0 * M_PI * RING_RADIUS;
        fil_check_below(check, "wrongly linked pairs", wrong, 0.0);
        fil_check_below(check, "largest kinetic energy / that of 10 um/s", kinetic / (0.5 * mass * 1e-10), 1.0);
        fil_check_below(check, "penetration / radius", box.penetration / (0.5 * WIRE), 0.05);
        fil_sandbox_check_solution(&box, "chain");
    }
    fil_sandbox_end(&box);
}

void fil_check_ring_chain(FilCheck* check)
{
    check_chain(check, 25, 2.0, 8.0);
}

void fil_check_ring_chain_long(FilCheck* check)
{
    check_chain(check, MAX_RINGS, 10.0, 600.0);
}

/* What holds a chain that has come to rest feels its weight: 20 chords a ring. */
static void check_weight(FilCheck* check, const char* model, int rings)
{
    const double dt = 8e-4, settling = 4.0;  // s: damping leaves exp(-20)
    const double length = RING_NODES * 2.0 * RING_RADIUS * sin(M_PI / RING_NODES);
    const double weight = rings * 500.0 * 0.25 * M_PI * WIRE * WIRE * length * 9.81;
    FilSandbox box = fil_sandbox_begin(check, model, dt);
    FilId ids[MAX_RINGS];
    const FilId hook = hang_chain(&box, rings, ids);
    fil_sandbox_run(&box, (int)(settling / dt));
    const double load = box.failed ? NAN : fil_attachment_force(box.world, hook).z;
    char what[96];
    snprintf(what, sizeof what, "%s: load of %d rings over their weight", model, rings);
    fil_check_near(check, what, load / weight, 1.0, 1e-3);
    fil_sandbox_end(&box);
}

void fil_check_chain_weight(FilCheck* check)
{
    check_weight(check, "ipc", 1);
    check_weight(check, "ipc", 18);
    check_weight(check, "ipc", 37);
}

void fil_check_chain_weight_long(FilCheck* check)
{
    check_weight(check, "ipc", MAX_RINGS);
    check_weight(check, "sap_lagged", MAX_RINGS);
}
