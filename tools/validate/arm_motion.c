/* Soft arms without contact: what pressure bends them to, and energy. */
#include <math.h>

#include "validate/arm.h"

typedef struct Trial {
    FilWorld* world;
    FilId arm;
} Trial;

/* P1's arm, or only its last section, on a base at the origin; false after a failure. */
static bool begin(FilCheck* check, const FilWorldDef* def, FilArmDef arm, int sections, double damping, Trial* trial)
{
    static const double masses[] = {1.17, 0.54, 0.265};
    FilArmSection parts[3];
    for (int k = 0; k < sections; k++) {
        parts[k] = fil_arm_section_default();
        parts[k].mass = masses[3 - sections + k];
        parts[k].damping = damping;
    }
    arm.sections = parts;
    arm.section_count = sections;
    FilError error;
    *trial = (Trial){0};
    if (fil_world_create(def, &trial->world, &error) != FIL_OK) {
        fil_check_fail(check, "%s", error.text);
        return false;
    }
    if (fil_world_add_arm(trial->world, &arm, &trial->arm) != FIL_OK) {
        fil_check_fail(check, "%s", fil_world_error(trial->world));
        return false;
    }
    return true;
}

void fil_check_arm_bending(FilCheck* check)
{
    FilWorldDef def = fil_world_def_default();
    def.gravity = (FilVec3){0.0, 0.0, 0.0};
    def.dt = 5e-3;
    Trial trial;
    FilDriveDef drive = fil_drive_def_default();
    FilId id;
    if (begin(check, &def, fil_arm_def_default(), 1, 125.0, &trial)) {
        drive.kind = FIL_DRIVE_PRESSURE;
        drive.object = trial.arm;
        drive.count = 1;
        if (fil_world_add_drive(trial.world, &drive, &id) != FIL_OK) {
            fil_check_fail(check, "%s", fil_world_error(trial.world));
        } else {
            for (int k = 1; k <= 3; k++) {
                const double pressure = 1e4 * k;
                if (fil_drive_set(trial.world, id, &pressure, 1) != FIL_OK ||
                    !fil_check_run(check, trial.world, fil_world_time(trial.world) + 12.0)) {
                    break;
                }
                // 2/3 p a/(k r), linear in the pressure; 12 s are 25 times the damping's time
                const char* what[] = {"bending at 0.1 bar, rad", "at 0.2 bar", "at 0.3 bar"};
                fil_check_near(check, what[k - 1], fil_arm_shape(trial.world, trial.arm, 0).angle, 2.0 / 3.0 * pressure * 4e-4 / (265.0 * 0.03),
                               1e-8);
            }
            fil_check_below(check, "kinetic energy left, J", fil_world_energy(trial.world).kinetic, 1e-15);
        }
    }
    fil_world_destroy(trial.world);
}

void fil_check_arm_energy(FilCheck* check)
{
    FilWorldDef def = fil_world_def_default();
    def.integrator = FIL_MIDPOINT;
    FilArmDef arm = fil_arm_def_default();
    arm.orientation = (FilQuat){1.0, 0.0, 0.0, 0.0};  // hangs
    Trial trial;
    if (begin(check, &def, arm, 3, 0.0, &trial)) {
        double bent[9], rest[9] = {0.0}, worst = 0.0, swing = 0.0;
        for (int k = 0; k < 9; k++) {
            bent[k] = k % 3 == 0 ? 0.015 : -0.005;
        }
        if (fil_arm_set_state(trial.world, trial.arm, bent, rest) != FIL_OK) {
            fil_check_fail(check, "%s", fil_world_error(trial.world));
        }
        const FilEnergy start = fil_world_energy(trial.world);
        const double total = start.kinetic + start.elastic + start.gravity;
        while (fil_world_time(trial.world) < 10.0 - 1e-9 && fil_check_run(check, trial.world, fil_world_time(trial.world) + 1e-3)) {
            const FilEnergy now = fil_world_energy(trial.world);
            worst = fmax(worst, fabs(now.kinetic + now.elastic + now.gravity - total));
            swing = fmax(swing, now.kinetic);
        }
        fil_check_above(check, "largest kinetic energy, J", swing, 0.1);  // it does move
        fil_check_below(check, "drift of the energy over it in 10 s", worst / swing, 1e-3);
    }
    fil_world_destroy(trial.world);
}
