/* world: contact, lcp, imc, ipc: settings of the contact models. */
#include "scene/scene_build.h"

/* Tells where settings stand that the world does not take. */
static void take(FilReader* reader, const FilYaml* node, FilWorld* world, FilStatus status)
{
    fil_reader_take(reader, status, node, fil_world_error(world));
}

/* ---- sap: beside the model's name ---- */

static void read_sap(FilReader* reader, const FilYaml* node, FilWorld* world)
{
    FilSapSettings settings = fil_world_sap_settings(world);
    if (node->kind == FIL_YAML_MAPPING) { // else it is the model's name
        fil_read_number(reader, node, "tolerance", FIL_POSITIVE, &settings.tolerance);
        fil_read_integer(reader, node, "max_iterations", FIL_OPTIONAL, 1, 10000, &settings.max_iterations);
        fil_read_number(reader, node, "stick", FIL_POSITIVE, &settings.stick);
        fil_read_number(reader, node, "slip_velocity", FIL_POSITIVE, &settings.slip_velocity);
    }
    take(reader, node, world, reader->status == FIL_OK ? fil_world_set_sap_settings(world, &settings) : FIL_OK);
}

/* ---- lcp ---- */

static void read_lcp(FilReader* reader, const FilYaml* node, FilWorld* world)
{
    static const char* const keys[] = {"directions",
                                       "rank_selection",
                                       "equilibration",
                                       "regularisation",
                                       "solver",
                                       "fallback",
                                       "rank_tolerance",
                                       "compliance",
                                       "stabilisation",
                                       "recovery_speed",
                                       "tolerance",
                                       "max_iterations",
                                       "dense_limit",
                                       NULL};
    static const char* const solvers[] = {
        [FIL_LCP_NEWTON] = "newton",
        [FIL_LCP_LEMKE] = "lemke",
        [FIL_LCP_GAUSS_SEIDEL] = "gauss_seidel",
        NULL,
    };
    FilLcpSettings settings = fil_world_lcp_settings(world), *lcp = &settings;
    if (!fil_check_keys(reader, node, keys)) {
        return;
    }
    if (fil_read_integer(reader, node, "directions", FIL_OPTIONAL, 4, 64, &lcp->directions) &&
        lcp->directions % 2 != 0) {
        fil_reader_fail(reader, fil_read_node(reader, node, "directions", FIL_REQUIRED),
                        "must be even: each direction of friction needs its opposite");
    }
    fil_read_flag(reader, node, "rank_selection", &lcp->rank_selection);
    fil_read_flag(reader, node, "equilibration", &lcp->equilibration);
    fil_read_flag(reader, node, "regularisation", &lcp->regularisation);
    fil_read_flag(reader, node, "fallback", &lcp->fallback);
    int solver = (int)lcp->solver;
    fil_read_choice(reader, node, "solver", solvers, &solver);
    lcp->solver = (FilLcpSolver)solver;
    fil_read_number(reader, node, "rank_tolerance", FIL_NOT_NEGATIVE, &lcp->rank_tolerance);
    fil_read_number(reader, node, "compliance", FIL_NOT_NEGATIVE, &lcp->compliance);
    fil_read_number(reader, node, "stabilisation", FIL_NOT_NEGATIVE, &lcp->stabilisation);
    fil_read_number(reader, node, "recovery_speed", FIL_NOT_NEGATIVE, &lcp->recovery_speed);
    fil_read_number(reader, node, "tolerance", FIL_POSITIVE, &lcp->tolerance);
    fil_read_integer(reader, node, "max_iterations", FIL_OPTIONAL, 1, 10000, &lcp->max_iterations);
    fil_read_integer(reader, node, "dense_limit", FIL_OPTIONAL, 0, 100000, &lcp->dense_limit);
    take(reader, node, world, reader->status == FIL_OK ? fil_world_set_lcp_settings(world, &settings) : FIL_OK);
}

/* ---- imc ---- */

static void read_imc(FilReader* reader, const FilYaml* node, FilWorld* world)
{
    FilImcSettings settings = fil_world_imc_settings(world), *imc = &settings;
    static const char* const frictions[] = {[FIL_IMC_SLIDING] = "sliding", [FIL_IMC_STATIC] = "static", NULL};
    const struct {
        const char* key;
        unsigned flags;
        double* value;
    } numbers[] = {
        {"stiffness", FIL_NOT_NEGATIVE, &imc->stiffness},
        {"sharpness", FIL_POSITIVE, &imc->sharpness},
        {"smoothing", FIL_POSITIVE, &imc->smoothing},
        {"reach", FIL_POSITIVE, &imc->reach},
        {"closest", FIL_OPTIONAL, &imc->closest},
        {"farthest", FIL_OPTIONAL, &imc->farthest},
        {"rate", FIL_NOT_NEGATIVE, &imc->rate},
        {"dissipation", FIL_NOT_NEGATIVE, &imc->dissipation},
        {"force_tolerance", FIL_NOT_NEGATIVE, &imc->force_tolerance},
        {"reduction", FIL_NOT_NEGATIVE, &imc->reduction},
        {"slip_speed", FIL_NOT_NEGATIVE, &imc->slip_speed},
        {"static_speed", FIL_POSITIVE, &imc->static_speed},
    };
    const struct {
        const char* key;
        bool* flag;
    } flags[] = {
        {"full_tangent", &imc->full_tangent}, {"damping", &imc->damping},       {"contact_points", &imc->contact_points},
        {"local_stiffness", &imc->local_stiffness}, {"rectangles", &imc->rectangles},
    };
    enum { NUMBERS = sizeof numbers / sizeof *numbers, FLAGS = sizeof flags / sizeof *flags };
    const char* keys[NUMBERS + FLAGS + 3] = {"friction", "tangent_after"};
    for (int k = 0; k < NUMBERS + FLAGS; k++) {
        keys[2 + k] = k < NUMBERS ? numbers[k].key : flags[k - NUMBERS].key;
    }
    if (!fil_check_keys(reader, node, keys)) {
        return;
    }
    for (int k = 0; k < NUMBERS; k++) {
        fil_read_number(reader, node, numbers[k].key, numbers[k].flags, numbers[k].value);
    }
    for (int k = 0; k < FLAGS; k++) {
        fil_read_flag(reader, node, flags[k].key, flags[k].flag);
    }
    int friction = (int)imc->friction;
    fil_read_choice(reader, node, "friction", frictions, &friction);
    imc->friction = (FilImcFriction)friction;
    fil_read_integer(reader, node, "tangent_after", FIL_OPTIONAL, -1, 10000, &imc->tangent_after);
    take(reader, node, world, reader->status == FIL_OK ? fil_world_set_imc_settings(world, &settings) : FIL_OK);
}

/* ---- ipc ---- */

static void read_ipc(FilReader* reader, const FilYaml* node, FilWorld* world)
{
    static const char* const keys[] = {"range", "stiffness", "slip_speed", "friction_iterations", "friction_tolerance", NULL};
    FilIpcSettings settings = fil_world_ipc_settings(world), *ipc = &settings;
    if (fil_check_keys(reader, node, keys)) {
        fil_read_number(reader, node, "range", FIL_POSITIVE, &ipc->range);
        fil_read_number(reader, node, "stiffness", FIL_NOT_NEGATIVE, &ipc->stiffness);
        fil_read_number(reader, node, "slip_speed", FIL_POSITIVE, &ipc->slip_speed);
        fil_read_integer(reader, node, "friction_iterations", FIL_OPTIONAL, 1, 1000, &ipc->friction_iterations);
        fil_read_number(reader, node, "friction_tolerance", FIL_NOT_NEGATIVE, &ipc->friction_tolerance);
    }
    take(reader, node, world, reader->status == FIL_OK ? fil_world_set_ipc_settings(world, &settings) : FIL_OK);
}

/* ---- rows ---- */

const FilSceneModel fil_scene_models[] = {{"contact", read_sap}, {"lcp", read_lcp}, {"imc", read_imc}, {"ipc", read_ipc}, {NULL, NULL}};

void fil_scene_read_models(FilReader* reader, const FilYaml* node, FilWorld* world)
{
    for (const FilSceneModel* model = fil_scene_models; model->key != NULL; model++) {
        const FilYaml* settings = fil_read_node(reader, node, model->key, FIL_OPTIONAL);
        if (settings != NULL) {
            model->read(reader, settings, world);
        }
    }
}
