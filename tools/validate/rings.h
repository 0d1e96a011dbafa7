/* Checks of rings, cloth and nets by incremental potentials (P4). */
#ifndef FILUM_TOOLS_VALIDATE_RINGS_H
#define FILUM_TOOLS_VALIDATE_RINGS_H

#include "validate/check.h"

/* rings_motion.c */
void fil_check_ring_bar(FilCheck* check);
void fil_check_ring_tautochrone(FilCheck* check);
void fil_check_ring_energy(FilCheck* check);

/* rings_catenary.c */
void fil_check_catenary_refined(FilCheck* check);
void fil_check_catenary_fine(FilCheck* check);
void fil_check_catenary_bounds(FilCheck* check);
void fil_check_catenary_cases(FilCheck* check);
void fil_check_catenary_rigid(FilCheck* check);

/* rings_hoop.c */
void fil_check_hoop_hangs(FilCheck* check);
void fil_check_hoop_swings(FilCheck* check);
void fil_check_hoop_slides(FilCheck* check);
void fil_check_hoop_spins(FilCheck* check);
void fil_check_hoop_energy(FilCheck* check);

/* rings_cloth.c */
void fil_check_ring_sheds(FilCheck* check);
void fil_check_hanging_clothes(FilCheck* check);

/* rings_net.c */
void fil_check_tether_net(FilCheck* check);
void fil_check_tether_net_step(FilCheck* check);
void fil_check_tether_net_whole(FilCheck* check);

/* rings_shell.c */
void fil_check_plate(FilCheck* check);

/* A scene with settings "path=value", `count` of them; NULL after a failure, which the check knows of. */
FilWorld* fil_rings_load(FilCheck* check, const char* name, const char* const (*settings)[2], int count, double dt);

/* Energy of everything with a ring called "ring", its barrier included, does not grow from step to step until time t.
 * Takes the world, which may be NULL. */
void fil_rings_watch_energy(FilCheck* check, FilWorld* world, double t);

#endif
