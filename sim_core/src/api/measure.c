/* What can be measured of the world as a whole, of any object that touches, and of what is no body: attachments, drives
 * and joints. */
#include <math.h>

#include "api/kinds.h"
#include "filum/ring.h"
#include "world/world.h"

/* ---- the world ---- */

static void measure_kinetic(const FilWorld* world, FilId of, int index, double* out)
{
    (void)of, (void)index;
    out[0] = fil_world_energy(world).kinetic;
}

static void measure_elastic(const FilWorld* world, FilId of, int index, double* out)
{
    (void)of, (void)index;
    out[0] = fil_world_energy(world).elastic;
}

static void measure_gravity(const FilWorld* world, FilId of, int index, double* out)
{
    (void)of, (void)index;
    out[0] = fil_world_energy(world).gravity;
}

static void measure_total(const FilWorld* world, FilId of, int index, double* out)
{
    (void)of, (void)index;
    const FilEnergy energy = fil_world_energy(world);
    out[0] = energy.kinetic + energy.elastic + energy.gravity;
}

static void measure_momentum(const FilWorld* world, FilId of, int index, double* out)
{
    (void)of, (void)index;
    fil_measure_vec3(out, fil_world_momentum(world));
}

static void measure_angular_momentum(const FilWorld* world, FilId of, int index, double* out)
{
    (void)of, (void)index;
    fil_measure_vec3(out, fil_world_angular_momentum(world));
}

static void measure_contacts(const FilWorld* world, FilId of, int index, double* out)
{
    (void)of, (void)index;
    out[0] = fil_world_contact_count(world);
}

/* Least distance of surfaces in the contact set; INFINITY if it is empty. */
static double min_distance(const FilWorld* world)
{
    double distance = INFINITY;
    for (int k = 0; k < world->collision.set.count; k++) {
        distance = fmin(distance, world->collision.set.contacts[k].distance);
    }
    return distance;
}

static void measure_penetration(const FilWorld* world, FilId of, int index, double* out)
{
    (void)of, (void)index;
    out[0] = fmax(-min_distance(world), 0.0);
}

static void measure_clearance(const FilWorld* world, FilId of, int index, double* out)
{
    (void)of, (void)index;
    const double distance = min_distance(world);
    out[0] = isfinite(distance) ? distance : NAN;
}

static void measure_threaded(const FilWorld* world, FilId of, int index, double* out)
{
    (void)of, (void)index;
    int count = 0;
    for (int k = 0; k < fil_world_ring_count(world); k++) {
        count += fil_ring_threaded(world, fil_world_ring_at(world, k)) ? 1 : 0;
    }
    out[0] = count;
}

static const FilQuantity world_quantities[] = {
    {"kinetic_energy", NULL, 1, "J", measure_kinetic, NULL}, {"elastic_energy", NULL, 1, "J", measure_elastic, NULL},
    {"gravity_energy", NULL, 1, "J", measure_gravity, NULL}, {"total_energy", NULL, 1, "J", measure_total, NULL},
    {"momentum", NULL, 3, "kg m/s", measure_momentum, NULL}, {"angular_momentum", NULL, 3, "kg m^2/s", measure_angular_momentum, NULL},
    {"contacts", NULL, 1, "1", measure_contacts, NULL},      {"penetration", NULL, 1, "m", measure_penetration, NULL},
    {"clearance", NULL, 1, "m", measure_clearance, NULL},    {"rings", NULL, 1, "1", measure_threaded, NULL},
};

const FilKindRow fil_world_row = {"world", "the world", NULL, NULL, NULL, 0, FIL_ROWS(world_quantities)};

/* ---- any object ---- */

static void measure_contact_force(const FilWorld* world, FilId of, int index, double* out)
{
    (void)index;
    FilVec3 force, torque;
    fil_world_contact_wrench(world, of, &force, &torque);
    fil_measure_vec3(out, force);
}

static FilId find_object(const FilWorld* world, const char* name)
{
    const int index = fil_world_find_object(world, name);
    return index < 0 ? (FilId){0} : fil_make_id(world, FIL_ID_OBJECT, index);
}

static const FilQuantity object_quantities[] = {{"contact_force", NULL, 3, "N", measure_contact_force, NULL}};

const FilKindRow fil_object_row = {"object", "an object", fil_object_name, find_object, NULL, 0, FIL_ROWS(object_quantities)};

/* ---- attachments ---- */

static const char* attachment_name(const FilWorld* world, FilId id)
{
    const int index = fil_id_index(world, FIL_ID_ATTACHMENT, id);
    return index < 0 ? NULL : world->attachments[index].name;
}

static void measure_attachment_force(const FilWorld* world, FilId of, int index, double* out)
{
    (void)index;
    fil_measure_vec3(out, fil_attachment_force(world, of));
}

static void measure_attachment_torque(const FilWorld* world, FilId of, int index, double* out)
{
    (void)index;
    fil_measure_vec3(out, fil_attachment_torque(world, of));
}

static const FilQuantity attachment_quantities[] = {
    {"force", NULL, 3, "N", measure_attachment_force, NULL},
    {"torque", NULL, 3, "N m", measure_attachment_torque, NULL},
};

const FilKindRow fil_attachment_row = {
    "attachment", "an attachment", attachment_name, fil_world_find_attachment, NULL, 0, FIL_ROWS(attachment_quantities)};

/* ---- drives ---- */

static const char* drive_name(const FilWorld* world, FilId id)
{
    const int index = fil_id_index(world, FIL_ID_DRIVE, id);
    return index < 0 ? NULL : world->drives[index].name;
}

static void measure_drive(const FilWorld* world, FilId of, int index, double* out)
{
    (void)index;
    fil_drive_value(world, of, out);
}

static int drive_width(const FilWorld* world, FilId of)
{
    return fil_drive_dimension(world->drives[fil_id_index(world, FIL_ID_DRIVE, of)].kind);
}

static const FilQuantity drive_quantities[] = {{"drive", NULL, 3, "the drive's", measure_drive, drive_width}};

const FilKindRow fil_drive_row = {"drive", "a drive", drive_name, fil_world_find_drive, NULL, 0, FIL_ROWS(drive_quantities)};

/* ---- joints ---- */

static const char* joint_name(const FilWorld* world, FilId id)
{
    const int index = fil_id_index(world, FIL_ID_JOINT, id);
    return index < 0 ? NULL : world->solver.joints.items[index].name;
}

static void measure_joint_force(const FilWorld* world, FilId of, int index, double* out)
{
    (void)index;
    fil_measure_vec3(out, fil_joint_force(world, of));
}

static void measure_joint_torque(const FilWorld* world, FilId of, int index, double* out)
{
    (void)index;
    fil_measure_vec3(out, fil_joint_torque(world, of));
}

static void measure_joint_position(const FilWorld* world, FilId of, int index, double* out)
{
    (void)index;
    out[0] = fil_joint_position(world, of);
}

static void measure_joint_velocity(const FilWorld* world, FilId of, int index, double* out)
{
    (void)index;
    out[0] = fil_joint_velocity(world, of);
}

static void measure_joint_effort(const FilWorld* world, FilId of, int index, double* out)
{
    (void)index;
    out[0] = fil_joint_effort(world, of);
}

static const FilQuantity joint_quantities[] = {
    {"joint_force", NULL, 3, "N", measure_joint_force, NULL},
    {"joint_torque", NULL, 3, "N m", measure_joint_torque, NULL},
    {"joint_position", NULL, 1, "rad or m", measure_joint_position, NULL},
    {"joint_velocity", NULL, 1, "rad/s or m/s", measure_joint_velocity, NULL},
    {"joint_effort", NULL, 1, "N m or N", measure_joint_effort, NULL},
};

const FilKindRow fil_joint_row = {"joint", "a joint", joint_name, fil_world_find_joint, NULL, 0, FIL_ROWS(joint_quantities)};
