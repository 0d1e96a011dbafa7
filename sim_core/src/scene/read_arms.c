/* arms: soft arms and their sections. */
#include "scene/scene_build.h"

static const char* const coriolis_words[] = {
    [FIL_ARM_CORIOLIS_FULL] = "full",
    [FIL_ARM_CORIOLIS_LUMPED] = "lumped",
    [FIL_ARM_CORIOLIS_NONE] = "none",
    NULL,
};

static const char* const scheme_words[] = {
    [FIL_ARM_SEMI_IMPLICIT] = "semi_implicit",
    [FIL_ARM_IMPLICIT] = "implicit",
    [FIL_ARM_RK23] = "rk23",
    NULL,
};

static void read_section(FilReader* reader, const FilYaml* node, FilArmSection* section)
{
    static const char* const keys[] = {
        "length",  "mass",  "chambers",    "chamber_offset", "chamber_angle", "chamber_area", "stiffness",
        "damping", "disks", "disk_radius", "disk_thickness", "elongation",    "rate",         NULL};
    if (!fil_check_keys(reader, node, keys)) {
        return;
    }
    fil_read_number(reader, node, "length", FIL_POSITIVE, &section->length);
    fil_read_number(reader, node, "mass", FIL_POSITIVE, &section->mass);
    fil_read_integer(reader, node, "chambers", FIL_OPTIONAL, 3, 1000, &section->chambers);
    fil_read_number(reader, node, "chamber_offset", FIL_POSITIVE, &section->chamber_offset);
    fil_read_number(reader, node, "chamber_angle", FIL_OPTIONAL, &section->chamber_angle);
    fil_read_number(reader, node, "chamber_area", FIL_POSITIVE, &section->chamber_area);
    fil_read_number(reader, node, "stiffness", FIL_NOT_NEGATIVE, &section->stiffness);
    fil_read_number(reader, node, "damping", FIL_NOT_NEGATIVE, &section->damping);
    fil_read_integer(reader, node, "disks", FIL_OPTIONAL, 0, 10000, &section->disks);
    fil_read_number(reader, node, "disk_radius", FIL_POSITIVE, &section->disk_radius);
    fil_read_number(reader, node, "disk_thickness", FIL_POSITIVE, &section->disk_thickness);
    fil_read_vector(reader, node, "elongation", FIL_OPTIONAL, 3, section->elongation);
    fil_read_vector(reader, node, "rate", FIL_OPTIONAL, 3, section->rate);
}

static void read_arm(FilScene* scene, const FilYaml* node, FilSceneArm* arm)
{
    static const char* const keys[] = {"name",      "position",          "orientation", "rotation",     "sections",
                                       "base",      "free_base",         "base_mass",   "material",     "mass_points",
                                       "coriolis",  "rotational_energy", "scheme",      "rk_tolerance", "surface",
                                       "collision", "valve_time",        NULL};
    FilReader* reader = &scene->reader;
    FilArmDef* def = &arm->def;
    arm->at = node;
    if (!fil_check_keys(reader, node, keys)) {
        return;
    }
    fil_scene_read_vec3(reader, node, "position", &def->position);
    fil_scene_read_orientation(reader, node, &def->orientation);
    arm->base = fil_scene_read_body(scene, node, "base", FIL_OPTIONAL);
    fil_read_flag(reader, node, "free_base", &def->free_base);
    fil_read_number(reader, node, "base_mass", FIL_POSITIVE, &def->base_mass);
    fil_read_integer(reader, node, "mass_points", FIL_OPTIONAL, 1, 1000, &def->mass_points);
    fil_read_flag(reader, node, "rotational_energy", &def->rotational_energy);
    fil_read_number(reader, node, "rk_tolerance", FIL_POSITIVE, &def->rk_tolerance);
    fil_read_number(reader, node, "valve_time", FIL_NOT_NEGATIVE, &def->valve_time);
    int coriolis = (int)def->coriolis;
    fil_read_choice(reader, node, "coriolis", coriolis_words, &coriolis);
    def->coriolis = (FilArmCoriolis)coriolis;
    int scheme = (int)def->scheme;
    fil_read_choice(reader, node, "scheme", scheme_words, &scheme);
    def->scheme = (FilArmScheme)scheme;
    fil_scene_read_collision(scene, node, fil_scene_read_material(scene, node, "material"), &def->collision);
    const FilYaml* list = fil_read_node(reader, node, "sections", FIL_REQUIRED);
    if (list == NULL || !fil_check_list(reader, list, "sections")) {
        return;
    }
    FilArmSection* sections = fil_reader_alloc(reader, (size_t)list->count, sizeof *sections);
    for (const FilYaml* section = list->first; section != NULL && reader->status == FIL_OK; section = section->next) {
        sections[def->section_count] = fil_arm_section_default();
        read_section(reader, section, &sections[def->section_count++]);
    }
    def->sections = sections;
}

void fil_scene_read_arms(FilScene* scene)
{
    FilReader* reader = &scene->reader;
    const FilYaml* list = NULL;
    const char** names = NULL;
    if (!fil_scene_read_names(scene, "arms", "arm", &list, &names)) {
        return;
    }
    scene->arms = fil_reader_alloc(reader, (size_t)list->count, sizeof *scene->arms);
    const FilYaml** ats = fil_reader_alloc(reader, (size_t)list->count, sizeof *ats);
    for (const FilYaml* node = list->first; node != NULL && reader->status == FIL_OK; node = node->next) {
        FilSceneArm* arm = &scene->arms[scene->arm_count];
        ats[scene->arm_count] = node;
        arm->def = fil_arm_def_default();
        arm->def.name = names[scene->arm_count++];
        read_arm(scene, node, arm);
    }
    fil_scene_index_names(scene, names, ats, scene->arm_count, &scene->arm_names);
}

void fil_scene_add_arms(FilScene* scene)
{
    FilReader* reader = &scene->reader;
    for (int k = 0; k < scene->arm_count && reader->status == FIL_OK; k++) {
        FilSceneArm* arm = &scene->arms[k];
        arm->def.base = arm->base != NULL ? arm->base->id : (FilId){0};
        const FilStatus status = fil_world_add_arm(scene->world, &arm->def, &arm->id);
        fil_reader_take(reader, status, arm->at, fil_world_error(scene->world));
    }
}

FilId fil_scene_read_arm(FilScene* scene, const FilYaml* mapping, FilArmPart part, unsigned flags, int* first,
                         int* count)
{
    static const char* const words[][2] = {
        [FIL_PART_DISKS] = {"disk", "disks"},
        [FIL_PART_CHAMBERS] = {"chamber", "chambers"},
        [FIL_PART_SECTIONS] = {"section", "sections"},
    };
    FilReader* reader = &scene->reader;
    int index = 0;
    if (!fil_read_reference(reader, mapping, "arm", FIL_REQUIRED, &scene->arm_names, "arm", &index)) {
        return (FilId){0};
    }
    const FilId id = scene->arms[index].id;
    const int totals[] = {
        [FIL_PART_DISKS] = fil_arm_disk_count(scene->world, id),
        [FIL_PART_CHAMBERS] = fil_arm_chamber_count(scene->world, id),
        [FIL_PART_SECTIONS] = fil_arm_section_count(scene->world, id),
    };
    fil_scene_read_range(reader, mapping, words[part], totals[part], flags, first, count);
    return reader->status == FIL_OK ? id : (FilId){0};
}
