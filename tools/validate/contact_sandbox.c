#include "validate/contact_sandbox.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

FilSandbox fil_sandbox_begin_with(FilCheck* check, const FilWorldDef* def)
{
    FilSandbox box = {.check = check, .friction = fil_surface_default().friction, .cone = -1.0};
    FilError error = {{0}};
    if (fil_world_create(def, &box.world, &error) != FIL_OK) {
        fil_check_fail(check, "creating the world: %s", error.text);
        box.failed = true;
    }
    return box;
}

FilSandbox fil_sandbox_begin(FilCheck* check, const char* contact_model, double dt)
{
    FilWorldDef def = fil_world_def_default();
    def.contact_model = contact_model;
    def.dt = dt;
    def.gravity = (FilVec3){0.0, 0.0, -9.81};
    return fil_sandbox_begin_with(check, &def);
}

void fil_sandbox_end(FilSandbox* box)
{
    fil_world_destroy(box->world);
    box->world = NULL;
}

bool fil_sandbox_expect(FilSandbox* box, FilStatus status, const char* doing)
{
    if (!box->failed && status != FIL_OK) {
        fil_check_fail(box->check, "%s: %s: %s", doing, fil_status_name(status), fil_world_error(box->world));
        box->failed = true;
    }
    return !box->failed;
}

/* ---- what is in it ---- */

void fil_sandbox_set_friction(FilSandbox* box, double friction)
{
    box->friction = friction;
}

void fil_sandbox_set_gravity(FilSandbox* box, double x, double y, double z)
{
    if (!box->failed) {
        fil_sandbox_expect(box, fil_world_set_gravity(box->world, (FilVec3){x, y, z}), "setting gravity");
    }
}

FilId fil_sandbox_add_body(FilSandbox* box, const FilRigidDef* def)
{
    FilId id = {0, 0};
    if (!box->failed) {
        fil_sandbox_expect(box, fil_world_add_rigid(box->world, def, &id), "adding a body");
    }
    return id;
}

FilId fil_sandbox_add_shape(FilSandbox* box, const FilShapeDef* shape, FilMotion motion, FilVec3 position)
{
    FilRigidDef def = fil_rigid_def_default();
    def.motion = motion;
    def.position = position;
    def.shapes = shape;
    def.shape_count = 1;
    def.collision.surface.friction = fmax(box->friction, 0.0);
    return fil_sandbox_add_body(box, &def);
}

FilId fil_sandbox_add_ground(FilSandbox* box)
{
    FilShapeDef shape = fil_shape_def_default();
    shape.type = FIL_SHAPE_HALF_SPACE;
    return fil_sandbox_add_shape(box, &shape, FIL_STATIC, (FilVec3){0.0, 0.0, 0.0});
}

FilId fil_sandbox_add_cube(FilSandbox* box, double size, FilVec3 position)
{
    FilShapeDef shape = fil_shape_def_default();
    shape.type = FIL_SHAPE_BOX;
    shape.size = (FilVec3){size, size, size};
    return fil_sandbox_add_shape(box, &shape, FIL_DYNAMIC, position);
}

void fil_sandbox_line(FilVec3 from, FilVec3 along, double length, int count, double* nodes)
{
    for (int i = 0; i < count; i++) {
        const double s = length * i / (count - 1);
        nodes[3 * i] = from.x + s * along.x;
        nodes[3 * i + 1] = from.y + s * along.y;
        nodes[3 * i + 2] = from.z + s * along.z;
    }
}

FilId fil_sandbox_add_rod(FilSandbox* box, const FilRodDef* def)
{
    FilId id = {0, 0};
    if (!box->failed) {
        fil_sandbox_expect(box, fil_world_add_rod(box->world, def, &id), "adding a rod");
    }
    return id;
}

FilId fil_sandbox_add_joint(FilSandbox* box, const FilJointDef* def)
{
    FilId id = {0, 0};
    if (!box->failed) {
        fil_sandbox_expect(box, fil_world_add_joint(box->world, def, &id), "adding a joint");
    }
    return id;
}

FilId fil_sandbox_attach(FilSandbox* box, const FilAttachmentDef* def)
{
    FilId id = {0, 0};
    if (!box->failed) {
        fil_sandbox_expect(box, fil_world_add_attachment(box->world, def, &id), "attaching");
    }
    return id;
}

FilId fil_sandbox_drive(FilSandbox* box, const FilDriveDef* def)
{
    FilId id = {0, 0};
    if (!box->failed) {
        fil_sandbox_expect(box, fil_world_add_drive(box->world, def, &id), "adding a drive");
    }
    return id;
}

FilId fil_sandbox_draw_rope(FilSandbox* box, FilId rope, const double times[2], const double loads[6], const double speeds[6])
{
    FilAttachmentDef end = fil_attachment_def_default();
    end.kind = FIL_ATTACH_PIN;
    end.object = rope;
    end.first = -1;
    FilDriveDef pull = fil_drive_def_default();
    pull.ramp = FIL_RAMP_SMOOTH;
    pull.knot_count = 2;
    pull.times = times;
    FilDriveDef draw = pull;
    pull.kind = FIL_DRIVE_FORCE;
    pull.object = rope;
    pull.count = 1;
    pull.values = loads;
    draw.kind = FIL_DRIVE_VELOCITY;
    draw.attachment = fil_sandbox_attach(box, &end);
    draw.values = speeds;
    fil_sandbox_drive(box, &pull);
    fil_sandbox_drive(box, &draw);
    return draw.attachment;
}

void fil_sandbox_set(FilSandbox* box, FilId drive, double x, double y, double z)
{
    const double value[3] = {x, y, z};
    if (!box->failed) {
        fil_sandbox_expect(box, fil_drive_set(box->world, drive, value, 3), "setting a drive");
    }
}

/* ---- running ---- */

static double dot(FilVec3 a, FilVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* How far the contact forces leave their friction cones; a force below a millionth of the largest is rounding. */
static double cone_excess(const FilSandbox* box)
{
    const int count = fil_world_contact_count(box->world);
    double largest = 0.0, worst = -1.0;
    for (int k = 0; k < count; k++) {
        const FilContactInfo c = fil_world_contact(box->world, k);
        largest = fmax(largest, dot(c.force, c.normal));
    }
    for (int k = 0; k < count; k++) {
        const FilContactInfo c = fil_world_contact(box->world, k);
        const double normal = dot(c.force, c.normal);
        const double tangential = sqrt(fmax(dot(c.force, c.force) - normal * normal, 0.0));
        if (fmax(normal, tangential) > 1e-6 * largest && box->friction > 0.0) {
            worst = fmax(worst, tangential / (box->friction * fmax(normal, 0.0)) - 1.0);
        }
    }
    return worst;
}

void fil_sandbox_step(FilSandbox* box)
{
    if (box->failed) {
        return;
    }
    fil_sandbox_expect(box, fil_world_step(box->world, &box->last), "stepping");
    box->residual = fmax(box->residual, box->last.contact_residual);
    box->penetration = fmax(box->penetration, box->last.max_penetration);
    box->crossings += box->last.crossings;
    box->halvings += box->last.halvings;
    box->cone = fmax(box->cone, cone_excess(box));
}

void fil_sandbox_run(FilSandbox* box, int steps)
{
    for (int k = 0; k < steps && !box->failed; k++) {
        fil_sandbox_step(box);
    }
}

/* ---- measuring ---- */

FilVec3 fil_sandbox_position(const FilSandbox* box, FilId body)
{
    FilVec3 position = {0.0, 0.0, 0.0};
    FilQuat orientation;
    if (!box->failed) {
        fil_rigid_get_pose(box->world, body, &position, &orientation);
    }
    return position;
}

FilVec3 fil_sandbox_velocity(const FilSandbox* box, FilId body)
{
    FilVec3 velocity = {0.0, 0.0, 0.0}, spin;
    if (!box->failed) {
        fil_rigid_get_velocity(box->world, body, &velocity, &spin);
    }
    return velocity;
}

FilVec3 fil_sandbox_spin(const FilSandbox* box, FilId body)
{
    FilVec3 velocity, spin = {0.0, 0.0, 0.0};
    if (!box->failed) {
        fil_rigid_get_velocity(box->world, body, &velocity, &spin);
    }
    return spin;
}

double fil_sandbox_energy(const FilSandbox* box)
{
    if (box->failed) {
        return 0.0;
    }
    const FilEnergy e = fil_world_energy(box->world);
    return e.kinetic + e.elastic + e.gravity;
}

void fil_sandbox_check_solution(FilSandbox* box, const char* where)
{
    if (box->failed) {
        return;
    }
    char what[96];
    snprintf(what, sizeof what, "%s: momentum residual", where);
    fil_check_below(box->check, what, box->residual, 1e-6);  // what the solver is asked for
    if (strcmp(fil_world_contact_model(box->world), "sap") == 0 && box->cone > -1.0) {
        snprintf(what, sizeof what, "%s: |f_t|/(mu f_n) - 1", where);
        fil_check_below(box->check, what, box->cone, 1e-6);  // a projection: rounding only
    }
    snprintf(what, sizeof what, "%s: crossings", where);
    fil_check_below(box->check, what, box->crossings, 0.0);
}
