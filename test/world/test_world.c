/* Making worlds and what is in them: what is refused, with which message, and that refusal changes nothing. */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "filum/filum.h"

enum { NODES = 5 };

static void has(const char* message, const char* part)
{
    if (strstr(message, part) == NULL) {
        print_error("\"%s\" does not say \"%s\"\n", message, part);
        fail();
    }
}

static FilWorld* make_world(void)
{
    FilWorldDef def = fil_world_def_default();
    FilWorld* world = NULL;
    FilError error;
    assert_int_equal(fil_world_create(&def, &world, &error), FIL_OK);
    return world;
}

static const double line[3 * NODES] = {0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.2, 0.0, 0.0, 0.3, 0.0, 0.0, 0.4, 0.0, 0.0};

static FilRodDef rod_def(const char* name)
{
    FilRodDef def = fil_rod_def_default();
    def.name = name;
    def.node_count = NODES;
    def.nodes = line;
    def.section = (FilSection){.shape = FIL_SECTION_CIRCLE, .radius = 2e-3, .young = 1e7, .poisson = 0.4, .density = 1000.0};
    return def;
}

static FilId add_rod(FilWorld* world, const char* name)
{
    FilRodDef def = rod_def(name);
    FilId id;
    assert_int_equal(fil_world_add_rod(world, &def, &id), FIL_OK);
    return id;
}

static FilId add_pin(FilWorld* world, FilId rod, const char* name, int node)
{
    FilAttachmentDef def = fil_attachment_def_default();
    FilId id;
    def.name = name;
    def.object = rod;
    def.first = node;
    assert_int_equal(fil_world_add_attachment(world, &def, &id), FIL_OK);
    return id;
}

static FilId add_force(FilWorld* world, FilId rod, const char* name)
{
    FilDriveDef def = fil_drive_def_default();
    FilId id;
    def.name = name;
    def.object = rod;
    assert_int_equal(fil_world_add_drive(world, &def, &id), FIL_OK);
    return id;
}

/* ---- worlds ---- */

static void unsound_worlds_are_refused(void** state)
{
    (void)state;
    struct {
        FilWorldDef def;
        const char* message;
    } cases[12];
    int count = 0;
#define CASE(change, text)                          \
    do {                                            \
        cases[count].def = fil_world_def_default(); \
        cases[count].def.change;                    \
        cases[count++].message = text;              \
    } while (0)
    CASE(dt = 0.0, "dt must be a positive number of seconds, not 0");
    CASE(dt = -1.0, "dt");
    CASE(dt = NAN, "dt");
    CASE(dt = INFINITY, "dt");
    CASE(gravity.y = NAN, "gravity is not finite");
    CASE(integrator = (FilIntegrator)7, "unknown integrator 7");
    CASE(newton_tolerance = 0.0, "newton_tolerance");
    CASE(newton_tolerance = 1.0, "newton_tolerance");
    CASE(newton_max_iterations = 0, "newton_max_iterations must be at least 1");
    CASE(max_halvings = -1, "max_halvings");
    CASE(max_halvings = 100, "max_halvings");
    CASE(contact_model = "glue", "unknown contact model 'glue'");
#undef CASE
    for (int k = 0; k < count; ++k) {
        FilWorld* world = (FilWorld*)&cases;
        FilError error = {""};
        assert_int_equal(fil_world_create(&cases[k].def, &world, &error), FIL_BAD_INPUT);
        assert_null(world);
        has(error.text, cases[k].message);
    }
    fil_world_destroy(NULL);
}

static void settings_change_or_stay(void** state)
{
    (void)state;
    FilWorld* world = make_world();
    assert_int_equal(fil_world_set_dt(world, 0.02), FIL_OK);
    assert_int_equal(fil_world_set_dt(world, -0.1), FIL_BAD_INPUT);
    has(fil_world_error(world), "-0.1");
    assert_true(fil_world_dt(world) == 0.02);
    assert_int_equal(fil_world_set_gravity(world, (FilVec3){0.0, 1.0, 2.0}), FIL_OK);
    assert_int_equal(fil_world_set_gravity(world, (FilVec3){0.0, NAN, 2.0}), FIL_BAD_INPUT);
    assert_true(fil_world_gravity(world).y == 1.0);
    assert_int_equal(fil_world_set_integrator(world, FIL_MIDPOINT), FIL_OK);
    assert_int_equal(fil_world_set_integrator(world, (FilIntegrator)-1), FIL_BAD_INPUT);
    assert_int_equal(fil_world_integrator(world), FIL_MIDPOINT);
    assert_int_equal(fil_world_set_contact_model(world, "no such model"), FIL_BAD_INPUT);
    assert_string_equal(fil_world_contact_model(world), "none");
    assert_int_equal(fil_world_set_contact_model(world, NULL), FIL_OK);
    assert_string_equal(fil_world_contact_model(world), "none");
    assert_string_equal(fil_contact_model_name(0), "none");
    assert_null(fil_contact_model_name(-1));
    assert_null(fil_contact_model_name(fil_contact_model_count()));
    fil_world_destroy(world);
}

static void an_empty_world_steps(void** state)
{
    (void)state;
    FilWorld* world = make_world();
    FilStepInfo info;
    assert_int_equal(fil_world_step(world, &info), FIL_OK);
    assert_int_equal(info.step, 1);
    assert_int_equal(fil_world_body_count(world), 0);
    assert_int_equal(fil_world_dofs(world), 0);
    assert_true(fil_world_energy(world).kinetic == 0.0);
    fil_world_destroy(world);
}

/* ---- rods ---- */

static void refused_rod(FilWorld* world, const FilRodDef* def, const char* message)
{
    FilId id;
    const uint64_t before = fil_world_hash(world);
    const int rods = fil_world_rod_count(world);
    assert_int_equal(fil_world_add_rod(world, def, &id), FIL_BAD_INPUT);
    has(fil_world_error(world), message);
    assert_int_equal(fil_world_rod_count(world), rods);
    assert_true(fil_world_hash(world) == before);
}

static void unsound_rods_are_refused(void** state)
{
    (void)state;
    FilWorld* world = make_world();
    add_rod(world, "first");
    FilRodDef def = rod_def("first");
    refused_rod(world, &def, "named 'first'");
    def = rod_def("");
    refused_rod(world, &def, "must not be empty");
    def = rod_def("r");
    def.node_count = 1;
    refused_rod(world, &def, "needs 2 to");
    def.closed = true;
    def.node_count = 2;
    refused_rod(world, &def, "closed rod needs 3 to");
    def = rod_def("r");
    def.nodes = NULL;
    refused_rod(world, &def, "got 0");

    double nodes[3 * NODES];
    def = rod_def("r");
    def.nodes = nodes;
    memcpy(nodes, line, sizeof nodes);
    nodes[7] = NAN;
    refused_rod(world, &def, "nodes[7] is not a finite number");
    memcpy(nodes, line, sizeof nodes);
    memcpy(nodes + 6, nodes + 3, 3 * sizeof *nodes);
    refused_rod(world, &def, "edge 1 has zero length");
    memcpy(nodes, line, sizeof nodes);
    nodes[9] = 0.1;
    refused_rod(world, &def, "edges 1 and 2 fold back");

    def = rod_def("r");
    def.section.radius = -1.0;
    refused_rod(world, &def, "rod 'r': section: radius must be a positive number, not -1");
    def = rod_def("r");
    def.damping_stiffness = -0.5;
    refused_rod(world, &def, "damping_stiffness must not be negative");
    def = rod_def("r");
    def.drag = NAN;
    refused_rod(world, &def, "drag");
    def = rod_def("r");
    def.rest_lengths = (double[]){0.1, 0.1, 0.0, 0.1};
    refused_rod(world, &def, "rest_lengths[2] must be positive");
    def = rod_def("r");
    def.spins = (double[]){0.0, INFINITY, 0.0, 0.0};
    refused_rod(world, &def, "spins[1]");
    fil_world_destroy(world);
}

static void rods_without_names_get_free_ones(void** state)
{
    (void)state;
    FilWorld* world = make_world();
    add_rod(world, "rod2");
    FilId second = add_rod(world, NULL), third = add_rod(world, NULL);
    assert_string_not_equal(fil_rod_name(world, second), "rod2");
    assert_string_not_equal(fil_rod_name(world, third), fil_rod_name(world, second));
    assert_int_equal(fil_world_find_rod(world, fil_rod_name(world, third)).index, third.index);
    assert_int_equal(fil_world_find_rod(world, "nobody").index, 0);
    assert_int_equal(fil_world_rod_at(world, 1).index, second.index);
    assert_int_equal(fil_world_rod_at(world, 3).index, 0);
    assert_int_equal(fil_world_rod_at(world, -1).index, 0);
    assert_int_equal(fil_world_body_count(world), 3);
    assert_string_equal(fil_world_body_kind(world, 0), "rod");
    /* 3 per node, 1 per edge */
    assert_int_equal(fil_world_dofs(world), 3 * (3 * NODES + NODES - 1));
    fil_world_destroy(world);
}

static void unsound_networks_are_refused(void** state)
{
    (void)state;
    FilWorld* world = make_world();
    FilRodDef defs[2] = {rod_def("a"), rod_def("a")};
    FilId ids[2];
    assert_int_equal(fil_world_add_rod_network(world, defs, 0, NULL, 0, ids), FIL_BAD_INPUT);
    assert_int_equal(fil_world_add_rod_network(world, defs, 2, NULL, 0, ids), FIL_BAD_INPUT);
    has(fil_world_error(world), "named 'a'");
    defs[1].name = "b";
    const FilRodJunction apart = {0, 0, 1, 4}, nowhere = {0, 0, 2, 0}, beyond = {0, NODES, 1, 0};
    assert_int_equal(fil_world_add_rod_network(world, defs, 2, &apart, 1, ids), FIL_BAD_INPUT);
    has(fil_world_error(world), "0.4 m apart");
    assert_int_equal(fil_world_add_rod_network(world, defs, 2, &nowhere, 1, ids), FIL_BAD_INPUT);
    has(fil_world_error(world), "rod 2 has no node 0");
    assert_int_equal(fil_world_add_rod_network(world, defs, 2, &beyond, 1, ids), FIL_BAD_INPUT);
    assert_int_equal(fil_world_rod_count(world), 0);
    assert_int_equal(fil_world_body_count(world), 0);
    /* a shared node counts once */
    const FilRodJunction joint = {0, 2, 1, 2};
    assert_int_equal(fil_world_add_rod_network(world, defs, 2, &joint, 1, ids), FIL_OK);
    assert_int_equal(fil_world_body_count(world), 1);
    assert_int_equal(fil_world_dofs(world), 2 * (3 * NODES + NODES - 1) - 3);
    fil_world_destroy(world);
}

/* other names are made up in the same way */
static void made_up_names_are_free_ones(void** state)
{
    (void)state;
    FilWorld* world = make_world();
    FilId rod = add_rod(world, "r");
    add_pin(world, rod, "attachment2", 0);
    FilId pin = add_pin(world, rod, NULL, 1);
    add_force(world, rod, "drive2");
    FilId force = add_force(world, rod, NULL);
    assert_int_equal(fil_world_find_attachment(world, "attachment2").index, 1);
    assert_int_equal(fil_world_find_attachment(world, "attachment3").index, pin.index);
    assert_int_equal(fil_world_find_drive(world, "drive2").index, 1);
    assert_int_equal(fil_world_find_drive(world, "drive3").index, force.index);
    fil_world_destroy(world);
}

/* ---- ids ---- */

/* ids of another world, of another kind, made up or null: refused wherever they are used */
static void wrong_ids_are_refused(void** state)
{
    (void)state;
    FilWorld *world = make_world(), *other = make_world();
    FilId rod = add_rod(world, "r"), foreign_rod = add_rod(other, "r");
    FilId pin = add_pin(world, rod, "p", 0), foreign_pin = add_pin(other, foreign_rod, "p", 0);
    FilId force = add_force(world, rod, "f"), foreign_force = add_force(other, foreign_rod, "f");
    const FilId bad_rods[] = {{0}, foreign_rod, pin, force, {rod.index + 1, rod.generation}, {rod.index, 0}};
    const FilId bad_pins[] = {{0}, foreign_pin, rod, force, {pin.index + 1, pin.generation}};
    const FilId bad_forces[] = {{0}, foreign_force, rod, pin, {force.index + 1, force.generation}};
    const double value[3] = {1.0, 0.0, 0.0};
    const uint64_t before = fil_world_hash(world);
    FilId id;
    for (size_t k = 0; k < sizeof bad_rods / sizeof bad_rods[0]; ++k) {
        FilAttachmentDef attachment = fil_attachment_def_default();
        attachment.object = bad_rods[k];
        assert_int_equal(fil_world_add_attachment(world, &attachment, &id), FIL_BAD_INPUT);
        has(fil_world_error(world), "needs a rod of this world");
        FilDriveDef drive = fil_drive_def_default();
        drive.object = bad_rods[k];
        assert_int_equal(fil_world_add_drive(world, &drive, &id), FIL_BAD_INPUT);
        FilProbeDef probe = fil_probe_def_default();
        probe.name = "probe";
        probe.of = bad_rods[k];
        assert_int_equal(fil_world_add_probe(world, &probe, &id), FIL_BAD_INPUT);
        assert_int_equal(fil_rod_set_state(world, bad_rods[k], line, NULL, NULL, NULL), FIL_BAD_INPUT);
        assert_int_equal(fil_rod_set_rest_curvature(world, bad_rods[k], 0, 1, value), FIL_BAD_INPUT);
        assert_int_equal(fil_rod_set_rest_twist(world, bad_rods[k], 0, 1, value), FIL_BAD_INPUT);
        assert_int_equal(fil_rod_set_rest_length(world, bad_rods[k], 0, 1, value), FIL_BAD_INPUT);
        assert_null(fil_rod_name(world, bad_rods[k]));
    }
    for (size_t k = 0; k < sizeof bad_pins / sizeof bad_pins[0]; ++k) {
        FilDriveDef drive = fil_drive_def_default();
        drive.kind = FIL_DRIVE_POSITION;
        drive.attachment = bad_pins[k];
        assert_int_equal(fil_world_add_drive(world, &drive, &id), FIL_BAD_INPUT);
        has(fil_world_error(world), "needs an attachment of this world");
        assert_int_equal(fil_attachment_set_active(world, bad_pins[k], false), FIL_BAD_INPUT);
    }
    for (size_t k = 0; k < sizeof bad_forces / sizeof bad_forces[0]; ++k) {
        assert_int_equal(fil_drive_set(world, bad_forces[k], value, 3), FIL_BAD_INPUT);
        assert_int_equal(fil_drive_release(world, bad_forces[k]), FIL_BAD_INPUT);
    }
    assert_true(fil_world_hash(world) == before);
    assert_string_equal(fil_rod_name(world, rod), "r");
    fil_world_destroy(world);
    fil_world_destroy(other);
}

/* a world that takes the place of another does not take over its ids */
static void stale_ids_are_refused(void** state)
{
    (void)state;
    for (int round = 0; round < 20; ++round) {
        FilWorld* world = make_world();
        FilId stale = add_rod(world, "r");
        fil_world_destroy(world);
        world = make_world();
        add_rod(world, "r");
        assert_null(fil_rod_name(world, stale));
        fil_world_destroy(world);
    }
}

/* ---- attachments, drives, probes ---- */

static void unsound_attachments_are_refused(void** state)
{
    (void)state;
    FilWorld* world = make_world();
    FilId rod = add_rod(world, "r"), id;
    add_pin(world, rod, "p", -1);
    FilId force = add_force(world, rod, "f");
    double value[3] = {1.0, 2.0, 3.0};
    assert_int_equal(fil_drive_set(world, force, value, 3), FIL_OK);
    const uint64_t before = fil_world_hash(world);
    const struct {
        FilAttachmentDef def;
        const char* message;
    } cases[] = {
        {{.name = "p", .kind = FIL_ATTACH_PIN, .count = 1}, "named 'p'"},
        {{.name = "", .kind = FIL_ATTACH_PIN, .count = 1}, "must not be empty"},
        {{.name = "a", .kind = FIL_ATTACH_PIN, .first = NODES, .count = 1}, "not on the rod, which has 5"},
        {{.name = "a", .kind = FIL_ATTACH_PIN, .first = -NODES - 1, .count = 1}, "not on the rod"},
        {{.name = "a", .kind = FIL_ATTACH_PIN, .first = 3, .count = 3}, "nodes 3 to 5"},
        {{.name = "a", .kind = FIL_ATTACH_PIN, .count = 0}, "not on the rod"},
        {{.name = "a", .kind = FIL_ATTACH_PIN, .count = -1}, "no range from 0, -1 long"},
        {{.name = "a", .kind = FIL_ATTACH_PIN, .count = INT_MAX}, "no range from 0, 2147483647 long"},
        {{.name = "a", .kind = FIL_ATTACH_PIN, .first = INT_MAX, .count = 1}, "no range from 2147483647, 1 long"},
        {{.name = "a", .kind = FIL_ATTACH_PIN, .first = -INT_MAX, .count = 1}, "no range from -2147483647, 1 long"},
        {{.name = "a", .kind = FIL_ATTACH_TWIST, .first = NODES - 1, .count = 1}, "edges 4 to 4"},
        {{.name = "a", .kind = FIL_ATTACH_CLAMP, .first = NODES}, "attachment 'a' on 'r'"},
        {{.name = "a", .kind = FIL_ATTACH_HANDLE}, "a handle needs a stiffness or damping"},
        {{.name = "a", .kind = FIL_ATTACH_HANDLE, .stiffness = -1.0, .damping = 2.0}, "stiffness (-1)"},
        {{.name = "a", .kind = FIL_ATTACH_HANDLE, .stiffness = NAN}, "handle"},
        {{.name = "a", .kind = FIL_ATTACH_HANDLE, .stiffness = 1.0, .max_force = -1.0}, "max_force (-1)"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        FilAttachmentDef def = cases[k].def;
        def.object = rod;
        assert_int_equal(fil_world_add_attachment(world, &def, &id), FIL_BAD_INPUT);
        has(fil_world_error(world), cases[k].message);
        /* nothing has moved: commands stand behind attachments in the state */
        assert_true(fil_world_hash(world) == before);
        fil_drive_value(world, force, value);
        assert_true(value[0] == 1.0 && value[1] == 2.0 && value[2] == 3.0);
    }
    assert_int_equal(fil_world_find_attachment(world, "a").index, 0);
    fil_world_destroy(world);
}

static void unsound_drives_are_refused(void** state)
{
    (void)state;
    FilWorld* world = make_world();
    FilId rod = add_rod(world, "r"), id;
    add_force(world, rod, "f");
    static const double times[] = {0.0, 1.0}, values[] = {0.0, 0.0, 0.0, 1.0, 1.0, 1.0};
    static const double same_times[] = {1.0, 1.0}, bad_values[] = {0.0, 0.0, 0.0, 1.0, NAN, 1.0};
    const struct {
        FilDriveDef def;
        const char* message;
    } cases[] = {
        {{.name = "f", .kind = FIL_DRIVE_FORCE}, "named 'f'"},
        {{.name = "d", .kind = (FilDriveKind)99}, "unknown kind 99"},
        {{.name = "d", .kind = FIL_DRIVE_FORCE, .first = NODES}, "'r', which has 5"},
        {{.name = "d", .kind = FIL_DRIVE_FORCE, .first = 2, .count = 4}, "from 2, 4 long"},
        {{.name = "d", .kind = FIL_DRIVE_AXIAL_TORQUE, .first = 4, .count = 1}, "which has 4"},
        {{.name = "d", .kind = FIL_DRIVE_FORCE, .knot_count = 2}, "times and values are missing"},
        {{.name = "d", .kind = FIL_DRIVE_FORCE, .knot_count = -1}, "missing"},
        {{.name = "d", .kind = FIL_DRIVE_FORCE, .knot_count = 2, .times = same_times, .values = values}, "times must increase, but 1 follows 1"},
        {{.name = "d", .kind = FIL_DRIVE_FORCE, .knot_count = 2, .times = times, .values = bad_values}, "knot 1 is not finite"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        FilDriveDef def = cases[k].def;
        def.object = rod;
        assert_int_equal(fil_world_add_drive(world, &def, &id), FIL_BAD_INPUT);
        has(fil_world_error(world), cases[k].message);
    }
    assert_int_equal(fil_world_find_drive(world, "d").index, 0);
    assert_int_equal(fil_drive_dimension((FilDriveKind)99), 0);
    assert_int_equal(fil_drive_dimension(FIL_DRIVE_CURVATURE), 2);
    fil_world_destroy(world);
}

static void unsound_probes_are_refused(void** state)
{
    (void)state;
    FilWorld* world = make_world();
    FilId rod = add_rod(world, "r"), id;
    const struct {
        FilProbeDef def;
        const char* message;
    } cases[] = {
        {{.quantity = "length"}, "needs a name"},
        {{.name = "p", .quantity = "lenght"}, "unknown quantity 'lenght'"},
        {{.name = "p"}, "unknown quantity ''"},
        {{.name = "p", .quantity = "position", .component = 3}, "no component 3"},
        {{.name = "p", .quantity = "curvature", .component = 2}, "no component 2"},
        {{.name = "p", .quantity = "position", .index = NODES}, "rod 'r' has 5 nodes"},
        {{.name = "p", .quantity = "tension", .index = -NODES}, "rod 'r' has 4 edges"},
        {{.name = "p", .quantity = "force"}, "needs an attachment of this world"},
        {{.name = "p", .quantity = "drive"}, "needs a drive of this world"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        FilProbeDef def = cases[k].def;
        def.of = rod;
        assert_int_equal(fil_world_add_probe(world, &def, &id), FIL_BAD_INPUT);
        has(fil_world_error(world), cases[k].message);
        assert_int_equal(fil_world_probe_count(world), 0);
    }
    FilProbeDef def = {.name = "length", .quantity = "length", .of = rod, .component = -1};
    assert_int_equal(fil_world_add_probe(world, &def, &id), FIL_OK);
    assert_int_equal(fil_world_add_probe(world, &def, &id), FIL_BAD_INPUT);
    has(fil_world_error(world), "named 'length'");
    assert_true(fabs(fil_world_probe_value(world, 0) - 0.4) < 1e-15);
    fil_world_destroy(world);
}

/* ranges and numbers of live parameters */
static void unsound_live_values_are_refused(void** state)
{
    (void)state;
    FilWorld* world = make_world();
    FilId rod = add_rod(world, "r");
    const double good[2 * NODES] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0}, nan[2] = {1.0, NAN}, zero = 0.0;
    const uint64_t before = fil_world_hash(world);
    assert_int_equal(fil_rod_set_rest_curvature(world, rod, 1, NODES, good), FIL_BAD_INPUT);
    has(fil_world_error(world), "which has 5");
    assert_int_equal(fil_rod_set_rest_curvature(world, rod, -1, 1, good), FIL_BAD_INPUT);
    assert_int_equal(fil_rod_set_rest_curvature(world, rod, 0, 1, nan), FIL_BAD_INPUT);
    assert_int_equal(fil_rod_set_rest_twist(world, rod, NODES, 1, good), FIL_BAD_INPUT);
    assert_int_equal(fil_rod_set_rest_twist(world, rod, 0, 2, nan), FIL_BAD_INPUT);
    assert_int_equal(fil_rod_set_rest_length(world, rod, NODES - 1, 1, good), FIL_BAD_INPUT);
    assert_int_equal(fil_rod_set_rest_length(world, rod, 0, 1, &zero), FIL_BAD_INPUT);
    has(fil_world_error(world), "must be positive, not 0");
    double nodes[3 * NODES];
    memcpy(nodes, line, sizeof nodes);
    nodes[4] = INFINITY;
    assert_int_equal(fil_rod_set_state(world, rod, nodes, NULL, NULL, NULL), FIL_BAD_INPUT);
    has(fil_world_error(world), "positions are not finite");
    memcpy(nodes, line, sizeof nodes);
    nodes[3] = 0.0;
    assert_int_equal(fil_rod_set_state(world, rod, nodes, NULL, NULL, NULL), FIL_BAD_INPUT);
    has(fil_world_error(world), "edge 0 would have zero length");
    assert_true(fil_world_hash(world) == before);
    assert_int_equal(fil_rod_set_rest_curvature(world, rod, 0, NODES, good), FIL_OK);
    assert_true(fil_world_hash(world) != before);
    fil_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unsound_worlds_are_refused),
        cmocka_unit_test(settings_change_or_stay),
        cmocka_unit_test(an_empty_world_steps),
        cmocka_unit_test(unsound_rods_are_refused),
        cmocka_unit_test(rods_without_names_get_free_ones),
        cmocka_unit_test(unsound_networks_are_refused),
        cmocka_unit_test(made_up_names_are_free_ones),
        cmocka_unit_test(wrong_ids_are_refused),
        cmocka_unit_test(stale_ids_are_refused),
        cmocka_unit_test(unsound_attachments_are_refused),
        cmocka_unit_test(unsound_drives_are_refused),
        cmocka_unit_test(unsound_probes_are_refused),
        cmocka_unit_test(unsound_live_values_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
