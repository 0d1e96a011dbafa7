/* ctest: heavy */
/* Gas in closed shells and in cavities of solids: pistons, spheres, momenta, contact, commands. */
#include <stdio.h>

#include "blocks.h"
#include "scenes.h"

/* ---- a box of eight vertices whose lid is a piston ---- */

static const double BOX[24] = {0, 0, 0, 0, 0, 0.3, 0, 0.5, 0, 0, 0.5, 0.3, 0.4, 0, 0, 0.4, 0, 0.3, 0.4, 0.5, 0, 0.4, 0.5, 0.3};
static const int BOX_TRIANGLES[36] = {0, 1, 3, 0, 3, 2, 4, 7, 5, 4, 6, 7, 0, 5, 1, 0, 4, 5, 2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 7, 3, 1, 5, 7};
enum { BOX_TOP = 0xaa }; /* bits of the vertices at z = 0.3 */
static const double AREA = 0.2, HEIGHT = 0.3, AIR = 1e5, GAMMA = 1.4;

static FilShellDef thin_box(FilGasLaw law, double pressure)
{
    FilShellDef def = fil_shell_def_default();
    def.vertex_count = 8;
    def.vertices = BOX;
    def.triangle_count = 12;
    def.triangles = BOX_TRIANGLES;
    def.thickness = 1e-3;
    def.young = 1e-3;  // against 1e5 Pa of air: nothing
    def.density = 1e5;
    def.gas = (FilGas){law, pressure, GAMMA, AIR};
    return def;
}

static FilId add_shell(FilWorld* world, const FilShellDef* def)
{
    FilId id;
    if (fil_world_add_shell(world, def, &id) != FIL_OK) {
        fail_msg("%s", fil_world_error(world));
    }
    return id;
}

static FilId pin(FilWorld* world, FilId object, int vertex, unsigned axes)
{
    FilId id;
    FilAttachmentDef def = fil_attachment_def_default();
    def.object = object;
    def.first = vertex;
    def.axes = axes;
    assert_int_equal(fil_world_add_attachment(world, &def, &id), FIL_OK);
    return id;
}

static FilWorldDef still_world(double dt)
{
    FilWorldDef def = fil_world_def_default();
    def.gravity = (FilVec3){0};
    def.dt = dt;
    return def;
}

/* the lid pressed down by half: its pins bear (P - ambient) A of P V^gamma = const, or the driven pressure */
static void test_piston_force(void** state)
{
    (void)state;
    for (FilGasLaw law = FIL_GAS_DRIVEN; law <= FIL_GAS_SEALED; law++) {
        FilWorld* world = block_world(still_world(0.01));
        const FilShellDef def = thin_box(law, 2e4);
        const FilId box = add_shell(world, &def);
        FilId top[8];
        for (int i = 0; i < 8; i++) {
            top[i] = pin(world, box, i, 7);
            if (BOX_TOP >> i & 1) {
                static const double times[2] = {0.0, 0.1}, values[6] = {0.0, 0.0, 0.0, 0.0, 0.0, -0.15};
                FilDriveDef drive = fil_drive_def_default();
                FilId id;
                drive.kind = FIL_DRIVE_POSITION;
                drive.attachment = top[i];
                drive.knot_count = 2;
                drive.times = times;
                drive.values = values;
                assert_int_equal(fil_world_add_drive(world, &drive, &id), FIL_OK);
            }
        }
        for (int step = 0; step < 20; step++) {
            block_step(world, NULL);
        }
        double sum = 0.0;
        for (int i = 0; i < 8; i++) {
            sum += BOX_TOP >> i & 1 ? fil_attachment_force(world, top[i]).z : 0.0;
        }
        const double expected = law == FIL_GAS_DRIVEN ? 2e4 : 1.2e5 * pow(2.0, GAMMA) - AIR;
        assert_true(fabs(fil_shell_chamber_volume(world, box, 0) - 0.5 * AREA * HEIGHT) < 1e-14);
        assert_true(fabs(fil_shell_chamber_pressure(world, box, 0) - expected) < 1e-9 * expected);
        assert_true(fabs(-sum - expected * AREA) < 1e-9 * expected * AREA);
        fil_world_destroy(world);
    }
}

/* the lid's corners on the gas: each moves by its share g_i of dV, omega^2 = gamma P/V sum g_i^2/m_i, and energy stays under the
 * midpoint rule */
static void test_piston_period(void** state)
{
    (void)state;
    FilWorldDef world_def = still_world(2e-4);
    world_def.integrator = FIL_MIDPOINT;
    FilWorld* world = block_world(world_def);
    const FilShellDef def = thin_box(FIL_GAS_SEALED, 0.0);
    const FilId box = add_shell(world, &def);
    double v[24] = {0.0}, mass[8] = {0.0}, share[8] = {0.0}, crossing[2] = {0.0}, before = 0.0, sum = 0.0;
    int crossings = 0;
    for (int k = 0; k < 36; k++) {
        const int* t = BOX_TRIANGLES + 3 * (k / 3);
        const double area = k >= 24 ? AREA : k >= 12 ? 0.4 * HEIGHT : 0.5 * HEIGHT;  // of the side that it is half of
        mass[t[k % 3]] += 0.5 * area / 3.0 * def.density * def.thickness;
        share[t[k % 3]] += k >= 30 ? 0.5 * area / 3.0 : 0.0;  // the last two are the lid
    }
    // sides across y are triangles 4 to 7, across z 8 to 11
    for (int i = 0; i < 8; i++) {
        pin(world, box, i, BOX_TOP >> i & 1 ? 3 : 7);
        v[3 * i + 2] = 2.0 * share[i] / mass[i];
        sum += share[i] * share[i] / mass[i];
    }
    assert_int_equal(fil_shell_set_state(world, box, NULL, v), FIL_OK);
    const FilEnergy start = fil_world_energy(world);
    assert_true(fabs(start.kinetic / (0.5 * 2.0 * 2.0 * sum) - 1.0) < 1e-12);  // masses as thought
    const double volume = AREA * HEIGHT, omega = sqrt(GAMMA * AIR / volume * sum);
    for (int step = 0; crossings < 11 && step < 100000; step++) {
        block_step(world, NULL);
        const double now = fil_shell_chamber_volume(world, box, 0) - volume;
        if (before < 0.0 && now >= 0.0) {  // upwards, in between
            crossing[crossings > 0] = (step + 1 - now / (now - before)) * 2e-4;
            crossings++;
        }
        before = now;
    }
    const double measured = 2.0 * M_PI * 10.0 / (crossing[1] - crossing[0]);
    const FilEnergy end = fil_world_energy(world);
    print_message("omega %.6f of theory, energy %.2e\n", measured / omega, (end.kinetic + end.elastic) / (start.kinetic + start.elastic) - 1.0);
    assert_true(fabs(measured / omega - 1.0) < 1e-4);  // (omega dt)^2/12 = 6e-6, and that the amplitude is not small
    assert_true(fabs((end.kinetic + end.elastic) / (start.kinetic + start.elastic) - 1.0) < 1e-4);
    fil_world_destroy(world);
}

/* ---- spheres ---- */

enum { MAX_COUNT = 4000 };
static double sphere[3 * MAX_COUNT];
static int sphere_triangles[6 * MAX_COUNT], sphere_vertices, sphere_triangle_count;

static int on_sphere(double x, double y, double z)
{
    const double length = sqrt(x * x + y * y + z * z), p[3] = {x / length, y / length, z / length};
    for (int i = 0; i < sphere_vertices; i++) {
        if (fabs(sphere[3 * i] - p[0]) + fabs(sphere[3 * i + 1] - p[1]) + fabs(sphere[3 * i + 2] - p[2]) < 1e-9) {
            return i;
        }
    }
    memcpy(sphere + 3 * sphere_vertices, p, sizeof p);
    return sphere_vertices++;
}

/* an icosahedron, each edge in n */
static void make_sphere(int n)
{
    static const int faces[20][3] = {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
                                     {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
                                     {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};
    const double g = 0.5 * (1.0 + sqrt(5.0));
    const double corner[12][3] = {{-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
                                  {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
    sphere_vertices = sphere_triangle_count = 0;
    for (int f = 0; f < 20; f++) {
        int number[32][32];
        for (int i = 0; i <= n; i++) {
            for (int j = 0; j <= n - i; j++) {
                double p[3];
                for (int k = 0; k < 3; k++) {
                    p[k] = (i * corner[faces[f][1]][k] + j * corner[faces[f][2]][k] + (n - i - j) * corner[faces[f][0]][k]) / n;
                }
                number[i][j] = on_sphere(p[0], p[1], p[2]);
            }
        }
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n - i; j++) {
                int* t = sphere_triangles + 3 * sphere_triangle_count++;
                t[0] = number[i][j], t[1] = number[i + 1][j], t[2] = number[i][j + 1];
                if (i + j < n - 1) {
                    t = sphere_triangles + 3 * sphere_triangle_count++;
                    t[0] = number[i + 1][j], t[1] = number[i + 1][j + 1], t[2] = number[i][j + 1];
                }
            }
        }
    }
}

static FilShellDef sphere_shell(double radius)
{
    FilShellDef def = fil_shell_def_default();
    for (int k = 0; k < 3 * sphere_vertices; k++) {
        sphere[k] *= radius;
    }
    def.vertex_count = sphere_vertices;
    def.vertices = sphere;
    def.triangle_count = sphere_triangle_count;
    def.triangles = sphere_triangles;
    def.thickness = 1e-3;
    def.young = 1e6;
    def.density = 1000.0;
    def.damping_mass = 50.0;
    return def;
}

/* springs of stiffness k = sqrt(3)/2 E t along edges that all grow by lambda: p dV/dlambda = k (lambda - 1) sum L^2. Sealed, p itself is
 * (p0 + ambient) lambda^-3gamma - ambient */
static void test_sphere_shell(void** state)
{
    (void)state;
    for (FilGasLaw law = FIL_GAS_DRIVEN; law <= FIL_GAS_SEALED; law++) {
        make_sphere(6);
        FilShellDef def = sphere_shell(0.1);
        def.gas = (FilGas){law, law == FIL_GAS_DRIVEN ? 3e3 : 2e4, GAMMA, AIR};
        FilWorld* world = block_world(still_world(0.01));
        const FilId id = add_shell(world, &def);
        const double rest = fil_shell_chamber_volume(world, id, 0);
        assert_true(fabs(rest / (4.0 / 3.0 * M_PI * 1e-3) - 1.0) < 0.03);  // 720 facets
        for (int step = 0; step < 400; step++) {
            block_step(world, NULL);
        }
        const double lambda = cbrt(fil_shell_chamber_volume(world, id, 0) / rest), p = fil_shell_chamber_pressure(world, id, 0);
        double squares = 0.0;
        for (int t = 0; t < sphere_triangle_count; t++) {
            for (int k = 0; k < 3; k++) {
                const double *a = sphere + 3 * sphere_triangles[3 * t + k], *b = sphere + 3 * sphere_triangles[3 * t + (k + 1) % 3];
                for (int j = 0; j < 3; j++) {
                    squares += 0.5 * (a[j] - b[j]) * (a[j] - b[j]);  // each edge twice
                }
            }
        }
        const double stiffness = 0.5 * sqrt(3.0) * def.young * def.thickness;
        print_message("lambda %.4f, p %.6f of uniform growth\n", lambda, stiffness * (lambda - 1.0) * squares / (3.0 * rest * lambda * lambda) / p);
        assert_true(lambda > 1.02);
        // facets are not all alike: the sphere gives a little more than if all edges grew by the same; 0.3 % found at n = 6
        assert_true(fabs(stiffness * (lambda - 1.0) * squares / (3.0 * rest * lambda * lambda) / p - 1.0) < 0.005);
        if (law == FIL_GAS_SEALED) {
            assert_true(fabs(p - ((2e4 + AIR) * pow(lambda, -3.0 * GAMMA) - AIR)) < 1e-6 * p);
        }
        fil_world_destroy(world);
    }
}

/* a hollow ball of icosahedral layers under p inside, against Lame: returns the volume's growth over theory */
static double lame_ratio(int n, int layers)
{
    const double inner = 0.1, outer = 0.2, young = 1e5, poisson = 0.3, p = 1.0;
    static double x[3 * MAX_COUNT];
    static int tets[4 * 30 * MAX_COUNT];
    int count = 0;
    make_sphere(n);
    const int per = sphere_vertices;
    for (int l = 0; l <= layers; l++) {
        const double r = inner * pow(outer / inner, (double)l / layers);
        for (int k = 0; k < 3 * per; k++) {
            x[3 * per * l + k] = r * sphere[k];
        }
    }
    for (int l = 0; l < layers; l++) {
        for (int t = 0; t < sphere_triangle_count; t++) {
            int c[3];
            memcpy(c, sphere_triangles + 3 * t, sizeof c);
            for (int turn = 0; turn < 2 && !(c[0] < c[1] && c[0] < c[2]); turn++) {  // the least first, so that sides match
                const int first = c[0];
                c[0] = c[1], c[1] = c[2], c[2] = first;
            }
            const int lo[3] = {c[0] + per * l, c[1] + per * l, c[2] + per * l}, hi[3] = {lo[0] + per, lo[1] + per, lo[2] + per};
            const bool rising = c[1] < c[2];
            const int three[3][4] = {{lo[0], lo[1], lo[2], hi[2]}, {lo[0], lo[1], hi[2], hi[1]}, {lo[0], hi[1], hi[2], hi[0]}};
            const int other[3][4] = {{lo[0], lo[1], lo[2], hi[1]}, {lo[0], hi[1], lo[2], hi[2]}, {lo[0], hi[1], hi[2], hi[0]}};
            memcpy(tets + 4 * count, rising ? three : other, sizeof three);
            count += 3;
        }
    }
    FilWorld* world = block_world(still_world(1.0));
    FilSolidMesh mesh = {per * (layers + 1), count, x, tets};
    FilSolidDef def = block_material(FIL_SOLID_COROTATED);
    def.young = young;
    def.poisson = poisson;
    def.gas = (FilGas){FIL_GAS_DRIVEN, p, GAMMA, AIR};
    const FilId id = block_add(world, def, &mesh);
    assert_int_equal(fil_solid_chamber_count(world, id), 1);
    const double rest = fil_solid_chamber_volume(world, id, 0);
    for (int step = 0; step < 30; step++) {
        block_step(world, NULL);
    }
    const double a3 = inner * inner * inner, b3 = outer * outer * outer;
    const double u = p * a3 / (young * (b3 - a3)) * ((1.0 - 2.0 * poisson) * inner + (1.0 + poisson) * b3 / (2.0 * inner * inner));
    const double ratio = (cbrt(fil_solid_chamber_volume(world, id, 0) / rest) - 1.0) / (u / inner);
    fil_world_destroy(world);
    return ratio;
}

static void test_thick_sphere(void** state)
{
    (void)state;
    const double coarse = lame_ratio(3, 3), fine = lame_ratio(6, 6), order = log((1.0 - coarse) / (1.0 - fine)) / log(2.0);
    print_message("Lame: %.4f, %.4f of theory, order %.2f\n", coarse, fine, order);
    assert_true(fine < 1.0 && 1.0 - fine < 0.03);
    assert_true(order > 1.7 && order < 2.3);
}

/* ---- free motion ---- */

static FilSolidMesh hollow_cube(void)
{
    FilSolidMesh mesh;
    FilError error;
    const double size[3] = {0.3, 0.3, 0.3};
    const int cells[3] = {4, 3, 3};
    const FilSolidHollow hollow = {{1, 1, 1}, {3, 2, 2}};
    assert_int_equal(fil_solid_mesh_hollow_brick(size, cells, 1, &hollow, 1, &mesh, &error), FIL_OK);
    return mesh;
}

/* a cube with compressed air in it, thrown and turning: it swells and swings, momenta stay */
static void test_momenta(void** state)
{
    (void)state;
    for (FilGasLaw law = FIL_GAS_DRIVEN; law <= FIL_GAS_SEALED; law++) {
        FilWorldDef world_def = still_world(0.005);
        world_def.integrator = FIL_MIDPOINT;
        FilWorld* world = block_world(world_def);
        FilSolidMesh mesh = hollow_cube();
        FilSolidDef def = block_material(FIL_SOLID_NEO_HOOKEAN);
        double* v = calloc(3 * (size_t)mesh.vertex_count, sizeof *v);
        for (int i = 0; i < mesh.vertex_count; i++) {
            const double* x = mesh.vertices + 3 * i;
            v[3 * i] = 1.0 - 2.0 * x[1];
            v[3 * i + 1] = 2.0 * x[0];
            v[3 * i + 2] = 0.5;
        }
        def.velocities = v;
        def.gas = (FilGas){law, 1e3, GAMMA, 2e3};
        const FilId id = block_add(world, def, &mesh);
        const double rest = fil_solid_chamber_volume(world, id, 0);
        const FilVec3 p0 = fil_world_momentum(world), l0 = fil_world_angular_momentum(world);
        double largest = 0.0;
        const FilEnergy start = fil_world_energy(world);
        for (int step = 0; step < 100; step++) {
            block_step(world, NULL);
            largest = fmax(largest, fil_solid_chamber_volume(world, id, 0) / rest);
        }
        const FilVec3 p1 = fil_world_momentum(world), l1 = fil_world_angular_momentum(world);
        const FilEnergy end = fil_world_energy(world);
        assert_true(largest > 1.02);
        assert_true(fabs(p1.x - p0.x) + fabs(p1.y - p0.y) + fabs(p1.z - p0.z) < 1e-11 * fabs(p0.x));
        assert_true(fabs(l1.x - l0.x) + fabs(l1.y - l0.y) + fabs(l1.z - l0.z) < 1e-9 * fabs(l0.z));
        if (law == FIL_GAS_SEALED) {  // the midpoint rule keeps energy to second order of what swings
            assert_true(fabs(end.kinetic + end.elastic - start.kinetic - start.elastic) < 2e-3 * start.kinetic);
        }
        free(v);
        fil_world_destroy(world);
        fil_solid_mesh_free(&mesh);
    }
}

/* ---- contact ---- */

/* a plate on an inflated ball on the ground: the plate is borne, the gas keeps its law, whichever model */
static void test_contact(void** state)
{
    (void)state;
    static const char* const models[3] = {"sap", "sap_lagged", "ipc"};
    double pressures[3];
    for (int m = 0; m < 3; m++) {
        char text[1000];
        FilWorld* world = NULL;
        FilError error;
        snprintf(text, sizeof text,
                 "world: {dt: 0.0025, contact: %s}\n"  // at 5 ms the pressure that folds leave depends on the solver: 1,791 to 1,858 Pa under sap
                 "materials: {latex: {young: 1.0e+6, poisson: 0.3, density: 1000, friction: 0.5}}\n"
                 "rigid_bodies:\n"
                 "  - {name: ground, motion: static, material: latex, shapes: [{half_space: {}}]}\n"
                 "  - {name: plate, material: latex, position: [0, 0, 0.2145], shapes: [{box: {size: [0.4, 0.4, 0.02]}}]}\n"
                 "shells:\n"
                 "  - name: ball\n"
                 "    material: latex\n"
                 "    thickness: 0.001\n"
                 "    damping: {mass: 20, stiffness: 0.05}\n"
                 "    bubble: {half: [0.1, 0.1, 0.1], divisions: 5, position: [0, 0, 0.102]}\n"
                 "    gas: {law: sealed, pressure: 2000, gamma: 1.4, ambient: 1.0e+5}\n"
                 "joints: [{name: guide, slider: {a: {body: plate}, point: [0, 0, 0.2145], axis: [0, 0, 1]}}]\n"
                 "probes: {force: {contact_force: {body: plate, component: z}}}\n",
                 models[m]);
        if (fil_scene_load_text("scene", text, strlen(text), NULL, &world, NULL, &error) != FIL_OK) {
            fail_msg("%s", error.text);
        }
        const FilId ball = fil_world_find_shell(world, "ball");
        const double rest = fil_shell_chamber_volume(world, ball, 0);
        for (int step = 0; step < 500; step++) {
            block_step(world, NULL);
        }
        const double force = fil_world_probe_value(world, 0);
        const double weight = 0.4 * 0.4 * 0.02 * 1000.0 * 9.81, volume = fil_shell_chamber_volume(world, ball, 0);
        pressures[m] = fil_shell_chamber_pressure(world, ball, 0);
        print_message("%s: force %.6f of the weight, pressure %.2f Pa\n", models[m], force / weight, pressures[m]);
        assert_true(fabs(force / weight - 1.0) < 1e-3);
        assert_true(fabs(pressures[m] - ((2e3 + AIR) * pow(rest / volume, GAMMA) - AIR)) < 1e-6 * AIR);
        fil_world_destroy(world);
    }
    assert_true(fabs(pressures[1] / pressures[0] - 1.0) < 0.005);
    assert_true(fabs(pressures[2] / pressures[0] - 1.0) < 0.01);  // ipc keeps a distance
}

/* ---- scripts, commands, holds ---- */

static const char finger[] =
    "world: {dt: 0.01, contact: sap}\n"
    "materials: {silicone: {young: 3.0e+5, poisson: 0.3, density: 1000}}\n"
    "solids:\n"
    "  - name: finger\n"
    "    material: silicone\n"
    "    model: neo_hookean\n"
    "    brick: {size: [0.1, 0.02, 0.02], cells: [10, 4, 4], split: five, hollows: [{from: [1, 1, 2], to: [9, 3, 3]}]}\n"
    "    damping: {stiffness: 0.01}\n"
    "    gas: {law: driven, pressure: 500}\n"
    "    pins: [{from: [-1, -1, -1], to: [-0.049, 1, 1]}]\n"
    "drives: [{name: air, solid: finger, chamber: 0, pressure: [[0, 0], [0.1, 20000]]}]\n"
    "probes: {p: {cavity_pressure: {solid: finger, chamber: 0}}, tip: {solid_vertex_position: {solid: finger, vertex: -1, component: z}}}\n";

/* a script adds to the definition's pressure, a command replaces both until it is taken back; restored, it goes on with the same bits */
static void test_commands(void** state)
{
    (void)state;
    FilWorld* world = load_text(finger);
    const FilId id = fil_world_find_solid(world, "finger");
    for (int step = 0; step < 50; step++) {
        block_step(world, NULL);
    }
    const double bent = fil_world_probe_value(world, 1);
    assert_true(fabs(fil_world_probe_value(world, 0) - 20500.0) < 1e-9);
    assert_true(bent < 0.008);  // from 0.01 m: down
    assert_int_equal(fil_solid_set_pressure(world, id, 0, 1000.0), FIL_OK);
    const size_t size = fil_world_snapshot_size(world);
    void* snapshot = malloc(size);
    assert_non_null(snapshot);
    fil_world_save(world, snapshot);
    uint64_t hash[2];
    for (int round = 0; round < 2; round++) {
        for (int step = 0; step < 30; step++) {
            block_step(world, NULL);
        }
        hash[round] = fil_world_hash(world);
        assert_true(fil_world_probe_value(world, 0) == 1000.0);
        assert_true(fil_world_probe_value(world, 1) > bent + 1e-3);
        assert_int_equal(fil_world_restore(world, snapshot, size), FIL_OK);
    }
    assert_true(hash[0] == hash[1]);
    assert_int_equal(fil_solid_release_pressure(world, id, 0), FIL_OK);
    block_step(world, NULL);
    assert_true(fabs(fil_world_probe_value(world, 0) - 20500.0) < 1e-9);
    assert_int_equal(fil_solid_set_pressure(world, id, 1, 0.0), FIL_BAD_INPUT);
    assert_int_equal(fil_solid_set_pressure(world, id, 0, NAN), FIL_BAD_INPUT);
    assert_true(isnan(fil_solid_chamber_volume(world, id, -1)));
    free(snapshot);
    fil_world_destroy(world);
}

/* a bubble welded by its back to a heavy body that something else touches: its vertices there follow and are no unknowns but in what
 * couples the gas. Pinned to the world instead, which takes no elimination, it comes to the same pressure */
static void test_welded(void** state)
{
    (void)state;
    double pressures[2], tops[2];
    for (int pinned = 0; pinned < 2; pinned++) {
        char text[1500];
        snprintf(text, sizeof text,
                 "world: {dt: 0.005, contact: sap}\n"
                 "materials: {latex: {young: 1.0e+6, poisson: 0.3, density: 1000, friction: 0.5}, lead: {density: 1.0e+4, friction: 0.5}}\n"
                 "rigid_bodies:\n"
                 "  - {name: ground, motion: static, material: latex, shapes: [{half_space: {}}]}\n"
                 "  - {name: base, material: lead, %s position: [0, 0, 0.05], shapes: [{box: {size: [0.3, 0.3, 0.1]}}]}\n"
                 "  - {name: plate, material: latex, position: [0, 0, 0.1705], shapes: [{box: {size: [0.3, 0.3, 0.02]}}]}\n"
                 "shells:\n"
                 "  - name: bubble\n"
                 "    material: latex\n"
                 "    thickness: 0.001\n"
                 "    damping: {mass: 20, stiffness: 0.05}\n"
                 "    bubble: {half: [0.1, 0.1, 0.06], divisions: 4, flat: z, position: [0, 0, 0.1]}\n"
                 "    gas: {law: sealed, pressure: 2000, gamma: 1.4, ambient: 1.0e+5}\n"
                 "joints:\n"
                 "  - {name: guide, slider: {a: {body: plate}, point: [0, 0, 0.17], axis: [0, 0, 1]}}\n"
                 "  - {name: weld, weld: {a: {shell: bubble, within: {from: [-1, -1, -1], to: [1, 1, 0.100001]}}, b: {body: base}}}\n"
                 "probes: {z: {body_position: {body: plate, component: z}}, f: {joint_force: {joint: weld, component: z}}}\n",
                 pinned ? "motion: static," : "");
        FilWorld* world = load_text(text);
        const FilId id = fil_world_find_shell(world, "bubble");
        for (int step = 0; step < 300; step++) {
            block_step(world, NULL);
        }
        const double weight = (0.3 * 0.3 * 0.02 * 1000.0) * 9.81;
        pressures[pinned] = fil_shell_chamber_pressure(world, id, 0);
        tops[pinned] = fil_world_probe_value(world, 0);
        print_message("%s: pressure %.3f Pa, plate at %.6f m, weld %.4f N, plate %.4f N\n", pinned ? "static" : "moving", pressures[pinned],
                      tops[pinned], fil_world_probe_value(world, 1), weight);
        fil_world_destroy(world);
    }
    assert_true(fabs(pressures[1] / pressures[0] - 1.0) < 1e-3);
    assert_true(fabs(tops[1] - tops[0]) < 1e-4);
}

static void test_refusals(void** state)
{
    (void)state;
    static const struct {
        const char *scene, *message;
    } bad[] = {
        {"solids: [{name: a, material: m, brick: {size: [1, 1, 1], cells: [2, 2, 2]}, gas: {pressure: 1}}]", "no cavity"},
        {"solids: [{name: a, material: m, brick: {size: [1, 1, 1], cells: [2, 2, 2], hollows: [{from: [0, 0, 0], to: [3, 1, 1]}]}}]", "hollow 1"},
        {"solids: [{name: a, material: m, brick: {size: [1, 1, 1], cells: [3, 3, 3], hollows: [{from: [1, 1, 1], to: [2, 2, 2]}]}, gas: {gamma: 3}}]",
         "gamma"},
        {"shells: [{name: a, material: m, thickness: 0.01, sheet: {along: [1, 0, 0], across: [0, 1, 0], columns: 2, rows: 2}, gas: {}}]",
         "closed shell"},
        {"shells: [{name: a, material: m, thickness: 0.01, bubble: {half: [1, 1, 1], divisions: 2}, gas: {law: open}}]", "law"},
        {"shells: [{name: a, material: m, thickness: 0.01, bubble: {half: [1, 0, 1], divisions: 2}}]", "half"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        char text[500];
        FilWorld* world = NULL;
        FilError error;
        snprintf(text, sizeof text, "materials: {m: {young: 1.0e+5, poisson: 0.3, density: 1000}}\n%s\n", bad[k].scene);
        assert_int_equal(fil_scene_load_text("scene", text, strlen(text), NULL, &world, NULL, &error), FIL_BAD_INPUT);
        if (strstr(error.text, bad[k].message) == NULL || strstr(error.text, "scene:2") == NULL) {
            fail_msg("'%s' says nothing of '%s'", error.text, bad[k].message);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_piston_force), cmocka_unit_test(test_piston_period), cmocka_unit_test(test_sphere_shell),
        cmocka_unit_test(test_thick_sphere), cmocka_unit_test(test_momenta),       cmocka_unit_test(test_contact),
        cmocka_unit_test(test_commands),     cmocka_unit_test(test_welded),        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
