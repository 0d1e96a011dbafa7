/* The kinds of the matrix: one of each, as large as a hand, lying or standing on z = 0 when its centre is `below` above it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "filum/robot.h"
#include "validate/matrix.h"

/* s: Rayleigh's beta, so that what lies comes to rest. It holds against the turning of stressed bodies, so what flies has none. */
static double damping(const FilMatrixPlace* place)
{
    return place->flies ? 0.0 : 2e-3;
}

/* ---- rigid bodies ---- */

static void write_rigid(const FilMatrixKind* kind, const FilMatrixPlace* place, char* text, size_t size)
{
    snprintf(text, size,
             "{name: %s, density: 500, position: [%.17g, %.17g, %.17g], rotation: [0, 0, %.17g], velocity: [%.17g, %.17g, "
             "%.17g], shapes: [%s]}",
             place->name, place->position.x, place->position.y, place->position.z, place->across ? 0.5 * acos(-1.0) : 0.0, place->velocity.x,
             place->velocity.y, place->velocity.z, kind->shape);
}

/* A closed mesh from a file of its own, as users have it: a bench of two legs, which is not convex. */
static FilStatus add_mesh(FilWorld* world, const FilMatrixKind* kind, const FilMatrixPlace* place)
{
    // the outline of the bench in x z, and the triangles of one of its two sides
    static const double outline[8][2] = {{-0.05, -0.03}, {-0.03, -0.03}, {-0.03, 0.0}, {0.03, 0.0},
                                         {0.03, -0.03},  {0.05, -0.03},  {0.05, 0.03}, {-0.05, 0.03}};
    static const int side[6][3] = {{0, 1, 2}, {0, 2, 7}, {2, 3, 7}, {3, 6, 7}, {3, 4, 5}, {3, 5, 6}};
    char folder[] = "/tmp/filum_matrix_XXXXXX", path[64];
    if (mkdtemp(folder) == NULL) {
        return fil_world_set_error(world, FIL_IO, "cannot make a folder in /tmp");
    }
    snprintf(path, sizeof path, "%s/bench.obj", folder);
    FILE* file = fopen(path, "w");
    if (file == NULL) {
        rmdir(folder);
        return fil_world_set_error(world, FIL_IO, "cannot write a mesh into /tmp");
    }
    for (int k = 0; k < 16; k++) {
        fprintf(file, "v %g %g %g\n", outline[k % 8][0], k < 8 ? -0.04 : 0.04, outline[k % 8][1]);
    }
    for (int k = 0; k < 6; k++) {
        const int* t = side[k];
        fprintf(file, "f %d %d %d\nf %d %d %d\n", t[0] + 1, t[1] + 1, t[2] + 1, t[0] + 9, t[2] + 9, t[1] + 9);
    }
    for (int k = 0; k < 8; k++) {
        const int next = (k + 1) % 8;
        fprintf(file, "f %d %d %d %d\n", k + 1, k + 9, next + 9, next + 1);
    }
    fclose(file);
    (void)kind;
    FilShapeDef shape = fil_shape_def_default();
    shape.type = FIL_SHAPE_MESH;
    shape.file = path;
    shape.scale = 1.0;
    FilRigidDef def = fil_rigid_def_default();
    const double half = place->across ? sqrt(0.5) : 0.0;
    def.name = place->name;
    def.motion = FIL_DYNAMIC;
    def.density = 500.0;
    def.position = place->position;
    def.orientation = (FilQuat){0.0, 0.0, half, place->across ? half : 1.0};
    def.velocity = place->velocity;
    def.shapes = &shape;
    def.shape_count = 1;
    FilId id;
    const FilStatus status = fil_world_add_rigid(world, &def, &id);
    unlink(path);
    rmdir(folder);
    return status;
}

/* ---- rods ---- */

/* A straight rod along y or x. */
static void write_straight(const char* section, const FilMatrixPlace* place, char* text, size_t size)
{
    const FilVec3 p = place->position;
    const double half = 0.1, x = place->across ? half : 0.0, y = place->across ? 0.0 : half;
    snprintf(text, size,
             "{name: %s, material: rubber, section: {%s}, director: [%g, %g, 0], velocity: [%.17g, %.17g, %.17g], "
             "damping: {stiffness: %g}, "
             "shape: {straight: {from: [%.17g, %.17g, %.17g], to: [%.17g, %.17g, %.17g], nodes: 9}}}",
             place->name, section, y, -x, place->velocity.x, place->velocity.y, place->velocity.z, damping(place), p.x - x, p.y - y, p.z, p.x + x,
             p.y + y, p.z);
}

static void write_rod(const FilMatrixKind* kind, const FilMatrixPlace* place, char* text, size_t size)
{
    (void)kind;
    write_straight("circle: {radius: 0.01}", place, text, size);
}

static void write_strip(const FilMatrixKind* kind, const FilMatrixPlace* place, char* text, size_t size)
{
    (void)kind;
    write_straight("rectangle: {width: 0.04, height: 0.008}", place, text, size);
}

static void write_closed(const FilMatrixKind* kind, const FilMatrixPlace* place, char* text, size_t size)
{
    const FilVec3 p = place->position, v = place->velocity;
    (void)kind;
    snprintf(text, size,
             "{name: %s, material: rubber, section: {circle: {radius: 0.008}}, rest: initial, damping: {stiffness: %g}, "
             "velocity: [%.17g, %.17g, %.17g], shape: {ring: {center: [%.17g, %.17g, %.17g], radius: 0.035, nodes: 16}}}",
             place->name, damping(place), v.x, v.y, v.z, p.x, p.y, p.z);
}

static void write_net(const FilMatrixKind* kind, const FilMatrixPlace* place, char* text, size_t size)
{
    const FilVec3 p = place->position;
    (void)kind;
    snprintf(text, size,
             "{name: %s, material: rubber, section: {circle: {radius: 0.006}}, twist_free: true, damping: {stiffness: %g}, "
             "hexagon: {center: [%.17g, %.17g, %.17g], side: 0.08, cells: 1, segments: 2}}",
             place->name, damping(place), p.x, p.y, p.z);
}

/* Scenes give nets no velocity: each of its cords gets it here. */
static FilStatus launch_net(FilWorld* world, const FilMatrixKind* kind, const FilMatrixPlace* place)
{
    enum { MAX_COUNT = 64 };
    double velocities[3 * MAX_COUNT];
    const size_t length = strlen(place->name);
    FilStatus status = FIL_OK;
    (void)kind;
    for (int k = 0; k < 3 * MAX_COUNT; k++) {
        velocities[k] = k % 3 == 0 ? place->velocity.x : k % 3 == 1 ? place->velocity.y : place->velocity.z;
    }
    for (int k = 0; k < fil_world_rod_count(world) && status == FIL_OK; k++) {
        const FilId rod = fil_world_rod_at(world, k);
        if (strncmp(fil_object_name(world, rod), place->name, length) == 0 && fil_rod_node_count(world, rod) <= MAX_COUNT) {
            status = fil_rod_set_state(world, rod, NULL, velocities, NULL, NULL);
        }
    }
    return status;
}

/* ---- cloth, solids, arms, robots ---- */

static void write_cloth(const FilMatrixKind* kind, const FilMatrixPlace* place, char* text, size_t size)
{
    const FilVec3 p = place->position, v = place->velocity;
    (void)kind;
    // five cells: no vertex lies in the middle, so that others meet triangles
    snprintf(text, size,
             "{name: %s, material: felt, thickness: 0.006, bending: hinges, damping: {stiffness: %g}, "
             "velocity: [%.17g, %.17g, %.17g], collision: {self: false}, "
             "sheet: {corner: [%.17g, %.17g, %.17g], along: [0.14, 0, 0], across: [0, 0.14, 0], columns: 5, rows: 5}}",
             place->name, damping(place), v.x, v.y, v.z, p.x - 0.07, p.y - 0.07, p.z);
}

/* The same felt, folded in two along y as it is at rest: its halves lie on each other. Numbers are those of the felt above. */
static FilStatus add_folded(FilWorld* world, const FilMatrixKind* kind, const FilMatrixPlace* place)
{
    enum { CELLS = 3, COLUMNS = 2 * CELLS + 1, ROWS = 3 };                          // one column is the crease
    static const double thickness = 0.006, half = 0.1, width = 0.14, apart = 1.02;  // m; thicknesses, so that no model starts pressed
    double x[3 * (COLUMNS + 1) * (ROWS + 1)], v[3 * (COLUMNS + 1) * (ROWS + 1)];
    int triangles[6 * COLUMNS * ROWS];
    (void)kind;
    for (int k = 0; k < (COLUMNS + 1) * (ROWS + 1); k++) {
        const int i = k % (COLUMNS + 1), j = k / (COLUMNS + 1), along = i <= CELLS ? CELLS - i : i - CELLS - 1;
        x[3 * k] = place->position.x + half * along / CELLS - 0.5 * half;
        x[3 * k + 1] = place->position.y + width * j / ROWS - 0.5 * width;
        x[3 * k + 2] = place->position.z + (i <= CELLS ? -0.5 : 0.5) * apart * thickness;
        v[3 * k] = place->velocity.x;
        v[3 * k + 1] = place->velocity.y;
        v[3 * k + 2] = place->velocity.z;
    }
    for (int k = 0; k < COLUMNS * ROWS; k++) {
        const int a = k / COLUMNS * (COLUMNS + 1) + k % COLUMNS, b = a + 1, c = a + COLUMNS + 1, d = c + 1;
        const int cell[6] = {a, b, d, a, d, c};
        memcpy(triangles + 6 * k, cell, sizeof cell);
    }
    FilShellDef def = fil_shell_def_default();
    def.name = place->name;
    def.vertex_count = (COLUMNS + 1) * (ROWS + 1);
    def.vertices = x;
    def.velocities = v;
    def.triangle_count = 2 * COLUMNS * ROWS;
    def.triangles = triangles;
    def.thickness = thickness;
    def.young = 1e6;
    def.poisson = 0.3;
    def.density = 500.0;
    def.bending = FIL_BENDING_HINGES;
    def.damping_stiffness = damping(place);
    FilId id;
    return fil_world_add_shell(world, &def, &id);
}

/* On itself and on the ground; others meet it as they do cloth. */
static void ground_folded(const char* model, const FilMatrixKind* kind, FilMatrixCell* cell)
{
    fil_matrix_ground(model, kind, cell);
}

static void write_solid(const FilMatrixKind* kind, const FilMatrixPlace* place, char* text, size_t size)
{
    const FilVec3 p = place->position, v = place->velocity;
    (void)kind;
    snprintf(text, size,
             "{name: %s, material: foam, damping: {stiffness: %g}, position: [%.17g, %.17g, %.17g], "
             "velocity: [%.17g, %.17g, %.17g], brick: {size: [0.08, 0.08, 0.06], cells: [3, 3, 2], split: six}}",
             place->name, damping(place), p.x, p.y, p.z, v.x, v.y, v.z);
}

/* An arm of one section that stands on its base's disk; two sections' worth of stiffness keeps it upright on slopes. */
static void write_arm(const FilMatrixKind* kind, const FilMatrixPlace* place, char* text, size_t size)
{
    const FilVec3 p = place->position;
    (void)kind;
    // an arm begins at rest; what brings two of them together is a section that grows at the velocity asked for
    snprintf(text, size,
             "{name: %s, position: [%.17g, %.17g, %.17g], rotation: [%.17g, 0, 0], free_base: true, base_mass: 0.5, "
             "sections: [{length: 0.08, mass: 0.3, stiffness: 5000, damping: 100, disks: 1, disk_radius: 0.04, rate: [%g, %g, %g]}]}",
             place->name, p.x, p.y, place->velocity.z < 0.0 ? p.z + 0.08 : p.z, place->velocity.z < 0.0 ? acos(-1.0) : 0.0, -place->velocity.z,
             -place->velocity.z, -place->velocity.z);
}

/* A floating robot of two links: a box that stands, and a smaller one that a motor holds above it. */
static FilStatus add_robot(FilWorld* world, const FilMatrixKind* kind, const FilMatrixPlace* place)
{
    char prefix[64];
    (void)kind;
    snprintf(prefix, sizeof prefix, "%s_", place->name);
    FilShapeDef shapes[2] = {fil_shape_def_default(), fil_shape_def_default()};
    shapes[0].type = shapes[1].type = FIL_SHAPE_BOX;
    shapes[0].size = (FilVec3){0.1, 0.08, 0.04};
    shapes[1].size = (FilVec3){0.08, 0.08, 0.02};
    FilLinkDef links[2] = {fil_link_def_default(), fil_link_def_default()};
    for (int k = 0; k < 2; k++) {
        const FilVec3 s = shapes[k].size;
        const double m = links[k].mass = 500.0 * s.x * s.y * s.z;
        links[k].name = k == 0 ? "foot" : "head";
        links[k].inertia[0] = m / 12.0 * (s.y * s.y + s.z * s.z);
        links[k].inertia[1] = m / 12.0 * (s.x * s.x + s.z * s.z);
        links[k].inertia[2] = m / 12.0 * (s.x * s.x + s.y * s.y);
        links[k].shapes = &shapes[k];
        links[k].shape_count = 1;
    }
    FilRobotJointDef joint = fil_robot_joint_def_default();
    joint.name = "neck";
    joint.type = FIL_ROBOT_REVOLUTE;
    joint.parent = 0;
    joint.child = 1;
    joint.position = (FilVec3){0.0, 0.0, 0.03};
    joint.axis = (FilVec3){0.0, 1.0, 0.0};
    joint.stiffness_gain = 100.0;
    joint.damping_gain = 0.5;
    joint.modes = FIL_JOINT_POSITION;
    FilRobotDef def = fil_robot_def_default();
    def.name = place->name;
    def.prefix = prefix;
    def.position = place->position;
    def.floating = true;
    def.links = links;
    def.link_count = 2;
    def.joints = &joint;
    def.joint_count = 1;
    FilId robot;
    const FilStatus status = fil_world_add_robot(world, &def, &robot);
    const FilVec3 none = {0.0, 0.0, 0.0};
    return status != FIL_OK ? status : fil_robot_set_base(world, robot, place->position, (FilQuat){0.0, 0.0, 0.0, 1.0}, place->velocity, none);
}

/* ---- the table ---- */

/* Levers: sphere 2/5, cylinder and rod 1/2; a capsule's from its cylinder and its caps. */
static const FilMatrixKind table[] = {
    {.name = "sphere",
     .letters = "sp",
     .section = "rigid_bodies",
     .below = 0.05,
     .above = 0.05,
     .lever = 0.4,
     .axis = 0,
     .steepness = 6.0,
     .shape = "{sphere: {radius: 0.05}}",
     .write = write_rigid},
    {.name = "capsule",
     .letters = "ca",
     .section = "rigid_bodies",
     .below = 0.03,
     .above = 0.03,
     .lever = 7.0 / 15.0,
     .axis = 1,
     .steepness = 2.0,
     .shape = "{capsule: {radius: 0.03, length: 0.08}, rotation: [$(pi / 2), 0, 0]}",
     .write = write_rigid},
    {.name = "box",
     .letters = "bo",
     .section = "rigid_bodies",
     .below = 0.03,
     .above = 0.03,
     .axis = 0,
     .steepness = 2.0,
     .shape = "{box: {size: [0.1, 0.08, 0.06]}}",
     .write = write_rigid},
    {.name = "cylinder",
     .letters = "cy",
     .section = "rigid_bodies",
     .below = 0.04,
     .above = 0.04,
     .lever = 0.5,
     .axis = 1,
     .steepness = 2.0,
     .shape = "{cylinder: {radius: 0.04, length: 0.1}, rotation: [$(pi / 2), 0, 0]}",
     .write = write_rigid},
    {.name = "hull",
     .letters = "hu",
     .section = "rigid_bodies",
     .below = 0.03,
     .above = 0.03,
     .axis = 0,
     .steepness = 2.0,
     .shape = "{hull: {points: [[0.06, 0, -0.03], [0.03, 0.05, -0.03], [-0.03, 0.05, -0.03], [-0.06, 0, -0.03], "
              "[-0.03, -0.05, -0.03], [0.03, -0.05, -0.03], [0.04, 0, 0.03], [0.01, 0.04, 0.03], [-0.01, 0.04, 0.03], [-0.04, 0, 0.03], "
              "[-0.01, -0.04, 0.03], [0.01, -0.04, 0.03]]}}",
     .write = write_rigid},
    {.name = "mesh", .letters = "me", .below = 0.03, .above = 0.03, .axis = 0, .steepness = 2.0, .add = add_mesh},
    {.name = "rod", .letters = "ro", .section = "rods", .below = 0.01, .above = 0.01, .lever = 0.5, .axis = 1, .steepness = 2.0, .write = write_rod},
    {.name = "strip", .letters = "st", .section = "rods", .below = 0.004, .above = 0.004, .axis = 1, .steepness = 2.0, .write = write_strip},
    {.name = "closed rod", .letters = "cl", .section = "rods", .below = 0.008, .above = 0.008, .axis = 0, .steepness = 2.0, .write = write_closed},
    {.name = "cloth",
     .letters = "ct",
     .section = "shells",
     .below = 0.003,
     .above = 0.003,
     .axis = 0,
     .steepness = 2.0,
     .aside = 0.009,
     .write = write_cloth},
    {.name = "solid", .letters = "so", .section = "solids", .below = 0.03, .above = 0.03, .axis = 0, .steepness = 2.0, .write = write_solid},
    {.name = "net",
     .letters = "ne",
     .section = "nets",
     .below = 0.006,
     .above = 0.006,
     .axis = 0,
     .steepness = 2.0,
     .write = write_net,
     .add = launch_net},
    {.name = "robot link", .letters = "rl", .below = 0.02, .above = 0.04, .axis = 0, .steepness = 2.0, .reduced = true, .add = add_robot},
    {.name = "soft arm",
     .letters = "sa",
     .section = "arms",
     .below = 0.005,
     .above = 0.085,
     .axis = 0,
     .steepness = 2.0,
     .reduced = true,
     .write = write_arm},
    {.name = "folded cloth",
     .letters = "fc",
     .below = 0.00606,
     .above = 0.00606,
     .axis = 1,
     .steepness = 2.0,
     .add = add_folded,
     .ground = ground_folded},
    {.name = "ring", .letters = "ri", .ground = fil_matrix_ring},
    {.name = "hoop", .letters = "ho", .ground = fil_matrix_hoop},
};

const FilMatrixKind* fil_matrix_kinds(int* count)
{
    *count = (int)(sizeof table / sizeof table[0]);
    return table;
}
