#include "body/soft_arm.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/vec3.h"

/* Length, stiffness and damping are P1's (sec. V-A); 0.5 kg is near the middle of its three sections. It gives no sizes of chambers and disks:
 * these fit into each other (0.03 m off the axis, 0.011 m of radius, within 0.045 m), and 1 bar pushes a chamber with 40 N, of the size of P1's
 * efforts. */
FilArmSection fil_arm_section_default(void)
{
    return (FilArmSection){.length = 0.15,
                           .mass = 0.5,
                           .chambers = 3,
                           .chamber_offset = 0.03,
                           .chamber_area = 4e-4,
                           .stiffness = 265.0,
                           .damping = 125.0,
                           .disks = 3,
                           .disk_radius = 0.045,
                           .disk_thickness = 0.01};
}

FilArmDef fil_arm_def_default(void)
{
    // base_mass: of a plate that carries it, which only counts where the base moves. mass_points: the tip of P1's arm, let go bent, is 0.7 mm from
    // where 64 take it after 0.5 s (2: 3.1 mm, 8: 0.2 mm); work grows with them. rk_tolerance: the tip is off by 2e-7 m after 0.5 s
    // (docs/soft_arm.md, with others)
    return (FilArmDef){.orientation = {0.0, 0.0, 0.0, 1.0},
                       .base_mass = 0.1,
                       .mass_points = 4,
                       .rotational_energy = true,
                       .coriolis = FIL_ARM_CORIOLIS_FULL,
                       .rk_tolerance = 1e-4,
                       .collision = fil_collision_default()};
}

/* ---- making ---- */

static FilStatus check_section(const FilArmSection* s, int k, FilError* error)
{
    const struct {
        const char* name;
        double value;
        bool positive; /* or at least not negative */
    } numbers[] = {
        {"length", s->length, true},
        {"mass", s->mass, true},
        {"chamber offset", s->chamber_offset, true},
        {"chamber area", s->chamber_area, true},
        {"stiffness", s->stiffness, false},
        {"damping", s->damping, false},
        {"disk radius", s->disk_radius, true},
        {"disk thickness", s->disk_thickness, true},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        const double value = numbers[i].value;
        if (!isfinite(value) || value < 0.0 || (numbers[i].positive && value == 0.0)) {
            return fil_error(error, FIL_BAD_INPUT, "section %d: the %s must be %s, not %g", k, numbers[i].name,
                             numbers[i].positive ? "positive" : "zero or positive", value);
        }
    }
    if (s->chambers < 3) {
        return fil_error(error, FIL_BAD_INPUT, "section %d: needs three chambers or more, not %d", k, s->chambers);
    }
    if (s->disks < 0) {
        return fil_error(error, FIL_BAD_INPUT, "section %d: the number of disks must not be negative, got %d", k, s->disks);
    }
    if (!isfinite(s->chamber_angle) || !fil_all_finite(s->elongation, 3) || !fil_all_finite(s->rate, 3)) {
        return fil_error(error, FIL_BAD_INPUT, "section %d: its chamber angle, elongations and rates must be finite", k);
    }
    const double length = s->length + (s->elongation[0] + s->elongation[1] + s->elongation[2]) / 3.0;
    if (!(length > 0.0)) {
        return fil_error(error, FIL_BAD_INPUT, "section %d: its elongations leave it a length of %g m", k, length);
    }
    return FIL_OK;
}

static FilStatus check_def(const FilArmDef* def, FilError* error)
{
    if (def->section_count < 1 || def->section_count > FIL_ARM_SECTIONS || def->sections == NULL) {
        return fil_error(error, FIL_BAD_INPUT, "needs 1 to %d sections, not %d", FIL_ARM_SECTIONS, def->sections == NULL ? 0 : def->section_count);
    }
    const double numbers[] = {def->position.x,    def->position.y,    def->position.z,   def->orientation.x,
                              def->orientation.y, def->orientation.z, def->orientation.w};
    const double size = sqrt(def->orientation.x * def->orientation.x + def->orientation.y * def->orientation.y +
                             def->orientation.z * def->orientation.z + def->orientation.w * def->orientation.w);
    if (!fil_all_finite(numbers, 7) || !(size > 1e-12)) {  // a quaternion this short has no direction
        return fil_error(error, FIL_BAD_INPUT, "the position of the base is not finite, or its orientation is no rotation");
    }
    if (def->mass_points < 1) {
        return fil_error(error, FIL_BAD_INPUT, "needs one mass point per section or more, not %d", def->mass_points);
    }
    if ((unsigned)def->coriolis > FIL_ARM_CORIOLIS_NONE) {
        return fil_error(error, FIL_BAD_INPUT, "unknown Coriolis terms %d", (int)def->coriolis);
    }
    if ((unsigned)def->scheme > FIL_ARM_RK23 || !(def->rk_tolerance > 0.0 && def->rk_tolerance < 1.0)) {
        return fil_error(error, FIL_BAD_INPUT, "unknown scheme %d, or its tolerance %g is not between 0 and 1", (int)def->scheme, def->rk_tolerance);
    }
    if (def->free_base && (def->scheme == FIL_ARM_RK23 || !(isfinite(def->base_mass) && def->base_mass > 0.0))) {
        return fil_error(error, FIL_BAD_INPUT,
                         "a base that moves needs a positive mass, not %g kg, and cannot be followed by "
                         "RK23",
                         def->base_mass);
    }
    if (!(isfinite(def->valve_time) && def->valve_time >= 0.0)) {
        return fil_error(error, FIL_BAD_INPUT, "the valve time must be zero or positive, not %g s", def->valve_time);
    }
    FilStatus status = FIL_OK;
    for (int k = 0; k < def->section_count && status == FIL_OK; k++) {
        status = check_section(&def->sections[k], k, error);
    }
    return status;
}

static void destroy(void* pointer)
{
    FilSoftArm* arm = pointer;
    if (arm == NULL) {
        return;
    }
    void* blocks[] = {arm->chamber_map, arm->chamber_section, arm->disks,   arm->command,   arm->wrench, arm->drive,  arm->mass,        arm->force,
                      arm->tangent,     arm->q_theta,         arm->v_theta, arm->residual0, arm->seen_q, arm->factor, arm->free_motion, arm->rk,
                      arm->offset,      arm->derivative,      arm->joints};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) {
        fil_free(blocks[k]);
    }
    fil_free(arm);
}

static bool allocate(FilSoftArm* arm)
{
    const size_t n = (size_t)fil_soft_arm_unknowns(arm), chambers = (size_t)arm->chamber_count, disks = (size_t)arm->disk_count;
    double** vectors[] = {&arm->drive, &arm->force, &arm->q_theta, &arm->v_theta, &arm->residual0, &arm->offset, &arm->seen_q};
    double** matrices[] = {&arm->mass, &arm->tangent, &arm->factor};
    bool ok = (arm->chamber_map = fil_alloc(3 * chambers, sizeof(double))) != NULL &&
              (arm->chamber_section = fil_alloc(chambers, sizeof(int))) != NULL && (arm->command = fil_alloc(chambers, sizeof(double))) != NULL &&
              (arm->disks = fil_alloc(disks, sizeof *arm->disks)) != NULL && (arm->wrench = fil_alloc(6 * disks, sizeof(double))) != NULL &&
              (arm->free_motion = fil_alloc(2 * n, sizeof(double))) != NULL &&
              (arm->rk = fil_alloc(5 * 2 * n, sizeof(double))) != NULL;  // a state and four slopes
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0] && ok; k++) {
        ok = (*vectors[k] = fil_alloc(n, sizeof(double))) != NULL;
    }
    for (size_t k = 0; k < sizeof matrices / sizeof matrices[0] && ok; k++) {
        ok = (*matrices[k] = fil_alloc(n * n, sizeof(double))) != NULL;
    }
    return ok;
}

/* How each chamber lengthens with its section's coordinates: 1/3 + 2/3 cos(phi_i - phi_j). */
static void lay_chambers(FilSoftArm* arm)
{
    int chamber = 0;
    for (int k = 0; k < arm->section_count; k++) {
        for (int i = 0; i < arm->sections[k].chambers; i++, chamber++) {
            arm->chamber_section[chamber] = k;
            for (int j = 0; j < 3; j++) {
                const double between = 2.0 * FIL_PI * ((double)i / arm->sections[k].chambers - j / 3.0);
                arm->chamber_map[3 * chamber + j] = (1.0 + 2.0 * cos(between)) / 3.0;
            }
        }
    }
}

static void lay_disks(FilSoftArm* arm)
{
    int disk = 0;
    arm->disks[disk++] = (FilArmDisk){{0, 0.0}, arm->sections[0].disk_radius, arm->sections[0].disk_thickness};
    for (int k = 0; k < arm->section_count; k++) {
        const FilArmSection* section = &arm->sections[k];
        for (int i = 1; i <= section->disks + 1; i++) {
            const double s = (double)i / (section->disks + 1);
            arm->disks[disk++] = (FilArmDisk){{k, s}, section->disk_radius, section->disk_thickness};
        }
    }
}

FilStatus fil_soft_arm_create(const FilArmDef* def, FilSoftArm** out, FilError* error)
{
    *out = NULL;
    const FilStatus status = check_def(def, error);
    if (status != FIL_OK) {
        return status;
    }
    FilSoftArm* arm = fil_alloc(1, sizeof *arm);
    if (arm == NULL) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    arm->section_count = def->section_count;
    arm->free_base = def->free_base;
    arm->base_mass = def->base_mass;
    arm->mass_points = def->mass_points;
    arm->rotational_energy = def->rotational_energy;
    arm->coriolis = def->coriolis;
    arm->scheme = def->scheme;
    arm->rk_tolerance = def->rk_tolerance;
    arm->valve_time = def->valve_time;
    arm->collision = def->collision;
    arm->disk_count = 1;
    for (int k = 0; k < def->section_count; k++) {
        const FilArmSection* section = &def->sections[k];
        arm->sections[k] = *section;
        arm->arcs[k] = fil_arc_make(section->length, section->chamber_offset, section->chamber_angle);
        arm->chamber_count += section->chambers;
        arm->disk_count += section->disks + 1;
    }
    const FilQuat o = def->orientation;
    const double size = sqrt(o.x * o.x + o.y * o.y + o.z * o.z + o.w * o.w);
    fil_m3_from_quat(arm->base.r, (FilQuat){o.x / size, o.y / size, o.z / size, o.w / size});
    fil_v3_set(arm->base.p, def->position.x, def->position.y, def->position.z);
    if (!allocate(arm)) {
        destroy(arm);
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    lay_chambers(arm);
    lay_disks(arm);
    *out = arm;
    return FIL_OK;
}

static int dofs(const void* pointer)
{
    const FilSoftArm* arm = pointer;
    return 3 * fil_soft_arm_blocks(arm);
}

static void init_state(const void* pointer, double* q, double* v, double* h)
{
    const FilSoftArm* arm = pointer;
    for (int k = 0; k < arm->section_count; k++) {
        fil_v3_copy(q + 4 * k, arm->sections[k].elongation);
        fil_v3_copy(v + 4 * k, arm->sections[k].rate);
        q[4 * k + 3] = v[4 * k + 3] = 0.0;
    }
    if (arm->free_base) {
        double* base = q + 4 * arm->section_count;
        const FilQuat o = fil_quat_from_m3(arm->base.r);
        fil_v3_copy(base, arm->base.p);
        base[3] = 0.0;
        base[4] = o.x, base[5] = o.y, base[6] = o.z, base[7] = o.w;
        memset(v + 4 * arm->section_count, 0, 8 * sizeof *v);
    }
    memset(h, 0, sizeof(double) * FIL_ARM_HISTORY * (size_t)arm->chamber_count);
}

/* ---- measures ---- */

static void energy(const void* pointer, const double* q, const double* v, const double* h, const double* gravity, FilEnergy* add_to)
{
    (void)h;
    fil_soft_arm_energy(pointer, q, v, gravity, add_to);
}

static void momentum(const void* pointer, const double* q, const double* v, const double* h, double* linear, double* angular)
{
    (void)h;
    fil_soft_arm_momentum(pointer, q, v, linear, angular);
}

/* ---- boundary ---- */

static FilStatus attach(void* pointer, int object, const FilAttachmentDef* def, const double* q, const double* h, int* slot, FilError* error)
{
    (void)pointer, (void)object, (void)def, (void)q, (void)h, (void)slot;
    return fil_error(error, FIL_BAD_INPUT, "an arm stands on its base and has no attachments; hold it by a joint");
}

static void clear_loads(void* pointer)
{
    FilSoftArm* arm = pointer;
    memset(arm->command, 0, sizeof(double) * (size_t)arm->chamber_count);
    memset(arm->wrench, 0, sizeof(double) * 6 * (size_t)arm->disk_count);
    arm->loaded = false;
}

static void load(void* pointer, int object, FilDriveKind kind, int first, int count, const double* value, double* h)
{
    (void)object, (void)h;
    FilSoftArm* arm = pointer;
    for (int k = first; k < first + count; k++) {
        if (kind == FIL_DRIVE_PRESSURE) {
            arm->command[k] += value[0];
        } else {
            fil_v3_axpy(arm->wrench + 6 * k + (kind == FIL_DRIVE_FORCE ? 0 : 3), 1.0, value);
            arm->loaded = true;
        }
    }
}

static int load_range(const void* pointer, int object, FilDriveKind kind)
{
    (void)object;
    const FilSoftArm* arm = pointer;
    if (kind == FIL_DRIVE_PRESSURE) {
        return arm->chamber_count;
    }
    return kind == FIL_DRIVE_FORCE || kind == FIL_DRIVE_TORQUE ? arm->disk_count : 0;
}

const FilBodyOps fil_soft_arm_ops = {
    .kind = "arm",
    .deforms = true,
    .destroy = destroy,
    .dofs = dofs,
    .init_state = init_state,
    .begin = fil_soft_arm_begin,
    .guess = fil_soft_arm_guess,
    .evaluate = fil_soft_arm_evaluate,
    .diagonal = fil_soft_arm_diagonal,
    .factor = fil_soft_arm_factor,
    .solve = fil_soft_arm_solve,
    .finish = fil_soft_arm_finish,
    .energy = energy,
    .momentum = momentum,
    .place_count = fil_soft_arm_place_count,
    .place_velocity = fil_soft_arm_place_velocity,
    .attach = attach,
    .clear_loads = clear_loads,
    .load = load,
    .load_range = load_range,
    .collider_count = fil_soft_arm_collider_count,
    .collider = fil_soft_arm_collider,
    .place = fil_soft_arm_place,
    .part = fil_soft_arm_part,
    .joined = fil_soft_arm_joined,
    .frame = fil_soft_arm_disk_frame,
    .side = fil_soft_arm_side,
    .point_jacobian = fil_soft_arm_point_jacobian,
    .turn_jacobian = fil_soft_arm_turn_jacobian,
    .tangent_pattern = fil_soft_arm_tangent_pattern,
    .tangent = fil_soft_arm_tangent,
    .derivative = &fil_soft_arm_derivative_ops,
};
