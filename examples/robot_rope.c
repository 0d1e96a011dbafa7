/* A robot of one sliding joint lifts a weight by a rope, which is tied to both: the rope's tension is the weight. */
#include <filum/filum.h>
#include <stdio.h>

static FilStatus add_robot(FilWorld* world, FilId* robot)
{
    FilLinkDef links[] = {fil_link_def_default(), fil_link_def_default()};
    links[0].name = "rail";
    links[1].name = "cart";
    links[1].mass = 1;
    links[1].inertia[0] = links[1].inertia[1] = links[1].inertia[2] = 1e-3;
    FilRobotJointDef slide = fil_robot_joint_def_default();
    slide.name = "slide";
    slide.type = FIL_ROBOT_PRISMATIC;
    slide.child = 1;
    slide.axis = (FilVec3){0, 0, 1};
    slide.max_effort = 100;
    FilRobotDef def = fil_robot_def_default();
    def.name = "lift";
    def.links = links;
    def.link_count = 2;
    def.joints = &slide;
    def.joint_count = 1;
    return fil_world_add_robot(world, &def, robot);
}

static FilStatus add_rope_and_weight(FilWorld* world, FilId* rope, FilId* weight)
{
    const double nodes[] = {0, 0, 0, 0, 0, -0.1, 0, 0, -0.2, 0, 0, -0.3, 0, 0, -0.4};
    FilRodDef def = fil_rod_def_default();
    def.name = "rope";
    def.node_count = 5;
    def.nodes = nodes;
    def.section = (FilSection){.shape = FIL_SECTION_CIRCLE, .radius = 2e-3, .young = 1e7, .poisson = 0.5, .density = 1100};
    def.damping_stiffness = 0.01;
    FilShapeDef ball = fil_shape_def_default();
    ball.type = FIL_SHAPE_SPHERE;
    ball.radius = 0.03;
    FilRigidDef body = fil_rigid_def_default();
    body.name = "weight";
    body.mass = 0.5;
    body.position.z = -0.43;
    body.shapes = &ball;
    body.shape_count = 1;
    const FilStatus status = fil_world_add_rod(world, &def, rope);
    return status == FIL_OK ? fil_world_add_rigid(world, &body, weight) : status;
}

static FilStatus tie(FilWorld* world, FilId rope, int node, FilId to)
{
    FilJointDef def = fil_joint_def_default();
    def.kind = FIL_JOINT_PIN;
    def.a = rope;
    def.node_a = node;
    def.b = to;
    FilId joint;
    return fil_world_add_joint(world, &def, &joint);
}

int main(void)
{
    FilWorldDef def = fil_world_def_default();
    FilWorld* world = NULL;
    if (fil_world_create(&def, &world, NULL) != FIL_OK) {
        return 1;
    }
    FilId robot, rope, weight;
    bool ok = add_robot(world, &robot) == FIL_OK && add_rope_and_weight(world, &rope, &weight) == FIL_OK &&
              tie(world, rope, 0, fil_robot_link(world, robot, 1)) == FIL_OK && tie(world, rope, -1, weight) == FIL_OK;
    const FilJointCommand up = {.mode = FIL_JOINT_VELOCITY, .velocity = 0.2};
    ok = ok && fil_robot_set_joint_command(world, robot, 0, &up) == FIL_OK;
    for (int i = 0; ok && i < 3000; ++i) {
        ok = fil_world_step(world, NULL) == FIL_OK;
    }
    double tensions[4] = {0};
    fil_rod_get_tensions(world, rope, tensions);
    ok ? printf("after %g s the rope bears %.2f N\n", fil_world_time(world), tensions[3]) : fprintf(stderr, "%s\n", fil_world_error(world));
    fil_world_destroy(world);
    return !ok;
}
