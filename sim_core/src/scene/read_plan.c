/* plan and task: what `filum plan` is to find, and how; the world itself does not depend on them. */
#include "scene/kinds.h"
#include "scene/read_manipulation.h"

static const char* const axes[] = {"x", "y", "z", NULL};

static const FilKey weight_keys[] = {
    FIL_KEY_NUMBER("orientation", FIL_NOT_NEGATIVE, "", "P1's", "of the body, all along"),
    FIL_KEY_NUMBER("terminal", FIL_NOT_NEGATIVE, "", "P1's", "of the body, at the end"),
    FIL_KEY_NUMBER("normal_force", 0, "", "P1's", "negative: a reward"),
    FIL_KEY_NUMBER("force_rate", FIL_NOT_NEGATIVE, "", "P1's", ""),
    FIL_KEY_NUMBER("speed_rate", FIL_NOT_NEGATIVE, "", "P1's", ""),
    FIL_KEY_NUMBER("spin_rate", FIL_NOT_NEGATIVE, "", "P1's", ""),
    FIL_KEY_NUMBER("effort", FIL_NOT_NEGATIVE, "", "P1's", ""),
    FIL_KEY_NUMBER("unit", FIL_NOT_NEGATIVE, "", "P1's", "of the quaternion's length"),
    FIL_KEY_END,
};

static const FilKey contact_keys[] = {
    FIL_KEY_TEXT("arm", FIL_REQUIRED, "", "whose last disk touches ..."),
    FIL_KEY_TEXT("body", FIL_REQUIRED, "", "... the ball"),
    FIL_KEY_NUMBER("friction", FIL_POSITIVE, "1", "that of the surfaces", ""),
    FIL_KEY_WHOLE("directions", FIL_POSITIVE, "10", "of friction"),
    FIL_KEY_END,
};

static const FilKey bound_keys[] = {
    FIL_KEY_VECTOR("elongation", 2, 0, "m", "[-0.05, 0.2]", ""),
    FIL_KEY_NUMBER("effort", FIL_POSITIVE, "N", "60", ""),
    FIL_KEY_VECTOR("normal_force", 2, 0, "N", "[0.1, 20]", ""),
    FIL_KEY_NUMBER("slip", FIL_POSITIVE, "m/s", "2", ""),
    FIL_KEY_MANY("spin", FIL_IS_NUMBER | FIL_IS_VECTOR, 3, FIL_POSITIVE, "rad/s", "none", "of the ball, about all axes or about x, y and z"),
    FIL_KEY_NUMBER("target", FIL_POSITIVE, "rad", "none", "from the target at the end"),
    FIL_KEY_NUMBER("face", FIL_POSITIVE, "1", "1", "share of the disk's radius"),
    FIL_KEY_END,
};

static const FilKey task_keys[] = {
    {.name = "axis", .types = FIL_IS_WORD | FIL_IS_VECTOR, .count = 3, .words = axes, .flags = FIL_REQUIRED, .text = "x, y, z or a vector"},
    FIL_KEY_NUMBER("angle", 0, "rad", "", "by which the body is turned"),
    FIL_KEY_END,
};

static const FilKey plan_keys[] = {
    FIL_KEY_NUMBER("horizon", FIL_POSITIVE, "s", "4", ""),
    FIL_KEY_WHOLE("nodes", FIL_POSITIVE, "100", "stages"),
    FIL_KEY_MAPPING("contact", contact_keys, FIL_REQUIRED, "of an arm's tip with a ball"),
    FIL_KEY_MAPPING("weights", weight_keys, 0, "of the cost"),
    FIL_KEY_MAPPING("bounds", bound_keys, 0, ""),
    FIL_KEY_MAPPING("solver", fil_plan_solver_keys, 0, ""),
    FIL_KEY_MAPPING("relaxation", fil_relaxation_keys, 0, "of products of forces and distances"),
    FIL_KEY_NUMBER("receding", FIL_POSITIVE, "s", "one plan", "how long plans are made anew, one every horizon / nodes"),
    FIL_KEY_END,
};

static void read_pair(FilReader* reader, const FilYaml* mapping, const char* key, double* pair)
{
    fil_read_vector(reader, mapping, key, FIL_OPTIONAL, 2, pair);
}

static void read_weights(FilReader* reader, const FilYaml* mapping, FilPlanWeights* w)
{
    double* const values[] = {&w->orientation, &w->terminal, &w->normal_force, &w->force_rate, &w->speed_rate, &w->spin_rate, &w->effort, &w->unit};
    const FilYaml* node = fil_read_node(reader, mapping, "weights", FIL_OPTIONAL);
    if (node != NULL && fil_check_keys(reader, node, weight_keys)) {
        for (int k = 0; weight_keys[k].name != NULL; k++) {
            fil_read_number(reader, node, weight_keys[k].name, weight_keys[k].flags, values[k]);
        }
    }
}

static void read_contact(FilScene* scene, const FilYaml* mapping, FilBallTask* def)
{
    FilReader* reader = &scene->reader;
    const FilYaml* node = fil_read_node(reader, mapping, "contact", FIL_REQUIRED);
    if (node == NULL || !fil_check_keys(reader, node, contact_keys)) {
        return;
    }
    const FilSceneItem* arm = fil_scene_read_item(scene, node, "arm", "arm", FIL_REQUIRED);
    const FilSceneItem* body = fil_scene_read_item(scene, node, "body", "body", FIL_REQUIRED);
    fil_read_number(reader, node, "friction", FIL_POSITIVE, &def->friction);
    fil_read_integer(reader, node, "directions", FIL_OPTIONAL, 4, 16, &def->directions);
    if (reader->status == FIL_OK) {
        def->arm = arm->id;
        def->body = body->id;
    }
}

/* One bound for all axes, or one for each. */
static void read_spin(FilReader* reader, const FilYaml* bounds, double spin[3])
{
    const FilYaml* node = fil_read_node(reader, bounds, "spin", FIL_OPTIONAL);
    if (node != NULL && node->kind == FIL_YAML_LIST) {
        fil_read_vector(reader, bounds, "spin", FIL_POSITIVE, 3, spin);
    } else if (node != NULL && fil_read_number(reader, bounds, "spin", FIL_POSITIVE, &spin[0])) {
        spin[1] = spin[2] = spin[0];
    }
}

static void read_bounds(FilReader* reader, const FilYaml* mapping, FilBallTask* def)
{
    const FilYaml* node = fil_read_node(reader, mapping, "bounds", FIL_OPTIONAL);
    if (node != NULL && fil_check_keys(reader, node, bound_keys)) {
        read_pair(reader, node, "elongation", def->elongation);
        read_pair(reader, node, "normal_force", def->normal_force);
        fil_read_number(reader, node, "effort", FIL_POSITIVE, &def->effort);
        fil_read_number(reader, node, "slip", FIL_POSITIVE, &def->slip);
        read_spin(reader, node, def->spin);
        fil_read_number(reader, node, "target", FIL_POSITIVE, &def->target);
        fil_read_number(reader, node, "face", FIL_POSITIVE, &def->face);
    }
}

/* How a plan is sought: the same of all kinds. */
static void read_method(FilReader* reader, const FilYaml* mapping, FilPlanDef* def)
{
    const FilYaml* relaxation = fil_read_node(reader, mapping, "relaxation", FIL_OPTIONAL);
    const FilYaml* solver = fil_read_node(reader, mapping, "solver", FIL_OPTIONAL);
    if (relaxation != NULL && fil_check_keys(reader, relaxation, fil_relaxation_keys)) {
        fil_read_number(reader, relaxation, "start", FIL_POSITIVE, &def->relaxation[0]);
        fil_read_number(reader, relaxation, "end", FIL_POSITIVE, &def->relaxation[1]);
        fil_read_number(reader, relaxation, "fall", FIL_POSITIVE, &def->relaxation_fall);
    }
    if (solver != NULL && fil_check_keys(reader, solver, fil_plan_solver_keys)) {
        int kind = (int)def->solver;
        fil_read_choice(reader, solver, "kind", fil_plan_solver_kinds, &kind);
        def->solver = (FilPlanSolver)kind;
        fil_read_number(reader, solver, "tolerance", FIL_POSITIVE, &def->tolerance);
        fil_read_integer(reader, solver, "max_iterations", FIL_OPTIONAL, 1, 100000, &def->max_iterations);
        fil_read_integer(reader, solver, "meshes", FIL_OPTIONAL, 1, 4, &def->meshes);
        fil_read_integer(reader, solver, "seeds", FIL_OPTIONAL, 1, 1000, &def->seeds);
        fil_read_integer(reader, solver, "threads", FIL_OPTIONAL, 1, 64, &def->threads);
        fil_read_flag(reader, solver, "kinematic", &def->kinematic);
    }
}

/* task: by what the planner is to turn the body. */
static void add_task(FilScene* scene, FilSceneList* list)
{
    FilReader* reader = &scene->reader;
    FilBallTask* def = &scene->info->plan.ball;
    if (list->node == NULL || !fil_check_keys(reader, list->node, task_keys)) {
        return;
    }
    const FilYaml* axis = fil_read_node(reader, list->node, "axis", FIL_REQUIRED);
    if (axis != NULL && axis->kind == FIL_YAML_LIST) {
        fil_scene_read_vec3(reader, list->node, "axis", &def->axis);
    } else {
        int choice = 0;
        fil_read_choice(reader, list->node, "axis", axes, &choice);
        def->axis = (FilVec3){choice == 0 ? 1.0 : 0.0, choice == 1 ? 1.0 : 0.0, choice == 2 ? 1.0 : 0.0};
    }
    fil_read_number(reader, list->node, "angle", FIL_OPTIONAL, &def->angle);
}

static void read_ball(FilScene* scene, const FilYaml* mapping, FilBallTask* task)
{
    read_contact(scene, mapping, task);
    read_weights(&scene->reader, mapping, &task->weights);
    read_bounds(&scene->reader, mapping, task);
}

static void add_plan(FilScene* scene, FilSceneList* list)
{
    FilReader* reader = &scene->reader;
    FilPlanDef* def = &scene->info->plan;
    const bool contacts = list->node != NULL && fil_read_node(reader, list->node, "contacts", FIL_OPTIONAL) != NULL;
    if (list->node == NULL || !fil_check_keys(reader, list->node, contacts ? fil_manipulation_keys : plan_keys)) {
        return;
    }
    if (contacts) {
        *def = fil_manipulation_def_default();
    }
    fil_read_number(reader, list->node, "horizon", FIL_POSITIVE, &def->horizon);
    fil_read_integer(reader, list->node, "nodes", FIL_OPTIONAL, 2, 10000, &def->nodes);
    fil_read_number(reader, list->node, "receding", FIL_POSITIVE, &def->receding);
    read_method(reader, list->node, def);
    if (contacts) {
        fil_scene_read_manipulation(scene, list->node, &def->manipulation);
    } else {
        read_ball(scene, list->node, &def->ball);
    }
    scene->info->has_plan = reader->status == FIL_OK;
}

const FilSceneKind fil_scene_plan = {.section = "plan",
                                     .word = NULL,
                                     .title = "plan",
                                     .text = "what `filum plan` is to find, and how",
                                     .form = FIL_IS_MAPPING,
                                     .keys = plan_keys,
                                     .other = fil_manipulation_keys,
                                     .add = add_plan};
const FilSceneKind fil_scene_task = {.section = "task",
                                     .word = NULL,
                                     .title = "task",
                                     .text = "by what the planner is to turn the body",
                                     .form = FIL_IS_MAPPING,
                                     .keys = task_keys,
                                     .add = add_task};
