/* Defaults of manipulation, where scenes and the planner both find them. */
#include "filum/manipulation.h"

FilManipulationContact fil_manipulation_contact_default(void)
{
    return (FilManipulationContact){.disk = -1, .side = -1, .nearest = 4};
}

FilManipulationDef fil_manipulation_def_default(void)
{
    // weights: chosen so that costs are of order 1 for forces of tens of newtons; bounds: chosen, wide
    return (FilManipulationDef){.goal = {.within = {1e-3, 1e-2}, .speed = 1e-2},
                                .horizon = 2.0,
                                .nodes = 40,
                                .directions = 0,
                                .goal_weight = 0.0,
                                .end_weight = 1.0,
                                .effort_weight = 1e-2,
                                .rate_weight = 1.0,
                                .force_weight = 1e-5,
                                .normal_force = 200.0,
                                .slip = 5.0,
                                .speed = 10.0,
                                .effort = 200.0,
                                .elongation = {-0.05, 0.2},
                                .relaxation = {0.1, 1e-7},
                                .relaxation_fall = 0.2,
                                .tolerance = 1e-7,
                                .max_iterations = 500,
                                .meshes = 2};
}
