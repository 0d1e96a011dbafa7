/* The API misused: random calls of every public function of a world, with ids that are sound, stale, foreign, null, of another
 * kind or made up, and indices, kinds, numbers and pointers that may be wrong, against a model of what is in the world. What
 * is sound must be done; what is wrong must be refused with a message and leave no trace.
 *
 *     test_world_api_misuse [CALLS [SEED]]
 */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "misuse.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))
#define MARK "nothing was refused"

static long call_count = 40000;
static uint64_t seed = 1;

static bool is_refused(const Misuse* m)
{
    return strcmp(fil_world_error(m->world), MARK) != 0;
}

static Expect sound_if(bool sound)
{
    return sound ? ACCEPT : REFUSE;
}

static bool is_nan(FilVec3 a)
{
    return isnan(a.x) && isnan(a.y) && isnan(a.z);
}

/* ---- getters, a table for each form ---- */

static Expect ask_int(Misuse* m)
{
    static const struct {
        int (*get)(const FilWorld* world, FilId id);
        Kind kind;
        Part part;
    } rows[] = {
        {fil_rod_node_count, ROD, NODES},          {fil_rod_edge_count, ROD, EDGES},
        {fil_arm_section_count, ARM, SECTIONS},    {fil_arm_chamber_count, ARM, CHAMBERS},
        {fil_arm_disk_count, ARM, DISKS},          {fil_rigid_shape_count, RIGID, SHAPES},
        {fil_shell_vertex_count, SHELL, VERTICES}, {fil_shell_triangle_count, SHELL, TRIANGLES},
        {fil_shell_edge_count, SHELL, EDGES},      {fil_shell_chamber_count, SHELL, CHAMBERS},
        {fil_robot_link_count, ROBOT, LINKS},      {fil_robot_joint_count, ROBOT, JOINTS},
    };
    const int r = misuse_below(m, COUNT(rows));
    const FilId id = misuse_id(m, rows[r].kind);
    const Known* known = misuse_find(m, id, rows[r].kind);
    assert_int_equal(rows[r].get(m->world, id), known != NULL ? known->parts[rows[r].part] : 0);
    return sound_if(known != NULL);
}

static Expect ask_bool(Misuse* m)
{
    static const struct {
        bool (*get)(const FilWorld* world, FilId id);
        Kind kind;
    } rows[] = {{fil_rod_closed, ROD}, {fil_arm_base_moves, ARM}, {fil_ring_threaded, RING}, {fil_object_sleeps, OBJECT}};
    const int r = misuse_below(m, COUNT(rows));
    const FilId id = misuse_id(m, rows[r].kind);
    const bool sound = misuse_find(m, id, rows[r].kind) != NULL;
    assert_true(!rows[r].get(m->world, id) || sound);
    return sound_if(sound);
}

static Expect ask_number(Misuse* m)
{
    static const struct {
        double (*get)(const FilWorld* world, FilId id);
        Kind kind;
    } rows[] = {{fil_rod_length, ROD},     {fil_rigid_mass, RIGID},        {fil_shell_thickness, SHELL},
                {fil_ring_distance, RING}, {fil_object_mass, OBJECT},      {fil_ring_travel, RING},
                {fil_ring_force, RING},    {fil_ring_energy_stored, RING}, {fil_robot_trajectory_left, ROBOT},
                {fil_ring_radius, RING}};
    const int r = misuse_below(m, COUNT(rows));
    const FilId id = misuse_id(m, rows[r].kind);
    const bool sound = misuse_find(m, id, rows[r].kind) != NULL;
    assert_int_equal(isnan(rows[r].get(m->world, id)) != 0, !sound);
    return sound_if(sound);
}

/* Names are asked to learn what an id is: NULL is an answer, not a refusal. */
static Expect ask_name(Misuse* m)
{
    static const struct {
        const char* (*get)(const FilWorld* world, FilId id);
        Kind kind;
    } rows[] = {{fil_rod_name, ROD},   {fil_rigid_name, RIGID}, {fil_arm_name, ARM},       {fil_shell_name, SHELL},
                {fil_ring_name, RING}, {fil_robot_name, ROBOT}, {fil_object_name, OBJECT}, {fil_attachment_name, ATTACHMENT}};
    const int r = misuse_below(m, COUNT(rows));
    const FilId id = misuse_id(m, rows[r].kind);
    assert_int_equal(rows[r].get(m->world, id) != NULL, misuse_find(m, id, rows[r].kind) != NULL);
    return ACCEPT;
}

static Expect ask_text(Misuse* m)
{
    const FilId id = misuse_id(m, ROBOT);
    const bool sound = misuse_find(m, id, ROBOT) != NULL;
    if (misuse_chance(m, 50)) {
        assert_string_equal(fil_robot_ignored(m->world, id), "");
    } else {
        assert_null(fil_robot_description(m->world, id));
    }
    return sound_if(sound);
}

static Expect ask_vector(Misuse* m)
{
    static const struct {
        FilVec3 (*get)(const FilWorld* world, FilId id);
        Kind kind;
    } rows[] = {{fil_attachment_force, ATTACHMENT}, {fil_attachment_torque, ATTACHMENT}, {fil_joint_force, JOINT},       {fil_joint_torque, JOINT},
                {fil_ring_position, RING},          {fil_ring_velocity, RING},           {fil_rigid_mass_center, RIGID}, {fil_ring_axis, RING}};
    const int r = misuse_below(m, COUNT(rows));
    const FilId id = misuse_id(m, rows[r].kind);
    const bool sound = misuse_find(m, id, rows[r].kind) != NULL;
    assert_int_equal(is_nan(rows[r].get(m->world, id)), !sound);
    return sound_if(sound);
}

static Expect ask_array(Misuse* m)
{
    static const struct {
        void (*get)(const FilWorld* world, FilId id, double* out);
        Kind kind;
        Part part;
        int width;
    } rows[] = {{fil_rod_get_positions, ROD, NODES, 3},        {fil_rod_get_velocities, ROD, NODES, 3},
                {fil_rod_get_angles, ROD, EDGES, 1},           {fil_rod_get_spins, ROD, EDGES, 1},
                {fil_rod_get_frames, ROD, EDGES, 9},           {fil_rod_get_curvatures, ROD, NODES, 2},
                {fil_rod_get_twists, ROD, NODES, 1},           {fil_rod_get_tensions, ROD, EDGES, 1},
                {fil_shell_get_positions, SHELL, VERTICES, 3}, {fil_shell_get_velocities, SHELL, VERTICES, 3},
                {fil_drive_value, DRIVE, NUMBERS, 1}};
    const int r = misuse_below(m, COUNT(rows));
    const FilId id = misuse_id(m, rows[r].kind);
    const Known* known = misuse_find(m, id, rows[r].kind);
    const int size = known != NULL ? rows[r].width * known->parts[rows[r].part] : 0;
    const bool wanted = misuse_chance(m, 95);
    for (int k = 0; k < NUMBERS_MAX; k++) {
        m->numbers[k] = 1e100;
    }
    rows[r].get(m->world, id, wanted ? m->numbers : NULL);
    for (int k = 0; k < NUMBERS_MAX; k++) {  // as many as promised, and none where refused
        assert_int_equal(m->numbers[k] != 1e100, wanted && k < size);
    }
    return sound_if(known != NULL);
}

static Expect ask_pose(Misuse* m)
{
    static const struct {
        void (*get)(const FilWorld* world, FilId id, FilVec3* position, FilQuat* orientation);
        Kind kind;
    } rows[] = {{fil_rigid_get_pose, RIGID}, {fil_arm_tip_pose, ARM}, {fil_link_pose, LINK}};
    const int r = misuse_below(m, COUNT(rows));
    const FilId id = misuse_id(m, rows[r].kind);
    const bool sound = misuse_find(m, id, rows[r].kind) != NULL, wanted = misuse_chance(m, 90);
    FilVec3 position;
    FilQuat orientation;
    rows[r].get(m->world, id, wanted ? &position : NULL, wanted ? &orientation : NULL);
    assert_true(!wanted || (is_nan(position) == !sound && (isnan(orientation.w) != 0) == !sound));
    return sound_if(sound);
}

static Expect ask_two_vectors(Misuse* m)
{
    static const struct {
        void (*get)(const FilWorld* world, FilId id, FilVec3* a, FilVec3* b);
        Kind kind;
    } rows[] = {{fil_rigid_get_velocity, RIGID}, {fil_link_velocity, LINK}, {fil_world_contact_wrench, OBJECT}};
    const int r = misuse_below(m, COUNT(rows));
    const FilId id = misuse_id(m, rows[r].kind);
    const bool sound = misuse_find(m, id, rows[r].kind) != NULL, wanted = misuse_chance(m, 90);
    FilVec3 a, b;
    rows[r].get(m->world, id, wanted ? &a : NULL, wanted ? &b : NULL);
    assert_true(!wanted || (is_nan(a) == !sound && is_nan(b) == !sound));
    return sound_if(sound);
}

/* ---- what is in the world ---- */

static Expect ask_lists(Misuse* m)
{
    static const struct {
        int (*count)(const FilWorld* world);
        FilId (*at)(const FilWorld* world, int index);
        FilId (*find)(const FilWorld* world, const char* name);
        Kind kind;
    } rows[] = {{fil_world_rod_count, fil_world_rod_at, fil_world_find_rod, ROD},
                {fil_world_rigid_count, fil_world_rigid_at, fil_world_find_rigid, RIGID},
                {fil_world_arm_count, fil_world_arm_at, fil_world_find_arm, ARM},
                {fil_world_shell_count, fil_world_shell_at, fil_world_find_shell, SHELL},
                {fil_world_ring_count, fil_world_ring_at, fil_world_find_ring, RING},
                {fil_world_robot_count, fil_world_robot_at, fil_world_find_robot, ROBOT},
                {fil_world_attachment_count, fil_world_attachment_at, fil_world_find_attachment, ATTACHMENT},
                {fil_world_probe_count, NULL, NULL, PROBE},
                {fil_world_object_count, fil_world_object_at, fil_world_find_link, OBJECT}};
    const int r = misuse_below(m, COUNT(rows));
    int count = rows[r].kind == OBJECT ? 0 : m->counts[rows[r].kind];
    for (int k = ROD; k <= LINK && rows[r].kind == OBJECT; k++) {
        count += m->counts[k];
    }
    assert_int_equal(rows[r].count(m->world), count);
    if (rows[r].at != NULL) {
        const int index = misuse_index(m, count);
        const FilId id = rows[r].at(m->world, index);
        assert_int_equal(misuse_find(m, id, rows[r].kind) != NULL, index >= 0 && index < count);
        assert_int_equal(rows[r].find(m->world, misuse_chance(m, 50) ? "nobody" : NULL).index, 0);
    }
    return ACCEPT;
}

/* What an attachment holds, and where; whose hole a ring is. */
static Expect ask_holds(Misuse* m)
{
    if (misuse_chance(m, 30)) {
        const FilId ring = misuse_id(m, RING);
        const FilId body = fil_ring_body(m->world, ring);
        assert_true(body.index == 0 || misuse_find(m, body, RIGID) != NULL);
        return sound_if(misuse_find(m, ring, RING) != NULL);
    }
    const FilId id = misuse_id(m, ATTACHMENT);
    const bool known = misuse_find(m, id, ATTACHMENT) != NULL;
    const FilAttachmentInfo info = fil_attachment_info(m->world, id);
    if (misuse_chance(m, 30)) {
        assert_int_equal(misuse_find(m, info.object, OBJECT) != NULL, known);
        return sound_if(known);
    }
    const int index = misuse_index(m, info.count);
    const bool sound = known && index >= 0 && index < info.count;
    assert_int_equal(is_nan(fil_attachment_point(m->world, id, index)), !sound);
    return sound_if(sound);
}

static Expect ask_words(Misuse* m)
{
    static const char* const words[] = {"rod", "body", "arm", "attachment", "drive", "joint", "probe", "world", "node", "disk", "", NULL};
    const char* word = words[misuse_below(m, COUNT(words))];
    const FilId id = misuse_id(m, OBJECT);
    const int quantity = misuse_index(m, fil_quantity_count());
    const FilQuantityInfo info = fil_quantity_info(quantity);
    assert_int_equal(info.name != NULL ? fil_find_quantity(info.name) : quantity, quantity);
    assert_int_equal(fil_find_quantity(misuse_chance(m, 50) ? "nothing" : NULL), -1);
    assert_int_equal(fil_world_find(m->world, word, "nobody").index, 0);
    assert_int_equal(fil_world_find_attachment(m->world, misuse_chance(m, 50) ? "nobody" : NULL).index, 0);
    assert_int_equal(fil_world_find_drive(m->world, misuse_chance(m, 50) ? "nobody" : NULL).index, 0);
    assert_int_equal(fil_world_find_joint(m->world, misuse_chance(m, 50) ? "nobody" : NULL).index, 0);
    const Known* known = misuse_find(m, id, OBJECT);
    assert_true(fil_part_count(m->world, id, word) == 0 || known != NULL || misuse_find(m, id, ROBOT) != NULL);
    assert_true(fil_quantity_components(m->world, quantity, id) <= 3);
    assert_int_equal(fil_part_count(m->world, id, "node"), known != NULL && known->kind == ROD ? known->parts[NODES] : 0);
    assert_true(fil_drive_dimension((FilDriveKind)misuse_wrong_kind(m)) == 0);
    assert_non_null(fil_status_name((FilStatus)misuse_wrong_kind(m)));
    assert_null(fil_contact_model_name(misuse_wrong_kind(m)));
    return ACCEPT;
}

static Expect ask_by_number(Misuse* m)
{
    bool sound;
    int k;
    switch (misuse_below(m, 4)) {
        case 0:
            k = misuse_index(m, fil_world_body_count(m->world));
            sound = k >= 0 && k < fil_world_body_count(m->world);
            assert_int_equal(fil_world_body_name(m->world, k) != NULL, sound);
            assert_int_equal(fil_world_body_kind(m->world, k) != NULL, sound);
            assert_true(fil_world_body_dofs(m->world, k) <= (sound ? fil_world_dofs(m->world) : 0));
            break;
        case 1:
            k = misuse_index(m, m->counts[PROBE]);
            sound = k >= 0 && k < m->counts[PROBE];
            assert_int_equal(fil_world_probe_name(m->world, k) != NULL, sound);
            assert_int_equal(isnan(fil_world_probe_value(m->world, k)) != 0, !sound);
            break;
        case 2:
            k = misuse_index(m, fil_world_patch_count(m->world));
            sound = k >= 0 && k < fil_world_patch_count(m->world);
            assert_int_equal(isnan(fil_world_patch(m->world, k).area) != 0, !sound);
            break;
        default:
            k = misuse_index(m, fil_world_contact_count(m->world));
            sound = k >= 0 && k < fil_world_contact_count(m->world);
            assert_int_equal(misuse_find(m, fil_world_contact(m->world, k).a, OBJECT) != NULL, sound);
    }
    return sound_if(sound);
}

static Expect ask_rays(Misuse* m)
{
    FilRay ray = {{0.1, 0.2, 3.0}, {0.0, 0.1, -1.0}, misuse_chance(m, 50) ? INFINITY : 2.0};
    FilRayHit hit = {.distance = 0.0};
    double* const numbers[] = {&ray.origin.x, &ray.direction.y, &ray.reach};
    const bool wrong = misuse_chance(m, 20), seen = misuse_chance(m, 80), whole = misuse_chance(m, 50);
    const FilId ignored = whole ? (FilId){0} : misuse_id(m, OBJECT);
    if (wrong) {
        *numbers[misuse_below(m, 3)] = NAN;
    }
    const bool sound = !wrong && seen && (ignored.index == 0 || misuse_find(m, ignored, OBJECT) != NULL);
    const FilStatus status = fil_world_cast_rays(m->world, &ray, 1, ignored, seen ? &hit : NULL);
    assert_int_equal(status, sound ? FIL_OK : FIL_BAD_INPUT);
    assert_true(!sound || (hit.object.index == 0) == isinf(hit.distance));
    return sound_if(sound);
}

static Expect ask_world(Misuse* m)
{
    const FilEnergy energy = fil_world_energy(m->world);
    assert_true(isfinite(energy.kinetic) && isfinite(energy.elastic) && isfinite(energy.gravity));
    assert_false(is_nan(fil_world_momentum(m->world)) || is_nan(fil_world_angular_momentum(m->world)));
    assert_true(fil_world_time(m->world) >= 0.0 && fil_world_dt(m->world) > 0.0 && fil_world_step_count(m->world) < 100000);
    assert_false(is_nan(fil_world_gravity(m->world)) || isnan(fil_world_friction(m->world)));
    assert_true(fil_world_integrator(m->world) <= FIL_SDIRK2);
    assert_non_null(fil_world_contact_model(m->world));
    assert_int_equal(fil_world_dofs(m->world) > 0 || fil_world_hash(m->world) != 0, 1);
    return ACCEPT;
}

/* The rest stands in files of its own, for its length. */
#include "misuse_add.inc"
#include "misuse_parts.inc"
#include "misuse_set.inc"

/* ---- the calls ---- */

typedef struct Call {
    const char* name;
    Expect (*call)(Misuse* m);
    int weight;
} Call;

static const Call calls[] = {
    {"ask_int", ask_int, 6},
    {"ask_bool", ask_bool, 2},
    {"ask_number", ask_number, 4},
    {"ask_name", ask_name, 3},
    {"ask_text", ask_text, 1},
    {"ask_vector", ask_vector, 4},
    {"ask_array", ask_array, 8},
    {"ask_pose", ask_pose, 3},
    {"ask_part", ask_part, 8},
    {"ask_part_pose", ask_part_pose, 4},
    {"ask_robot", ask_robot, 4},
    {"ask_arrays", ask_arrays, 2},
    {"ask_lists", ask_lists, 3},
    {"ask_words", ask_words, 2},
    {"ask_holds", ask_holds, 3},
    {"ask_by_number", ask_by_number, 4},
    {"ask_world", ask_world, 1},
    {"ask_rays", ask_rays, 2},
    {"ask_two_vectors", ask_two_vectors, 3},
    {"add_rod", add_rod, 3},
    {"add_rods", add_rods, 2},
    {"add_rigid", add_rigid, 3},
    {"add_arm", add_arm, 2},
    {"add_shell", add_shell, 2},
    {"add_ring", add_ring, 3},
    {"add_robot", add_robot, 2},
    {"add_urdf", add_urdf, 1},
    {"add_attachment", add_attachment, 4},
    {"add_drive", add_drive, 4},
    {"add_joint", add_joint, 3},
    {"add_probe", add_probe, 4},
    {"set_rod", set_rod, 5},
    {"set_rest", set_rest, 5},
    {"set_rigid", set_rigid, 2},
    {"set_arm", set_arm, 4},
    {"set_shell", set_shell, 2},
    {"set_robot", set_robot, 4},
    {"set_trajectory", set_trajectory, 3},
    {"set_holds", set_holds, 4},
    {"set_world", set_world, 2},
    {"set_models", set_models, 2},
    {"set_pair", set_pair, 2},
    {"save_restore", save_restore, 3},
    {"take_state", take_state, 3},
    {"step", step, 1},
    {"make_world", make_and_destroy, 1},
};

static const Call* draw_call(Misuse* m)
{
    int total = 0;
    for (int k = 0; k < COUNT(calls); k++) {
        total += calls[k].weight;
    }
    int at = misuse_below(m, total), k = 0;
    for (; at >= calls[k].weight; k++) {
        at -= calls[k].weight;
    }
    return &calls[k];
}

static void every_call_is_done_or_refused(void** state)
{
    (void)state;
    static Misuse misuse;
    Misuse* m = &misuse;
    m->random.state = seed;
    long done = 0;
    while (done < call_count) {
        misuse_begin(m);
        for (int k = 0; k < 400 && done < call_count; k++, done++) {
            const Call* call = draw_call(m);
            const uint64_t before = fil_world_hash(m->world);
            const size_t size = fil_world_snapshot_size(m->world);
            assert_int_equal(fil_world_set_error(m->world, FIL_OK, MARK), FIL_OK);
            const Expect expect = call->call(m);
            const bool refused = is_refused(m);
            if (expect != EITHER && refused != (expect == REFUSE)) {
                fail_msg("seed %llu, call %ld, %s: %s", (unsigned long long)seed, done, call->name,
                         refused ? fil_world_error(m->world) : "was not refused");
            }
            if (refused && (fil_world_hash(m->world) != before || fil_world_snapshot_size(m->world) != size)) {
                fail_msg("seed %llu, call %ld, %s: refused, but it left a trace", (unsigned long long)seed, done, call->name);
            }
            m->accepted += !refused;
            m->refused += refused;
        }
        misuse_end(m);
    }
    print_message("%ld calls done, %ld refused\n", m->accepted, m->refused);
    assert_true(m->accepted > call_count / 4 && m->refused > call_count / 8);  // neither side is left out
}

int main(int argc, char** argv)
{
    call_count = argc > 1 ? atol(argv[1]) : call_count;
    seed = argc > 2 ? strtoull(argv[2], NULL, 10) : seed;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_is_done_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
