/* Frames of rods and robots: their names with a prefix, and axes along rods. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "geometry_msgs/msg/transform_stamped.h"
#include "motion.h"
#include "outputs.h"

static const char scene[] =
    "materials: {m: {young: 1e6, poisson: 0.5, density: 1000}}\n"
    "rods: [{name: cable, material: m, section: {circle: {radius: 0.01}}, shape: {straight: {from: [0, 0, 0], to: [0, 1, 1], nodes: 5}}}]\n"
    "robots: [{name: swing, urdf: " FILUM_SOURCE_DIR "/config/robots/double_pendulum.urdf}]\n";

/* of one frame, from all that is sent */
typedef struct Wanted {
    const char* child;
    bool found;
    char parent[64];
    FilQuat orientation;
} Wanted;

static void look(void* context, FilTopicId topic, const void* message)
{
    Wanted* wanted = context;
    const tf2_msgs__msg__TFMessage* frames = message;
    for (size_t i = 0; (topic == FIL_TOPIC_TF || topic == FIL_TOPIC_TF_STATIC) && i < frames->transforms.size; i++) {
        const geometry_msgs__msg__TransformStamped* frame = &frames->transforms.data[i];
        if (strcmp(frame->child_frame_id.data, wanted->child) == 0) {
            const geometry_msgs__msg__Quaternion q = frame->transform.rotation;
            wanted->found = true;
            snprintf(wanted->parent, sizeof wanted->parent, "%s", frame->header.frame_id.data);
            wanted->orientation = (FilQuat){q.x, q.y, q.z, q.w};
        }
    }
}

static Wanted see(FilOutputs* outputs, FilSimulation* simulation, const char* child)
{
    Wanted wanted = {.child = child};
    outputs->fixed_load = 0;  // static ones once more
    assert_true(fil_outputs_update(outputs, simulation, true, false, look, &wanted));
    return wanted;
}

static void names_and_turns_frames(void** state)
{
    (void)state;
    FilSimulation simulation;
    FilOutputs outputs;
    FilError error;
    fil_simulation_init(&simulation);
    assert_int_equal(fil_simulation_load_text(&simulation, "scene", scene, strlen(scene), NULL, &error), FIL_OK);
    assert_true(fil_outputs_init(&outputs));
    const FilVec3 along = {0.0, sqrt(0.5), sqrt(0.5)};
    Wanted start = see(&outputs, &simulation, "cable/start");
    assert_true(start.found && strcmp(start.parent, "world") == 0);
    assert_true(fil_vector_length(fil_vector_difference(fil_quat_rotate(start.orientation, (FilVec3){0, 0, 1}), along)) < 1e-12);
    const FilVec3 side = fil_quat_rotate(start.orientation, (FilVec3){1, 0, 0});
    // x along the rod, y where x was; and names with the prefix, but for the root
    outputs.frames.rods_forward = true;
    strcpy(outputs.frames.prefix, "lab/");
    assert_false(see(&outputs, &simulation, "cable/start").found);
    start = see(&outputs, &simulation, "lab/cable/start");
    assert_true(start.found && strcmp(start.parent, "world") == 0);
    assert_true(fil_vector_length(fil_vector_difference(fil_quat_rotate(start.orientation, (FilVec3){1, 0, 0}), along)) < 1e-12);
    assert_true(fil_vector_length(fil_vector_difference(fil_quat_rotate(start.orientation, (FilVec3){0, 1, 0}), side)) < 1e-12);
    const FilId robot = fil_world_robot_at(simulation.world, 0);
    char child[128], parent[128];
    snprintf(child, sizeof child, "lab/%s", fil_robot_link_name(simulation.world, robot, 1));
    snprintf(parent, sizeof parent, "lab/%s", fil_robot_link_name(simulation.world, robot, 0));
    const Wanted link = see(&outputs, &simulation, child);
    assert_true(link.found);
    assert_string_equal(link.parent, parent);
    fil_outputs_fini(&outputs);
    fil_simulation_fini(&simulation);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_and_turns_frames)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
