/* The scene of the node's tests: a cable (open, hung up at its start, with a drive that pulls at its end) and a hoop.
 */
#ifndef FILUM_TEST_SCENE_H
#define FILUM_TEST_SCENE_H

typedef struct TestScene {
    char path[64];
    char argument[80]; /* "scene:=path" */
} TestScene;

/* Group set-up and teardown: *state becomes a TestScene. */
int test_scene_write(void** state);
int test_scene_write_with_robot(void** state); /* with a gripper on a lift beside them */
int test_scene_remove(void** state);

#endif
