/* plan with `contacts`: how robots, soft arms and rigid bodies are to move each other. */
#include "scene/read_manipulation.h"


#include "filum/robot.h"
#include "scene/kinds.h"

/* One side of a contact: {body: b}, {link: l} or {arm: a, disk: k}. */
static void read_side(FilScene* scene, const FilYaml* mapping, const char* key, FilId* id, int* disk)
{
    static const char* const keys[] = {"body", "link", "arm", "disk", NULL};
    static const char* const words[] = {"body", "link", "arm", NULL};
    FilReader* reader = &scene->reader;
    const FilYaml* node = fil_read_node(reader, mapping, key, FIL_REQUIRED);
    int named = 0;
    if (node == NULL || !fil_check_keys(reader, node, keys)) {
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
    static const char* const keys[] = {"ball", "face", "side", "nearest", "friction", "force", NULL};
    static const char* const sides[] = {"-x", "x", "-y", "y", "-z", "z", NULL};
    FilReader* reader = &scene->reader;
    *contact = fil_manipulation_contact_default();
    if (!fil_check_keys(reader, node, keys)) {
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
    fil_read_number(reader, node, "force", FIL_NOT_NEGATIVE, &contact->least_force);
}

static void read_vias(FilReader* reader, const FilYaml* mapping, bool joint, FilManipulationGoal* goal)
{
    static const char* const body_keys[] = {"time", "move", "turn", "within", NULL};
    static const char* const joint_keys[] = {"time", "position", "within", NULL};
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
        if (!fil_check_keys(reader, node, joint ? joint_keys : body_keys)) {
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
    static const char* const keys[] = {"body", "move", "turn", "robot", "joint", "position", "within", "speed", "via", NULL};
    FilReader* reader = &scene->reader;
    const FilYaml* node = fil_read_node(reader, mapping, "goal", FIL_REQUIRED);
    if (node == NULL || !fil_check_keys(reader, node, keys)) {
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

static void read_numbers(FilReader* reader, const FilYaml* mapping, FilManipulationDef* def)
{
    static const char* const weight_keys[] = {"goal", "end", "effort", "rate", "force", NULL};
    static const char* const bound_keys[] = {"normal_force", "slip", "speed", "effort", "elongation", NULL};
    static const char* const relaxation_keys[] = {"start", "end", "fall", NULL};
    static const char* const solver_keys[] = {"tolerance", "max_iterations", "meshes", NULL};
    double* const weights[] = {&def->goal_weight, &def->end_weight, &def->effort_weight, &def->rate_weight, &def->force_weight};
    double* const bounds[] = {&def->normal_force, &def->slip, &def->speed, &def->effort};
    const FilYaml* node = fil_read_node(reader, mapping, "weights", FIL_OPTIONAL);
    for (int k = 0; node != NULL && fil_check_keys(reader, node, weight_keys) && weight_keys[k] != NULL; k++) {
        fil_read_number(reader, node, weight_keys[k], FIL_NOT_NEGATIVE, weights[k]);
    }
    node = fil_read_node(reader, mapping, "bounds", FIL_OPTIONAL);
    if (node != NULL && fil_check_keys(reader, node, bound_keys)) {
        for (int k = 0; k < 4; k++) {
            fil_read_number(reader, node, bound_keys[k], FIL_POSITIVE, bounds[k]);
        }
        fil_read_vector(reader, node, "elongation", FIL_OPTIONAL, 2, def->elongation);
    }
    node = fil_read_node(reader, mapping, "relaxation", FIL_OPTIONAL);
    if (node != NULL && fil_check_keys(reader, node, relaxation_keys)) {
        fil_read_number(reader, node, "start", FIL_POSITIVE, &def->relaxation[0]);
        fil_read_number(reader, node, "end", FIL_POSITIVE, &def->relaxation[1]);
        fil_read_number(reader, node, "fall", FIL_POSITIVE, &def->relaxation_fall);
    }
    node = fil_read_node(reader, mapping, "solver", FIL_OPTIONAL);
    if (node != NULL && fil_check_keys(reader, node, solver_keys)) {
        fil_read_number(reader, node, "tolerance", FIL_POSITIVE, &def->tolerance);
        fil_read_integer(reader, node, "max_iterations", FIL_OPTIONAL, 1, 100000, &def->max_iterations);
        fil_read_integer(reader, node, "meshes", FIL_OPTIONAL, 1, 4, &def->meshes);
    }
}

void fil_scene_read_manipulation(FilScene* scene, const FilYaml* mapping)
{
    static const char* const keys[] = {"horizon", "nodes", "directions", "contacts", "goal", "weights", "bounds", "relaxation", "solver", NULL};
    FilReader* reader = &scene->reader;
    FilManipulationDef* def = &scene->info->manipulation;
    if (!fil_check_keys(reader, mapping, keys)) {
        return;
    }
    const FilYaml* list = fil_read_node(reader, mapping, "contacts", FIL_REQUIRED);
    if (list == NULL || !fil_check_list(reader, list, "contacts")) {
        return;
    }
    for (const FilYaml* node = list->first; node != NULL && reader->status == FIL_OK; node = node->next) {
        if (def->contact_count == FIL_MANIPULATION_CONTACTS) {
            fil_reader_fail(reader, node, "at most %d contacts", FIL_MANIPULATION_CONTACTS);
            return;
        }
        read_contact(scene, node, &def->contacts[def->contact_count++]);
    }
    fil_read_number(reader, mapping, "horizon", FIL_POSITIVE, &def->horizon);
    fil_read_integer(reader, mapping, "nodes", FIL_OPTIONAL, 2, 10000, &def->nodes);
    fil_read_integer(reader, mapping, "directions", FIL_OPTIONAL, 0, 8, &def->directions);
    read_goal(scene, mapping, &def->goal);
    read_numbers(reader, mapping, def);
    scene->info->has_manipulation = reader->status == FIL_OK;
}
