/* world: contact, lcp, imc, ipc: settings of the contact models. */
#include "scene/scene_build.h"

static const char* const solvers[] = {
    [FIL_LCP_NEWTON] = "newton",
    [FIL_LCP_LEMKE] = "lemke",
    [FIL_LCP_GAUSS_SEIDEL] = "gauss_seidel",
    NULL,
};

static const char* const frictions[] = {[FIL_IMC_SLIDING] = "sliding", [FIL_IMC_STATIC] = "static", NULL};

const char* const fil_scene_linearisations[] = {[FIL_ABOUT_MOTION] = "motion", [FIL_ABOUT_START] = "start", NULL};

static const FilKey contact_keys[] = {
    FIL_KEY_TEXT("model", 0, "none", "the contact model"),
    FIL_KEY_NUMBER("tolerance", FIL_POSITIVE, "1", "1e-6", "of the contact solver's momentum residual, relative"),
    FIL_KEY_WHOLE("max_iterations", FIL_POSITIVE, "100", "of the contact solver"),
    FIL_KEY_NUMBER("stick", FIL_POSITIVE, "1", "1e-3",
                   "`sap`, `sap_lagged`: how soft sticking friction is, up to 1. What sticks creeps, at 1e-3 by about 0.1 mm/s under its "
                   "weight at dt = 10 ms; 1e-5 makes structures stand for minutes and costs iterations"),
    FIL_KEY_NUMBER("slip_velocity", FIL_POSITIVE, "m/s", "1e-5", "`sap_lagged`: the creep that remains"),
    FIL_KEY_WHOLE("friction_iterations", FIL_NOT_NEGATIVE, "20",
                  "`sap_lagged`: how often, at most, bounds of friction follow the normal forces found in a step; 0: never, as published: those of "
                  "the step's start, which what begins to touch does not have"),
    FIL_KEY_NUMBER("friction_tolerance", FIL_NOT_NEGATIVE, "1", "5e-3",
                   "`sap_lagged`: the change of these bounds, relative, mean over contacts that slide, that ends that"),
    FIL_KEY_WORD("linearisation", fil_scene_linearisations, "motion",
                 "`sap`, `sap_lagged`, `lcp`: what tangents of bodies that deform are taken about: the motion under the last step's forces of "
                 "contact, or the velocity at "
                 "the step's `start`, which takes one tangent instead of Newton's two to eight"),
    FIL_KEY_WHOLE("relinearisations", FIL_NOT_NEGATIVE, "0", "further tangents taken about the contact solution"),
    FIL_KEY_NUMBER("max_depth", FIL_NOT_NEGATIVE, "1", "0",
                   "`sap`, `sap_lagged`, `lcp`: a step fails if a contact is deeper than this share of the smaller part (half the least "
                   "extent of a shape, a rod's radius); 0: never, but steps count contacts deeper than a tenth"),
    FIL_KEY_END,
};

static const FilKey lcp_keys[] = {
    FIL_KEY_WHOLE("directions", FIL_POSITIVE, "8", "of friction; even, 4 to 64"),
    FIL_KEY_FLAG("rank_selection", "true", "drop dependent rows"),
    FIL_KEY_FLAG("equilibration", "true", "scale rows"),
    FIL_KEY_FLAG("regularisation", "true", "add compliance"),
    FIL_KEY_WORD("solver", solvers, "newton", ""),
    FIL_KEY_FLAG("fallback", "true", "Lemke where another solver stalls"),
    FIL_KEY_NUMBER("rank_tolerance", FIL_NOT_NEGATIVE, "1", "1e-6", "of rank selection"),
    FIL_KEY_NUMBER("compliance", FIL_NOT_NEGATIVE, "1", "1e-8", "of regularisation, scaled"),
    FIL_KEY_NUMBER("stabilisation", FIL_NOT_NEGATIVE, "1", "0.2", "share of a penetration taken back in a step"),
    FIL_KEY_NUMBER("recovery_speed", FIL_NOT_NEGATIVE, "m/s", "0.1", "at most, while it is"),
    FIL_KEY_NUMBER("tolerance", FIL_POSITIVE, "1", "1e-8", ""),
    FIL_KEY_WHOLE("max_iterations", FIL_POSITIVE, "100", ""),
    FIL_KEY_WHOLE("dense_limit", FIL_NOT_NEGATIVE, "30",
                  "islands with more rows than this, three a contact, and more than 24 velocities are solved by multipliers; 0: all"),
    FIL_KEY_END,
};

static const FilKey imc_keys[] = {
    FIL_KEY_WORD("friction", frictions, "static", "static holds, but for creep; sliding acts against the last step's slip, none at rest (P2)"),
    FIL_KEY_WHOLE("tangent_after", 0, "-1", "iterations without the contacts' tangent; -1: until convergence is slow"),
    FIL_KEY_NUMBER("stiffness", FIL_NOT_NEGATIVE, "N", "0", "at the start: what one contact bears at most; 0: from weight and speed of what meets"),
    FIL_KEY_NUMBER("sharpness", FIL_POSITIVE, "1", "50", "of the energy"),
    FIL_KEY_NUMBER("smoothing", FIL_POSITIVE, "1", "50", "of the distance, and of the threshold of friction"),
    FIL_KEY_NUMBER("reach", FIL_POSITIVE, "radii", "0.15", "how far surfaces feel each other"),
    FIL_KEY_NUMBER("closest", 0, "radii", "0.0015", "least distance of surfaces within which ..."),
    FIL_KEY_NUMBER("farthest", 0, "radii", "0.007", "... the stiffness stays"),
    FIL_KEY_NUMBER("rate", FIL_NOT_NEGATIVE, "1", "0.02", "share by which it changes in a step where the distance is off by that range"),
    FIL_KEY_NUMBER("dissipation", FIL_NOT_NEGATIVE, "1", "1", "share of critical damping of what contacts move; 0: as P2, objects bounce"),
    FIL_KEY_NUMBER("force_tolerance", FIL_NOT_NEGATIVE, "N", "0", "Newton stops where all unbalanced forces together are below ..."),
    FIL_KEY_NUMBER("reduction", FIL_NOT_NEGATIVE, "1", "0", "... or this share of those at the first guess; both 0: `newton.tolerance` counts"),
    FIL_KEY_NUMBER("slip_speed", FIL_NOT_NEGATIVE, "radii/s", "0.15", "where sliding friction sets in"),
    FIL_KEY_NUMBER("static_speed", FIL_POSITIVE, "m/s", "1e-5", "scale of the creep"),
    FIL_KEY_WHOLE("friction_iterations", FIL_POSITIVE, "7", "how often bounds of static friction are brought up to date in a step"),
    FIL_KEY_FLAG("full_tangent", "false", "with the bending of the distance itself"),
    FIL_KEY_FLAG("damping", "false", "halve the Newton step every other iteration instead of searching the line"),
    FIL_KEY_FLAG("contact_points", "true", "friction acts at the contact points and twists; else mid-edge (P2)"),
    FIL_KEY_FLAG("local_stiffness", "false", "each edge has its own stiffness"),
    FIL_KEY_FLAG("rectangles", "false", "rectangular sections touch with their sides; else they are refused"),
    FIL_KEY_END,
};

static const FilKey ipc_keys[] = {
    FIL_KEY_NUMBER("range", FIL_POSITIVE, "m", "0.001", "how far barriers reach"),
    FIL_KEY_NUMBER("stiffness", FIL_NOT_NEGATIVE, "N/m", "from the masses", "of the barriers"),
    FIL_KEY_NUMBER("slip_speed", FIL_POSITIVE, "m/s", "1e-6", "below which friction is not full"),
    FIL_KEY_WHOLE("friction_iterations", FIL_POSITIVE, "6", "how often friction is brought up to date in a step"),
    FIL_KEY_NUMBER("friction_tolerance", FIL_NOT_NEGATIVE, "1", "0.01", "change of normal forces that ends that"),
    FIL_KEY_END,
};

/* Tells where settings stand that the world does not take. */
static void take(FilReader* reader, const FilYaml* node, FilWorld* world, FilStatus status)
{
    fil_reader_take(reader, status, node, fil_world_error(world));
}

/* ---- sap: beside the model's name ---- */

static void read_sap(FilReader* reader, const FilYaml* node, FilWorld* world)
{
    FilSapSettings settings = fil_world_sap_settings(world);
    if (node->kind == FIL_YAML_MAPPING) {  // else it is the model's name
        fil_read_number(reader, node, "tolerance", FIL_POSITIVE, &settings.tolerance);
        fil_read_integer(reader, node, "max_iterations", FIL_OPTIONAL, 1, 10000, &settings.max_iterations);
        fil_read_number(reader, node, "stick", FIL_POSITIVE, &settings.stick);
        fil_read_number(reader, node, "slip_velocity", FIL_POSITIVE, &settings.slip_velocity);
        fil_read_integer(reader, node, "friction_iterations", FIL_OPTIONAL, 0, 10000, &settings.friction_iterations);
        fil_read_number(reader, node, "friction_tolerance", FIL_NOT_NEGATIVE, &settings.friction_tolerance);
    }
    take(reader, node, world, reader->status == FIL_OK ? fil_world_set_sap_settings(world, &settings) : FIL_OK);
}

/* ---- lcp ---- */

static void read_lcp(FilReader* reader, const FilYaml* node, FilWorld* world)
{
    FilLcpSettings settings = fil_world_lcp_settings(world), *lcp = &settings;
    if (!fil_check_keys(reader, node, lcp_keys)) {
        return;
    }
    if (fil_read_integer(reader, node, "directions", FIL_OPTIONAL, 4, 64, &lcp->directions) && lcp->directions % 2 != 0) {
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
        {"full_tangent", &imc->full_tangent},       {"damping", &imc->damping},       {"contact_points", &imc->contact_points},
        {"local_stiffness", &imc->local_stiffness}, {"rectangles", &imc->rectangles},
    };
    enum { NUMBERS = sizeof numbers / sizeof *numbers, FLAGS = sizeof flags / sizeof *flags };
    if (!fil_check_keys(reader, node, imc_keys)) {
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
    fil_read_integer(reader, node, "friction_iterations", FIL_OPTIONAL, 1, 1000, &imc->friction_iterations);
    take(reader, node, world, reader->status == FIL_OK ? fil_world_set_imc_settings(world, &settings) : FIL_OK);
}

/* ---- ipc ---- */

static void read_ipc(FilReader* reader, const FilYaml* node, FilWorld* world)
{
    FilIpcSettings settings = fil_world_ipc_settings(world), *ipc = &settings;
    if (fil_check_keys(reader, node, ipc_keys)) {
        fil_read_number(reader, node, "range", FIL_POSITIVE, &ipc->range);
        fil_read_number(reader, node, "stiffness", FIL_NOT_NEGATIVE, &ipc->stiffness);
        fil_read_number(reader, node, "slip_speed", FIL_POSITIVE, &ipc->slip_speed);
        fil_read_integer(reader, node, "friction_iterations", FIL_OPTIONAL, 1, 1000, &ipc->friction_iterations);
        fil_read_number(reader, node, "friction_tolerance", FIL_NOT_NEGATIVE, &ipc->friction_tolerance);
    }
    take(reader, node, world, reader->status == FIL_OK ? fil_world_set_ipc_settings(world, &settings) : FIL_OK);
}

/* ---- rows ---- */

const FilSceneModel fil_scene_models[] = {
    {"contact", "the contact model: its name, or a mapping with settings of `sap`, `sap_lagged` and all others; `--contact` overrides it",
     contact_keys, read_sap},
    {"lcp", "settings of the model `lcp`", lcp_keys, read_lcp},
    {"imc", "settings of the model `imc`; lengths are in radii", imc_keys, read_imc},
    {"ipc", "settings of the model `ipc`", ipc_keys, read_ipc},
    {NULL, NULL, NULL, NULL},
};

void fil_scene_read_models(FilReader* reader, const FilYaml* node, FilWorld* world)
{
    for (const FilSceneModel* model = fil_scene_models; model->key != NULL; model++) {
        const FilYaml* settings = fil_read_node(reader, node, model->key, FIL_OPTIONAL);
        if (settings != NULL) {
            model->read(reader, settings, world);
        }
    }
}
