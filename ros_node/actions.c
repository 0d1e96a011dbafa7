#include "actions.h"

#include <stddef.h>
#include <string.h>

/* those whose messages were there when this was built */
static const FilActionPart* const rows[FIL_ACTION_PARTS + 1] = {
#if FILUM_ROBOT_ACTIONS
    &fil_trajectory_action,
    &fil_gripper_action,
#endif
#if FILUM_STEPS_ACTION
    &fil_steps_action,
#endif
    NULL,
};

bool fil_actions_init(FilActions* actions, struct FilNode* node)
{
    memset(actions, 0, sizeof *actions);
    for (int i = 0; rows[i] != NULL; i++) {
        actions->parts[i] = rows[i]->create(node);
        if (actions->parts[i] == NULL) {
            return false;
        }
    }
    return true;
}

void fil_actions_fini(FilActions* actions)
{
    for (int i = FIL_ACTION_PARTS; i-- > 0;) {
        if (actions->parts[i] != NULL) {
            rows[i]->destroy(actions->parts[i]);
            actions->parts[i] = NULL;
        }
    }
}

void fil_actions_update(FilActions* actions)
{
    for (int i = 0; rows[i] != NULL; i++) {
        rows[i]->update(actions->parts[i]);
    }
}

void fil_actions_follow(FilActions* actions)
{
    for (int i = 0; rows[i] != NULL; i++) {
        rows[i]->follow(actions->parts[i]);
    }
}
