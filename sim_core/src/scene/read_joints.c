/* joints: what ties objects to each other and to the world. */
#include <string.h>

#include "filum/robot.h"
#include "scene/kinds.h"

static const FilKey within_keys[] = {
    FIL_KEY_VECTOR("from", 3, FIL_REQUIRED, "m", "", "least coordinates of a box of the world"),
    FIL_KEY_VECTOR("to", 3, FIL_REQUIRED, "m", "", "its largest ones"),
    FIL_KEY_END,
};

static const FilKey limit_keys[] = {
    FIL_KEY_NUMBER("lower", 0, "rad or m", "none", ""),
    FIL_KEY_NUMBER("upper", 0, "rad or m", "none", ""),
    FIL_KEY_NUMBER("stiffness", FIL_NOT_NEGATIVE, "N m/rad or N/m", "0", "0: as rigid as the step can resolve"),
    FIL_KEY_NUMBER("damping", FIL_NOT_NEGATIVE, "N m s/rad or N s/m", "0", ""),
    FIL_KEY_END,
};

static const FilKey ball_spring_keys[] = {
    FIL_KEY_NUMBER("stiffness", FIL_NOT_NEGATIVE, "N m/rad", "0", "towards the orientation at the start"),
    FIL_KEY_NUMBER("damping", FIL_NOT_NEGATIVE, "N m s/rad", "0", ""),
    FIL_KEY_END,
};

static const FilKey spring_keys[] = {
    FIL_KEY_NUMBER("stiffness", FIL_NOT_NEGATIVE, "N m/rad or N/m", "0", ""),
    FIL_KEY_NUMBER("damping", FIL_NOT_NEGATIVE, "N m s/rad or N s/m", "0", ""),
    FIL_KEY_NUMBER("rest", 0, "rad or m", "0", "position without force"),
    FIL_KEY_END,
};

static const FilKey motor_keys[] = {
    FIL_KEY_NUMBER("position", FIL_VARIANT, "rad or m", "", "a spring and damper towards it"),
    FIL_KEY_NUMBER("velocity", FIL_VARIANT, "rad/s or m/s", "", "a damper towards it"),
    FIL_KEY_NUMBER("effort", FIL_VARIANT, "N m or N", "", "a torque or force"),
    FIL_KEY_NUMBER("stiffness", FIL_NOT_NEGATIVE, "N m/rad or N/m", "0", "without gains it is as rigid as the step can resolve"),
    FIL_KEY_NUMBER("damping", FIL_NOT_NEGATIVE, "N m s/rad or N s/m", "0", ""),
    FIL_KEY_NUMBER("max_effort", FIL_POSITIVE, "N m or N", "none", ""),
    FIL_KEY_END,
};

enum { ATTACH = FIL_JOINT_BALL + 1 };

static const char* const joint_words[] = {
    [FIL_JOINT_PIN] = "pin",
    [FIL_JOINT_WELD] = "weld",
    [FIL_JOINT_BUSHING] = "bushing",
    [FIL_JOINT_HINGE] = "hinge",
    [FIL_JOINT_SLIDER] = "slider",
    [FIL_JOINT_BALL] = "ball",
    [ATTACH] = "attach",  // a weld to a robot's link, in fewer words
    NULL,
};

/* Keys of an end, of one that has many vertices, and those of a joint. */
typedef struct Keys {
    const FilKey *end, *many, *joint;
} Keys;

static Keys make_all_keys(FilScene* scene)
{
    static const FilKey within[] = {FIL_KEY_MAPPING("within", within_keys, FIL_REQUIRED, "all vertices inside of a box"), FIL_KEY_END};
    const FilKey attached[] = {
        FIL_KEY_TEXT("link", FIL_REQUIRED, "", "a robot's link"),
        FIL_KEY_VECTOR("point", 3, 0, "m", "the object's point, or the link's origin", "in the world"),
        FIL_KEY_END,
    };
    const Keys keys = {
        .end = fil_scene_target_keys(scene, FIL_USE_JOIN, FIL_TARGET_ONE, NULL, NULL),
        .many = fil_scene_target_keys(scene, FIL_USE_JOIN, FIL_TARGET_ONE, NULL, within),
    };
    const FilKey a = {.name = "a", .types = FIL_IS_MAPPING, .keys = keys.end, .other = keys.many, .flags = FIL_REQUIRED, .text = "one end"};
    const FilKey b = FIL_KEY_MAPPING("b", keys.end, 0, "the other; without it the world");
    const FilKey point = FIL_KEY_VECTOR("point", 3, 0, "m", "the ends' own", "in the world, of two that have no point of their own");
    const FilKey axis = FIL_KEY_VECTOR("axis", 3, FIL_REQUIRED, "", "", "in the world, at the start");
    const FilKey friction = FIL_KEY_NUMBER("friction", FIL_NOT_NEGATIVE, "N m or N", "0", "dry, whatever the load");
    const FilKey rigid[] = {a, b, point, FIL_KEY_END};
    const FilKey bushing[] = {
        a,
        b,
        point,
        FIL_KEY_FLAG("aligned", "false", "the bodies' own axes are parallel at rest"),
        FIL_KEY_NUMBER("stiffness", FIL_NOT_NEGATIVE, "N/m", "0", ""),
        FIL_KEY_NUMBER("damping", FIL_NOT_NEGATIVE, "N s/m", "0", ""),
        FIL_KEY_NUMBER("angular_stiffness", FIL_NOT_NEGATIVE, "N m/rad", "0", ""),
        FIL_KEY_NUMBER("angular_damping", FIL_NOT_NEGATIVE, "N m s/rad", "0", ""),
        FIL_KEY_END,
    };
    const FilKey along[] = {
        a,
        b,
        point,
        axis,
        FIL_KEY_NUMBER("start", 0, "rad or m", "0", "position at the start, of a against b"),
        FIL_KEY_MAPPING("limits", limit_keys, 0, "of the position"),
        FIL_KEY_MAPPING("spring", spring_keys, 0, ""),
        friction,
        FIL_KEY_MAPPING("motor", motor_keys, 0, "what keeps a position, a velocity or an effort"),
        FIL_KEY_END,
    };
    const FilKey about[] = {
        a,
        b,
        point,
        FIL_KEY_VECTOR("axis", 3, 0, "", "[0, 0, 1]", "that `cone` is about"),
        FIL_KEY_NUMBER("cone", FIL_NOT_NEGATIVE, "rad", "none", "a's axis stays that near to b's"),
        FIL_KEY_MAPPING("spring", ball_spring_keys, 0, ""),
        friction,
        FIL_KEY_END,
    };
    const FilKey* axial = fil_keys_copy(&scene->reader, along);
    const FilKey joint[] = {
        FIL_KEY_NAME("joint<i> if it is not given"),
        FIL_KEY_MAPPING("pin", fil_keys_copy(&scene->reader, rigid), FIL_VARIANT, "one point stays together"),
        FIL_KEY_MAPPING("weld", fil_keys_copy(&scene->reader, rigid), FIL_VARIANT, "the point and the orientation"),
        FIL_KEY_MAPPING("bushing", fil_keys_copy(&scene->reader, bushing), FIL_VARIANT, "springs and dampers"),
        FIL_KEY_MAPPING("hinge", axial, FIL_VARIANT, "a turns about an axis of b"),
        FIL_KEY_MAPPING("slider", axial, FIL_VARIANT, "a moves along an axis of b and does not turn"),
        FIL_KEY_MAPPING("ball", fil_keys_copy(&scene->reader, about), FIL_VARIANT, "a turns about a point of b"),
        FIL_KEY_MAPPING("attach", fil_scene_target_keys(scene, FIL_USE_JOIN, FIL_TARGET_ONE, "link", attached), FIL_VARIANT,
                        "a weld to a robot's link, in one mapping"),
        FIL_KEY_END,
    };
    return (Keys){.end = keys.end, .many = keys.many, .joint = fil_keys_copy(&scene->reader, joint)};
}

static const FilKey* make_keys(FilScene* scene)
{
    return make_all_keys(scene).joint;
}

/* The end under a key: an object, and which part of it. */
static FilSceneTarget read_side(FilScene* scene, const FilYaml* joint, const char* key, unsigned flags, const Keys* keys)
{
    const FilYaml* end = fil_read_node(&scene->reader, joint, key, flags);
    const bool many = end != NULL && strcmp(key, "a") == 0 && fil_yaml_find(end, "within") != NULL;
    return end != NULL && fil_check_keys(&scene->reader, end, many ? keys->many : keys->end)
               ? fil_scene_read_target(scene, end, FIL_USE_JOIN, many ? FIL_TARGET_ALL : FIL_TARGET_ONE, NULL, "joint")
               : (FilSceneTarget){0};
}

/* `within`: {from, to}: all vertices of side a inside a box of the world, for pins and welds. */
static void read_within(FilScene* scene, const FilYaml* joint, const FilSceneTarget* a, FilJointDef* def)
{
    FilReader* reader = &scene->reader;
    const FilYaml* end = reader->status == FIL_OK ? fil_yaml_find(joint, "a") : NULL;
    const FilYaml* box = end != NULL ? fil_read_node(reader, end, "within", FIL_OPTIONAL) : NULL;
    double from[3], to[3];
    if (box == NULL || !fil_check_keys(reader, box, within_keys) || !fil_read_vector(reader, box, "from", FIL_REQUIRED, 3, from) ||
        !fil_read_vector(reader, box, "to", FIL_REQUIRED, 3, to)) {
        return;
    }
    if (a->kind->get_positions == NULL || (def->kind != FIL_JOINT_PIN && def->kind != FIL_JOINT_WELD)) {
        fil_reader_fail(reader, box, "only pins and welds of solids and shells hold all vertices within a box");
        return;
    }
    double* x = fil_reader_alloc(reader, (size_t)a->count, 3 * sizeof *x);
    int* vertices = fil_reader_alloc(reader, (size_t)a->count, sizeof *vertices);
    if (x == NULL || vertices == NULL) {
        return;
    }
    a->kind->get_positions(scene->world, a->item->id, x);
    for (int i = 0; i < a->count; i++) {
        bool inside = true;
        for (int k = 0; k < 3; k++) {
            inside = inside && x[3 * i + k] >= from[k] && x[3 * i + k] <= to[k];
        }
        if (inside) {
            vertices[def->vertex_count++] = i;
        }
    }
    def->vertices = vertices;
    if (def->vertex_count == 0) {
        fil_reader_fail(reader, box, "no vertex lies inside");
    }
}

static FilId id_of(const FilSceneTarget* target)
{
    return target->item != NULL ? target->item->id : (FilId){0};
}

static void add_joint(FilScene* scene, FilSceneItem* item, const FilYaml* at, const FilJointDef* def)
{
    if (scene->reader.status == FIL_OK) {
        fil_scene_take(scene, fil_world_add_joint(scene->world, def, &item->id), at);
    }
}

/* attach: {rod, node, link}, {body, link}, {arm, disk, link}, ...: a weld; where the object has no point of its own, at
 * the link's origin. */
static void read_attach(FilScene* scene, const FilYaml* body, FilSceneItem* item, const Keys* keys)
{
    FilReader* reader = &scene->reader;
    FilJointDef def = fil_joint_def_default();
    def.name = item->name;
    def.kind = FIL_JOINT_WELD;
    if (!fil_check_keys(reader, body, fil_find_key(keys->joint, joint_words[ATTACH])->keys)) {
        return;
    }
    const FilSceneTarget target = fil_scene_read_target(scene, body, FIL_USE_JOIN, FIL_TARGET_ONE, "link", "attach");
    const FilSceneItem* link = fil_scene_read_item(scene, body, "link", "link", FIL_REQUIRED);
    def.a = id_of(&target);
    def.node_a = target.first;
    def.b = link != NULL ? link->id : (FilId){0};
    if (reader->status == FIL_OK && !fil_scene_read_vec3(reader, body, "point", &def.point)) {
        FilQuat orientation;
        fil_link_pose(scene->world, def.b, &def.point, &orientation);
    }
    add_joint(scene, item, body, &def);
}

/* `point`, unless one of the ends is a point itself. */
static void read_point(FilReader* reader, const FilYaml* body, const FilSceneTarget* a, const FilSceneTarget* b, FilVec3* point)
{
    if (reader->status != FIL_OK) {
        return;
    }
    const FilSceneTarget* place = (a->part->uses & FIL_USE_POINT) != 0 ? a : b->part != NULL && (b->part->uses & FIL_USE_POINT) != 0 ? b : NULL;
    if (fil_read_node(reader, body, "point", place == NULL ? FIL_REQUIRED : FIL_OPTIONAL) == NULL) {
        return;
    }
    if (place != NULL) {
        fil_reader_fail(reader, fil_yaml_find(body, "point"), "the point of this joint is the %s%s%s", place->kind->title,
                        place->part->word != NULL ? "'s " : "", place->part->word != NULL ? place->part->word : "");
    }
    fil_scene_read_vec3(reader, body, "point", point);
}

/* ---- what acts along the axis of a hinge or slider, or about the point of a ball ---- */

static void read_limits(FilReader* reader, const FilYaml* body, FilJointDef* def)
{
    const FilYaml* limits = fil_read_node(reader, body, "limits", FIL_OPTIONAL);
    if (limits == NULL || !fil_check_keys(reader, limits, limit_keys)) {
        return;
    }
    fil_read_number(reader, limits, "lower", FIL_OPTIONAL, &def->lower);
    fil_read_number(reader, limits, "upper", FIL_OPTIONAL, &def->upper);
    fil_read_number(reader, limits, "stiffness", FIL_NOT_NEGATIVE, &def->limit_stiffness);
    fil_read_number(reader, limits, "damping", FIL_NOT_NEGATIVE, &def->limit_damping);
}

static void read_spring(FilReader* reader, const FilYaml* body, FilJointDef* def)
{
    const FilYaml* spring = fil_read_node(reader, body, "spring", FIL_OPTIONAL);
    if (spring == NULL || !fil_check_keys(reader, spring, def->kind == FIL_JOINT_BALL ? ball_spring_keys : spring_keys)) {
        return;
    }
    const bool slides = def->kind == FIL_JOINT_SLIDER;
    fil_read_number(reader, spring, "stiffness", FIL_NOT_NEGATIVE, slides ? &def->stiffness : &def->angular_stiffness);
    fil_read_number(reader, spring, "damping", FIL_NOT_NEGATIVE, slides ? &def->damping : &def->angular_damping);
    fil_read_number(reader, spring, "rest", FIL_OPTIONAL, &def->rest);
}

static void read_motor(FilReader* reader, const FilYaml* body, FilJointMotor* motor)
{
    static const char* const words[] = {"position", "velocity", "effort", NULL};
    static const FilJointMode modes[] = {FIL_JOINT_POSITION, FIL_JOINT_VELOCITY, FIL_JOINT_EFFORT};
    FilYaml* target = NULL;
    const FilYaml* node = fil_read_node(reader, body, "motor", FIL_OPTIONAL);
    if (node == NULL || !fil_check_keys(reader, node, motor_keys)) {
        return;
    }
    const int mode = fil_read_variant(reader, node, words, &target);
    if (mode < 0) {
        return;
    }
    motor->mode = modes[mode];
    fil_value_number(reader, target, FIL_OPTIONAL, &motor->target);
    fil_read_number(reader, node, "stiffness", FIL_NOT_NEGATIVE, &motor->stiffness);
    fil_read_number(reader, node, "damping", FIL_NOT_NEGATIVE, &motor->damping);
    fil_read_number(reader, node, "max_effort", FIL_POSITIVE, &motor->max_effort);
}

static void read_axis(FilReader* reader, const FilYaml* body, FilJointDef* def)
{
    if (def->kind == FIL_JOINT_BALL) {
        fil_scene_read_vec3(reader, body, "axis", &def->axis);
        fil_read_number(reader, body, "cone", FIL_NOT_NEGATIVE, &def->upper);
    } else if (fil_read_node(reader, body, "axis", FIL_REQUIRED) != NULL) {
        fil_scene_read_vec3(reader, body, "axis", &def->axis);
        fil_read_number(reader, body, "start", FIL_OPTIONAL, &def->start);
        read_limits(reader, body, def);
        read_motor(reader, body, &def->motor);
    }
    read_spring(reader, body, def);
    fil_read_number(reader, body, "friction", FIL_NOT_NEGATIVE, &def->friction);
}

/* ---- a joint ---- */

static void read_joint(FilScene* scene, FilSceneItem* item, const Keys* target_keys)
{
    FilReader* reader = &scene->reader;
    FilYaml* body = NULL;
    const int word = fil_check_keys(reader, item->at, target_keys->joint) ? fil_read_variant(reader, item->at, joint_words, &body) : -1;
    if (word == ATTACH) {
        read_attach(scene, body, item, target_keys);
        return;
    }
    if (word < 0 || !fil_check_keys(reader, body, fil_find_key(target_keys->joint, joint_words[word])->keys)) {
        return;
    }
    FilJointDef def = fil_joint_def_default();
    def.name = item->name;
    def.kind = (FilJointKind)word;
    const FilSceneTarget a = read_side(scene, body, "a", FIL_REQUIRED, target_keys), b = read_side(scene, body, "b", FIL_OPTIONAL, target_keys);
    def.a = id_of(&a);
    def.b = id_of(&b);
    def.node_a = a.first;
    def.node_b = b.first;
    read_within(scene, body, &a, &def);
    read_point(reader, body, &a, &b, &def.point);
    if (word == FIL_JOINT_BUSHING) {
        fil_read_flag(reader, body, "aligned", &def.aligned);
        fil_read_number(reader, body, "stiffness", FIL_NOT_NEGATIVE, &def.stiffness);
        fil_read_number(reader, body, "damping", FIL_NOT_NEGATIVE, &def.damping);
        fil_read_number(reader, body, "angular_stiffness", FIL_NOT_NEGATIVE, &def.angular_stiffness);
        fil_read_number(reader, body, "angular_damping", FIL_NOT_NEGATIVE, &def.angular_damping);
    } else if (word != FIL_JOINT_PIN && word != FIL_JOINT_WELD) {
        read_axis(reader, body, &def);
    }
    add_joint(scene, item, body, &def);
}

static void add_joints(FilScene* scene, FilSceneList* list)
{
    const Keys keys = make_all_keys(scene);
    const int mounts = list->count;  // of robots, which are there already
    fil_scene_start_items(scene, list, 0);
    for (int k = mounts; k < list->count && scene->reader.status == FIL_OK; k++) {
        read_joint(scene, list->items[k], &keys);
    }
}

/* Drives move its motor. */
static void take_drive(FilScene* scene, const FilSceneItem* item, const FilYaml* at, const char* word, FilDriveDef* def)
{
    (void)scene, (void)at, (void)word;
    def->joint = item->id;
}

static const FilScenePart parts[] = {{NULL, NULL, FIL_USE_DRIVE(FIL_DRIVE_MOTOR)}};

const FilSceneKind fil_scene_joints = {.section = "joints",
                                       .word = "joint",
                                       .title = "joint",
                                       .text = "what ties objects to each other and to the world",
                                       .make_keys = make_keys,
                                       .add = add_joints,
                                       FIL_SCENE_PARTS(parts),
                                       .take_drive = take_drive};
