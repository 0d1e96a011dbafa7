/* gas: what fills closed shells and cavities of solids. */
#include "filum/gas.h"

#include "scene/scene_build.h"

void fil_scene_read_gas(FilReader* reader, const FilYaml* object, FilGas* gas)
{
    static const char* const keys[] = {"law", "pressure", "gamma", "ambient", NULL};
    static const char* const laws[] = {[FIL_GAS_NONE] = "none", [FIL_GAS_DRIVEN] = "driven", [FIL_GAS_SEALED] = "sealed", NULL};
    const FilYaml* node = fil_read_node(reader, object, "gas", FIL_OPTIONAL);
    if (node == NULL || !fil_check_keys(reader, node, keys)) {
        return;
    }
    int law = FIL_GAS_SEALED;
    fil_read_choice(reader, node, "law", laws, &law);
    gas->law = (FilGasLaw)law;
    fil_read_number(reader, node, "pressure", FIL_OPTIONAL, &gas->pressure);
    fil_read_number(reader, node, "gamma", FIL_POSITIVE, &gas->gamma);
    fil_read_number(reader, node, "ambient", FIL_NOT_NEGATIVE, &gas->ambient);
}
