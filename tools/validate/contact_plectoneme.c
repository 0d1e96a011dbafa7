/* A clamped rod is twisted while its ends come together: it winds up into a plectoneme, two strands about each other
 * (Clauvelin, Audoly and Neukirch 2009).
 *
 * Both strands are helices of radius a, the rod's own, that touch along their axis, at an angle alpha to it: curvature
 * sin^2(alpha)/a, and they take sin(2 alpha)/(2 a) of the ends' turning per length. With bending stiffness K, a contour l wound
 * up, tails under tension F, twist tau under torque M and all turning 2 pi n given,
 *     V = l K sin^4(alpha)/(2 a^2) + L GJ tau^2/2 - F (L - l) - M (L tau + l sin(2 alpha)/(2 a) - 2 pi n)
 * is least where
 *     dV/dalpha = 0:   M = 2 K sin^3(alpha) cos(alpha)/(a cos(2 alpha)),
 *     dV/dl = 0:       F = M sin(2 alpha)/(2 a) - K sin^4(alpha)/(2 a^2) = K sin^4(alpha)/a^2 (1/2 + 1/cos(2 alpha)),
 * whatever GJ, the end loop and the tails: torque and tension at the clamps follow from the angle that is seen in the middle. Where
 * a model keeps surfaces apart (ipc, imc) a is half the distance of the strands as it is seen. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validate/contact.h"
#include "validate/contact_sandbox.h"

enum { EDGES = 160, NODES = EDGES + 1, NEIGHBOURS = 10 };

static const double RADIUS = 2e-3, LENGTH = 0.48; /* m */
static const double BENDING = 1e-3;               /* N m^2 */
static const double WAY = 0.3;                    /* m, that the ends come together */
static const double TURNS = 7.0;

/* What is seen of a plectoneme. */
typedef struct Ply {
    double angle;  /* rad, alpha */
    double radius; /* m: half the distance of the strands */
    int edges;     /* it was seen on */
} Ply;

static void straight(double* nodes)
{
    for (int i = 0; i < NODES; i++) {
        const double s = (double)i / EDGES;
        nodes[3 * i] = LENGTH * s;
        // a little bent, so that it knows where to go
        nodes[3 * i + 1] = 2e-3 * sin(M_PI * s) * sin(M_PI * s);
        nodes[3 * i + 2] = 5e-4 * sin(2.0 * M_PI * s);
    }
}

static FilId end(FilSandbox* box, FilId rod, int node)
{
    FilAttachmentDef def = fil_attachment_def_default();
    def.kind = FIL_ATTACH_CLAMP;
    def.object = rod;
    def.first = node;
    return fil_sandbox_attach(box, &def);
}

/* Zero, at a third of the time and at its end. */
static void drive(FilSandbox* box, FilDriveKind kind, FilId attachment, double duration, double middle, double last)
{
    const double times[3] = {0.0, 0.3 * duration, duration}, values[9] = {0.0, 0.0, 0.0, middle, 0.0, 0.0, last, 0.0, 0.0};
    FilDriveDef def = fil_drive_def_default();
    def.kind = kind;
    def.attachment = attachment;
    def.ramp = FIL_RAMP_SMOOTH;
    def.knot_count = 3;
    def.times = times;
    def.values = values;
    fil_sandbox_drive(box, &def);
}

static double dot(const double* a, const double* b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Middles and directions of edges. */
static void find_edges(const FilSandbox* box, FilId rod, double (*mid)[3], double (*t)[3])
{
    double x[3 * NODES];
    fil_rod_get_positions(box->world, rod, x);
    for (int i = 0; i < EDGES; i++) {
        for (int k = 0; k < 3; k++) {
            t[i][k] = x[3 * i + 3 + k] - x[3 * i + k];
            mid[i][k] = 0.5 * (x[3 * i + 3 + k] + x[3 * i + k]);
        }
        const double length = sqrt(dot(t[i], t[i]));
        for (int k = 0; k < 3; k++) {
            t[i][k] /= length;
        }
    }
}

/* Distance of an edge to the other strand, INFINITY if it has none opposite, and half the angle at which they cross. */
static double find_opposite(int i, double (*mid)[3], double (*t)[3], double* angle)
{
    const double half = 0.6 * LENGTH / EDGES;  // a little more than half an edge, so that none slips between two
    double best = INFINITY;
    for (int j = 0; j < EDGES; j++) {
        const double d[3] = {mid[j][0] - mid[i][0], mid[j][1] - mid[i][1], mid[j][2] - mid[i][2]};
        const double c = dot(t[i], t[j]), a = dot(d, t[i]), b = dot(d, t[j]), s2 = 1.0 - c * c;
        if (abs(i - j) < NEIGHBOURS || s2 < 1e-6) {
            continue;
        }
        // feet of the common normal of both lines
        const double u = (a - c * b) / s2, v = (c * a - b) / s2;
        double gap = 0.0;
        for (int k = 0; k < 3; k++) {
            const double e = d[k] + v * t[j][k] - u * t[i][k];
            gap += e * e;
        }
        if (fabs(u) < half && fabs(v) < half && sqrt(gap) < best) {
            best = sqrt(gap);
            *angle = 0.5 * acos(fmax(-1.0, fmin(1.0, -c)));
        }
    }
    return best;
}

/* Mean over the middle half of what is wound up: edges are listed from one tail to the loop and on to the other tail. */
static Ply look(const FilSandbox* box, FilId rod)
{
    double mid[EDGES][3], t[EDGES][3], angles[EDGES], gaps[EDGES];
    Ply ply = {0};
    if (box->failed) {
        return ply;
    }
    find_edges(box, rod, mid, t);
    for (int i = 0; i < EDGES; i++) {
        double angle = 0.0;
        const double gap = find_opposite(i, mid, t, &angle);
        if (gap < 2.3 * RADIUS) {
            angles[ply.edges] = angle;
            gaps[ply.edges++] = gap;
        }
    }
    const int half = ply.edges / 2;
    int used = 0;
    for (int i = 0; i < 2 * half; i++) {
        const int place = i % half;
        if (place >= half / 4 && place < half - half / 4) {
            ply.angle += angles[i];
            ply.radius += 0.5 * gaps[i];
            used++;
        }
    }
    ply.angle /= fmax(used, 1.0);
    ply.radius /= fmax(used, 1.0);
    return ply;
}

static void set_models(FilSandbox* box, const char* model)
{
    if (!box->failed && strcmp(model, "imc") == 0) {
        // strands press on each other by K sin^4(alpha)/(a^3 cos(2 alpha)), 3 N an edge; chosen well above that
        FilImcSettings imc = fil_world_imc_settings(box->world);
        imc.stiffness = 100.0;
        fil_sandbox_expect(box, fil_world_set_imc_settings(box->world, &imc), "setting the stiffness");
    } else if (!box->failed && strcmp(model, "ipc") == 0) {
        FilIpcSettings ipc = fil_world_ipc_settings(box->world);
        ipc.range = 2e-4;
        fil_sandbox_expect(box, fil_world_set_ipc_settings(box->world, &ipc), "setting the range");
    }
}

static void report(FilCheck* check, const char* model, const Ply* ply, double torque, double tension)
{
    const double s = sin(ply->angle), c = cos(ply->angle), twice = cos(2.0 * ply->angle), a = ply->radius;
    char what[96];
    snprintf(what, sizeof what, "%s: edges wound up", model);
    fil_check_above(check, what, ply->edges, 40.0);
    snprintf(what, sizeof what, "%s: angle of the strands to their axis, rad", model);
    fil_check_note(check, what, ply->angle);
    snprintf(what, sizeof what, "%s: radius of the coil, m", model);
    fil_check_near(check, what, a, RADIUS, 0.02);
    snprintf(what, sizeof what, "%s: torque at the clamp, N m", model);
    fil_check_near(check, what, torque, 2.0 * BENDING * s * s * s * c / (a * twice), 0.01);
    snprintf(what, sizeof what, "%s: tension at the clamp, N", model);
    fil_check_near(check, what, tension, BENDING * s * s * s * s / (a * a) * (0.5 + 1.0 / twice), 0.03);
}

static void wind(FilCheck* check, const char* model)
{
    const double dt = 1e-3, duration = 2.0;
    FilSandbox box = fil_sandbox_begin(check, model, dt);
    fil_sandbox_set_gravity(&box, 0.0, 0.0, 0.0);
    set_models(&box, model);
    double nodes[3 * NODES];
    straight(nodes);
    FilRodDef def = fil_rod_def_default();
    def.nodes = nodes;
    def.node_count = NODES;
    def.section = (FilSection){.shape = FIL_SECTION_STIFFNESS,
                               .radius = RADIUS,
                               .ea = 1e4,
                               .ei1 = BENDING,
                               .ei2 = BENDING,
                               .gj = 2.0 * BENDING,
                               .mass_per_length = 1e-2,
                               .inertia_per_length = 1e-7};
    def.damping_mass = 100.0;
    def.damping_stiffness = 1e-3;
    def.collision.surface.friction = 0.0;
    const FilId rod = fil_sandbox_add_rod(&box, &def), left = end(&box, rod, 0), right = end(&box, rod, -1);
    // a loop first, then all turns: a straight rod would jump
    drive(&box, FIL_DRIVE_ROTATION, right, duration, 2.0 * M_PI * 1.5, 2.0 * M_PI * TURNS);
    drive(&box, FIL_DRIVE_POSITION, right, duration, -WAY, -WAY);
    fil_sandbox_run(&box, (int)lround(1.3 * duration / dt));
    const Ply ply = look(&box, rod);
    if (!box.failed) {
        char what[96];
        snprintf(what, sizeof what, "%s: crossings", model);
        fil_check_below(check, what, box.crossings, 0.0);
        report(check, model, &ply, fabs(fil_attachment_torque(box.world, left).x), fabs(fil_attachment_force(box.world, left).x));
    }
    fil_sandbox_end(&box);
}

void fil_check_plectoneme(FilCheck* check)
{
    wind(check, "sap");
}

void fil_check_plectoneme_models(FilCheck* check)
{
    static const char* const models[] = {"sap_lagged", "lcp", "imc", "ipc"};
    for (int m = 0; m < 4; m++) {
        wind(check, models[m]);
    }
}
