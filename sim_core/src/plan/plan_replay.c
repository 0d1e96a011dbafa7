/* What a plan commands, and how a world follows it by drives and trajectories. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/script.h"
#include "filum/robot.h"
#include "plan/plan_data.h"
#include "world/world.h"

void fil_plan_coordinates(const FilPlan* plan, int stage, double* coordinates)
{
    const int n = plan->kind->turns ? plan->info.coordinates - 3 : plan->info.coordinates;  // a ball's rotation is no coordinate
    memcpy(coordinates, plan->x + stage * plan->mesh.problem.variables, sizeof(double) * (size_t)n);
}

void fil_plan_miss(const FilPlan* plan, const FilWorld* world, double* miss, double* turn_miss)
{
    plan->kind->miss(plan, world, miss, turn_miss);
}

/* ---- channels and knots ---- */

int fil_plan_channel_count(const FilPlan* plan)
{
    return plan->start->channels.count;
}

FilPlanChannel fil_plan_channel(const FilPlan* plan, int channel)
{
    const FilPlanOutlet* outlet = &plan->start->channels.outlets[channel];
    return (FilPlanChannel){outlet->object, outlet->area > 0.0 ? NULL : outlet->joint, outlet->index};
}

int fil_plan_knot_count(const FilPlan* plan)
{
    return plan->kind->knots(plan);
}

double fil_plan_knot(const FilPlan* plan, int knot, int channel, FilPlanCommand* command)
{
    const double time = plan->kind->knot(plan, knot, channel, command), area = plan->start->channels.outlets[channel].area;
    command->pressure = area > 0.0 ? command->effort / area : 0.0;
    return time;
}

void fil_plan_command(const FilPlan* plan, double time, FilPlanCommand* commands)
{
    const int last = fil_plan_knot_count(plan) - 1;
    FilPlanCommand a, b;
    int low = 0, high = last;
    while (high - low > 1) {  // the knots on both sides of the time
        const int middle = (low + high) / 2;
        if (fil_plan_knot(plan, middle, 0, &a) <= time) {
            low = middle;
        } else {
            high = middle;
        }
    }
    for (int c = 0; c < fil_plan_channel_count(plan); c++) {
        const double from = fil_plan_knot(plan, low, c, &a), length = fil_plan_knot(plan, high, c, &b) - from;
        const double u = fmin(1.0, fmax(0.0, (time - from) / length));
        fil_script_cubic(length, u, a.position, b.position, a.velocity, b.velocity, &commands[c].position, &commands[c].velocity);
        commands[c].effort = (1.0 - u) * a.effort + u * b.effort;
        commands[c].pressure = (1.0 - u) * a.pressure + u * b.pressure;
    }
}

/* ---- in a world ---- */

static FilStatus drive_chamber(const FilPlan* plan, FilWorld* world, int channel, double* memory)
{
    const FilPlanChannel c = fil_plan_channel(plan, channel);
    const int knots = fil_plan_knot_count(plan);
    char name[2 * FIL_PLAN_NAME];
    FilDriveDef def = fil_drive_def_default();
    FilId id;
    snprintf(name, sizeof name, "plan_%s_chamber%d", c.object, c.index);
    for (int k = 0; k < knots; k++) {
        FilPlanCommand command;
        memory[k] = fil_world_time(world) + fil_plan_knot(plan, k, channel, &command);
        memory[knots + k] = command.pressure;
    }
    def.name = name;
    def.kind = FIL_DRIVE_PRESSURE;
    def.object = fil_world_find_arm(world, c.object);
    def.first = c.index;
    def.count = 1;
    def.knot_count = knots;
    def.times = memory;
    def.values = memory + knots;
    return fil_world_add_drive(world, &def, &id);
}

/* Joints of one robot stand together, from `first` on; `end` is behind the last. */
static FilStatus drive_robot(const FilPlan* plan, FilWorld* world, int first, int end, double* memory)
{
    const int knots = fil_plan_knot_count(plan), n = end - first;
    double *times = memory, *positions = times + knots, *velocities = positions + knots * n, *efforts = velocities + knots * n;
    int joints[FIL_PLAN_COORDINATES];
    for (int j = 0; j < n; j++) {
        joints[j] = fil_plan_channel(plan, first + j).index;
        for (int k = 0; k < knots; k++) {
            FilPlanCommand command;
            times[k] = fil_plan_knot(plan, k, first + j, &command);
            positions[k * n + j] = command.position;
            velocities[k * n + j] = command.velocity;
            efforts[k * n + j] = command.effort;
        }
    }
    FilTrajectoryDef def = fil_trajectory_def_default();
    def.joints = joints;
    def.joint_count = n;
    def.interpolation = FIL_INTERPOLATE_SPLINE;
    def.start = fil_world_time(world);
    def.point_count = knots;
    def.times = times;
    def.positions = positions;
    def.velocities = velocities;
    def.efforts = efforts;
    return fil_robot_set_trajectory(world, fil_world_find_robot(world, fil_plan_channel(plan, first).object), &def);
}

FilStatus fil_plan_add_drives(const FilPlan* plan, FilWorld* world)
{
    const int knots = fil_plan_knot_count(plan), channels = fil_plan_channel_count(plan);
    double* memory = fil_alloc((size_t)knots, (size_t)(1 + 3 * channels) * sizeof(double));
    FilStatus status = memory != NULL ? FIL_OK : fil_world_fail(world, FIL_OUT_OF_MEMORY, "plan: out of memory");
    for (int c = 0, end; c < channels && status == FIL_OK; c = end) {
        const FilPlanChannel first = fil_plan_channel(plan, c);
        end = c + 1;
        while (first.joint != NULL && end < channels && fil_plan_channel(plan, end).joint != NULL &&
               strcmp(fil_plan_channel(plan, end).object, first.object) == 0) {
            end++;
        }
        status = first.joint == NULL ? drive_chamber(plan, world, c, memory) : drive_robot(plan, world, c, end, memory);
    }
    fil_free(memory);
    return status;
}
