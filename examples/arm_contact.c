/* A soft arm hangs above a floor, bends under the pressure of its chambers and pushes a ball away. */
#include <filum/filum.h>
#include <math.h>
#include <stdio.h>

static FilStatus add_arm(FilWorld* world, FilId* arm)
{
    FilArmSection section = fil_arm_section_default();
    section.length = 0.25;
    section.mass = 0.5;
    section.chamber_area = 4e-4;
    section.disk_radius = 0.03;
    const FilArmSection sections[] = {section, section};
    FilArmDef def = fil_arm_def_default();
    def.name = "arm";
    def.position = (FilVec3){0, 0, 0.6};
    def.orientation = (FilQuat){1, 0, 0, 0}; /* z down */
    def.sections = sections;
    def.section_count = 2;
    return fil_world_add_arm(world, &def, arm);
}

static FilStatus add_ball_and_floor(FilWorld* world, FilId* ball)
{
    FilShapeDef shape = fil_shape_def_default();
    shape.type = FIL_SHAPE_HALF_SPACE;
    FilRigidDef def = fil_rigid_def_default();
    def.name = "floor";
    def.motion = FIL_STATIC;
    def.shapes = &shape;
    def.shape_count = 1;
    const FilStatus status = fil_world_add_rigid(world, &def, NULL);
    if (status != FIL_OK) {
        return status;
    }
    shape.type = FIL_SHAPE_SPHERE;
    shape.radius = 0.08;
    def.name = "ball";
    def.motion = FIL_DYNAMIC;
    def.position = (FilVec3){0.15, 0, 0.08};
    def.density = 400;
    return fil_world_add_rigid(world, &def, ball);
}

int main(void)
{
    FilWorldDef def = fil_world_def_default();
    def.contact_model = "lcp";
    def.dt = 5e-4;
    FilWorld* world = NULL;
    FilError error;
    if (fil_world_create(&def, &world, &error) != FIL_OK) {
        return fprintf(stderr, "%s\n", error.text), 1;
    }
    FilId arm, ball;
    bool ok = add_arm(world, &arm) == FIL_OK && add_ball_and_floor(world, &ball) == FIL_OK;
    for (int chamber = 1; ok && chamber < 6; chamber += 3) { /* those opposite to the ball: the arm bends towards it */
        ok = fil_arm_set_pressure(world, arm, chamber, 3e4) == FIL_OK && fil_arm_set_pressure(world, arm, chamber + 1, 3e4) == FIL_OK;
    }
    double push = 0; /* N, mean of a second */
    for (int i = 0; ok && i < 2000; ++i) {
        ok = fil_world_step(world, NULL) == FIL_OK;
        for (int k = 0; k < fil_world_contact_count(world); ++k) {
            const FilContactInfo contact = fil_world_contact(world, k);
            if (contact.a.index == arm.index || contact.b.index == arm.index) {
                push += fabs(contact.force.x) / 2000;
            }
        }
    }
    if (ok) {
        FilVec3 position, velocity;
        fil_rigid_get_pose(world, ball, &position, NULL);
        fil_rigid_get_velocity(world, ball, &velocity, NULL);
        printf("pushed with %.2f N the ball is at %.3f m and rolls at %.2f m/s\n", push, position.x, velocity.x);
    } else {
        fprintf(stderr, "%s\n", fil_world_error(world));
    }
    fil_world_destroy(world);
    return !ok;
}
