/* materials: and the cross-sections of rods. */
#include "scene/kinds.h"

static const FilKey material_keys[] = {
    FIL_KEY_NUMBER("young", FIL_POSITIVE, "Pa", "", "Young's modulus; not for rigid bodies"),
    FIL_KEY_NUMBER("shear", FIL_POSITIVE, "Pa", "", "shear modulus; either this ..."),
    FIL_KEY_NUMBER("poisson", 0, "1", "", "... or Poisson's ratio, above -1 and up to 0.5: shear = young / (2 (1 + poisson))"),
    FIL_KEY_NUMBER("density", FIL_REQUIRED | FIL_POSITIVE, "kg/m^3", "", ""),
    FIL_KEY_NUMBER("friction", FIL_NOT_NEGATIVE, "1", "0.5", "Coulomb's coefficient"),
    FIL_KEY_NUMBER("contact_stiffness", FIL_NOT_NEGATIVE, "N/m", "0", "of one contact; 0: as rigid as the step can resolve"),
    FIL_KEY_NUMBER("dissipation_time", FIL_NOT_NEGATIVE, "s", "0", "models `sap`, `lcp`"),
    FIL_KEY_NUMBER("dissipation", FIL_NOT_NEGATIVE, "s/m", "0", "Hunt and Crossley's, model `sap_lagged`"),
    FIL_KEY_END,
};

/* Stiffnesses that may differ from those of the shape: ropes are laid, belts have cords. */
#define OVERRIDES                                                                     \
    FIL_KEY_NUMBER("ea", FIL_POSITIVE, "N", "from shape and material", "stretching"), \
        FIL_KEY_NUMBER("gj", FIL_POSITIVE, "N m^2", "from shape and material", "torsion")

const FilKey fil_circle_keys[] = {
    FIL_KEY_NUMBER("radius", FIL_REQUIRED | FIL_POSITIVE, "m", "", ""),
    OVERRIDES,
    FIL_KEY_END,
};

const FilKey fil_tube_keys[] = {
    FIL_KEY_NUMBER("radius", FIL_REQUIRED | FIL_POSITIVE, "m", "", ""),
    FIL_KEY_NUMBER("inner_radius", FIL_REQUIRED | FIL_POSITIVE, "m", "", ""),
    OVERRIDES,
    FIL_KEY_END,
};

const FilKey fil_rectangle_keys[] = {
    FIL_KEY_NUMBER("width", FIL_REQUIRED | FIL_POSITIVE, "m", "", "along m1"),
    FIL_KEY_NUMBER("height", FIL_REQUIRED | FIL_POSITIVE, "m", "", "along m2"),
    OVERRIDES,
    FIL_KEY_END,
};

const FilKey fil_stiffness_keys[] = {
    FIL_KEY_NUMBER("ea", FIL_REQUIRED | FIL_POSITIVE, "N", "", "stretching"),
    FIL_KEY_NUMBER("ei1", FIL_REQUIRED | FIL_POSITIVE, "N m^2", "", "bending towards m1"),
    FIL_KEY_NUMBER("ei2", FIL_POSITIVE, "N m^2", "ei1", "bending towards m2"),
    FIL_KEY_NUMBER("gj", FIL_REQUIRED | FIL_POSITIVE, "N m^2", "", "torsion"),
    FIL_KEY_NUMBER("mass_per_length", FIL_REQUIRED | FIL_POSITIVE, "kg/m", "", ""),
    FIL_KEY_NUMBER("inertia_per_length", FIL_POSITIVE, "kg m", "that of a full circle, m r^2 / 2", "about the axis"),
    FIL_KEY_NUMBER("radius", FIL_REQUIRED | FIL_POSITIVE, "m", "", "for contact"),
    FIL_KEY_END,
};

const FilKey fil_section_keys[] = {FIL_KEYS_SECTION, FIL_KEY_END};

const char* const fil_section_words[] = {
    [FIL_SECTION_CIRCLE] = "circle", [FIL_SECTION_TUBE] = "tube", [FIL_SECTION_RECTANGLE] = "rectangle", [FIL_SECTION_STIFFNESS] = "stiffness", NULL,
};

/* Elastic numbers come all together: without any the material is one of rigid bodies. */
static void read_elasticity(FilReader* reader, const FilYaml* node, FilSection* section)
{
    static const char* const shear_words[] = {"shear", "poisson", NULL};
    if (fil_yaml_find(node, "young") == NULL && fil_yaml_find(node, "shear") == NULL && fil_yaml_find(node, "poisson") == NULL) {
        return;
    }
    fil_read_number(reader, node, "young", FIL_REQUIRED | FIL_POSITIVE, &section->young);
    FilYaml* given = NULL;
    fil_read_variant(reader, node, shear_words, &given);
    fil_read_number(reader, node, "shear", FIL_POSITIVE, &section->shear);
    if (fil_read_number(reader, node, "poisson", FIL_OPTIONAL, &section->poisson) && (section->poisson <= -1.0 || section->poisson > 0.5)) {
        fil_reader_fail(reader, given, "must be above -1 and at most 0.5, got %g", section->poisson);
    }
}

static void read_material(FilReader* reader, const FilYaml* node, FilSceneMaterial* material)
{
    if (!fil_check_keys(reader, node, material_keys)) {
        return;
    }
    material->name = node->key;
    material->surface = fil_surface_default();
    fil_read_number(reader, node, "density", FIL_REQUIRED | FIL_POSITIVE, &material->section.density);
    read_elasticity(reader, node, &material->section);
    fil_scene_read_surface_numbers(reader, node, "contact_stiffness", &material->surface);
}

static void read_materials(FilScene* scene, FilSceneList* section)
{
    FilReader* reader = &scene->reader;
    const FilYaml* list = section->node;
    if (list == NULL) {
        return;
    }
    if (list->kind != FIL_YAML_MAPPING) {
        fil_reader_fail(reader, list, "expected a mapping of names to materials");
        return;
    }
    const char** names = fil_reader_alloc(reader, (size_t)list->count, sizeof *names);
    const FilYaml** ats = fil_reader_alloc(reader, (size_t)list->count, sizeof *ats);
    scene->materials = fil_reader_alloc(reader, (size_t)list->count, sizeof *scene->materials);
    int count = 0;
    for (const FilYaml* node = list->first; node != NULL && reader->status == FIL_OK; node = node->next) {
        fil_check_name(reader, node, node->key);
        read_material(reader, node, &scene->materials[count]);
        names[count] = node->key;
        ats[count++] = node;
    }
    fil_scene_index_names(scene, names, ats, count, &scene->material_names);
}

const FilSceneKind fil_scene_materials = {.section = "materials",
                                          .title = "material",
                                          .text = "what objects are made of, by name",
                                          .form = FIL_IS_NAMED,
                                          .keys = material_keys,
                                          .read = read_materials};

const FilSceneMaterial* fil_scene_read_material(FilScene* scene, const FilYaml* mapping, const char* key)
{
    int index = 0;
    return fil_read_reference(&scene->reader, mapping, key, FIL_OPTIONAL, &scene->material_names, "material", &index) ? &scene->materials[index]
                                                                                                                      : NULL;
}

/* Stiffnesses that may differ from those of the shape. */
static void read_overrides(FilReader* reader, const FilYaml* node, FilSection* section)
{
    fil_read_number(reader, node, "ea", FIL_POSITIVE, &section->ea);
    fil_read_number(reader, node, "gj", FIL_POSITIVE, &section->gj);
}

static void read_circle(FilReader* reader, const FilYaml* node, FilSection* section)
{
    if (fil_check_keys(reader, node, fil_circle_keys)) {
        fil_read_number(reader, node, "radius", FIL_REQUIRED | FIL_POSITIVE, &section->radius);
        read_overrides(reader, node, section);
    }
}

static void read_tube(FilReader* reader, const FilYaml* node, FilSection* section)
{
    if (!fil_check_keys(reader, node, fil_tube_keys)) {
        return;
    }
    fil_read_number(reader, node, "radius", FIL_REQUIRED | FIL_POSITIVE, &section->radius);
    fil_read_number(reader, node, "inner_radius", FIL_REQUIRED | FIL_POSITIVE, &section->inner_radius);
    read_overrides(reader, node, section);
    if (reader->status == FIL_OK && section->inner_radius >= section->radius) {
        fil_reader_fail(reader, fil_yaml_find(node, "inner_radius"), "must be less than the radius %g, got %g", section->radius,
                        section->inner_radius);
    }
}

static void read_rectangle(FilReader* reader, const FilYaml* node, FilSection* section)
{
    if (fil_check_keys(reader, node, fil_rectangle_keys)) {
        fil_read_number(reader, node, "width", FIL_REQUIRED | FIL_POSITIVE, &section->width);
        fil_read_number(reader, node, "height", FIL_REQUIRED | FIL_POSITIVE, &section->height);
        read_overrides(reader, node, section);
    }
}

static void read_stiffness(FilReader* reader, const FilYaml* node, FilSection* section)
{
    if (!fil_check_keys(reader, node, fil_stiffness_keys)) {
        return;
    }
    const unsigned needed = FIL_REQUIRED | FIL_POSITIVE;
    fil_read_number(reader, node, "ea", needed, &section->ea);
    fil_read_number(reader, node, "ei1", needed, &section->ei1);
    section->ei2 = section->ei1;
    fil_read_number(reader, node, "ei2", FIL_POSITIVE, &section->ei2);
    fil_read_number(reader, node, "gj", needed, &section->gj);
    fil_read_number(reader, node, "mass_per_length", needed, &section->mass_per_length);
    fil_read_number(reader, node, "radius", needed, &section->radius);
    // that of a full circle, m r^2 / 2
    section->inertia_per_length = 0.5 * section->mass_per_length * section->radius * section->radius;
    fil_read_number(reader, node, "inertia_per_length", FIL_POSITIVE, &section->inertia_per_length);
}

FilSection fil_scene_read_section(FilScene* scene, const FilYaml* mapping, const FilSceneMaterial* material)
{
    FilReader* reader = &scene->reader;
    FilSection section = {0};
    FilYaml* body = NULL;
    const int shape = fil_read_variant(reader, mapping, fil_section_words, &body);
    if (shape < 0) {
        return section;
    }
    if (shape != FIL_SECTION_STIFFNESS && material == NULL) {
        fil_reader_fail(reader, body, "needs a material: the rod has no key 'material'");
        return section;
    }
    if (shape != FIL_SECTION_STIFFNESS && material->section.young == 0.0) {
        fil_reader_fail(reader, body, "the material '%s' has no Young's modulus: a rod needs one", material->name);
        return section;
    }
    if (shape != FIL_SECTION_STIFFNESS) {
        section = material->section;
    }
    section.shape = (FilSectionShape)shape;
    static void (*const read[])(FilReader*, const FilYaml*, FilSection*) = {
        [FIL_SECTION_CIRCLE] = read_circle,
        [FIL_SECTION_TUBE] = read_tube,
        [FIL_SECTION_RECTANGLE] = read_rectangle,
        [FIL_SECTION_STIFFNESS] = read_stiffness,
    };
    read[shape](reader, body, &section);
    if (reader->status == FIL_OK) {
        FilStiffness stiffness;
        FilError error = {{0}};
        fil_reader_take(reader, fil_section_stiffness(&section, &stiffness, &error), body, error.text);
    }
    return section;
}
