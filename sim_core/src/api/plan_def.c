/* Defaults of plans, where scenes and the planner both find them. */
#include "filum/plan.h"

FilPlanDef fil_plan_def_default(void)
{
    // horizon, nodes, directions, weights: P1 sec. V-C; bounds: chosen, P1 prints none
    return (FilPlanDef){.horizon = 4.0,
                        .nodes = 100,
                        .directions = 10,
                        .axis = {1.0, 0.0, 0.0},
                        .angle = 1.5707963267948966,
                        .weights = {.orientation = 10.0,
                                    .terminal = 100.0,
                                    .normal_force = -1e-3,
                                    .force_rate = 0.2,
                                    .speed_rate = 1e-3,
                                    .spin_rate = 1e-3,
                                    .effort = 1e-2,
                                    .unit = 10.0},
                        .elongation = {-0.05, 0.2},
                        .effort = 60.0,
                        .normal_force = {0.1, 20.0},
                        .slip = 2.0,
                        .face = 1.0,
                        .relaxation = {0.1, 1e-7},
                        .relaxation_fall = 0.2,
                        .tolerance = 1e-8,
                        .max_iterations = 800,
                        .meshes = 3,
                        .seeds = 1,
                        .threads = 1};
}
