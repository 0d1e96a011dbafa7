/* The table of contact models. */
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "contact/imc.h"
#include "contact/spt.h"
#include "solver/solver.h"

/* Contact impulses act on velocities at the step's end: positions must follow those. */
enum {
    EULER = 1 << FIL_BACKWARD_EULER | 1 << FIL_SYMPLECTIC_EULER,
    ANY = EULER | 1 << FIL_MIDPOINT | 1 << FIL_SDIRK2,
};

/* ---- settings ---- */

FilSapSettings fil_sap_settings_default(void)
{
    // as of fil_sap_options_default()
    return (FilSapSettings){.tolerance = 1e-6,
                            .max_iterations = 100,
                            .stick = 1e-3,
                            .slip_velocity = 1e-5,
                            .friction_iterations = 20,
                            .friction_tolerance = fil_sap_options_default().bound_tolerance};
}

FilIpcSettings fil_ipc_settings_default(void)
{
    // slip_speed: P4 table 1. range: the smallest of those between which P4's appendix B sees no difference (its table 1 has 10 mm). What
    // friction_iterations and friction_tolerance give: docs/ipc.md
    return (FilIpcSettings){.range = 1e-3, .slip_speed = 1e-6, .friction_iterations = 6, .friction_tolerance = 0.01};
}

FilModelSettings fil_model_settings_default(void)
{
    return (FilModelSettings){
        .sap = fil_sap_settings_default(), .lcp = fil_lcp_settings_default(), .imc = fil_imc_settings_default(), .ipc = fil_ipc_settings_default()};
}

static FilStatus check_sap(const FilModelSettings* settings, FilError* error)
{
    const FilSapSettings* sap = &settings->sap;
    if (!(sap->stick > 0.0 && sap->stick <= 1.0) || !(sap->slip_velocity > 0.0 && sap->slip_velocity < INFINITY)) {
        return fil_error(error, FIL_BAD_INPUT, "sap: stick must lie between 0 and 1, and slip_velocity must be a positive speed");
    }
    if (!(sap->tolerance > 0.0 && sap->tolerance < 1.0) || sap->max_iterations < 1) {
        return fil_error(error, FIL_BAD_INPUT, "sap: the contact tolerance must lie between 0 and 1, and max_iterations must be positive");
    }
    if (sap->friction_iterations < 0 || !(sap->friction_tolerance >= 0.0)) {
        return fil_error(error, FIL_BAD_INPUT, "sap: friction_iterations and friction_tolerance must not be negative");
    }
    return FIL_OK;
}

static FilStatus check_lcp(const FilModelSettings* settings, FilError* error)
{
    return fil_lcp_settings_check(&settings->lcp, error);
}

static FilStatus check_imc(const FilModelSettings* settings, FilError* error)
{
    const char* problem = fil_imc_settings_problem(&settings->imc);
    return problem == NULL ? FIL_OK : fil_error(error, FIL_BAD_INPUT, "imc: %s", problem);
}

static FilStatus check_ipc(const FilModelSettings* settings, FilError* error)
{
    const FilIpcSettings* ipc = &settings->ipc;
    const double numbers[] = {ipc->range, ipc->stiffness, ipc->slip_speed};
    if (!fil_all_finite(numbers, 3) || !(ipc->range > 0.0) || !(ipc->stiffness >= 0.0) || !(ipc->slip_speed > 0.0)) {
        return fil_error(error, FIL_BAD_INPUT, "ipc: range and slip_speed must be positive and stiffness not negative");
    }
    if (ipc->friction_iterations < 1 || !(ipc->friction_tolerance >= 0.0)) {
        return fil_error(error, FIL_BAD_INPUT, "ipc: friction_iterations must be positive and friction_tolerance not negative");
    }
    return FIL_OK;
}

/* ---- wants ---- */

static void want_sap(const FilModelSettings* settings, FilCollisionWants* wants)
{
    (void)settings;
    *wants = (FilCollisionWants){.nodes = true};
}

static void want_imc(const FilModelSettings* settings, FilCollisionWants* wants)
{
    const FilImcSettings* imc = &settings->imc;
    *wants = (FilCollisionWants){.around = imc->reach,
                                 .round = !imc->rectangles,
                                 .plain = !imc->contact_points,
                                 .vertices = true,
                                 .shares = imc->contact_points,
                                 .held = imc->stiffness > 0.0};
}

static void want_spt(const FilModelSettings* settings, FilCollisionWants* wants)
{
    *wants = (FilCollisionWants){.around = settings->imc.reach, .round = !settings->imc.rectangles, .vertices = true, .held = true};
}

/* ---- pairs ---- */

/* P2's energy is one of the distance of two round edges. Its stiffness is adapted to the pair that is closest, and its force has
 * a bound: shapes that move, whose inertia is not that of a node, sink in and are thrown out. */
static const char* imc_misfit(const FilModelSettings* settings, const FilCollider* a, const FilCollider* b)
{
    const FilCollider* const sides[2] = {a, b};
    for (int k = 0; k < 2; k++) {
        if (sides[k]->kind != FIL_COLLIDER_ROW && sides[k]->movable) {
            return "it knows rods, among themselves and on shapes that nothing pushes; use 'sap_lagged' or 'ipc'";
        }
        if (sides[k]->kind == FIL_COLLIDER_ROW && sides[k]->boxes && !settings->imc.rectangles) {
            return "it takes sections as round; set rectangles in world.imc, or use 'sap_lagged'";
        }
        if (sides[k]->kind == FIL_COLLIDER_SHAPE && sides[k]->shape.mesh != NULL) {
            return "it takes the hulls of meshes, and one of them is not convex; set convex for its hull, or use 'sap_lagged'";
        }
    }
    return NULL;
}

/* Forces found by repeated solves are corrected to and fro on what does not give way: 0.3 to 1.05 of the weight on a ground. */
static const char* spt_misfit(const FilModelSettings* settings, const FilCollider* a, const FilCollider* b)
{
    if (a->kind != FIL_COLLIDER_ROW || b->kind != FIL_COLLIDER_ROW) {
        return "it knows rods among themselves; use 'imc' for rods on shapes that nothing pushes, else 'sap_lagged' or 'ipc'";
    }
    return imc_misfit(settings, a, b);
}

/* ---- the table ---- */

const FilContactModel fil_contact_models[] = {
    {.name = "none", .integrators = ANY, .patches = true, .check = check_sap, .solve = fil_velocity_solve, .velocity = fil_velocity_sap},
    {.name = "sap",
     .integrators = EULER,
     .contacts = true,
     .folds = true,
     .patches = true,
     .want = want_sap,
     .check = check_sap,
     .solve = fil_velocity_solve,
     .velocity = fil_velocity_sap},
    {.name = "sap_lagged",
     .integrators = EULER,
     .contacts = true,
     .folds = true,
     .patches = true,
     .want = want_sap,
     .check = check_sap,
     .solve = fil_velocity_solve,
     .kind = FIL_SAP_LAGGED_CONTACT,
     .velocity = fil_velocity_sap},
    {.name = "lcp",
     .integrators = EULER,
     .contacts = true,
     .patches = true,
     .check = check_lcp,
     .solve = fil_velocity_solve,
     .advice = "try contact model sap, which always has a solution, a contact_stiffness, or less overlap at the start",
     .velocity = fil_velocity_lcp},
    {.name = "imc",
     .integrators = EULER,
     .contacts = true,
     .coupled = true,
     .want = want_imc,
     .check = check_imc,
     .misfit = imc_misfit,
     .solve = fil_potential_solve_step,
     .field = &fil_pair_field,
     .pair = &fil_imc_pair},
    {.name = "spt",
     .integrators = EULER,
     .contacts = true,
     .coupled = true,
     .want = want_spt,
     .check = check_imc,
     .misfit = spt_misfit,
     .solve = fil_potential_solve_step,
     .field = &fil_pair_field,
     .pair = &fil_spt_pair},
    {.name = "ipc",
     .integrators = EULER | 1 << FIL_SDIRK2,
     .everyone = true,
     .coupled = true,
     .rings = true,
     .frugal = true,
     .check = check_ipc,
     .solve = fil_potential_solve_step,
     .field = &fil_ipc_potential},
};
const int fil_contact_models_count = (int)(sizeof fil_contact_models / sizeof fil_contact_models[0]);

int fil_contact_model_find(const char* name)
{
    for (int k = 0; k < fil_contact_models_count; k++) {
        if (name == NULL || strcmp(fil_contact_models[k].name, name) == 0) {
            return k;
        }
    }
    return -1;
}
