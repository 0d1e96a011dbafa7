/* What commands move: by name, looked up once in every world. */
#include "base/memory.h"
#include "batch/batch_data.h"
#include "filum/arm.h"
#include "filum/robot.h"

FilInputDef fil_input_def_default(void)
{
    return (FilInputDef){.mode = FIL_JOINT_POSITION};
}

static FilStatus find_drive(FilBatch* batch, const FilInputDef* def, int index, FilBatchOutlet* outlet, int* size)
{
    FilWorld* world = batch->worlds[index];
    outlet->id = fil_world_find_drive(world, def->name);
    *size = fil_quantity_components(world, fil_find_quantity("drive"), outlet->id);
    return outlet->id.index != 0 ? FIL_OK : fil_batch_fail(batch, FIL_BAD_INPUT, "world %d has no drive '%s'", index, def->name);
}

static FilStatus find_joint(FilBatch* batch, const FilInputDef* def, int index, FilBatchOutlet* outlet, int* size)
{
    FilWorld* world = batch->worlds[index];
    outlet->id = fil_world_find_robot(world, def->name);
    if (outlet->id.index == 0) {
        return fil_batch_fail(batch, FIL_BAD_INPUT, "world %d has no robot '%s'", index, def->name);
    }
    outlet->part = def->joint != NULL ? fil_robot_find_joint(world, outlet->id, def->joint) : -1;
    if (outlet->part < 0) {
        return fil_batch_fail(batch, FIL_BAD_INPUT, "robot '%s' of world %d has no joint '%s'", def->name, index,
                              def->joint != NULL ? def->joint : "");
    }
    const unsigned modes = fil_robot_joint_modes(world, outlet->id, outlet->part);
    const bool known = def->mode == FIL_JOINT_POSITION || def->mode == FIL_JOINT_VELOCITY || def->mode == FIL_JOINT_EFFORT;
    if (!known || (modes != 0 && (modes & (unsigned)def->mode) == 0) || fil_robot_joint_mimics(world, outlet->id, outlet->part)) {
        return fil_batch_fail(batch, FIL_BAD_INPUT, "joint '%s' of robot '%s' does not take commands of mode %d", def->joint, def->name,
                              (int)def->mode);
    }
    *size = 1;
    return FIL_OK;
}

static FilStatus find_chamber(FilBatch* batch, const FilInputDef* def, int index, FilBatchOutlet* outlet, int* size)
{
    FilWorld* world = batch->worlds[index];
    outlet->id = fil_world_find_arm(world, def->name);
    outlet->part = def->chamber;
    if (outlet->id.index == 0) {
        return fil_batch_fail(batch, FIL_BAD_INPUT, "world %d has no arm '%s'", index, def->name);
    }
    const int chambers = fil_arm_chamber_count(world, outlet->id);
    if (def->chamber < 0 || def->chamber >= chambers) {
        return fil_batch_fail(batch, FIL_BAD_INPUT, "arm '%s' of world %d has no chamber %d, only 0 to %d", def->name, index, def->chamber,
                              chambers - 1);
    }
    *size = 1;
    return FIL_OK;
}

static FilStatus set_drive(FilWorld* world, const FilBatchInput* input, const FilBatchOutlet* outlet, const double* numbers)
{
    return fil_drive_set(world, outlet->id, numbers, input->size);
}

static FilStatus set_joint(FilWorld* world, const FilBatchInput* input, const FilBatchOutlet* outlet, const double* numbers)
{
    const FilJointCommand command = {.mode = input->mode,
                                     .position = input->mode == FIL_JOINT_POSITION ? numbers[0] : 0.0,
                                     .velocity = input->mode == FIL_JOINT_VELOCITY ? numbers[0] : 0.0,
                                     .effort = input->mode == FIL_JOINT_EFFORT ? numbers[0] : 0.0};
    return fil_robot_set_joint_command(world, outlet->id, outlet->part, &command);
}

static FilStatus set_chamber(FilWorld* world, const FilBatchInput* input, const FilBatchOutlet* outlet, const double* numbers)
{
    (void)input;
    return fil_arm_set_pressure(world, outlet->id, outlet->part, numbers[0]);
}

static const struct {
    FilStatus (*find)(FilBatch* batch, const FilInputDef* def, int index, FilBatchOutlet* outlet, int* size);
    FilStatus (*set)(FilWorld* world, const FilBatchInput* input, const FilBatchOutlet* outlet, const double* numbers);
} kinds[] = {
    [FIL_INPUT_DRIVE] = {find_drive, set_drive},
    [FIL_INPUT_JOINT] = {find_joint, set_joint},
    [FIL_INPUT_CHAMBER] = {find_chamber, set_chamber},
};

static FilStatus find_all(FilBatch* batch, const FilInputDef* def, FilBatchInput* input)
{
    FilStatus status = FIL_OK;
    for (int k = 0; k < batch->count && status == FIL_OK; k++) {
        int size = 0;
        status = kinds[def->kind].find(batch, def, k, &input->outlets[k], &size);
        if (status == FIL_OK && k > 0 && size != input->size) {
            status =
                fil_batch_fail(batch, FIL_BAD_INPUT, "drive '%s' takes %d numbers in world %d and %d in world 0", def->name, size, k, input->size);
        }
        input->size = size;
    }
    return status;
}

FilStatus fil_batch_add_input(FilBatch* batch, const FilInputDef* def)
{
    if (def == NULL || def->name == NULL || (unsigned)def->kind >= sizeof kinds / sizeof *kinds) {
        return fil_batch_fail(batch, FIL_BAD_INPUT, "an input needs a kind, and the name of a drive, robot or arm");
    }
    FilBatchInput input = {.kind = def->kind, .mode = def->mode, .first = batch->input_size};
    input.outlets = fil_alloc((size_t)batch->count, sizeof *input.outlets);
    FilStatus status = input.outlets != NULL ? find_all(batch, def, &input) : FIL_OUT_OF_MEMORY;
    // rows of commands in new places: all of them begin at zero
    double* commands = status == FIL_OK ? fil_alloc((size_t)batch->count * (size_t)(batch->input_size + input.size), sizeof(double)) : NULL;
    if (status == FIL_OK &&
        (commands == NULL || !fil_array_reserve((void**)&batch->inputs, batch->input_count, &batch->input_capacity, sizeof *batch->inputs))) {
        status = FIL_OUT_OF_MEMORY;
    }
    if (status != FIL_OK) {
        fil_free(input.outlets);
        fil_free(commands);
        return status == FIL_OUT_OF_MEMORY ? fil_batch_fail(batch, status, "out of memory for an input") : status;
    }
    fil_free(batch->commands);
    batch->commands = commands;
    batch->inputs[batch->input_count++] = input;
    batch->input_size += input.size;
    return FIL_OK;
}

int fil_batch_input_size(const FilBatch* batch)
{
    return batch->input_size;
}

FilStatus fil_batch_command(FilBatch* batch, int index, const double* command)
{
    FilStatus status = FIL_OK;
    for (int i = 0; i < batch->input_count && status == FIL_OK; i++) {
        const FilBatchInput* input = &batch->inputs[i];
        status = kinds[input->kind].set(batch->worlds[index], input, &input->outlets[index], command + input->first);
    }
    return status;
}

void fil_batch_free_inputs(FilBatch* batch)
{
    for (int i = 0; i < batch->input_count; i++) {
        fil_free(batch->inputs[i].outlets);
    }
    fil_free(batch->inputs);
}
