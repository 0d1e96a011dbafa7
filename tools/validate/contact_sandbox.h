/* A sandbox: one world in which objects touch, with little ceremony.
 *
 * Failure is sticky: the first call that fails reports it to the check, and every later call does nothing. Every step
 * is judged: the worst of what must hold in each is kept.
 */
#ifndef FILUM_TOOLS_VALIDATE_CONTACT_SANDBOX_H
#define FILUM_TOOLS_VALIDATE_CONTACT_SANDBOX_H

#include "validate/check.h"

typedef struct FilSandbox {
    FilCheck* check;
    FilWorld* world;
    bool failed;
    double friction; /* of all contacts, for judging the cone; negative: not judged */
    /* worst of all steps so far */
    double residual;    /* relative momentum residual of the contact problem */
    double cone;        /* |f_t| / (mu f_n) - 1 of any contact; -1 if there was none */
    double penetration; /* m */
    int crossings, halvings;
    FilStepInfo last;
} FilSandbox;

/* Gravity of 9.81 m/s^2 along -z. */
FilSandbox fil_sandbox_begin(FilCheck* check, const char* contact_model, double dt);
FilSandbox fil_sandbox_begin_with(FilCheck* check, const FilWorldDef* def);
void fil_sandbox_end(FilSandbox* box);

/* Reports a status that is not FIL_OK. Returns whether the sandbox is still good. */
bool fil_sandbox_expect(FilSandbox* box, FilStatus status, const char* doing);

/* Makes every surface added from now on have this friction. */
void fil_sandbox_set_friction(FilSandbox* box, double friction);
void fil_sandbox_set_gravity(FilSandbox* box, double x, double y, double z);

FilId fil_sandbox_add_body(FilSandbox* box, const FilRigidDef* def);
FilId fil_sandbox_add_shape(FilSandbox* box, const FilShapeDef* shape, FilMotion motion, FilVec3 position);
FilId fil_sandbox_add_ground(FilSandbox* box); /* below z = 0 */
FilId fil_sandbox_add_cube(FilSandbox* box, double size, FilVec3 position);
/* Nodes of a straight line from `from` along the unit vector `along`. */
void fil_sandbox_line(FilVec3 from, FilVec3 along, double length, int count, double* nodes);
FilId fil_sandbox_add_rod(FilSandbox* box, const FilRodDef* def); /* with its own surface */
FilId fil_sandbox_add_joint(FilSandbox* box, const FilJointDef* def);
FilId fil_sandbox_attach(FilSandbox* box, const FilAttachmentDef* def);
FilId fil_sandbox_drive(FilSandbox* box, const FilDriveDef* def);
/* Loads a rope's first node and draws its last one: force and velocity grow smoothly from the first three numbers to the last, over two times.
 * The attachment that draws. */
FilId fil_sandbox_draw_rope(FilSandbox* box, FilId rope, const double times[2], const double loads[6], const double speeds[6]);
void fil_sandbox_set(FilSandbox* box, FilId drive, double x, double y, double z);

void fil_sandbox_step(FilSandbox* box);
void fil_sandbox_run(FilSandbox* box, int steps);

FilVec3 fil_sandbox_position(const FilSandbox* box, FilId body);
FilVec3 fil_sandbox_velocity(const FilSandbox* box, FilId body);
FilVec3 fil_sandbox_spin(const FilSandbox* box, FilId body);
double fil_sandbox_energy(const FilSandbox* box); /* kinetic, elastic and gravity, J */

/* Rows on what must hold in every step: the residual, the friction cone, no crossings. */
void fil_sandbox_check_solution(FilSandbox* box, const char* where);

#endif
