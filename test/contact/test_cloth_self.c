/* ctest: heavy */
/* Cloth in contact with itself under models at velocity level. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "filum/filum.h"
#include "geometry/closest.h"
#include "scenes.h"
#include "world/world.h"

enum { MAX_VERTICES = 1200 };

/* Vertices and triangles of one shell. */
typedef struct Mesh {
    int vertex_count, triangle_count;
    double x[3 * MAX_VERTICES], v[3 * MAX_VERTICES];
    int triangles[6 * MAX_VERTICES];
} Mesh;

static const double THICKNESS = 0.002, HALF = 0.1; /* m */
static const char* const models[] = {"sap", "sap_lagged", "lcp"};

/* Where a strip folded in two is at a length s along it: both halves of length HALF, `apart` from each other. */
static void fold_at(double s, double apart, double* x, double* z)
{
    const double radius = 0.5 * apart, arc = 3.14159265358979 * radius;
    if (s < HALF) {
        *x = HALF - s;
        *z = 0.0;
    } else if (s < HALF + arc) {
        *x = -radius * sin((s - HALF) / radius);
        *z = radius - radius * cos((s - HALF) / radius);
    } else {
        *x = s - HALF - arc;
        *z = apart;
    }
}

/* Adds cells of a rectangle of vertices that have been added from `first` on. */
static void add_cells(Mesh* mesh, int first, int columns, int rows)
{
    for (int k = 0; k < columns * rows; k++) {
        const int a = first + k / columns * (columns + 1) + k % columns, b = a + 1, c = a + columns + 1, d = c + 1;
        const int odd[6] = {a, b, d, a, d, c}, even[6] = {a, b, c, b, d, c};
        memcpy(mesh->triangles + 3 * mesh->triangle_count, (k / columns + k % columns) % 2 != 0 ? odd : even, sizeof odd);
        mesh->triangle_count += 2;
    }
}

/* A strip of 2 HALF and what the fold takes, 0.1 m wide; columns shifted by up to `shear` of a cell from row to row. */
static void make_folded(Mesh* mesh, double apart, int columns, int rows, double shear)
{
    const double length = 2.0 * HALF + 3.14159265358979 * 0.5 * apart, cell = length / (columns + shear);
    *mesh = (Mesh){.vertex_count = 0};
    for (int j = 0; j <= rows; j++) {
        for (int i = 0; i <= columns; i++) {
            double* x = mesh->x + 3 * mesh->vertex_count++;
            fold_at(cell * (i + shear * j / rows), apart, &x[0], &x[2]);
            x[1] = 0.1 * j / rows - 0.05;
        }
    }
    add_cells(mesh, 0, columns, rows);
}

static void add_rectangle(Mesh* mesh, double x0, double z, double length, double width, int columns, int rows, double shear)
{
    const int first = mesh->vertex_count;
    for (int j = 0; j <= rows; j++) {
        for (int i = 0; i <= columns; i++) {
            double* x = mesh->x + 3 * mesh->vertex_count++;
            x[0] = x0 + length * (i + shear * j / rows) / columns;
            x[1] = width * (1.0 * j / rows - 0.5);
            x[2] = z;
        }
    }
    add_cells(mesh, first, columns, rows);
}

static FilWorld* load(const char* model, double dt, const double gravity[3], const char* more)
{
    static char scene[2000];
    snprintf(scene, sizeof scene,
             "world: {dt: %g, gravity: [%g, %g, %g], contact: {model: %s, tolerance: 1e-8}, newton: {tolerance: 1e-9}}\n"
             "materials: {wood: {density: 1000, friction: 0.4}}\n"
             "rigid_bodies:\n  - {name: ground, motion: static, material: wood, position: [0, 0, %s], shapes: [{half_space: {}}]}\n%s",
             dt, gravity[0], gravity[1], gravity[2], model, gravity[0] == 0.0 && gravity[2] != 0.0 ? "0" : "-9", more);
    return load_text(scene);
}

static FilId add_cloth(FilWorld* world, const Mesh* mesh, double young, double friction, double damping, bool rest_flat)
{
    FilShellDef def = fil_shell_def_default();
    FilId id;
    def.name = "cloth";
    def.vertex_count = mesh->vertex_count;
    def.vertices = mesh->x;
    def.velocities = mesh->v;
    def.triangle_count = mesh->triangle_count;
    def.triangles = mesh->triangles;
    def.thickness = THICKNESS;
    def.young = young;
    def.poisson = 0.3;
    def.density = 300.0;
    def.bending = FIL_BENDING_HINGES;
    def.rest_flat = rest_flat;
    def.damping_mass = damping;
    def.collision.surface.friction = friction;
    if (fil_world_add_shell(world, &def, &id) != FIL_OK) {
        fail_msg("%s", fil_world_error(world));
    }
    return id;
}

static void step(FilWorld* world, int count)
{
    for (int k = 0; k < count; k++) {
        FilStepInfo info;
        if (fil_world_step(world, &info) != FIL_OK) {
            fail_msg("%s", fil_world_error(world));
        }
    }
}

/* kg, as of its triangles. */
static double mass_of(const Mesh* mesh)
{
    double area = 0.0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int* c = mesh->triangles + 3 * t;
        double u[3], w[3];
        for (int k = 0; k < 3; k++) {
            u[k] = mesh->x[3 * c[1] + k] - mesh->x[3 * c[0] + k];
            w[k] = mesh->x[3 * c[2] + k] - mesh->x[3 * c[0] + k];
        }
        area += 0.5 * sqrt(pow(u[1] * w[2] - u[2] * w[1], 2) + pow(u[2] * w[0] - u[0] * w[2], 2) + pow(u[0] * w[1] - u[1] * w[0], 2));
    }
    return area * THICKNESS * 300.0;
}

/* Edges that pass through triangles which they are no sides of. */
static int count_piercings(const Mesh* mesh, const double* x)
{
    int count = 0;
    for (int s = 0; s < 3 * mesh->triangle_count; s++) {
        const int a = mesh->triangles[s], b = mesh->triangles[s % 3 == 2 ? s - 2 : s + 1];
        for (int t = 0; t < mesh->triangle_count; t++) {
            const int* c = mesh->triangles + 3 * t;
            bool apart = c[0] == a || c[1] == a || c[2] == a || c[0] == b || c[1] == b || c[2] == b;
            for (int k = 0; k < 3 && !apart; k++) {
                const double lo = fmin(fmin(x[3 * c[0] + k], x[3 * c[1] + k]), x[3 * c[2] + k]);
                const double hi = fmax(fmax(x[3 * c[0] + k], x[3 * c[1] + k]), x[3 * c[2] + k]);
                apart = fmin(x[3 * a + k], x[3 * b + k]) > hi || fmax(x[3 * a + k], x[3 * b + k]) < lo;
            }
            double along, w[3];
            count += !apart && fil_segment_triangle(x + 3 * a, x + 3 * b, x + 3 * c[0], x + 3 * c[1], x + 3 * c[2], &along, w) < 1e-24;
        }
    }
    return count;
}

/* A strip folded in two, stress-free as it is, dropped by 0.1 mm: its lower half lies on the ground, the upper one a thickness above, and
 * the ground bears all of it. On equal meshes, where vertices lie on vertices, and on sheared ones. */
static void test_folded_in_two(void** state)
{
    (void)state;
    static const struct {
        const char* model;
        int columns;
        double shear, dt;
    } cases[] = {{"sap", 20, 0.0, 0.002},        {"sap", 10, 0.37, 0.002},        {"sap", 20, 0.37, 0.002}, {"sap", 20, 0.37, 0.004},
                 {"sap_lagged", 20, 0.0, 0.002}, {"sap_lagged", 20, 0.37, 0.004}, {"lcp", 10, 0.0, 0.004},  {"lcp", 10, 0.37, 0.002}};
    static Mesh mesh;
    static double x[3 * MAX_VERTICES];
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const int columns = cases[k].columns;
        make_folded(&mesh, 1.05 * THICKNESS, columns, columns / 2, cases[k].shear);
        for (int i = 0; i < mesh.vertex_count; i++) {
            mesh.x[3 * i + 2] += 0.5 * THICKNESS + 1e-4;
        }
        FilWorld* world = load(cases[k].model, cases[k].dt, (const double[]){0.0, 0.0, -9.81}, "");
        const FilId cloth = add_cloth(world, &mesh, 1e6, 0.4, 1.0, false);
        step(world, (int)lround(0.3 / cases[k].dt));
        FilVec3 force, torque;
        fil_world_contact_wrench(world, fil_world_find_rigid(world, "ground"), &force, &torque);
        const double weight = 9.81 * mass_of(&mesh);
        assert_true(fabs(force.z + weight) < 1e-3 * weight);
        fil_shell_get_positions(world, cloth, x);
        for (int i = 0; i < mesh.vertex_count; i++) {
            const bool upper = mesh.x[3 * i + 2] > THICKNESS;
            // beyond the crease; sap regularises by 1 % of the radius, and sheared cells at the crease are not level
            if (mesh.x[3 * i] > 0.01) {
                assert_true(fabs(x[3 * i + 2] - (upper ? 1.5 : 0.5) * THICKNESS) < 0.025 * THICKNESS);
            }
        }
        assert_int_equal(count_piercings(&mesh, x), 0);
        fil_world_destroy(world);
    }
}

/* A rectangle of the same shell on another one that is held, tilted: it slides at g (sin - mu cos), and stays where that is negative. */
static void test_friction_of_layers(void** state)
{
    (void)state;
    static Mesh mesh;
    static double x[3 * MAX_VERTICES], v[3 * MAX_VERTICES];
    for (int k = 0; k < 6; k++) {
        const double mu = 0.3, dt = 0.002, tilt = k < 3 ? 0.45 : 0.28;
        mesh = (Mesh){.vertex_count = 0};
        add_rectangle(&mesh, 0.0, 0.0, 0.4, 0.1, 16, 4, 0.0);
        const int low = mesh.vertex_count;
        add_rectangle(&mesh, 0.01, THICKNESS, 0.1, 0.05, 5, 3, 0.3);
        FilWorld* world = load(models[k % 3], dt, (const double[]){9.81 * sin(tilt), 0.0, -9.81 * cos(tilt)}, "");
        const FilId cloth = add_cloth(world, &mesh, 1e6, mu, 0.0, false);
        FilAttachmentDef pin = fil_attachment_def_default();
        FilId id;
        pin.object = cloth;
        pin.count = low;
        assert_int_equal(fil_world_add_attachment(world, &pin, &id), FIL_OK);
        double speed[2];
        for (int part = 0; part < 2; part++) {
            step(world, part == 0 ? 25 : 75);
            fil_shell_get_velocities(world, cloth, v);
            speed[part] = 0.0;
            for (int i = low; i < mesh.vertex_count; i++) {
                speed[part] += v[3 * i] / (mesh.vertex_count - low);
            }
        }
        fil_shell_get_positions(world, cloth, x);
        const double expected = 9.81 * (sin(tilt) - mu * cos(tilt));
        if (k < 3) {
            assert_true(fabs((speed[1] - speed[0]) / (75.0 * dt) - expected) < 1e-3 * expected);
        } else {
            assert_true(fabs(speed[1]) < 1e-4 && fabs(x[3 * low] - mesh.x[3 * low]) < 1e-4);
        }
        fil_world_destroy(world);
    }
}

static double size(FilVec3 a)
{
    return sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}

static double change(FilVec3 a, FilVec3 b)
{
    return size((FilVec3){b.x - a.x, b.y - a.y, b.z - a.z}) / size(a);
}

/* The strip opened to 20 mm, whose halves fly together, off the middle. */
static void make_clapping(Mesh* mesh)
{
    make_folded(mesh, 0.02, 10, 5, 0.0);
    for (int i = 0; i < mesh->vertex_count; i++) {
        const double side = mesh->x[3 * i + 2] > 0.01 ? 1.0 : -1.0, arm = side * fmax(mesh->x[3 * i], 0.0) / HALF;
        mesh->v[3 * i] = 0.3 + 0.1 * arm;
        mesh->v[3 * i + 1] = 0.2 * arm;
        mesh->v[3 * i + 2] = 0.1 - 0.6 * arm + 0.5 * mesh->x[3 * i + 1];
    }
}

/* The first block of unknowns of the cloth, which is the world's last body. */
static int first_block(const FilWorld* world)
{
    return world->system.bodies[world->system.body_count - 1].v / 4;
}

/* Angular impulse of the last step's contacts on vertices that began it at x, over the sum of its parts; 0: there was none. */
static double twist(const FilWorld* world, const double* x)
{
    const FilContactSet* set = &world->collision.set;
    double sum[3] = {0.0, 0.0, 0.0}, parts = 0.0;
    for (int c = 0; c < set->count; c++) {
        const FilContact* contact = &set->contacts[c];
        for (int b = contact->first_block; b < contact->first_block + contact->block_count; b++) {
            double push[3] = {0.0, 0.0, 0.0}, moment[3];
            for (int k = 0; k < 9; k++) {
                push[k % 3] += set->jacobian[12 * b + 4 * (k / 3) + k % 3] * contact->impulse[k / 3];
            }
            fil_v3_cross(moment, x + 3 * (set->variable[b] - first_block(world)), push);
            fil_v3_add(sum, sum, moment);
            parts += fil_v3_norm(moment);
        }
    }
    return parts > 0.0 ? fil_v3_norm(sum) / parts : 0.0;
}

/* In free flight momentum stays, and contacts do not turn what they touch; what changes angular momentum are steps that take forces of
 * their end at arms of their start, an error of first order. The halves do not pass. */
static void test_free_flight(void** state)
{
    (void)state;
    static Mesh mesh;
    static double x[3 * MAX_VERTICES];
    for (int m = 0; m < 3; m++) {
        double turned[2];
        for (int fine = 0; fine < 2; fine++) {
            const double dt = fine ? 1.25e-4 : 5e-4;
            make_clapping(&mesh);
            FilWorld* world = load(models[m], dt, (const double[]){0.0, 0.0, 0.0}, "");
            const FilId cloth = add_cloth(world, &mesh, 1e5, 0.3, 0.0, false);
            const FilVec3 p = fil_world_momentum(world), l = fil_world_angular_momentum(world);
            double touching = 0.0;
            for (int k = 0; k < (int)lround(0.05 / dt); k++) {
                fil_shell_get_positions(world, cloth, x);
                if (k % 20 == 0) {
                    assert_int_equal(count_piercings(&mesh, x), 0);
                }
                step(world, 1);
                const double share = twist(world, x);
                touching += share;
                assert_true(share < 1e-11);
            }
            assert_true(touching > 0.0);
            assert_true(change(p, fil_world_momentum(world)) < 1e-9);
            turned[fine] = change(l, fil_world_angular_momentum(world));
            fil_world_destroy(world);
        }
        assert_true(turned[0] < 0.02 && turned[1] < 0.4 * turned[0]);
    }
}

/* Rate of a contact's distance by its Jacobian, for velocities v of the cloth. */
static double rate_of(const FilWorld* world, const FilContact* contact, const double* v)
{
    const FilContactSet* set = &world->collision.set;
    double rate = 0.0;
    for (int b = contact->first_block; b < contact->first_block + contact->block_count; b++) {
        for (int k = 0; k < 3; k++) {
            rate += set->jacobian[12 * b + 8 + k] * v[3 * (set->variable[b] - first_block(world)) + k];
        }
    }
    return rate;
}

/* Distances of a strip with itself change as their Jacobians say while its halves move as rigid bodies: any motion else turns the point of a
 * vertex's surface, half a thickness away, which its distance does not know. */
static void test_distances(void** state)
{
    (void)state;
    enum { MAX_COUNT = 200 };
    static Mesh mesh;
    static double x[3 * MAX_VERTICES], v[3 * MAX_VERTICES];
    static FilContact known[MAX_COUNT];
    double rates[MAX_COUNT], distances[2][MAX_COUNT];
    const double dt = 5e-4, by = 1e-7;
    make_clapping(&mesh);
    FilWorld* world = load("sap", dt, (const double[]){0.0, 0.0, 0.0}, "");
    const FilId cloth = add_cloth(world, &mesh, 1e5, 0.3, 0.0, false);
    int kinds[8] = {0};
    for (int k = 0; k < 30; k++) {
        step(world, 3);
        fil_shell_get_positions(world, cloth, x);
        for (int i = 0; i < mesh.vertex_count; i++) {
            static const double turn[2][3] = {{3.0, -5.0, 7.0}, {-11.0, 2.0, 4.0}}, shift[2][3] = {{0.3, 0.2, -0.5}, {-0.1, 0.4, 0.7}};
            const int half = i % 11 < 5;
            fil_v3_cross(v + 3 * i, turn[half], x + 3 * i);
            fil_v3_add(v + 3 * i, v + 3 * i, shift[half]);
        }
        double* q = world->system.state.q + world->system.bodies[world->system.body_count - 1].q;
        for (int side = -1; side < 2; side++) {  // at first where it is, to know the contacts
            for (int i = 0; i < 3 * mesh.vertex_count && side >= 0; i++) {
                q[4 * (i / 3) + i % 3] = x[i] + (side == 0 ? -by : by) * v[i];
            }
            assert_int_equal(fil_collide_all(&world->collision, dt), FIL_OK);
            const FilContactSet* set = &world->collision.set;
            for (int c = 0; c < MAX_COUNT; c++) {
                if (side < 0) {
                    known[c] = c < set->count ? set->contacts[c] : (FilContact){.block_count = 0};
                    rates[c] = rate_of(world, &known[c], v);
                    continue;
                }
                distances[side][c] = NAN;
                for (int j = 0; j < set->count; j++) {
                    const FilContact* contact = &set->contacts[j];
                    if (known[c].block_count > 0 && contact->feature == known[c].feature &&
                        memcmp(contact->collider, known[c].collider, sizeof contact->collider) == 0) {
                        distances[side][c] = contact->distance;
                    }
                }
            }
        }
        for (int i = 0; i < 3 * mesh.vertex_count; i++) {
            q[4 * (i / 3) + i % 3] = x[i];
        }
        for (int c = 0; c < MAX_COUNT && known[c].block_count > 0; c++) {
            const int kind = (int)(known[c].feature & 7u);
            // those of kinds 2 and 3 would pass at a point that depends on velocities
            if (kind != 2 && kind != 3 && isfinite(distances[0][c]) && isfinite(distances[1][c])) {
                kinds[kind]++;
                assert_true(fabs((distances[1][c] - distances[0][c]) / (2.0 * by) - rates[c]) < 1e-5);
            }
        }
    }
    assert_true(kinds[0] > 10 && kinds[1] > 3);  // vertices on faces, edges
    fil_world_destroy(world);
}

/* Adds a triangle of one side of a bag: of the lower one turned over. */
static void add_side(Mesh* mesh, int side, int a, int b, int c)
{
    const int corners[3] = {a, side == 0 ? b : c, side == 0 ? c : b};
    memcpy(mesh->triangles + 3 * mesh->triangle_count++, corners, sizeof corners);
}

/* An empty bag: two squares of 0.1 m sewn together at their rim, 12 mm apart in the middle. */
static void make_bag(Mesh* mesh, int cells)
{
    int at[2][20][20];
    *mesh = (Mesh){.vertex_count = 0};
    for (int k = 0; k < 2 * (cells + 1) * (cells + 1); k++) {
        const int side = k / ((cells + 1) * (cells + 1)), i = k % (cells + 1), j = k / (cells + 1) % (cells + 1);
        const int inside = (int)fmin(fmin(i, cells - i), fmin(j, cells - j));
        if (side == 1 && inside == 0) {
            at[1][i][j] = at[0][i][j];
            continue;
        }
        double* x = mesh->x + 3 * mesh->vertex_count;
        x[0] = 0.1 * i / cells - 0.05;
        x[1] = 0.1 * j / cells - 0.05;
        x[2] = 0.01 + (side == 0 ? 0.006 : -0.006) * sqrt(fmin(1.0, 3.0 * inside / cells));
        at[side][i][j] = mesh->vertex_count++;
    }
    for (int k = 0; k < 2 * cells * cells; k++) {
        const int side = k / (cells * cells), i = k % cells, j = k / cells % cells;
        int(*v)[20] = at[side];
        // diagonals that join rims would be the same edge on both sides
        const bool corner = (i == 0 || i == cells - 1) && (j == 0 || j == cells - 1), odd = corner ? (i == 0) == (j == 0) : (i + j) % 2 != 0;
        add_side(mesh, side, v[i][j], v[i + 1][j], odd ? v[i + 1][j + 1] : v[i][j + 1]);
        add_side(mesh, side, odd ? v[i][j] : v[i + 1][j], v[i + 1][j + 1], v[i][j + 1]);
    }
}

/* Closed shells meet themselves as open ones do: the bag falls flat, its upper side rests a thickness above its lower one, and the ground bears both.
 */
static void test_closed(void** state)
{
    (void)state;
    static Mesh mesh;
    static double x[3 * MAX_VERTICES];
    for (int k = 0; k < 3; k++) {
        make_bag(&mesh, k == 1 ? 10 : 7);
        const double weight = 9.81 * mass_of(&mesh);
        FilWorld* world = load(models[k], 0.002, (const double[]){0.0, 0.0, -9.81}, "");
        const FilId cloth = add_cloth(world, &mesh, 1e3, 0.3, 10.0, false);
        step(world, 150);
        FilVec3 force, torque;
        fil_world_contact_wrench(world, fil_world_find_rigid(world, "ground"), &force, &torque);
        fil_shell_get_positions(world, cloth, x);
        assert_true(fabs(force.z + weight) < 1e-3 * weight);
        for (int i = 0; i < mesh.vertex_count; i++) {
            const bool rim = mesh.x[3 * i + 2] == 0.01, upper = mesh.x[3 * i + 2] > 0.01;
            assert_true(rim || fabs(x[3 * i + 2] - (upper ? 1.5 : 0.5) * THICKNESS) < 0.025 * THICKNESS);  // as above
        }
        assert_int_equal(count_piercings(&mesh, x), 0);
        fil_world_destroy(world);
    }
}

/* A sheet that flies together from all sides crumples at once, in steps in which parts of it move by several thicknesses: nothing passes, for
 * steps in which something would are divided. */
static void test_crumpled(void** state)
{
    (void)state;
    static Mesh mesh;
    static double x[3 * MAX_VERTICES];
    int divided = 0;
    for (int k = 0; k < 4; k++) {
        const double dt = 0.004, speed = k < 2 ? 2.0 : 4.0;
        mesh = (Mesh){.vertex_count = 0};
        add_rectangle(&mesh, -0.06, 0.0, 0.12, 0.12, 12, 12, 0.0);
        for (int i = 0; i < mesh.vertex_count; i++) {
            double* at = mesh.x + 3 * i;
            at[2] = 1e-3 * sin(7.0 * i);  // a plane sheet would not know where to buckle
            mesh.v[3 * i] = -speed * at[0] / 0.06;
            mesh.v[3 * i + 1] = -speed * at[1] / 0.06;
        }
        FilWorld* world = load(models[k % 2], dt, (const double[]){0.0, 0.0, 0.0}, "");
        const FilId cloth = add_cloth(world, &mesh, 1e5, 0.3, 5.0, false);
        for (int s = 0; s < 25; s++) {
            FilStepInfo info;
            assert_int_equal(fil_world_step(world, &info), FIL_OK);
            assert_int_equal(info.crossings, 0);
            divided += info.halvings > 0;
            fil_shell_get_positions(world, cloth, x);
            assert_int_equal(count_piercings(&mesh, x), 0);
        }
        fil_world_destroy(world);
    }
    assert_true(divided > 0);
}

/* Models that look at vertices only say so instead of letting cloth pass through itself. */
static void test_refused(void** state)
{
    (void)state;
    for (int self = 0; self < 2; self++) {
        char scene[600];
        FilWorld* world;
        FilError error;
        snprintf(scene, sizeof scene,
                 "world: {dt: 0.002, contact: imc}\nmaterials: {cotton: {young: 1.0e+6, poisson: 0.3, density: 300}}\n"
                 "shells: [{name: cloth, material: cotton, thickness: 0.001, sheet: {corner: [0, 0, 0], along: [0.1, 0, 0], across: [0, 0.1, 0], "
                 "columns: 3, rows: 3}, collision: {self: %s}}]\n",
                 self ? "true" : "false");
        const FilStatus status = fil_scene_load_text("scene", scene, strlen(scene), NULL, &world, NULL, &error);
        assert_int_equal(status, self ? FIL_BAD_INPUT : FIL_OK);
        if (self) {
            assert_non_null(strstr(error.text, "cloth that touches itself, such as 'cloth'"));
        } else {
            step(world, 1);
            fil_world_destroy(world);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_folded_in_two), cmocka_unit_test(test_friction_of_layers), cmocka_unit_test(test_free_flight),
        cmocka_unit_test(test_distances),     cmocka_unit_test(test_crumpled),           cmocka_unit_test(test_closed),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
