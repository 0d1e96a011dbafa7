/* The checks of contact and joints, by topic. */
#ifndef FILUM_TOOLS_VALIDATE_CONTACT_H
#define FILUM_TOOLS_VALIDATE_CONTACT_H

#include "validate/check.h"

/* contact_rigid.c: bodies that rest, slide, fall and spin */
void fil_check_incline(FilCheck* check);
void fil_check_drop(FilCheck* check);
void fil_check_stack(FilCheck* check);
void fil_check_pile(FilCheck* check);
void fil_check_pile_long(FilCheck* check);
void fil_check_coin(FilCheck* check);
void fil_check_free_spin(FilCheck* check);
void fil_check_collision(FilCheck* check);

/* contact_rod.c: rods that roll and meet */
void fil_check_rolling_rod(FilCheck* check);
void fil_check_surface_twist(FilCheck* check);
void fil_check_rod_collision(FilCheck* check);

/* contact_capstan.c: a rope around a post */
void fil_check_capstan(FilCheck* check);
void fil_check_capstan_refinement(FilCheck* check);
void fil_check_capstan_two_turns(FilCheck* check);
void fil_check_capstan_sap(FilCheck* check);
void fil_check_capstan_lagged(FilCheck* check);
void fil_check_capstan_imc(FilCheck* check);
void fil_check_capstan_ipc(FilCheck* check);
void fil_check_capstan_lcp(FilCheck* check);
void fil_check_capstan_lcp_fine(FilCheck* check);

/* contact_wedge.c */
void fil_check_wedge(FilCheck* check);
void fil_check_ladder(FilCheck* check);
void fil_check_thrown(FilCheck* check);
void fil_check_rope_falls(FilCheck* check);

/* contact_bundle.c: ropes sheared to and fro */
void fil_check_bundle(FilCheck* check);
void fil_check_bundle_potentials(FilCheck* check);
void fil_check_bundle_lcp(FilCheck* check);

/* contact_edge.c: a rope drawn over an edge */
void fil_check_edge(FilCheck* check);

/* contact_plectoneme.c */
void fil_check_plectoneme(FilCheck* check);
void fil_check_plectoneme_models(FilCheck* check);

/* contact_sliding.c */
void fil_check_slopes(FilCheck* check);
void fil_check_ball_ring(FilCheck* check);
void fil_check_two_posts(FilCheck* check);

/* contact_wobble.c */
void fil_check_wobble(FilCheck* check);

/* contact_lcp.c: hundreds of contacts as one complementarity problem */
void fil_check_lcp_rope(FilCheck* check);
void fil_check_lcp_pile(FilCheck* check);

/* contact_lagged.c: friction and meshes */
void fil_check_crossed_rods(FilCheck* check);

/* contact_knots.c: strands against strands */
void fil_check_knot_one(FilCheck* check);
void fil_check_knot_two(FilCheck* check);
void fil_check_knot_three(FilCheck* check);
void fil_check_knot_four(FilCheck* check);
void fil_check_ring_chain(FilCheck* check);
void fil_check_ring_chain_long(FilCheck* check);
void fil_check_chain_weight(FilCheck* check);
void fil_check_chain_weight_long(FilCheck* check);

/* contact_rival.c */
void fil_check_capsule_chain(FilCheck* check);

/* contact_joints.c: what holds bodies together */
void fil_check_joint_weight(FilCheck* check);
void fil_check_joint_weld(FilCheck* check);
void fil_check_joint_bushing(FilCheck* check);

/* contact_gripper.c */
void fil_check_gripper(FilCheck* check);

#endif
