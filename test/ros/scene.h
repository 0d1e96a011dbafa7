/* The scene of the node's tests: a cable (open, hung up at its start, with a drive that pulls at its end) and a hoop.
 */
#ifndef FILUM_TEST_SCENE_H
#define FILUM_TEST_SCENE_H

#include <sys/types.h>

#include "client.h"
#include "rosidl_runtime_c/string.h"
#include "sensor_msgs/msg/joint_state.h"

typedef struct TestScene {
    char path[64];
    char argument[80]; /* "scene:=path" */
} TestScene;

/* Group set-up and teardown: *state becomes a TestScene. */
int test_scene_write(void** state);
int test_scene_write_with_robot(void** state); /* with a gripper on a lift beside them */
int test_scene_remove(void** state);

/* The same, with a member of the graph beside the scene, for those who need both. */
extern const TestScene* test_scene;
extern Client test_client;
int test_scene_join(void** state);
int test_scene_join_with(void** state, const char* text); /* another scene */
int test_scene_leave(void** state);

/* Starts the node with that scene and more arguments, up to NULL; NULL: none. */
pid_t test_scene_start(const char* const* more);

/* Another one: two grippers on lifts, `left` and `right`, the first with room for so many points of a trajectory; between its fingers
 * there is a block of 40 mm. */
enum { TEST_SCENE_TEXT = 2048 };
void test_scene_grippers(int room, char text[TEST_SCENE_TEXT]);

/* One or two names, the second may be NULL. */
void test_name_two(rosidl_runtime_c__String__Sequence* names, const char* first, const char* second);

/* A joint's number in a message; -1: it is not there. */
int test_joint_number(const sensor_msgs__msg__JointState* states, const char* name);

#endif
