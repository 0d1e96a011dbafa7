/* The checks of an elastic rod, by topic. */
#ifndef FILUM_TOOLS_VALIDATE_ROD_H
#define FILUM_TOOLS_VALIDATE_ROD_H

#include "validate/check.h"

/* rod_statics.c: equilibrium shapes */
void fil_check_cantilever_weight(FilCheck* check);
void fil_check_cantilever_tip(FilCheck* check);
void fil_check_clamp_order(FilCheck* check);
void fil_check_section_axes(FilCheck* check);
void fil_check_torsion(FilCheck* check);
void fil_check_circle(FilCheck* check);
void fil_check_circle_ramp(FilCheck* check);
void fil_check_hanging_weight(FilCheck* check);

/* rod_stability.c: where straight and round shapes give way */
void fil_check_euler_column(FilCheck* check);
void fil_check_michell(FilCheck* check);
void fil_check_michell_dynamic(FilCheck* check);
void fil_check_lateral_buckling(FilCheck* check);

/* rod_vibration.c: frequencies and decay rates */
void fil_check_bending_frequencies(FilCheck* check);
void fil_check_torsion_frequency(FilCheck* check);
void fil_check_damping(FilCheck* check);

/* rod_motion.c: what time stepping keeps, and how fast it converges */
void fil_check_midpoint_energy(FilCheck* check);
void fil_check_time_order(FilCheck* check);
void fil_check_free_flight(FilCheck* check);
void fil_check_drag(FilCheck* check);

/* rod_network.c: rods that share nodes */
void fil_check_junction(FilCheck* check);
void fil_check_net(FilCheck* check);

#endif
