/* arms: soft arms and their sections. */
#include "filum/arm.h"
#include "scene/kinds.h"

/* An arm, and the rigid body that carries it. */
typedef struct SceneArm {
    FilArmDef def;            /* its arrays live in the pool */
    const FilSceneItem* base; /* or NULL */
} SceneArm;

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

static const FilKey section_keys[] = {
    FIL_KEY_NUMBER("length", FIL_POSITIVE, "m", "0.15", "at rest"),
    FIL_KEY_NUMBER("mass", FIL_POSITIVE, "kg", "0.5", ""),
    FIL_KEY_WHOLE("chambers", 0, "3", "3 at least"),
    FIL_KEY_NUMBER("chamber_offset", FIL_POSITIVE, "m", "0.03", "of the chambers from the axis"),
    FIL_KEY_NUMBER("chamber_angle", 0, "rad", "0", "of the first chamber, from x"),
    FIL_KEY_NUMBER("chamber_area", FIL_POSITIVE, "m^2", "4e-4", "1 bar pushes with 40 N"),
    FIL_KEY_NUMBER("stiffness", FIL_NOT_NEGATIVE, "N/m", "265", "of one chamber"),
    FIL_KEY_NUMBER("damping", FIL_NOT_NEGATIVE, "N s/m", "125", "of one chamber"),
    FIL_KEY_WHOLE("disks", FIL_NOT_NEGATIVE, "3", "inside of the section, which touch"),
    FIL_KEY_NUMBER("disk_radius", FIL_POSITIVE, "m", "0.045", ""),
    FIL_KEY_NUMBER("disk_thickness", FIL_POSITIVE, "m", "0.01", ""),
    FIL_KEY_VECTOR("elongation", 3, 0, "m", "[0, 0, 0]", "its three coordinates at the start"),
    FIL_KEY_VECTOR("rate", 3, 0, "m/s", "[0, 0, 0]", "their velocities at the start"),
    FIL_KEY_END,
};

static const FilKey arm_keys[] = {
    FIL_KEY_NAME("arm<i> if it is not given"),
    FIL_KEYS_PLACE,
    FIL_KEY_LIST("sections", section_keys, FIL_REQUIRED, "from the base to the tip, 1 to 30"),
    FIL_KEY_TEXT("base", 0, "fixed in the world", "rigid body that it is welded to"),
    FIL_KEY_FLAG("free_base", "false", "held by joints alone"),
    FIL_KEY_NUMBER("base_mass", FIL_POSITIVE, "kg", "0.1", "of a moving base's disk"),
    FIL_KEY_TEXT("material", 0, "", "its surface"),
    FIL_KEY_WHOLE("mass_points", FIL_POSITIVE, "4", "of a section; 1 puts its mass at its middle"),
    FIL_KEY_WORD("coriolis", coriolis_words, "full", "of all slices, of the section's mass at its middle, or left out"),
    FIL_KEY_FLAG("rotational_energy", "true", "terms with the inertia of slices"),
    FIL_KEY_WORD("scheme", scheme_words, "semi_implicit", "how it is stepped"),
    FIL_KEY_NUMBER("rk_tolerance", FIL_POSITIVE, "1", "1e-4", "of rk23"),
    FIL_KEYS_TOUCH,
    FIL_KEY_NUMBER("valve_time", FIL_NOT_NEGATIVE, "s", "0", "time constant of the valves; 0: none"),
    FIL_KEYS_LOOK,
    FIL_KEY_END,
};

static void read_section(FilReader* reader, const FilYaml* node, FilArmSection* section)
{
    if (!fil_check_keys(reader, node, section_keys)) {
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

static void read_arm(FilScene* scene, FilSceneItem* item)
{
    FilReader* reader = &scene->reader;
    const FilYaml* node = item->at;
    SceneArm* arm = item->def;
    FilArmDef* def = &arm->def;
    *def = fil_arm_def_default();
    def->name = item->name;
    item->surface = &def->collision.surface;
    if (!fil_check_keys(reader, node, arm_keys)) {
        return;
    }
    fil_scene_read_vec3(reader, node, "position", &def->position);
    fil_scene_read_orientation(reader, node, &def->orientation);
    arm->base = fil_scene_read_item(scene, node, "base", "body", FIL_OPTIONAL);
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

static void read_arms(FilScene* scene, FilSceneList* list)
{
    fil_scene_start_items(scene, list, sizeof(SceneArm));
    for (int k = 0; k < list->count && scene->reader.status == FIL_OK; k++) {
        read_arm(scene, list->items[k]);
    }
}

static void add_arms(FilScene* scene, FilSceneList* list)
{
    for (int k = 0; k < list->count && scene->reader.status == FIL_OK; k++) {
        FilSceneItem* item = list->items[k];
        SceneArm* arm = item->def;
        arm->def.base = arm->base != NULL ? arm->base->id : (FilId){0};
        fil_scene_take(scene, fil_world_add_arm(scene->world, &arm->def, &item->id), item->at);
    }
}

static const FilScenePart parts[] = {
    {"disk", "disks", FIL_USE_JOIN | FIL_USE_DRIVE(FIL_DRIVE_FORCE) | FIL_USE_DRIVE(FIL_DRIVE_TORQUE)},
    {"chamber", "chambers", FIL_USE_DRIVE(FIL_DRIVE_PRESSURE)},
};

const FilSceneKind fil_scene_arms = {
    .section = "arms",
    .word = "arm",
    .title = "arm",
    .text = "pneumatic soft arms",
    .keys = arm_keys,
    .is_object = true,
    .read = read_arms,
    .add = add_arms,
    FIL_SCENE_PARTS(parts),
};
