#include "body/kinds.h"

#include "body/articulated.h"
#include "body/rigid.h"
#include "body/ring.h"
#include "body/rod.h"
#include "body/shell.h"
#include "body/soft_arm.h"
#include "body/solid.h"

const FilBodyOps* const fil_body_kinds[FIL_BODY_KIND_COUNT] = {
    [FIL_BODY_ROD] = &fil_rod_ops,   [FIL_BODY_RIGID] = &fil_rigid_ops,       [FIL_BODY_ARM] = &fil_soft_arm_ops, [FIL_BODY_SHELL] = &fil_shell_ops,
    [FIL_BODY_RING] = &fil_ring_ops, [FIL_BODY_ROBOT] = &fil_articulated_ops, [FIL_BODY_SOLID] = &fil_solid_ops,
};
