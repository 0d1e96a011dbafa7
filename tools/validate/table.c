/* The table of all physics checks. */
#include "validate/arm.h"
#include "validate/check.h"
#include "validate/contact.h"
#include "validate/knots_imc.h"
#include "validate/matrix.h"
#include "validate/patch.h"
#include "validate/plan.h"
#include "validate/rings.h"
#include "validate/robot.h"
#include "validate/rod.h"
#include "validate/solid.h"

static const FilCheckCase table[] = {
    {"rod", "cantilever_weight", "cantilever under its own weight against the elastica", 0, fil_check_cantilever_weight},
    {"rod", "cantilever_tip", "cantilever under a tip load against the elastica", 0, fil_check_cantilever_tip},
    {"rod", "clamp_order", "order of convergence of a clamped rod in the edge length", 0, fil_check_clamp_order},
    {"rod", "section_axes", "principal axes of a rectangular section", 0, fil_check_section_axes},
    {"rod", "hanging_weight", "reaction and tension of a hanging rod", 0, fil_check_hanging_weight},
    {"rod", "torsion", "torque of a twisted rod", 0, fil_check_torsion},
    {"rod", "circle", "rest curvature rolls a rod up into a circle", 0, fil_check_circle},
    {"rod", "circle_ramp", "the same, ramped while running", 0, fil_check_circle_ramp},
    {"rod", "euler_column", "buckling of a column", 0, fil_check_euler_column},
    {"rod", "michell", "critical twist of a ring, from the tangent", 0, fil_check_michell},
    {"rod", "michell_dynamic", "a ring twisted above and below the critical angle", 0, fil_check_michell_dynamic},
    {"rod", "lateral_buckling", "critical tip load of a strip on edge", 0, fil_check_lateral_buckling},
    {"rod", "bending_frequencies", "first three frequencies of a cantilever", 0, fil_check_bending_frequencies},
    {"rod", "torsion_frequency", "first torsional frequency", 0, fil_check_torsion_frequency},
    {"rod", "damping", "Rayleigh damping of the first mode", 0, fil_check_damping},
    {"rod", "midpoint_energy", "energy kept by the midpoint rule", 0, fil_check_midpoint_energy},
    {"rod", "time_order", "order of convergence in the time step", 0, fil_check_time_order},
    {"rod", "free_flight", "momentum of a bent, spinning rod in flight", 0, fil_check_free_flight},
    {"rod", "drag", "terminal velocity in a viscous medium", 0, fil_check_drag},
    {"rod", "junction", "a rod hung on another rod's node", 0, fil_check_junction},
    {"rod", "net", "a net hung by its corners, and falling", 0, fil_check_net},

    {"contact", "incline", "a block on an incline sticks or slides", 0, fil_check_incline},
    {"contact", "drop", "what falls does not rebound", 0, fil_check_drop},
    {"contact", "stack", "ten boxes on each other for a minute", 0, fil_check_stack},
    {"contact", "pile", "216 boxes in layers for 10 s", 22, fil_check_pile},
    {"contact", "pile_long", "the same of 1,000", 250, fil_check_pile_long},
    {"contact", "coin", "energy of a spinning coin", 0, fil_check_coin},
    {"contact", "free_spin", "energy and momentum of a tumbling box", 0, fil_check_free_spin},
    {"contact", "collision", "momentum of two boxes that collide", 0, fil_check_collision},
    {"contact", "rolling_rod", "a rod rolls between two plates", 0, fil_check_rolling_rod},
    {"contact", "surface_twist", "friction at its surface twists a rod", 0, fil_check_surface_twist},
    {"contact", "rod_collision", "momentum of two rods that collide", 0, fil_check_rod_collision},
    {"contact", "capstan", "tensions of a rope around a post", 0, fil_check_capstan},
    {"contact", "capstan_refinement", "their error falls with the segments", 0, fil_check_capstan_refinement},
    {"contact", "capstan_two_turns", "a thin rope twice around", 0, fil_check_capstan_two_turns}, /* heavy */
    {"contact", "capstan_sap", "1.3 pi and 5 pi, on three meshes", 0, fil_check_capstan_sap},
    {"contact", "capstan_lagged", "the same with lagged friction, on three meshes", 0, fil_check_capstan_lagged}, /* heavy */
    {"contact", "capstan_imc", "the same by a smooth potential", 0, fil_check_capstan_imc},                       /* heavy */
    {"contact", "capstan_ipc", "the same by barriers", 0, fil_check_capstan_ipc},                                 /* heavy */
    {"contact", "capstan_lcp", "1.3 pi as a complementarity problem, on two meshes", 0, fil_check_capstan_lcp},   /* heavy */
    {"contact", "capstan_lcp_fine", "1.3 pi and 5 pi as a complementarity problem, on three meshes", 27, fil_check_capstan_lcp_fine},
    {"contact", "lcp_rope", "a rope on a slope, up to 400 contacts of one complementarity problem", 0, fil_check_lcp_rope}, /* heavy */
    {"contact", "lcp_pile", "a pyramid of boxes, the same", 0, fil_check_lcp_pile},                                         /* heavy */
    {"contact", "wedge", "a wedge between two boxes holds or drives them apart", 0, fil_check_wedge},
    {"contact", "thrown", "a puck, a ball and logs whose slip turns while they slide", 0, fil_check_thrown},
    {"contact", "ladder", "a smooth ladder slides down and leaves its wall", 0, fil_check_ladder},
    {"contact", "rope_falls", "a smooth rope slides off a table", 0, fil_check_rope_falls},               /* heavy */
    {"contact", "bundle", "a bundle of ropes sheared to and fro: work of friction", 0, fil_check_bundle}, /* heavy */
    {"contact", "bundle_potentials", "the same under ipc, and noted under imc", 25, fil_check_bundle_potentials},
    {"contact", "bundle_lcp", "the same as a complementarity problem", 20, fil_check_bundle_lcp},
    {"contact", "edge", "a rope drawn over an edge, rounded and sharp", 0, fil_check_edge}, /* heavy */
    {"contact", "plectoneme", "a clamped rod twisted until it winds up: torque and tension against its angle", 0, fil_check_plectoneme},
    {"contact", "plectoneme_models", "the same under the other models", 0, fil_check_plectoneme_models}, /* heavy */
    {"contact", "slopes", "rods that roll, a ring on a bar and cloth that slide down slopes", 0, fil_check_slopes},
    {"contact", "ball_ring", "balls that fall on a ring of wire and through it", 0, fil_check_ball_ring},
    {"contact", "two_posts", "a rope drawn round two posts one after the other", 0, fil_check_two_posts}, /* heavy */
    {"contact", "wobble", "a coin that wobbles down, against its steady motions", 0, fil_check_wobble},   /* heavy */
    {"contact", "crossed_rods", "friction of rods that slide from edge to edge", 0, fil_check_crossed_rods},
    {"contact", "gripper", "twelve filaments carry a branched object aside and let go", 1000, fil_check_gripper},
    {"contact", "knot_one", "an overhand knot drawn tight, unknotting number 1", 3, fil_check_knot_one},
    {"contact", "knot_two", "the same with unknotting number 2", 5, fil_check_knot_two},
    {"contact", "knot_three", "the same with unknotting number 3", 5, fil_check_knot_three},
    {"contact", "knot_four", "the same with unknotting number 4, which snaps through", 0, fil_check_knot_four}, /* heavy */
    {"contact", "capsule_chain", "the same as a chain of rigid capsules, which does not", 22, fil_check_capsule_chain},
    {"contact", "ring_chain", "25 linked rings hang still for 10 s", 0, fil_check_ring_chain}, /* heavy */
    {"contact", "ring_chain_long", "100 linked rings hang still for 10 minutes", 1800, fil_check_ring_chain_long},
    {"contact", "chain_weight", "what holds 1, 18, 37 rings under ipc feels their weight", 30, fil_check_chain_weight},
    {"contact", "chain_weight_long", "the same of 100 rings under ipc and sap_lagged", 85, fil_check_chain_weight_long},
    {"contact", "joint_weight", "what joints bear", 0, fil_check_joint_weight},
    {"contact", "joint_weld", "a welded cantilever against a clamped one", 0, fil_check_joint_weld},
    {"contact", "joint_bushing", "deflection of bushings", 0, fil_check_joint_bushing},
    {"contact", "matrix", "a share of the matrix: sphere, box and rod on the ground under every model", 0, fil_check_matrix_fast},

    {"knots", "start", "P2's knot n = 2 takes hold", 0, fil_check_knots_start},                           /* heavy */
    {"knots", "fast", "P0's fast pull: IMC lets strands through, SAP does not", 0, fil_check_knots_fast}, /* heavy */
    {"knots", "spt", "explicit forces by repeated solves, against IMC", 0, fil_check_knots_spt},          /* heavy */
    {"knots", "incline", "static friction: a rod on an incline holds or slides", 0, fil_check_imc_incline},
    {"knots", "twist", "friction at contact points twists a rod", 0, fil_check_imc_twist},
    {"knots", "local", "stiffness edge by edge", 0, fil_check_imc_local},
    {"knots", "rectangle", "crossed strips lie on their sides", 0, fil_check_imc_rectangle},
    {"knots", "steps", "steps divide where a loop gets small", 20, fil_check_imc_steps},
    {"knots", "rods", "rods over a rod and over a ball", 0, fil_check_imc_rods},
    {"knots", "tightening", "n = 1 to 4 pulled tight: distances, forces, speed (P2 Fig. 6, Table 1)", 108, fil_check_knots_tightening},
    {"knots", "speeds", "n = 2 at 3, 6 and 9 mm/s (P2 Fig. 5a)", 72, fil_check_knots_speeds},
    {"knots", "trefoil", "n = 1 tightened and loosened (P2 Fig. 5a)", 23, fil_check_knots_trefoil},
    {"knots", "friction", "n = 4 with three coefficients of friction (P2 Fig. 5b)", 54, fil_check_knots_friction},
    {"knots", "models", "n = 1 to 4, two frictions, by SAP and IMC: pull, and where loops turn over", 900, fil_check_knots_models},
    {"knots", "middle", "the same with a friction in between", 437, fil_check_knots_middle},
    {"knots", "finer", "the second of these at half the step", 225, fil_check_knots_finer},
    {"knots", "finer_three", "n = 3, the first friction, at half the step: its loop turns over", 225, fil_check_knots_finer_three},
    {"knots", "turned", "n = 1 mirrored and turned, under ipc and imc", 0, fil_check_knots_turned},        /* heavy */
    {"knots", "two_models", "n = 1 by SAP and IMC while its loop is wide", 0, fil_check_knots_two_models}, /* heavy */

    {"rings", "bar", "P4 3.1: a ring on an inclined bar slides or sticks", 0, fil_check_ring_bar},
    {"rings", "tautochrone", "P4 3.2: five rings reach the bottom together", 0, fil_check_ring_tautochrone},
    {"rings", "catenary", "P4 3.3, appendix A: convergence of a ring on a flexible cable", 0, fil_check_catenary_refined},
    {"rings", "catenary_fine", "the same against N = 400, h = 0.1 ms", 6, fil_check_catenary_fine},
    {"rings", "catenary_bounds", "P4 appendix B: barriers and slip speeds do not matter", 0, fil_check_catenary_bounds},
    {"rings", "catenary_cases", "P4 Fig. 7: three cables, three frictions", 0, fil_check_catenary_cases}, /* heavy */
    {"rings", "catenary_rigid", "P4 Fig. 7: the stiffest against a rigid catenary", 8, fil_check_catenary_rigid},
    {"rings", "energy", "energy of ring, cable and barrier", 0, fil_check_ring_energy},
    {"rings", "sheds", "a ring falls off a free end", 0, fil_check_ring_sheds},
    {"rings", "hoop_hangs", "a rigid hoop hangs on a bar by its rim", 0, fil_check_hoop_hangs},
    {"rings", "hoop_swings", "frequencies of a hoop that swings across and along a bar", 0, fil_check_hoop_swings},
    {"rings", "hoop_slides", "a hoop slides down a slope or sticks", 0, fil_check_hoop_slides},
    {"rings", "hoop_spins", "friction at its rim turns a hoop", 0, fil_check_hoop_spins},
    {"rings", "hoop_energy", "energy of a hoop in motion", 0, fil_check_hoop_energy},
    {"rings", "plate", "simply supported plates: both laws of bending, two meshes", 0, fil_check_plate},
    {"rings", "clothes", "P4 3.4: cloth on five rings gathers, wrinkles and sheds", 25, fil_check_hanging_clothes},
    {"rings", "net", "P4 3.5: a net catches a ball and closes over it", 120, fil_check_tether_net},
    {"rings", "net_step", "P4 3.5: a smaller net's opening until 8 s, against the paper's step of 1 ms and its own error", 45,
     fil_check_tether_net_step},
    {"rings", "net_whole", "the same of the whole net", 900, fil_check_tether_net_whole},

    {"robots", "pendulum_period", "period of a pendulum, small and large", 0, fil_check_pendulum_period},
    {"robots", "double_pendulum", "energy of a double pendulum", 0, fil_check_double_pendulum},
    {"robots", "spherical_pendulum", "a bar on a ball joint", 0, fil_check_spherical_pendulum},
    {"robots", "free_robot", "momenta of a robot in flight", 0, fil_check_free_robot},
    {"robots", "joint_gains", "sag of a bar held by spring and damper", 0, fil_check_joint_gains},
    {"robots", "joint_effort", "bounds of motors", 0, fil_check_joint_effort},
    {"robots", "joint_limits", "depth in limits under load, and coupled fingers", 0, fil_check_joint_limits},
    {"robots", "joint_friction", "dry friction holds and slips", 0, fil_check_joint_friction},
    {"robots", "gripper_hold", "a gripper holds a cube, or drops it", 0, fil_check_gripper_hold}, /* heavy */
    {"robots", "gripper_pinch", "grippers pick up a box and a rod", 0, fil_check_gripper_pinch},
    {"robots", "two_arms_knot", "two arms pull a knot tight, twice the same", 0, fil_check_two_arms_knot},

    {"arm", "bending", "bending of a section against pressure", 0, fil_check_arm_bending},
    {"arm", "energy", "energy of a swinging arm, midpoint rule", 0, fil_check_arm_energy},
    {"arm", "box", "P1 A: an arm on an inclined box sticks, then slides", 0, fil_check_arm_box},
    {"arm", "spheres", "P1 B: an arm bends from one sphere to another", 0, fil_check_arm_spheres},
    {"arm", "solvers", "recorded steps of A and B by three solvers", 0, fil_check_arm_solvers},
    {"ablation", "pipeline", "P1 C: all stages of conditioning, five conditions", 0, fil_check_ablation_pipeline}, /* heavy */
    {"ablation", "table", "P1 C: all 64 runs", 355, fil_check_ablation_table},

    {"plan", "coarse", "a ball turned by 90 degrees in 25 stages", 0, fil_check_plan_coarse}, /* heavy */
    {"plan", "rotations", "P1's three rotations in 100 stages", 30, fil_check_plan_rotations},
    {"plan", "seeds", "the same from twenty starts each", 500, fil_check_plan_seeds},
    {"plan", "tracking", "a roll about x, y and z, tracked in the simulator", 20, fil_check_plan_tracking},
    {"plan", "disturbed", "the same with other friction, masses and stiffness: 27 cases", 50, fil_check_plan_disturbed},
    {"plan", "rolled", "P1's weights, about x, y and z, tracked in the simulator", 30, fil_check_plan_rolled},
    {"plan", "rolled_disturbed", "the same in 27 cases each", 50, fil_check_plan_rolled_disturbed},
    {"plan", "open_loop", "the same by its pressures alone, standing and hanging", 15, fil_check_plan_open_loop},
    {"plan", "rolled_open_loop", "P1's weights by pressures alone, standing and hanging", 40, fil_check_plan_rolled_open_loop},
    {"plan", "receding", "plans of 0.32 s, 25 a second, while the ball is pushed", 3, fil_check_plan_receding},
    {"plan", "tasks", "a box pushed, a box pivoted, a valve turned, a drum hugged and lifted: planned and tried", 35, fil_check_plan_tasks},
    {"plan", "referee", "IPOPT from the same start: three turns and a valve", 75, fil_check_plan_referee},
    {"plan", "recipes", "falling relaxation, cold start and P1's two stages, about x, y and z", 900, fil_check_plan_recipes},

    {"matrix", "sap", "every kind of body against every other under sap", 12, fil_check_matrix_sap},
    {"matrix", "sap_lagged", "the same under sap_lagged", 12, fil_check_matrix_sap_lagged},
    {"matrix", "lcp", "the same under lcp", 115, fil_check_matrix_lcp},
    {"matrix", "imc", "the same under imc", 3, fil_check_matrix_imc},
    {"matrix", "spt", "the same under spt", 10, fil_check_matrix_spt},
    {"matrix", "ipc", "the same under ipc", 45, fil_check_matrix_ipc},

    {"patch", "sphere", "force of a ball on a plane, and its convergence", 0, fil_check_patch_sphere},
    {"patch", "rod_on_plane", "force per length of a rod on a plane", 0, fil_check_patch_rod},
    {"patch", "torsion", "torsion of a disk, a square and a ball", 0, fil_check_patch_torsion},
    {"patch", "convex_lift", "what sap adds to the torsion of what spins", 0, fil_check_patch_convex_lift},
    {"patch", "flat_on_flat", "boxes on each other lie still at 10 ms", 0, fil_check_patch_flat},
    {"patch", "capstan", "tensions of a rope around a post", 40, fil_check_patch_capstan},
    {"patch", "lace_grip", "two fingers pick up a lace and hold it by patches, and by points", 15, fil_check_lace_grip},
    {"patch", "lace_wrap", "two arms wind laces around each other and pull, by patches and by points", 30, fil_check_lace_wrap},
    {"patch", "shoelace_overhand", "two arms tie an overhand knot: twice, finer, by patches and by points", 120, fil_check_shoelace_overhand},
    {"patch", "shoelace", "two arms tie a bow, pull it, untie it; and tie it again", 180, fil_check_shoelace},
    {"patch", "shoelace_step", "the bow at 0.8 of the step", 110, fil_check_shoelace_step},
    {"patch", "shoelace_points", "P0 Fig. 8d: fingers that hold a lace by patches, by points, and lose it by one point", 60,
     fil_check_shoelace_points},
    {"patch", "pulley", "a belt centres itself on a crowned pulley", 90, fil_check_patch_pulley},
    {"patch", "pulley_crown", "half the crown takes twice as long, on two meshes; none: it stays", 80, fil_check_patch_pulley_crown},
    {"patch", "pulley_reduction", "the belt's path with merged polygons and with all of them", 30, fil_check_patch_pulley_reduction},
    {"patch", "pulley_ablation", "no way back without twist, by points, without stretch", 130, fil_check_patch_pulley_ablation},
    {"patch", "tilt", "a tilted roller shifts a belt, its mirror image the other way", 30, fil_check_patch_tilt},
    {"patch", "conveyor", "a belt carries a box against a bar, where it stays", 16, fil_check_conveyor},
    {"patch", "block_and_tackle", "mechanical advantage with and without friction", 12, fil_check_tackle},

    {"solid", "rest", "a soft block rests on the ground under four contact models", 0, fil_check_solid_rest}, /* heavy */
    {"solid", "cantilever", "order of convergence of a cantilever", 0, fil_check_solid_cantilever},
    {"solid", "cantilever_fine", "the same on three meshes, with and without Poisson's ratio", 12, fil_check_solid_cantilever_fine},
    {"solid", "hertz", "force of a rigid ball on a soft half-space", 8, fil_check_solid_hertz},
    {"solid", "hertz_areas", "the same, by areas instead of points", 8, fil_check_solid_hertz_areas},
    {"solid", "hertz_fine", "the same with six cells over the contact's radius", 60, fil_check_solid_hertz_fine},
    {"solid", "cylinder", "P3 VII-A: a rubber cylinder pressed flat, 288, 1,152 and 4,608 elements", 12, fil_check_solid_cylinder},
    {"solid", "cylinder_fine", "the same on four meshes, and without nodal pressure", 110, fil_check_solid_cylinder_fine},
    {"solid", "cylinder_load", "the same under a force that grows, as published", 12, fil_check_solid_cylinder_load},
    {"solid", "gripper", "P3 VII-C: soft bubbles lift and shake a bear", 20, fil_check_solid_gripper},
    {"solid", "torus", "a gripper's plates lift a soft torus", 4, fil_check_solid_torus},
    {"solid", "hand", "P3 VII-D: a hand of sixteen joints lifts a soft ball and shakes it", 7, fil_check_solid_hand},
    {"solid", "arch", "P3 VII-B: a stone arch stands for ten minutes", 35, fil_check_solid_arch},
    {"solid", "arch_limits", "arches of 7, 15 and 27 stones stand and fall within 3 % of thrust lines", 25, fil_check_solid_arch_limits},
    {"solid", "rigid_arch_limits", "arches of 7, 15 and 27 rigid stones likewise", 5, fil_check_solid_rigid_arch_limits},
    {"solid", "belt", "a belt of solid elements climbs a crowned pulley", 45, fil_check_solid_belt},
    {"solid", "finger", "a pneumatic finger bends as its section says", 8, fil_check_solid_finger},
    {"solid", "membrane", "inflated membranes lift and shake a bear", 25, fil_check_solid_membrane},
};

const FilCheckCase* fil_check_table(int* count)
{
    *count = (int)(sizeof table / sizeof table[0]);
    return table;
}
