/* One material of each law of solids, with moduli about 1. Needs cmocka.h before it. */
#ifndef FILUM_TEST_SOLID_MATERIAL_H
#define FILUM_TEST_SOLID_MATERIAL_H

#include "body/solid_law.h"

static inline FilSolidMaterial material_of(FilSolidModel model)
{
    FilSolidMaterial m;
    if (model == FIL_SOLID_MOONEY_RIVLIN) {
        assert_int_equal(fil_solid_material_mooney_rivlin(0.4, 0.3, 5.0, &m, NULL), FIL_OK);
    } else {
        assert_int_equal(fil_solid_material_make(model, 2.0, 0.35, &m, NULL), FIL_OK);
    }
    return m;
}

#endif
