/* The actions of the node: follow_joint_trajectory, <joint>/gripper_command and ~/simulate_steps, as far as their packages are there. */
#ifndef FILUM_NODE_ACTIONS_H
#define FILUM_NODE_ACTIONS_H

#include <stdbool.h>

struct FilNode;

/* One kind of action, with all servers of it. */
typedef struct FilActionPart {
    void* (*create)(struct FilNode* node); /* NULL: it failed, which is logged */
    void (*destroy)(void* part);
    void (*update)(void* part); /* once per turn of the main loop */
    void (*follow)(void* part); /* after each step */
} FilActionPart;

extern const FilActionPart fil_trajectory_action, fil_gripper_action, fil_steps_action;

/* The three above. */
enum { FIL_ACTION_PARTS = 3 };

typedef struct FilActions {
    void* parts[FIL_ACTION_PARTS];
} FilActions;

/* Failures are logged. */
bool fil_actions_init(FilActions* actions, struct FilNode* node);
void fil_actions_fini(FilActions* actions);

/* Takes and answers what has arrived. Once per turn of the main loop. */
void fil_actions_update(FilActions* actions);

/* After each step: goals are looked after. */
void fil_actions_follow(FilActions* actions);

#endif
