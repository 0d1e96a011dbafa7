#include "plan/plan_arm.h"

#include <string.h>

#include "base/error.h"
#include "base/vec3.h"

FilStatus fil_plan_arm_from(const FilSoftArm* arm, const double* gravity, FilPlanArm* out, FilError* error)
{
    if (arm->section_count > FIL_PLAN_SECTIONS) {
        return fil_error(error, FIL_BAD_INPUT, "planning takes arms of at most %d sections, not %d", FIL_PLAN_SECTIONS, arm->section_count);
    }
    if (arm->free_base || arm->coriolis != FIL_ARM_CORIOLIS_FULL) {
        return fil_error(error, FIL_BAD_INPUT, "planning takes arms with a fixed base and `coriolis: full`; this one has %s",
                         arm->free_base ? "a base that moves" : "other Coriolis terms");
    }
    *out = (FilPlanArm){.sections = arm->section_count, .slices = arm->mass_points, .base = arm->base};
    fil_v3_copy(out->gravity, gravity);
    for (int k = 0; k < arm->section_count; k++) {
        const FilArmSection* s = &arm->sections[k];
        out->length[k] = arm->arcs[k].length;
        out->mass[k] = s->mass;
        out->moment[k] = arm->rotational_energy ? 0.25 * s->mass * s->disk_radius * s->disk_radius : 0.0;
        out->stiffness[k] = fil_soft_arm_stiffness(arm, k);
        out->damping[k] = fil_soft_arm_damping(arm, k);
        memcpy(out->shape[k], arm->arcs[k].shape, sizeof out->shape[k]);
    }
    out->disk_radius = arm->disks[arm->disk_count - 1].radius;
    out->disk_thickness = arm->disks[arm->disk_count - 1].thickness;
    return FIL_OK;
}
