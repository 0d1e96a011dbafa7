/* plan and task: what `filum plan` is to find, and how; the world itself does not depend on them. */
#include "scene/kinds.h"
#include "scene/read_manipulation.h"

static void read_pair(FilReader* reader, const FilYaml* mapping, const char* key, double* pair)
{
    fil_read_vector(reader, mapping, key, FIL_OPTIONAL, 2, pair);
}

static void read_weights(FilReader* reader, const FilYaml* mapping, FilPlanWeights* w)
{
    static const char* const keys[] = {"orientation", "terminal",  "normal_force", "force_rate", "speed_rate",
                                       "spin_rate",   "effort",    "unit",         NULL};
    double* const values[] = {&w->orientation, &w->terminal,  &w->normal_force, &w->force_rate,
                              &w->speed_rate,  &w->spin_rate, &w->effort,       &w->unit};
    const FilYaml* node = fil_read_node(reader, mapping, "weights", FIL_OPTIONAL);
    if (node != NULL && fil_check_keys(reader, node, keys)) {
        for (int k = 0; keys[k] != NULL; k++) {
            // a reward is a negative cost
            const unsigned flags = values[k] == &w->normal_force ? FIL_OPTIONAL : FIL_NOT_NEGATIVE;
            fil_read_number(reader, node, keys[k], flags, values[k]);
        }
    }
}

static void read_contact(FilScene* scene, const FilYaml* mapping, FilPlanDef* def)
{
    static const char* const keys[] = {"arm", "body", "friction", "directions", NULL};
    FilReader* reader = &scene->reader;
    const FilYaml* node = fil_read_node(reader, mapping, "contact", FIL_REQUIRED);
    if (node == NULL || !fil_check_keys(reader, node, keys)) {
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

static void read_bounds(FilReader* reader, const FilYaml* mapping, FilPlanDef* def)
{
    static const char* const keys[] = {"elongation", "effort", "normal_force", "slip", "spin", "target", "face", NULL};
    const FilYaml* node = fil_read_node(reader, mapping, "bounds", FIL_OPTIONAL);
    if (node != NULL && fil_check_keys(reader, node, keys)) {
        read_pair(reader, node, "elongation", def->elongation);
        read_pair(reader, node, "normal_force", def->normal_force);
        fil_read_number(reader, node, "effort", FIL_POSITIVE, &def->effort);
        fil_read_number(reader, node, "slip", FIL_POSITIVE, &def->slip);
        fil_read_number(reader, node, "spin", FIL_POSITIVE, &def->spin);
        fil_read_number(reader, node, "target", FIL_POSITIVE, &def->target);
        fil_read_number(reader, node, "face", FIL_POSITIVE, &def->face);
    }
}

static void read_method(FilReader* reader, const FilYaml* mapping, FilPlanDef* def)
{
    static const char* const relaxation_keys[] = {"start", "end", "fall", NULL};
    static const char* const solver_keys[] = {"kind",  "tolerance", "max_iterations", "meshes",
                                              "seeds", "threads",   "kinematic",      NULL};
    static const char* const kinds[] = {[FIL_PLAN_STRUCTURED] = "structured", [FIL_PLAN_IPOPT] = "ipopt", NULL};
    const FilYaml* relaxation = fil_read_node(reader, mapping, "relaxation", FIL_OPTIONAL);
    const FilYaml* solver = fil_read_node(reader, mapping, "solver", FIL_OPTIONAL);
    if (relaxation != NULL && fil_check_keys(reader, relaxation, relaxation_keys)) {
        fil_read_number(reader, relaxation, "start", FIL_POSITIVE, &def->relaxation[0]);
        fil_read_number(reader, relaxation, "end", FIL_POSITIVE, &def->relaxation[1]);
        fil_read_number(reader, relaxation, "fall", FIL_POSITIVE, &def->relaxation_fall);
    }
    if (solver != NULL && fil_check_keys(reader, solver, solver_keys)) {
        int kind = (int)def->solver;
        fil_read_choice(reader, solver, "kind", kinds, &kind);
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
    static const char* const keys[] = {"axis", "angle", NULL};
    static const char* const axes[] = {"x", "y", "z", NULL};
    FilReader* reader = &scene->reader;
    FilPlanDef* def = &scene->info->plan;
    if (list->node == NULL || !fil_check_keys(reader, list->node, keys)) {
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

static void add_plan(FilScene* scene, FilSceneList* list)
{
    static const char* const keys[] = {"horizon", "nodes",  "contact", "weights", "bounds",
                                       "solver",  "relaxation", "receding", NULL};
    FilReader* reader = &scene->reader;
    FilPlanDef* def = &scene->info->plan;
    if (list->node != NULL && fil_read_node(reader, list->node, "contacts", FIL_OPTIONAL) != NULL) {
        fil_scene_read_manipulation(scene, list->node);
        return;
    }
    if (list->node == NULL || !fil_check_keys(reader, list->node, keys)) {
        return;
    }
    fil_read_number(reader, list->node, "horizon", FIL_POSITIVE, &def->horizon);
    fil_read_integer(reader, list->node, "nodes", FIL_OPTIONAL, 2, 10000, &def->nodes);
    fil_read_number(reader, list->node, "receding", FIL_POSITIVE, &def->receding);
    read_contact(scene, list->node, def);
    read_weights(reader, list->node, &def->weights);
    read_bounds(reader, list->node, def);
    read_method(reader, list->node, def);
    scene->info->has_plan = reader->status == FIL_OK;
}

const FilSceneKind fil_scene_plan = {.section = "plan", .word = NULL, .title = "plan", .add = add_plan};
const FilSceneKind fil_scene_task = {.section = "task", .word = NULL, .title = "task", .add = add_task};
