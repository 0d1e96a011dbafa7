/* A bundle of ropes, sheared to and fro: six of them, three, two and one, lie in each other's valleys. The lowest are held, those
 * in the middle are held at one end, and the uppermost, pressed down by V, is drawn along itself by its end, there and back.
 *
 * Ropes touch at 30 degrees from the vertical. While the uppermost slides all friction is along it, so statics across it give
 * the two normal forces, N_1 + N_2 = V/cos(30), and its pull is mu V/cos(30), whichever way it goes: below, the same force spreads
 * over contacts with more load, which stick. A cycle takes the work mu V/cos(30) times the way, but for the stretch of the rope
 * at each turn, a thousandth of the stroke. Without friction nothing is left; and each cycle is like the last.
 *
 * Under lcp that takes a minute and a half, for 198 contacts that depend on each other: a check of its own. imc, whose stiffness adapts from step
 * to step, does work of its own: that is noted, without friction; with a stiffness that stays it is judged. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "validate/contact.h"
#include "validate/contact_sandbox.h"

enum { EDGES = 8, NODES = EDGES + 1, CYCLES = 3 };

static const double RADIUS = 5e-3, LENGTH = 0.2; /* m */
static const double LOAD = 4.0;                  /* N, on the uppermost, but for its first node */
static const double STROKE = 5e-3;               /* m, from the middle */
static const double PERIOD = 0.4, SETTLE = 0.1;  /* s */
static const double STEP = 2e-3;

typedef struct Bundle {
    FilSandbox box;
    FilId top, hold; /* the uppermost, and its end */
    double weight;
} Bundle;

static FilId add_rope(FilSandbox* box, double y, double z, double friction)
{
    double nodes[3 * NODES];
    for (int i = 0; i < NODES; i++) {
        nodes[3 * i] = LENGTH * i / EDGES;
        nodes[3 * i + 1] = y;
        nodes[3 * i + 2] = z;
    }
    FilRodDef def = fil_rod_def_default();
    def.nodes = nodes;
    def.node_count = NODES;
    def.section = (FilSection){.shape = FIL_SECTION_CIRCLE, .radius = RADIUS, .young = 1e8, .poisson = 0.4, .density = 1000.0};
    def.damping_stiffness = 1e-3;
    def.collision.surface.friction = friction;
    return fil_sandbox_add_rod(box, &def);
}

static FilId hold(FilSandbox* box, FilId rope, int count)
{
    FilAttachmentDef def = fil_attachment_def_default();
    // an end is held softly: what a pin would take across, in its height, is beyond statics
    def.kind = count > 1 ? FIL_ATTACH_PIN : FIL_ATTACH_HANDLE;
    def.object = rope;
    def.count = count;
    def.stiffness = 1e4;
    def.damping = 10.0;
    return fil_sandbox_attach(box, &def);
}

/* imc with a stiffness that stays: what one contact bears at most, some times what the lowest ones bear. */
static const char FIXED[] = "imc, stiffness 2 N";

static void fix_stiffness(FilSandbox* box)
{
    FilImcSettings settings = fil_world_imc_settings(box->world);
    settings.stiffness = 2.0;
    settings.rate = 0.0;
    fil_sandbox_expect(box, fil_world_set_imc_settings(box->world, &settings), "setting the stiffness");
}

static Bundle begin(FilCheck* check, const char* model, double friction)
{
    const bool fixed = model == FIXED;
    Bundle b = {.box = fil_sandbox_begin(check, fixed ? "imc" : model, STEP)};
    if (fixed && !b.box.failed) {
        fix_stiffness(&b.box);
    }
    double apart = 2.0 * RADIUS;
    if (!b.box.failed && strcmp(model, "ipc") == 0) {
        FilIpcSettings settings = fil_world_ipc_settings(b.box.world);
        settings.range = 1e-4;
        apart += settings.range;  // a barrier pushed in would throw them apart
        fil_sandbox_expect(&b.box, fil_world_set_ipc_settings(b.box.world, &settings), "setting the range");
    }
    for (int layer = 0; layer < 3; layer++) {
        for (int k = 0; k < 3 - layer; k++) {
            // neighbours in a layer, which bear nothing, stand a little apart
            b.top = add_rope(&b.box, (k - 0.5 * (2 - layer)) * 1.002 * apart, layer * sqrt(0.75) * apart, friction);
            b.hold = hold(&b.box, b.top, layer == 0 ? NODES : 1);
        }
    }
    static const double times[2] = {0.0, 0.5 * SETTLE};
    const double loads[6] = {0.0, 0.0, 0.0, 0.0, 0.0, -LOAD / EDGES};
    FilDriveDef press = fil_drive_def_default();
    press.kind = FIL_DRIVE_FORCE;
    press.object = b.top;
    press.first = 1;
    press.count = EDGES;
    press.ramp = FIL_RAMP_SMOOTH;
    press.knot_count = 2;
    press.times = times;
    press.values = loads;
    fil_sandbox_drive(&b.box, &press);
    double knots[2 * CYCLES + 2], ways[3 * (2 * CYCLES + 2)] = {0.0};
    for (int k = 0; k < 2 * CYCLES + 2; k++) {
        knots[k] = SETTLE + 0.5 * PERIOD * k;
        ways[3 * k] = k == 0 ? 0.0 : k % 2 == 0 ? -STROKE : STROKE;
    }
    FilDriveDef draw = fil_drive_def_default();
    draw.kind = FIL_DRIVE_POSITION;
    draw.attachment = b.hold;
    draw.ramp = FIL_RAMP_SMOOTH;
    draw.knot_count = 2 * CYCLES + 2;
    draw.times = knots;
    draw.values = ways;
    fil_sandbox_drive(&b.box, &draw);
    b.weight = 1000.0 * M_PI * RADIUS * RADIUS * LENGTH * 9.81;
    return b;
}

/* Where the uppermost's end is. */
static double place(const Bundle* b)
{
    double nodes[3 * NODES] = {0.0};
    if (!b->box.failed) {
        fil_rod_get_positions(b->box.world, b->top, nodes);
    }
    return nodes[0];
}

/* Work of each cycle, from turn to turn, and what mu V/cos(30) takes in the last. */
static bool shear(FilCheck* check, const char* model, double friction, double* works, double* expected)
{
    Bundle b = begin(check, model, friction);
    double last = 0.0;
    *expected = 0.0;
    for (int c = 0; c < CYCLES; c++) {
        works[c] = 0.0;
    }
    fil_sandbox_run(&b.box, (int)lround((SETTLE + 0.5 * PERIOD) / STEP));  // to the first turn
    last = place(&b);
    const int steps = (int)lround(PERIOD / STEP);
    for (int k = 0; k < CYCLES * steps && !b.box.failed; k++) {
        fil_sandbox_step(&b.box);
        if (b.box.failed) {
            break;
        }
        const FilVec3 force = fil_attachment_force(b.box.world, b.hold);
        const double now = place(&b);
        works[k / steps] += force.x * (now - last);
        if (k / steps == CYCLES - 1) {
            *expected += friction * (LOAD + b.weight - force.z) / cos(M_PI / 6.0) * fabs(now - last);
        }
        last = now;
    }
    const bool good = !b.box.failed;
    fil_sandbox_end(&b.box);
    return good;
}

/* Judges one model; returns the largest work of a cycle. */
static double judge(FilCheck* check, const char* model)
{
    static const double frictions[] = {0.4, 0.2, 0.0};
    double largest = 0.0, works[CYCLES], expected;
    for (int k = 0; k < 3; k++) {
        char what[96];
        if (!shear(check, model, frictions[k], works, &expected)) {
            continue;
        }
        largest = fmax(largest, works[2]);
        if (frictions[k] > 0.0) {
            snprintf(what, sizeof what, "%s: mu %g, work of a cycle / (mu V/cos(30) way)", model, frictions[k]);
            fil_check_near(check, what, works[2] / expected, 1.0, 0.02);
            snprintf(what, sizeof what, "%s: mu %g, third cycle / second", model, frictions[k]);
            fil_check_near(check, what, works[2] / works[1], 1.0, 2e-3);
        } else {
            snprintf(what, sizeof what, "%s: without friction, work of a cycle / that of mu %g", model, frictions[0]);
            fil_check_below(check, what, fabs(works[2]) / largest, 2e-3);
        }
    }
    return largest;
}

void fil_check_bundle(FilCheck* check)
{
    judge(check, "sap");
    judge(check, "sap_lagged");
}

void fil_check_bundle_potentials(FilCheck* check)
{
    double works[CYCLES], expected;
    const double largest = judge(check, "ipc");
    if (shear(check, "imc", 0.0, works, &expected)) {
        fil_check_note(check, "imc: without friction, work of a cycle / that of mu 0.4 under ipc", works[2] / largest);
    }
    if (shear(check, FIXED, 0.0, works, &expected)) {
        char what[96];
        snprintf(what, sizeof what, "%s: without friction, largest work of a cycle / the same", FIXED);
        // ropes rattle in their valleys: 0.03, 0.7, 0.1 % in three cycles, of either sign in other steps
        fil_check_below(check, what, fmax(fabs(works[0]), fmax(fabs(works[1]), fabs(works[2]))) / largest, 0.02);
    }
}

void fil_check_bundle_lcp(FilCheck* check)
{
    judge(check, "lcp");
}
