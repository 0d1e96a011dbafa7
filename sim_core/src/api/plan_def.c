/* Defaults of plans, where scenes and the planner both find them. */
#include "filum/plan.h"

FilPlanDef fil_plan_def_default(void)
{
    // horizon, nodes, directions, weights, last relaxation: P1 sec. V-C, eq. 20; P1 prints no bounds, but its task is one of continuous
    // contact, hence the 0.1 N (docs/planning.md); the others are wide: elongations of -1/3 to 4/3 of a section, efforts that 1.5 bar
    // give, a slip of 40 radii of the ball a second. The solver's: as of fil_plan_settings_default(), 25, 50 and 100 stages; 800 is twice what the
    // turn about y takes in all, 371
    return (FilPlanDef){.kind = FIL_PLAN_BALL,
                        .ball = {.directions = 10,
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
                                 .face = 1.0},
                        .horizon = 4.0,
                        .nodes = 100,
                        .relaxation = {0.1, 1e-7},
                        .relaxation_fall = 0.2,
                        .tolerance = 1e-8,
                        .max_iterations = 800,
                        .meshes = 3,
                        .seeds = 1,
                        .threads = 1};
}

FilManipulationContact fil_manipulation_contact_default(void)
{
    return (FilManipulationContact){.disk = -1, .side = -1, .nearest = 4};
}

FilPlanDef fil_manipulation_def_default(void)
{
    FilPlanDef def = fil_plan_def_default();
    def.kind = FIL_PLAN_MANIPULATION;
    // weights: costs are of order 1 for forces of tens of newtons, so that the solver's tolerance means something; bounds: several times what
    // box_push and valve_turn come near
    def.manipulation = (FilManipulationTask){.goal = {.within = {1e-3, 1e-2}, .speed = 1e-2},
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
                                             .elongation = {-0.05, 0.2}};
    // of box_push and valve_turn, whose motions take two seconds, 20 stages each; less exact, as multipliers of shared loads are not unique
    // (docs/planning.md)
    def.horizon = 2.0;
    def.nodes = 40;
    def.tolerance = 1e-7;
    def.max_iterations = 500;
    def.meshes = 2;
    return def;
}
