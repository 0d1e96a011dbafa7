#include "validate/trial.h"

#include <math.h>

enum { MAX_SETTLING_STEPS = 1000 };

FilTrialDef fil_trial_def(int edges, double length)
{
    FilTrialDef def = {.world = fil_world_def_default(), .rod = fil_rod_def_default(), .edges = edges, .length = length};
    def.world.gravity = (FilVec3){0.0, 0.0, 0.0};
    def.rod.director = (FilVec3){0.0, 1.0, 0.0};
    return def;
}

FilSection fil_trial_round_section(double ei, double mass_per_length, double radius)
{
    double area = M_PI * radius * radius;
    return (FilSection){
        .shape = FIL_SECTION_CIRCLE,
        .radius = radius,
        .young = ei / (0.25 * area * radius * radius),
        .poisson = 0.3,
        .density = mass_per_length / area,
    };
}

bool fil_trial_expect(FilTrial* trial, FilStatus status, const char* doing)
{
    if (!trial->failed && status != FIL_OK) {
        const char* why = trial->world ? fil_world_error(trial->world) : "";
        fil_check_fail(trial->check, "%s: %s: %s", doing, fil_status_name(status), why);
        trial->failed = true;
    }
    return !trial->failed;
}

FilTrial fil_trial_begin(FilCheck* check, const FilTrialDef* def)
{
    FilTrial trial = {.check = check, .edges = def->edges, .length = def->length};
    trial.nodes = def->rod.closed ? def->edges : def->edges + 1;
    FilError error = {{0}};
    FilStatus status = fil_world_create(&def->world, &trial.world, &error);
    if (status != FIL_OK || trial.nodes > FIL_TRIAL_MAX_NODES) {
        fil_check_fail(check, "creating the world: %s", error.text);
        trial.failed = true;
        return trial;
    }
    double straight[3 * FIL_TRIAL_MAX_NODES] = {0};
    for (int i = 0; i < trial.nodes; ++i) {
        straight[3 * i] = def->length * i / def->edges;
    }
    FilRodDef rod = def->rod;
    rod.node_count = trial.nodes;
    if (!rod.nodes) {
        rod.nodes = straight;
    }
    fil_trial_expect(&trial, fil_world_add_rod(trial.world, &rod, &trial.rod), "adding the rod");
    return trial;
}

void fil_trial_end(FilTrial* trial)
{
    fil_world_destroy(trial->world);
    trial->world = NULL;
}

FilId fil_trial_attach(FilTrial* trial, FilAttachmentKind kind, int first)
{
    FilId id = {0, 0};
    if (trial->failed) {
        return id;
    }
    FilAttachmentDef def = fil_attachment_def_default();
    def.kind = kind;
    def.object = trial->rod;
    def.first = first;
    fil_trial_expect(trial, fil_world_add_attachment(trial->world, &def, &id), "attaching");
    return id;
}

static FilId add_drive(FilTrial* trial, const FilDriveDef* def)
{
    FilId id = {0, 0};
    if (trial->failed) {
        return id;
    }
    fil_trial_expect(trial, fil_world_add_drive(trial->world, def, &id), "adding a drive");
    return id;
}

FilId fil_trial_load(FilTrial* trial, FilDriveKind kind, int first, int count)
{
    FilDriveDef def = fil_drive_def_default();
    def.kind = kind;
    def.object = trial->rod;
    def.first = first;
    def.count = count;
    return add_drive(trial, &def);
}

FilId fil_trial_move(FilTrial* trial, FilDriveKind kind, FilId attachment)
{
    FilDriveDef def = fil_drive_def_default();
    def.kind = kind;
    def.attachment = attachment;
    return add_drive(trial, &def);
}

void fil_trial_set(FilTrial* trial, FilId drive, const double* value, int count)
{
    if (!trial->failed) {
        fil_trial_expect(trial, fil_drive_set(trial->world, drive, value, count), "setting a drive");
    }
}

void fil_trial_set_dt(FilTrial* trial, double dt)
{
    if (!trial->failed) {
        fil_trial_expect(trial, fil_world_set_dt(trial->world, dt), "setting dt");
    }
}

void fil_trial_set_nodes(FilTrial* trial, const double* nodes)
{
    if (trial->failed) {
        return;
    }
    fil_trial_expect(trial, fil_rod_set_state(trial->world, trial->rod, nodes, NULL, NULL, NULL), "setting the nodes");
}

void fil_trial_run(FilTrial* trial, int steps)
{
    for (int i = 0; i < steps && !trial->failed; ++i) {
        fil_trial_expect(trial, fil_world_step(trial->world, NULL), "stepping");
    }
}

void fil_trial_settle(FilTrial* trial)
{
    const double longest_dt = 1000.0, still = 1e-7;
    double before[3 * FIL_TRIAL_MAX_NODES], after[3 * FIL_TRIAL_MAX_NODES];
    double motion = INFINITY;
    for (int step = 0; step < MAX_SETTLING_STEPS && !trial->failed; ++step) {
        FilStepInfo info;
        fil_rod_get_positions(trial->world, trial->rod, before);
        fil_trial_expect(trial, fil_world_step(trial->world, &info), "settling");
        fil_rod_get_positions(trial->world, trial->rod, after);
        motion = 0.0;
        for (int i = 0; i < 3 * trial->nodes; ++i) {
            motion = fmax(motion, fabs(after[i] - before[i]));
        }
        if (info.dt >= longest_dt && motion < still * trial->length) {
            return;
        }
        /* Newton had little to do: a longer step will do as well */
        if (info.newton_iterations <= 10) {
            fil_trial_set_dt(trial, fmin(2.0 * info.dt, longest_dt));
        }
    }
    if (!trial->failed) {
        fil_check_fail(trial->check, "no equilibrium in %d steps: still moving by %g m a step", MAX_SETTLING_STEPS, motion);
        trial->failed = true;
    }
}

FilVec3 fil_trial_node(const FilTrial* trial, int node)
{
    double nodes[3 * FIL_TRIAL_MAX_NODES] = {0};
    if (!trial->failed) {
        fil_rod_get_positions(trial->world, trial->rod, nodes);
    }
    const double* x = nodes + 3 * (node < 0 ? node + trial->nodes : node);
    return (FilVec3){x[0], x[1], x[2]};
}
