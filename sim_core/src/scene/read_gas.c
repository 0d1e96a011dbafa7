/* gas: what fills closed shells and cavities of solids. */
#include "filum/gas.h"

#include "scene/scene_build.h"

static const char* const laws[] = {[FIL_GAS_NONE] = "none", [FIL_GAS_DRIVEN] = "driven", [FIL_GAS_SEALED] = "sealed", NULL};

const FilKey fil_gas_keys[] = {
    FIL_KEY_WORD("law", laws, "sealed", "sealed: its amount stays; driven: the pressure is given"),
    FIL_KEY_NUMBER("pressure", 0, "Pa", "0", "over that outside, at the start"),
    FIL_KEY_NUMBER("gamma", FIL_POSITIVE, "1", "1", "of p V^gamma = const; 1: temperature stays"),
    FIL_KEY_NUMBER("ambient", FIL_NOT_NEGATIVE, "Pa", "101325", "outside"),
    FIL_KEY_END,
};

void fil_scene_read_gas(FilReader* reader, const FilYaml* object, FilGas* gas)
{
    const FilYaml* node = fil_read_node(reader, object, "gas", FIL_OPTIONAL);
    if (node == NULL || !fil_check_keys(reader, node, fil_gas_keys)) {
        return;
    }
    int law = FIL_GAS_SEALED;
    fil_read_choice(reader, node, "law", laws, &law);
    gas->law = (FilGasLaw)law;
    fil_read_number(reader, node, "pressure", FIL_OPTIONAL, &gas->pressure);
    fil_read_number(reader, node, "gamma", FIL_POSITIVE, &gas->gamma);
    fil_read_number(reader, node, "ambient", FIL_NOT_NEGATIVE, &gas->ambient);
}
