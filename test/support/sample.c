#include "sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MAX_NODES = 400 };

FilWorld* sample_world(const char* contact_model, double dt)
{
    FilWorldDef def = fil_world_def_default();
    def.contact_model = contact_model;
    def.dt = dt;
    def.gravity = (FilVec3){0.0, 0.0, -9.81};
    return sample_world_of(&def);
}

FilWorld* sample_world_of(const FilWorldDef* def)
{
    FilWorld* world = NULL;
    FilError error = {{0}};
    if (fil_world_create(def, &world, &error) != FIL_OK) {
        fail_msg("%s", error.text);
    }
    return world;
}

FilRigidDef sample_rigid_def(const FilShapeDef* shape)
{
    FilRigidDef def = fil_rigid_def_default();
    def.shapes = shape;
    def.shape_count = 1;
    return def;
}

static FilId add_shape(FilWorld* world, const FilShapeDef* shape, FilMotion motion, FilVec3 position)
{
    FilRigidDef def = sample_rigid_def(shape);
    def.motion = motion;
    def.position = position;
    FilId id = {0, 0};
    assert_int_equal(fil_world_add_rigid(world, &def, &id), FIL_OK);
    return id;
}

FilId sample_ground(FilWorld* world)
{
    FilShapeDef shape = fil_shape_def_default();
    shape.type = FIL_SHAPE_HALF_SPACE;
    return add_shape(world, &shape, FIL_STATIC, (FilVec3){0.0, 0.0, 0.0});
}

FilId sample_ball(FilWorld* world, double radius, double x, double y, double z)
{
    FilShapeDef shape = fil_shape_def_default();
    shape.type = FIL_SHAPE_SPHERE;
    shape.radius = radius;
    return add_shape(world, &shape, FIL_DYNAMIC, (FilVec3){x, y, z});
}

FilId sample_cube(FilWorld* world, double size, double x, double y, double z)
{
    FilShapeDef shape = fil_shape_def_default();
    shape.type = FIL_SHAPE_BOX;
    shape.size = (FilVec3){size, size, size};
    return add_shape(world, &shape, FIL_DYNAMIC, (FilVec3){x, y, z});
}

FilId sample_rod(FilWorld* world, int nodes, double radius, FilVec3 from, FilVec3 step, FilVec3 velocity)
{
    assert_true(nodes <= MAX_NODES);
    double x[3 * MAX_NODES], v[3 * MAX_NODES];
    for (int i = 0; i < nodes; i++) {
        x[3 * i] = from.x + i * step.x;
        x[3 * i + 1] = from.y + i * step.y;
        x[3 * i + 2] = from.z + i * step.z;
        v[3 * i] = velocity.x;
        v[3 * i + 1] = velocity.y;
        v[3 * i + 2] = velocity.z;
    }
    FilRodDef def = fil_rod_def_default();
    def.node_count = nodes;
    def.nodes = x;
    def.velocities = v;
    def.section = (FilSection){.shape = FIL_SECTION_CIRCLE, .radius = radius, .young = 1e6, .poisson = 0.4, .density = 1000.0};
    FilId id = {0, 0};
    assert_int_equal(fil_world_add_rod(world, &def, &id), FIL_OK);
    return id;
}

FilId sample_straight_rod(FilWorld* world, const FilRodDef* def, int nodes, double step)
{
    assert_true(nodes <= MAX_NODES);
    double x[3 * MAX_NODES] = {0.0};
    for (int i = 0; i < nodes; i++) {
        x[3 * i] = step * i;
    }
    FilRodDef straight = *def;
    straight.node_count = nodes;
    straight.nodes = x;
    FilId id = {0, 0};
    assert_int_equal(fil_world_add_rod(world, &straight, &id), FIL_OK);
    return id;
}

FilRobotDef sample_robot_def(const FilLinkDef links[2], const FilRobotJointDef* joint)
{
    FilRobotDef def = fil_robot_def_default();
    def.links = links;
    def.link_count = 2;
    def.joints = joint;
    def.joint_count = 1;
    return def;
}

FilId sample_attach(FilWorld* world, const FilAttachmentDef* def)
{
    FilId id = {0, 0};
    assert_int_equal(fil_world_add_attachment(world, def, &id), FIL_OK);
    return id;
}

FilId sample_drive(FilWorld* world, FilId attachment, FilDriveKind kind, int count, const double* times, const double* values)
{
    FilDriveDef def = fil_drive_def_default();
    def.kind = kind;
    def.attachment = attachment;
    def.knot_count = count;
    def.times = times;
    def.values = values;
    FilId id = {0, 0};
    assert_int_equal(fil_world_add_drive(world, &def, &id), FIL_OK);
    return id;
}

static void assert_finite(const FilWorld* world)
{
    for (int k = 0; k < fil_world_rigid_count(world); k++) {
        const FilId id = fil_world_rigid_at(world, k);
        FilVec3 p, v, w;
        FilQuat q;
        fil_rigid_get_pose(world, id, &p, &q);
        fil_rigid_get_velocity(world, id, &v, &w);
        assert_true(isfinite(p.x + p.y + p.z + q.x + q.y + q.z + q.w + v.x + v.y + v.z + w.x + w.y + w.z));
    }
    for (int k = 0; k < fil_world_rod_count(world); k++) {
        const FilId id = fil_world_rod_at(world, k);
        double x[3 * MAX_NODES], sum = 0.0;
        fil_rod_get_positions(world, id, x);
        for (int i = 0; i < 3 * fil_rod_node_count(world, id); i++) {
            sum += x[i];
        }
        assert_true(isfinite(sum));
    }
}

FilStepInfo sample_run(FilWorld* world, int count)
{
    FilStepInfo info = {0};
    int crossings = 0, halvings = 0;
    double deepest = 0.0;
    for (int k = 0; k < count; k++) {
        assert_int_equal(fil_world_step(world, &info), FIL_OK);
        assert_finite(world);
        crossings += info.crossings;
        halvings += info.halvings;
        deepest = fmax(deepest, info.max_penetration);
    }
    info.crossings = crossings;
    info.halvings = halvings;
    info.max_penetration = deepest;
    return info;
}

void sample_repeat(FilWorld* world, void (*run)(FilWorld* world))
{
    const size_t size = fil_world_snapshot_size(world);
    void* snapshot = malloc(size);
    assert_non_null(snapshot);
    fil_world_save(world, snapshot);
    run(world);
    const uint64_t hash = fil_world_hash(world);
    assert_int_equal(fil_world_reset(world), FIL_OK);
    assert_int_equal(fil_world_restore(world, snapshot, size), FIL_OK);
    assert_true(fil_world_hash(world) != hash);
    run(world);
    assert_true(fil_world_hash(world) == hash);
    free(snapshot);
}

double sample_distance(FilVec3 a, FilVec3 b)
{
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

FilVec3 sample_position(const FilWorld* world, FilId body)
{
    FilVec3 position;
    FilQuat orientation;
    fil_rigid_get_pose(world, body, &position, &orientation);
    return position;
}

FilVec3 sample_velocity(const FilWorld* world, FilId body)
{
    FilVec3 velocity, spin;
    fil_rigid_get_velocity(world, body, &velocity, &spin);
    return velocity;
}

FilVec3 sample_node(const FilWorld* world, FilId rod, int node)
{
    double x[3 * MAX_NODES];
    fil_rod_get_positions(world, rod, x);
    return (FilVec3){x[3 * node], x[3 * node + 1], x[3 * node + 2]};
}

FilVec3 sample_place(const FilWorld* world, const char* body)
{
    return sample_position(world, fil_world_find_rigid(world, body));
}

double sample_lift(const FilWorld* world, FilId object)
{
    FilVec3 force, torque;
    fil_world_contact_wrench(world, object, &force, &torque);
    return force.z;
}

double sample_energy(const FilWorld* world)
{
    const FilEnergy energy = fil_world_energy(world);
    return energy.kinetic + energy.elastic + energy.gravity;
}

bool sample_same(FilId a, FilId b)
{
    return a.index == b.index && a.generation == b.generation;
}
