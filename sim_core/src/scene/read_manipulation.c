/* plan with `contacts`: how robots, soft arms and rigid bodies are to move each other. */
#include "scene/read_manipulation.h"

#include "filum/robot.h"
#include "scene/kinds.h"

static const char* const sides[] = {"-x", "x", "-y", "y", "-z", "z", NULL};

static const FilKey side_keys[] = {
    FIL_KEY_TEXT("body", FIL_VARIANT, "", "a rigid body"),
    FIL_KEY_TEXT("link", FIL_VARIANT, "", "a robot's link"),
    FIL_KEY_TEXT("arm", FIL_VARIANT, "", "a soft arm"),
    FIL_KEY_WHOLE("disk", 0, "-1", "of the arm"),
    FIL_KEY_END,
};

static const FilKey contact_keys[] = {
    FIL_KEY_MAPPING("ball", side_keys, FIL_REQUIRED, "its sphere, the corners of its box, or the ball of a disk's radius"),
    FIL_KEY_MAPPING("face", side_keys, FIL_REQUIRED, "a half-space, a box or the round side of a cylinder"),
    FIL_KEY_WORD("side", sides, "the nearest at the start", "of a box"),
    FIL_KEY_WHOLE("nearest", FIL_POSITIVE, "4", "so many corners"),
    FIL_KEY_NUMBER("friction", FIL_NOT_NEGATIVE, "1", "that of the surfaces", ""),
    FIL_KEY_NUMBER("force", FIL_NOT_NEGATIVE, "N", "0", "at least: contact throughout"),
    FIL_KEY_END,
};

static const FilKey body_via_keys[] = {
    FIL_KEY_NUMBER("time", FIL_REQUIRED | FIL_POSITIVE, "s", "", ""),
    FIL_KEY_VECTOR("move", 3, 0, "m", "[0, 0, 0]", "from the start"),
    FIL_KEY_VECTOR("turn", 3, 0, "rad", "[0, 0, 0]", "rotation vector from the start"),
    FIL_KEY_VECTOR("within", 2, 0, "m, rad", "that of the goal", ""),
    FIL_KEY_END,
};

static const FilKey joint_via_keys[] = {
    FIL_KEY_NUMBER("time", FIL_REQUIRED | FIL_POSITIVE, "s", "", ""),
    FIL_KEY_NUMBER("position", FIL_REQUIRED, "rad or m", "", ""),
    FIL_KEY_VECTOR("within", 2, 0, "m, rad", "that of the goal", ""),
    FIL_KEY_END,
};

static const FilKey goal_keys[] = {
    FIL_KEY_TEXT("body", FIL_VARIANT, "", "the goal is that of a rigid body ..."),
    FIL_KEY_VECTOR("move", 3, 0, "m", "[0, 0, 0]", "from the start"),
    FIL_KEY_VECTOR("turn", 3, 0, "rad", "[0, 0, 0]", "rotation vector from the start"),
    FIL_KEY_TEXT("robot", FIL_VARIANT, "", "... or of a robot's ..."),
    FIL_KEY_TEXT("joint", 0, "", "... joint"),
    FIL_KEY_NUMBER("position", 0, "rad or m", "", "of the joint"),
    FIL_KEY_VECTOR("within", 2, 0, "m, rad", "[1e-3, 1e-2]", ""),
    FIL_KEY_NUMBER("speed", FIL_POSITIVE, "m/s, rad/s", "0.01", "at most, at the end"),
    {.name = "via", .types = FIL_IS_LIST, .keys = body_via_keys, .other = joint_via_keys, .text = "waypoints, 8 at most"},
    FIL_KEY_END,
};

static const FilKey weight_keys[] = {
    FIL_KEY_NUMBER("goal", FIL_NOT_NEGATIVE, "", "0", "squared distance all along"),
    FIL_KEY_NUMBER("end", FIL_NOT_NEGATIVE, "", "1", "squared distance at the end"),
    FIL_KEY_NUMBER("effort", FIL_NOT_NEGATIVE, "", "1e-2", ""),
    FIL_KEY_NUMBER("rate", FIL_NOT_NEGATIVE, "", "1", "changes of rates"),
    FIL_KEY_NUMBER("force", FIL_NOT_NEGATIVE, "", "1e-5", "normal forces"),
    FIL_KEY_END,
};

static const FilKey bound_keys[] = {
    FIL_KEY_NUMBER("normal_force", FIL_POSITIVE, "N", "200", ""),
    FIL_KEY_NUMBER("slip", FIL_POSITIVE, "m/s", "5", ""),
    FIL_KEY_NUMBER("speed", FIL_POSITIVE, "rad/s or m/s", "10", "of joints"),
    FIL_KEY_NUMBER("effort", FIL_POSITIVE, "N m or N", "200", ""),
    FIL_KEY_VECTOR("elongation", 2, 0, "m", "[-0.05, 0.2]", "of arms"),
    FIL_KEY_END,
};

const char* const fil_plan_solver_kinds[] = {[FIL_PLAN_STRUCTURED] = "structured", [FIL_PLAN_IPOPT] = "ipopt", NULL};

const FilKey fil_plan_solver_keys[] = {
    FIL_KEY_WORD("kind", fil_plan_solver_kinds, "structured", "our own, or IPOPT where it was built in"),
    FIL_KEY_NUMBER("tolerance", FIL_POSITIVE, "1", "1e-8", ""),
    FIL_KEY_WHOLE("max_iterations", FIL_POSITIVE, "800", ""),
    FIL_KEY_WHOLE("meshes", FIL_POSITIVE, "3", "from coarse to fine"),
    FIL_KEY_WHOLE("seeds", FIL_POSITIVE, "1", "first guesses"),
    FIL_KEY_WHOLE("threads", FIL_POSITIVE, "1", ""),
    FIL_KEY_FLAG("kinematic", "false", "begin with a plan without forces"),
    FIL_KEY_END,
};

const FilKey fil_relaxation_keys[] = {
    FIL_KEY_NUMBER("start", FIL_POSITIVE, "", "0.1", ""),
    FIL_KEY_NUMBER("end", FIL_POSITIVE, "", "1e-7", ""),
    FIL_KEY_NUMBER("fall", FIL_POSITIVE, "", "0.2", "factor from one to the next"),
    FIL_KEY_END,
};

const FilKey fil_manipulation_keys[] = {
    FIL_KEY_NUMBER("horizon", FIL_POSITIVE, "s", "2", ""),
    FIL_KEY_WHOLE("nodes", FIL_POSITIVE, "40", "stages"),
    FIL_KEY_WHOLE("directions", FIL_NOT_NEGATIVE, "0", "of friction; 0: a cone"),
    FIL_KEY_LIST("contacts", contact_keys, FIL_REQUIRED, "who may push whom"),
    FIL_KEY_MAPPING("goal", goal_keys, FIL_REQUIRED, "where what is moved ends"),
    FIL_KEY_MAPPING("weights", weight_keys, 0, "of the cost"),
    FIL_KEY_MAPPING("bounds", bound_keys, 0, ""),
    FIL_KEY_MAPPING("relaxation", fil_relaxation_keys, 0, "of products of forces and distances"),
    FIL_KEY_MAPPING("solver", fil_plan_solver_keys, 0, ""),
    FIL_KEY_END,
};

/* One side of a contact: {body: b}, {link: l} or {arm: a, disk: k}. */
static void read_side(FilScene* scene, const FilYaml* mapping, const char* key, FilId* id, int* disk)
{
    static const char* const words[] = {"body", "link", "arm", NULL};
    FilReader* reader = &scene->reader;
    const FilYaml* node = fil_read_node(reader, mapping, key, FIL_REQUIRED);
    int named = 0;
    if (node == NULL || !fil_check_keys(reader, node, side_keys)) {
        return;
    }
    for (int k = 0; words[k] != NULL; k++) {
        const FilSceneItem* item = fil_scene_read_item(scene, node, words[k], words[k], FIL_OPTIONAL);
        if (item != NULL) {
            *id = item->id;
            named++;
        }
    }
    fil_read_integer(reader, node, "disk", FIL_OPTIONAL, -1, 1000, disk);
    if (named != 1 && reader->status == FIL_OK) {
        fil_reader_fail(reader, node, "one side of a contact is a body, a link or an arm");
    }
}

static void read_contact(FilScene* scene, const FilYaml* node, FilManipulationContact* contact)
{
    FilReader* reader = &scene->reader;
    *contact = fil_manipulation_contact_default();
    if (!fil_check_keys(reader, node, contact_keys)) {
        return;
    }
    read_side(scene, node, "ball", &contact->ball, &contact->disk);
    int unused = -1;
    read_side(scene, node, "face", &contact->face, &unused);
    if (fil_read_node(reader, node, "side", FIL_OPTIONAL) != NULL) {
        fil_read_choice(reader, node, "side", sides, &contact->side);
    }
    fil_read_integer(reader, node, "nearest", FIL_OPTIONAL, 1, 8, &contact->nearest);
    if (fil_read_number(reader, node, "friction", FIL_NOT_NEGATIVE, &contact->friction) && contact->friction == 0.0 &&
        fil_read_node(reader, node, "friction", FIL_OPTIONAL) != NULL) {
        contact->friction = -1.0;  // none, where zero would ask for that of the surfaces
    }
    fil_read_number(reader, node, "force", FIL_NOT_NEGATIVE, &contact->min_force);
}

static void read_vias(FilReader* reader, const FilYaml* mapping, bool joint, FilManipulationGoal* goal)
{
    const FilYaml* list = fil_read_node(reader, mapping, "via", FIL_OPTIONAL);
    if (list == NULL || !fil_check_list(reader, list, "waypoints")) {
        return;
    }
    for (const FilYaml* node = list->first; node != NULL && reader->status == FIL_OK; node = node->next) {
        if (goal->via_count == FIL_MANIPULATION_VIAS) {
            fil_reader_fail(reader, node, "at most %d waypoints", FIL_MANIPULATION_VIAS);
            return;
        }
        FilManipulationVia* via = &goal->vias[goal->via_count++];
        *via = (FilManipulationVia){.within = {goal->within[0], goal->within[1]}};
        if (!fil_check_keys(reader, node, joint ? joint_via_keys : body_via_keys)) {
            return;
        }
        fil_read_number(reader, node, "time", FIL_REQUIRED | FIL_POSITIVE, &via->time);
        fil_read_vector(reader, node, "within", FIL_OPTIONAL, 2, via->within);
        if (joint) {
            fil_read_number(reader, node, "position", FIL_REQUIRED, &via->angle);
        } else {
            fil_scene_read_vec3(reader, node, "move", &via->position);
            fil_scene_read_vec3(reader, node, "turn", &via->rotation);
        }
    }
}

static void read_goal(FilScene* scene, const FilYaml* mapping, FilManipulationGoal* goal)
{
    FilReader* reader = &scene->reader;
    const FilYaml* node = fil_read_node(reader, mapping, "goal", FIL_REQUIRED);
    if (node == NULL || !fil_check_keys(reader, node, goal_keys)) {
        return;
    }
    const FilSceneItem* body = fil_scene_read_item(scene, node, "body", "body", FIL_OPTIONAL);
    const FilSceneItem* robot = fil_scene_read_item(scene, node, "robot", "robot", FIL_OPTIONAL);
    if (reader->status != FIL_OK) {
        return;
    }
    if ((body != NULL) == (robot != NULL)) {
        fil_reader_fail(reader, node, "the goal is that of a body, or of a robot's joint");
        return;
    }
    fil_read_vector(reader, node, "within", FIL_OPTIONAL, 2, goal->within);
    fil_read_number(reader, node, "speed", FIL_POSITIVE, &goal->speed);
    read_vias(reader, node, robot != NULL, goal);
    if (body != NULL) {
        goal->body = body->id;
        fil_scene_read_vec3(reader, node, "move", &goal->position);
        fil_scene_read_vec3(reader, node, "turn", &goal->rotation);
        return;
    }
    const char* joint = NULL;
    goal->robot = robot->id;
    fil_read_text(reader, node, "joint", FIL_REQUIRED, &joint);
    fil_read_number(reader, node, "position", FIL_REQUIRED, &goal->angle);
    goal->joint = joint != NULL ? fil_robot_find_joint(scene->world, robot->id, joint) : -1;
    if (goal->joint < 0 && reader->status == FIL_OK) {
        fil_reader_fail(reader, node, "the robot has no joint '%s'", joint);
    }
}

static void read_numbers(FilReader* reader, const FilYaml* mapping, FilManipulationTask* def)
{
    double* const weights[] = {&def->goal_weight, &def->end_weight, &def->effort_weight, &def->rate_weight, &def->force_weight};
    double* const bounds[] = {&def->normal_force, &def->slip, &def->speed, &def->effort};
    const FilYaml* node = fil_read_node(reader, mapping, "weights", FIL_OPTIONAL);
    for (int k = 0; node != NULL && fil_check_keys(reader, node, weight_keys) && weight_keys[k].name != NULL; k++) {
        fil_read_number(reader, node, weight_keys[k].name, weight_keys[k].flags, weights[k]);
    }
    node = fil_read_node(reader, mapping, "bounds", FIL_OPTIONAL);
    if (node != NULL && fil_check_keys(reader, node, bound_keys)) {
        for (int k = 0; k < 4; k++) {
            fil_read_number(reader, node, bound_keys[k].name, bound_keys[k].flags, bounds[k]);
        }
        fil_read_vector(reader, node, "elongation", FIL_OPTIONAL, 2, def->elongation);
    }
}

void fil_scene_read_manipulation(FilScene* scene, const FilYaml* mapping, FilManipulationTask* task)
{
    FilReader* reader = &scene->reader;
    const FilYaml* list = fil_read_node(reader, mapping, "contacts", FIL_REQUIRED);
    if (list == NULL || !fil_check_list(reader, list, "contacts")) {
        return;
    }
    for (const FilYaml* node = list->first; node != NULL && reader->status == FIL_OK; node = node->next) {
        if (task->contact_count == FIL_MANIPULATION_CONTACTS) {
            fil_reader_fail(reader, node, "at most %d contacts", FIL_MANIPULATION_CONTACTS);
            return;
        }
        read_contact(scene, node, &task->contacts[task->contact_count++]);
    }
    fil_read_integer(reader, mapping, "directions", FIL_OPTIONAL, 0, 8, &task->directions);
    read_goal(scene, mapping, &task->goal);
    read_numbers(reader, mapping, task);
}
