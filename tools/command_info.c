/* Owns `filum info`: what a scene contains, without simulating it. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "bench.h"
#include "cli.h"
#include "command_table.h"

static const char* integrator_name(FilIntegrator integrator)
{
    switch (integrator) {
        case FIL_BACKWARD_EULER:
            return "backward Euler";
        case FIL_MIDPOINT:
            return "midpoint";
        case FIL_SYMPLECTIC_EULER:
            return "symplectic Euler";
        case FIL_SDIRK2:
            return "SDIRK of order 2";
    }
    return "unknown";
}

static void print_section(const FilSection* section)
{
    switch (section->shape) {
        case FIL_SECTION_CIRCLE:
            printf("circle, radius %g m", section->radius);
            break;
        case FIL_SECTION_TUBE:
            printf("tube, radii %g and %g m", section->radius, section->inner_radius);
            break;
        case FIL_SECTION_RECTANGLE:
            printf("rectangle, %g x %g m", section->width, section->height);
            break;
        case FIL_SECTION_STIFFNESS:
            printf("stiffness given, contact radius %g m", section->radius);
            break;
    }
}

static void print_rod(const FilWorld* world, FilId rod)
{
    const FilSection section = fil_rod_section(world, rod, 0);
    FilStiffness stiffness;
    printf("  %-16s %d nodes, %d edges, %s, length %.6g m\n", fil_rod_name(world, rod), fil_rod_node_count(world, rod),
           fil_rod_edge_count(world, rod), fil_rod_closed(world, rod) ? "closed" : "open", fil_rod_length(world, rod));
    printf("  %-16s ", "");
    print_section(&section);
    printf("\n");
    if (fil_section_stiffness(&section, &stiffness, NULL) == FIL_OK) {
        printf("  %-16s EA %.4g N, EI %.4g and %.4g N m2, GJ %.4g N m2, %.4g kg/m\n", "", stiffness.ea, stiffness.ei1,
               stiffness.ei2, stiffness.gj, stiffness.mass_per_length);
    }
}

static void print_shape(const FilShapeDef* shape)
{
    switch (shape->type) {
        case FIL_TYPE_SPHERE:
            printf("sphere, radius %g m", shape->radius);
            break;
        case FIL_TYPE_CAPSULE:
            printf("capsule, radius %g m, length %g m", shape->radius, shape->length);
            break;
        case FIL_TYPE_CYLINDER:
            printf("cylinder, radius %g m, length %g m", shape->radius, shape->length);
            break;
        case FIL_TYPE_BOX:
            printf("box, %g x %g x %g m", shape->size.x, shape->size.y, shape->size.z);
            break;
        case FIL_TYPE_HALF_SPACE:
            printf("half-space");
            break;
        case FIL_TYPE_HULL:
        case FIL_TYPE_MESH:
            printf("convex hull of %d points", shape->point_count);
            break;
    }
}

static void print_rigid(const FilWorld* world, FilId body)
{
    static const char* const motions[] = {
        [FIL_STATIC] = "static", [FIL_KINEMATIC] = "kinematic", [FIL_DYNAMIC] = "dynamic"};
    const FilMotion motion = fil_rigid_motion(world, body);
    printf("  %-16s %s", fil_rigid_name(world, body), motions[motion]);
    if (motion == FIL_DYNAMIC) {
        printf(", %.6g kg", fil_rigid_mass(world, body));
    }
    printf("\n");
    for (int i = 0; i < fil_rigid_shape_count(world, body); ++i) {
        const FilShapeDef shape = fil_rigid_shape(world, body, i);
        printf("  %-16s ", "");
        print_shape(&shape);
        printf("\n");
    }
}

static void print_arm(const FilWorld* world, FilId arm)
{
    FilVec3 position;
    FilQuat orientation;
    double length = 0.0;
    for (int k = 0; k < fil_arm_section_count(world, arm); ++k) {
        length += fil_arm_shape(world, arm, k).length;
    }
    fil_arm_disk_pose(world, arm, 0, &position, &orientation);
    printf("  %-16s %d sections, %d chambers, %d disks, length %.6g m\n", fil_arm_name(world, arm),
           fil_arm_section_count(world, arm), fil_arm_chamber_count(world, arm), fil_arm_disk_count(world, arm), length);
    printf("  %-16s base %s at %g %g %g m\n", "", fil_arm_base_moves(world, arm) ? "moves, now" : "fixed", position.x,
           position.y, position.z);
}

static void print_robot(const FilWorld* world, FilId robot)
{
    int fixed = 0, shapes = 0;
    for (int l = 0; l < fil_robot_link_count(world, robot); ++l) {
        fixed += fil_robot_link_fixed(world, robot, l);
        shapes += fil_robot_shape_count(world, robot, l);
    }
    printf("  %-16s %d links, %d of them fixed, %d shapes\n", fil_robot_name(world, robot),
           fil_robot_link_count(world, robot), fixed, shapes);
    for (int j = 0; j < fil_robot_joint_count(world, robot); ++j) {
        const unsigned modes = fil_robot_joint_modes(world, robot, j);
        printf("                   %s %.9g%s%s%s%s%s\n", fil_robot_joint_name(world, robot, j),
               fil_robot_joint_state(world, robot, j).position, fil_robot_joint_mimics(world, robot, j) ? ", follows" : "",
               modes != 0 ? ", takes" : "", (modes & FIL_JOINT_POSITION) != 0 ? " position" : "",
               (modes & FIL_JOINT_VELOCITY) != 0 ? " velocity" : "", (modes & FIL_JOINT_EFFORT) != 0 ? " effort" : "");
    }
    if (fil_robot_ignored(world, robot)[0] != '\0') {
        printf("                   without effect: %s\n", fil_robot_ignored(world, robot));
    }
}

static void print_info(const FilWorld* world, const FilSceneInfo* scene)
{
    const FilVec3 gravity = fil_world_gravity(world);
    const double dt = fil_world_dt(world);
    printf("%s%s%s\n", scene->name, scene->title[0] != '\0' ? ": " : "", scene->title);
    printf("time       %g s, %llu steps of %g s, %s, a row every %g s\n", scene->duration,
           (unsigned long long)fil_run_step_count(scene->duration, dt), dt,
           integrator_name(fil_world_integrator(world)), scene->output_period);
    printf("gravity    %g %g %g m/s2\n", gravity.x, gravity.y, gravity.z);
    printf("contact    %s\n", fil_world_contact_model(world));
    printf("seed       %llu\n", (unsigned long long)scene->seed);
    printf("bodies     %d with %d degrees of freedom\n", fil_world_body_count(world), fil_world_dofs(world));
    for (int i = 0; i < fil_world_body_count(world); ++i) {
        printf("  %-16s %s, %d degrees of freedom\n", fil_world_body_name(world, i), fil_world_body_kind(world, i),
               fil_world_body_dofs(world, i));
    }
    printf("rods       %d\n", fil_world_rod_count(world));
    for (int i = 0; i < fil_world_rod_count(world); ++i) {
        print_rod(world, fil_world_rod_at(world, i));
    }
    if (fil_world_rigid_count(world) > 0) {
        printf("rigid      %d\n", fil_world_rigid_count(world));
    }
    for (int i = 0; i < fil_world_rigid_count(world); ++i) {
        print_rigid(world, fil_world_rigid_at(world, i));
    }
    if (fil_world_arm_count(world) > 0) {
        printf("arms       %d\n", fil_world_arm_count(world));
    }
    for (int i = 0; i < fil_world_arm_count(world); ++i) {
        print_arm(world, fil_world_arm_at(world, i));
    }
    if (fil_world_robot_count(world) > 0) {
        printf("robots     %d\n", fil_world_robot_count(world));
    }
    for (int i = 0; i < fil_world_robot_count(world); ++i) {
        print_robot(world, fil_world_robot_at(world, i));
    }
    printf("probes     %d\n", fil_world_probe_count(world));
    for (int i = 0; i < fil_world_probe_count(world); ++i) {
        printf("  %-16s %.9g\n", fil_world_probe_name(world, i), fil_world_probe_value(world, i));
    }
}

int fil_command_info(int argc, char** argv)
{
    FilSettings settings = {0};
    const FilOption table[] = {
        {"--set", FIL_OPTION_SETTING, &settings, "KEY.PATH=VALUE", "change the scene; may be repeated"},
    };
    const FilUsage usage = {
        .command = "info",
        .arguments = "SCENE",
        .about = "Says what a scene contains: bodies, degrees of freedom, shapes, probes with their first values.",
        .min_arguments = 1,
        .max_arguments = 1,
        .options = table,
        .option_count = sizeof table / sizeof table[0],
    };
    int count = 0, exit_code = FIL_EXIT_DONE;
    if (fil_options_parse(&usage, argc, argv, &count, &exit_code)) {
        const FilSceneOptions options = {.settings = settings.items, .setting_count = settings.count};
        FilWorld* world = NULL;
        FilSceneInfo scene;
        FilError error = {""};
        char path[PATH_MAX];
        if (fil_scene_find(argv[1], path, sizeof path, &error) &&
            fil_scene_load(path, &options, &world, &scene, &error) == FIL_OK) {
            print_info(world, &scene);
            exit_code = FIL_EXIT_DONE;
        } else {
            exit_code = fil_cli_fail("info", FIL_EXIT_USAGE, "%s", error.text);
        }
        fil_world_destroy(world);
    }
    fil_settings_free(&settings);
    return exit_code;
}
