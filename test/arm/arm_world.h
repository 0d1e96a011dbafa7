/* P1's soft arm in a world, for tests. Functions are inline, so that a test may leave some unused. */
#ifndef FILUM_TEST_ARM_WORLD_H
#define FILUM_TEST_ARM_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "arm/reference.h"
#include "filum/filum.h"
#include "sample.h"

static inline FilWorldDef world_def(void)
{
    FilWorldDef def = fil_world_def_default();
    def.dt = 1e-3;
    return def;
}

static inline FilWorld* make_world(const FilWorldDef* def)
{
    FilWorld* world = NULL;
    FilError error;
    assert_int_equal(fil_world_create(def, &world, &error), FIL_OK);
    return world;
}

/* Mass of a section of P1's arm (P1 V-B). */
static inline double mass_of(int section)
{
    static const double masses[3] = {1.17, 0.54, 0.265};
    return masses[section];
}

/* P1's arm, or the first sections of it */
static inline FilId add_arm(FilWorld* world, int count, const FilArmDef* given, FilArmSection* sections)
{
    FilArmSection own[3];
    FilArmDef def = given != NULL ? *given : fil_arm_def_default();
    for (int k = 0; k < count && sections == NULL; ++k) {
        own[k] = fil_arm_section_default();
        own[k].mass = mass_of(k);
    }
    def.name = "arm";
    def.sections = sections != NULL ? sections : own;
    def.section_count = count;
    FilId arm;
    assert_int_equal(fil_world_add_arm(world, &def, &arm), FIL_OK);
    return arm;
}

static inline FilId add_drive(FilWorld* world, FilId arm, FilDriveKind kind, int first, int count)
{
    FilDriveDef def = fil_drive_def_default();
    def.kind = kind;
    def.object = arm;
    def.first = first;
    def.count = count;
    FilId drive;
    assert_int_equal(fil_world_add_drive(world, &def, &drive), FIL_OK);
    return drive;
}

static inline void run(FilWorld* world, double duration)
{
    const int steps = (int)lround(duration / fil_world_dt(world));
    for (int k = 0; k < steps; ++k) {
        if (fil_world_step(world, NULL) != FIL_OK) {
            fail_msg("%s", fil_world_error(world));
        }
    }
}

#endif
