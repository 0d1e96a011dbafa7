#include "api/kinds.h"

#include <string.h>

const FilKindRow* const fil_kind_rows[] = {
    &fil_rod_row, &fil_attachment_row, &fil_drive_row, &fil_world_row, &fil_rigid_row, &fil_object_row, &fil_joint_row,
    &fil_arm_row, &fil_ring_row,       &fil_shell_row, &fil_link_row,  &fil_robot_row, &fil_solid_row,
};
const int fil_kind_row_count = sizeof fil_kind_rows / sizeof *fil_kind_rows;

FilId fil_world_find(const FilWorld* world, const char* kind, const char* name)
{
    for (int k = 0; k < fil_kind_row_count && kind != NULL && name != NULL; k++) {
        const FilKindRow* row = fil_kind_rows[k];
        if (strcmp(row->word, kind) == 0 && row->find != NULL) {
            return row->find(world, name);
        }
    }
    return (FilId){0};
}

int fil_part_count(const FilWorld* world, FilId of, const char* part)
{
    for (int k = 0; k < fil_kind_row_count && part != NULL; k++) {
        const FilKindRow* row = fil_kind_rows[k];
        if (row->part_count == 0 || row->name(world, of) == NULL) {
            continue;
        }
        for (int p = 0; p < row->part_count; p++) {
            if (strcmp(row->parts[p].word, part) == 0) {
                return row->parts[p].count(world, of);
            }
        }
    }
    return 0;
}
