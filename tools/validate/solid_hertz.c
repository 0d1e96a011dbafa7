/* A rigid ball on a soft block: Hertz's force F = 4/3 E* sqrt(R) x^(3/2), E* = E/(1 - nu^2), over a circle of radius a = sqrt(R x). */
#include <math.h>
#include <stdio.h>

#include "validate/solid.h"

/* The block is a quarter of a half-space as far as the ball can tell: more than 120 a deep and wide, with cells of h below the
 * contact that double outwards. Where it is held, the half-space would have moved by 0.6 % of x. */
enum { DEPTH = 120, STEPS = 4 };
static const double RADIUS = 1.0, PATCH = 0.05, YOUNG = 1e6, POISSON = 0.4;

/* How many layers double: h (fine + 2 (2^layers - 1)) > DEPTH a. */
static int layers(int per_patch)
{
    int count = 1;
    while (2.0 * (exp2(count) - 1.0) < DEPTH * per_patch) {
        count++;
    }
    return count;
}

/* Place of grid line i, of which the first `fine` are h apart; in between, midway. */
static double line(double i, int fine, double h)
{
    const double low = floor(i), past = low - fine;
    const double from = past <= 0.0 ? low * h : h * (fine + 2.0 * (exp2(past) - 1.0));
    return from + (i - low) * h * (past < 0.0 ? 1.0 : 2.0 * exp2(past));
}

/* Its mesh: symmetric cells of 24 elements. */
static bool make_block(FilCheck* check, int per_patch, FilSolidMesh* mesh, double* depth)
{
    const int fine = 3 * per_patch / 2, half = fine + layers(per_patch), cells[3] = {half, half, half};
    const double size[3] = {cells[0], cells[1], cells[2]}, h = PATCH / per_patch;
    FilError error;
    if (fil_solid_mesh_brick(size, cells, 2, mesh, &error) != FIL_OK) {
        fil_check_fail(check, "%s", error.text);
        return false;
    }
    for (int i = 0; i < mesh->vertex_count; i++) {
        double* p = mesh->vertices + 3 * i;
        p[0] = line(p[0] + 0.5 * half, fine, h);
        p[1] = line(p[1] + 0.5 * half, fine, h);
        p[2] = -line(0.5 * half - p[2], fine, h);  // down from z = 0
    }
    *depth = line(half, fine, h);
    return true;
}

static FilStatus add_block(FilWorld* world, const FilSolidMesh* mesh, double depth, double bedding)
{
    FilSolidDef solid = fil_solid_def_default();
    FilAttachmentDef pin = fil_attachment_def_default();
    solid.model = FIL_SOLID_LINEAR;
    solid.vertex_count = mesh->vertex_count;
    solid.vertices = mesh->vertices;
    solid.tet_count = mesh->tet_count;
    solid.tets = mesh->tets;
    solid.young = YOUNG;
    solid.poisson = POISSON;
    solid.density = 1000.0;
    solid.collision.surface.friction = 0.0;
    solid.bedding = bedding;
    FilStatus status = fil_world_add_solid(world, &solid, &pin.object);
    for (int i = 0; i < mesh->vertex_count && status == FIL_OK; i++) {
        const double* p = mesh->vertices + 3 * i;
        pin.first = i;
        pin.axes = p[2] < -0.999 * depth ? 7u : (p[0] == 0.0 ? 1u : 0u) + (p[1] == 0.0 ? 2u : 0u);
        status = pin.axes != 0 ? fil_world_add_attachment(world, &pin, NULL) : FIL_OK;
    }
    return status;
}

static FilStatus add_ball(FilWorld* world, FilId* ball)
{
    FilShapeDef shape = fil_shape_def_default();
    FilRigidDef def = fil_rigid_def_default();
    shape.type = FIL_SHAPE_SPHERE;
    shape.radius = RADIUS;
    def.name = "ball";
    def.motion = FIL_STATIC;
    def.position = (FilVec3){0.0, 0.0, RADIUS - PATCH * PATCH / RADIUS};
    def.shapes = &shape;
    def.shape_count = 1;
    def.collision.surface.friction = 0.0;
    return fil_world_add_rigid(world, &def, ball);
}

/* Force on the ball that is pressed in by x = a^2/R, with cells of a/per_patch, at points or, with a bedding, by areas; NAN after a failure. */
static double press(FilCheck* check, int per_patch, double bedding)
{
    FilSolidMesh mesh;
    FilError error;
    FilWorld* world = NULL;
    FilId ball;
    FilVec3 force = {NAN, NAN, NAN}, torque;
    double depth;
    FilWorldDef def = fil_world_def_default();
    def.gravity = (FilVec3){0.0, 0.0, 0.0};
    def.dt = 1e3;  // inertia does not count
    def.contact_model = "sap";
    if (!make_block(check, per_patch, &mesh, &depth)) {
        return NAN;
    }
    FilStatus status = fil_world_create(&def, &world, &error);
    status = status == FIL_OK ? add_block(world, &mesh, depth, bedding) : status;
    status = status == FIL_OK ? add_ball(world, &ball) : status;
    for (int k = 0; k < STEPS && status == FIL_OK; k++) {
        status = fil_world_step(world, NULL);
    }
    if (status == FIL_OK) {
        fil_world_contact_wrench(world, ball, &force, &torque);
    } else {
        fil_check_fail(check, "%s", world != NULL ? fil_world_error(world) : error.text);
    }
    fil_world_destroy(world);
    fil_solid_mesh_free(&mesh);
    return 4.0 * force.z;
}

static void compare(FilCheck* check, const int* per_patch, int count, double bedding, double tolerance)
{
    const double x = PATCH * PATCH / RADIUS, theory = 4.0 / 3.0 * YOUNG / (1.0 - POISSON * POISSON) * sqrt(RADIUS) * pow(x, 1.5);
    double error[3] = {0.0};
    for (int k = 0; k < count; k++) {
        char what[96];
        const double force = press(check, per_patch[k], bedding);
        error[k] = fabs(force / theory - 1.0);
        snprintf(what, sizeof what, "force of a ball%s, %d cells over the contact's radius, N", bedding > 0.0 ? " by areas" : "", per_patch[k]);
        fil_check_near(check, what, force, theory, k == count - 1 ? tolerance : 0.3);
    }
    for (int k = 1; k < count; k++) {
        fil_check_below(check, "its error over that of the coarser mesh", error[k] / error[k - 1], 1.0);
    }
}

void fil_check_solid_hertz(FilCheck* check)
{
    static const int per_patch[] = {2, 4};
    compare(check, per_patch, 2, 0.0, 0.1);
}

/* The bedding gives way by 2 E* a/(pi R)/C below the middle, 0.15 % of x. */
void fil_check_solid_hertz_areas(FilCheck* check)
{
    static const int per_patch[] = {2, 4};
    compare(check, per_patch, 2, 1e10, 0.1);
}

void fil_check_solid_hertz_fine(FilCheck* check)
{
    static const int per_patch[] = {2, 4, 6};
    compare(check, per_patch, 3, 0.0, 0.05);
}
