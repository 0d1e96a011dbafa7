/* Kinematics and dynamics of trees of links: Jacobians by differences, forward against inverse dynamics, the mass
 * matrix against energies, the bias against Lagrange's equations. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "body/articulated.h"
#include "filum/filum.h"
#include "robot/random_tree.h"
#include "world/world.h"

enum { UNKNOWNS = FIL_ROBOT_UNKNOWNS, ENTRIES = UNKNOWNS * UNKNOWNS, TREES = 12 };

static const double gravity[3] = {1.0, -2.0, -9.0};

typedef struct Case {
    FilWorld* world;
    FilArticulated* robot;
    double *q, *v;
} Case;

static Case make_case(int number, bool turns)
{
    static TreeText urdf;
    Random random = {42u + (uint64_t)number};
    const Tree tree = tree_random(&random, 3 + 2 * number, turns, turns && number % 2 == 1);
    tree_write_urdf(&tree, &urdf);
    FilWorldDef def = fil_world_def_default();
    FilRobotDef robot = fil_robot_def_default();
    robot.position = (FilVec3){0.3, -0.2, 0.5};
    robot.orientation = (FilQuat){0.5, 0.5, -0.5, 0.5};
    Case made = {0};
    FilId id;
    FilRobotJointSetting armature = fil_robot_joint_setting_default();
    armature.armature = 0.02;
    assert_int_equal(fil_world_create(&def, &made.world, NULL), FIL_OK);
    if (fil_world_add_robot_urdf(made.world, &robot, "tree.urdf", urdf.text, urdf.size, &armature, 1, &id) != FIL_OK) {
        fail_msg("%s", fil_world_error(made.world));
    }
    made.robot = made.world->system.bodies[0].impl;
    made.q = made.world->system.state.q;
    made.v = made.world->system.state.v;
    double turn[UNKNOWNS];
    tree_numbers(&random, 1.0, made.robot->dof_count, turn);
    tree_numbers(&random, 2.0, made.robot->dof_count, made.v);
    fil_articulated_move(made.robot, made.q, turn, 1.0, made.q);
    return made;
}

static double largest(const double* a, int count)
{
    double size = 0.0;
    for (int k = 0; k < count; k++) {
        size = fmax(size, fabs(a[k]));
    }
    return size;
}

/* ---- forward and inverse ---- */

static void forward_undoes_inverse(void** state)
{
    (void)state;
    for (int number = 0; number < TREES; number++) {
        Case c = make_case(number, true);
        Random random = {7u + (uint64_t)number};
        const int n = c.robot->dof_count;
        double wanted[UNKNOWNS], force[UNKNOWNS], found[UNKNOWNS];
        tree_numbers(&random, 5.0, n, wanted);
        fil_articulated_inverse(c.robot, c.q, c.v, wanted, gravity, force);
        assert_true(fil_articulated_forward(c.robot, c.q, c.v, force, gravity, found));
        for (int d = 0; d < n; d++) {
            assert_true(fabs(found[d] - wanted[d]) <= 1e-10 * largest(wanted, n));
        }
        fil_world_destroy(c.world);
    }
}

/* M a + bias is what Newton and Euler say without ever forming M. */
static void mass_and_bias_make_the_inverse(void** state)
{
    (void)state;
    static double mass[ENTRIES];
    for (int number = 0; number < TREES; number++) {
        Case c = make_case(number, true);
        Random random = {9u + (uint64_t)number};
        const int n = c.robot->dof_count;
        double a[UNKNOWNS], force[UNKNOWNS], bias[UNKNOWNS], product[UNKNOWNS];
        tree_numbers(&random, 5.0, n, a);
        fil_articulated_inverse(c.robot, c.q, c.v, a, gravity, force);
        fil_articulated_dynamics(c.robot, c.q, c.v, gravity, mass, bias);
        fil_articulated_multiply(c.robot, mass, a, product);
        for (int d = 0; d < n; d++) {
            assert_true(fabs(product[d] + bias[d] - force[d]) <= 1e-12 * largest(force, n));
        }
        fil_world_destroy(c.world);
    }
}

/* ---- the mass matrix ---- */

static void mass_gives_the_kinetic_energy_and_is_positive(void** state)
{
    (void)state;
    static double mass[ENTRIES], factor[ENTRIES];
    for (int number = 0; number < TREES; number++) {
        Case c = make_case(number, true);
        const int n = c.robot->dof_count;
        double product[UNKNOWNS], kinetic = 0.0;
        FilEnergy energy = {0};
        fil_articulated_mass(c.robot, c.q, mass);
        fil_articulated_multiply(c.robot, mass, c.v, product);
        for (int d = 0; d < n; d++) {
            kinetic += 0.5 * c.v[d] * product[d];
        }
        fil_articulated_energy(c.robot, c.q, c.v, NULL, gravity, &energy);
        assert_true(fabs(kinetic - energy.kinetic) <= 1e-13 * energy.kinetic);
        memcpy(factor, mass, sizeof(double) * (size_t)c.robot->entry_count);
        assert_true(fil_articulated_factor_entries(c.robot, factor));
        // the factor solves what the matrix makes
        fil_articulated_solve_entries(c.robot, factor, product);
        for (int d = 0; d < n; d++) {
            assert_true(fabs(product[d] - c.v[d]) <= 1e-10 * largest(c.v, n));
        }
        fil_world_destroy(c.world);
    }
}

static void momenta_are_sums_over_links(void** state)
{
    (void)state;
    Case c = make_case(5, true);
    double linear[3] = {0.0}, angular[3] = {0.0}, p[3] = {0.0}, l[3] = {0.0};
    fil_articulated_momentum(c.robot, c.q, c.v, NULL, linear, angular);
    for (int b = 0; b < c.robot->body_count; b++) {
        const FilTreeBody* body = &c.robot->bodies[b];
        int link = 0;
        while (c.robot->links[link].body != b || c.robot->links[link].fixed) {
            link++;
        }
        double centre[3], velocity[3], spin[3], local[3], moment[3];
        fil_pose_apply(centre, &c.robot->poses[b], body->center);
        fil_articulated_link_velocity(c.robot, c.q, c.v, link, centre, velocity, spin);
        fil_v3_axpy(p, body->mass, velocity);
        fil_v3_cross(moment, centre, velocity);
        fil_v3_axpy(l, body->mass, moment);
        fil_m3_apply_transposed(local, c.robot->poses[b].r, spin);
        fil_m3_apply(moment, body->inertia, local);
        fil_m3_apply(local, c.robot->poses[b].r, moment);
        fil_v3_add(l, l, local);
    }
    for (int k = 0; k < 3; k++) {
        assert_true(fabs(p[k] - linear[k]) <= 1e-12 * fil_v3_norm(linear));
        assert_true(fabs(l[k] - angular[k]) <= 1e-12 * fil_v3_norm(angular));
    }
    fil_world_destroy(c.world);
}

/* ---- Lagrange ---- */

/* Fourth-order difference of a function of q along unknown d. */
typedef double Function(const Case* c, const double* q, const void* context);

static double slope(const Case* c, int d, Function* f, const void* context)
{
    const double step = 1e-3;
    double sum = 0.0, move[UNKNOWNS] = {0.0}, q[2 * UNKNOWNS];
    static const double weights[] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
    static const double places[] = {-2.0, -1.0, 1.0, 2.0};
    move[d] = 1.0;
    for (int k = 0; k < 4; k++) {
        fil_articulated_move(c->robot, c->q, move, places[k] * step, q);
        sum += weights[k] * f(c, q, context);
    }
    return sum / step;
}

static double gravity_energy(const Case* c, const double* q, const void* context)
{
    (void)context;
    const double still[UNKNOWNS] = {0.0};
    FilEnergy energy = {0};
    fil_articulated_energy(c->robot, q, still, NULL, gravity, &energy);
    return energy.gravity;
}

static void weight_is_the_slope_of_its_energy(void** state)
{
    (void)state;
    for (int number = 0; number < TREES; number++) {
        Case c = make_case(number, true);
        const double still[UNKNOWNS] = {0.0};
        double bias[UNKNOWNS];
        fil_articulated_inverse(c.robot, c.q, still, NULL, gravity, bias);
        for (int d = 0; d < c.robot->dof_count; d++) {
            assert_true(fabs(slope(&c, d, gravity_energy, NULL) - bias[d]) <= 1e-8 * largest(bias, c.robot->dof_count));
        }
        fil_world_destroy(c.world);
    }
}

/* Momentum of unknown *context at other places, with the velocities as they are. */
static double momentum_of(const Case* c, const double* q, const void* context)
{
    static double mass[ENTRIES];
    double product[UNKNOWNS];
    fil_articulated_mass(c->robot, q, mass);
    fil_articulated_multiply(c->robot, mass, c->v, product);
    return product[*(const int*)context];
}

static double kinetic_energy(const Case* c, const double* q, const void* context)
{
    (void)context;
    FilEnergy energy = {0};
    fil_articulated_energy(c->robot, q, c->v, NULL, gravity, &energy);
    return energy.kinetic;
}

/* Where all unknowns are rates of coordinates: bias = d(M v)/dq v - dT/dq + dV/dq. */
static void bias_is_lagranges(void** state)
{
    (void)state;
    for (int number = 0; number < 6; number++) {
        Case c = make_case(number, false);
        const int n = c.robot->dof_count;
        double bias[UNKNOWNS];
        fil_articulated_inverse(c.robot, c.q, c.v, NULL, gravity, bias);
        for (int d = 0; d < n; d++) {
            double expected = slope(&c, d, gravity_energy, NULL) - slope(&c, d, kinetic_energy, NULL);
            for (int k = 0; k < n; k++) {
                expected += slope(&c, k, momentum_of, &d) * c.v[k];
            }
            assert_true(fabs(expected - bias[d]) <= 1e-7 * largest(bias, n));
        }
        fil_world_destroy(c.world);
    }
}

/* ---- Jacobians ---- */

/* A material point of a link, or one of the link's axes, at other places. */
typedef struct Spot {
    int link, component;
    double local[3];
    bool axis;
} Spot;

static double spot_place(const Case* c, const double* q, const void* context)
{
    const Spot* spot = context;
    FilPose pose;
    double place[3];
    fil_articulated_link_pose(c->robot, q, spot->link, &pose);
    if (spot->axis) {
        fil_m3_apply(place, pose.r, spot->local);
    } else {
        fil_pose_apply(place, &pose, spot->local);
    }
    return place[spot->component];
}

static void check_columns(const Case* c, int link, const double* local)
{
    const FilBodyOps* ops = &fil_articulated_ops;
    const int index = ops->collider_count(c->robot) + link;
    int blocks[2][FIL_JACOBIAN_BLOCKS];
    double jacobian[2][12 * FIL_JACOBIAN_BLOCKS], bias[3], point[3], axis[3];
    FilPose pose;
    ops->frame(c->robot, index, 0, c->q, NULL, &pose);
    fil_pose_apply(point, &pose, local);
    fil_m3_apply(axis, pose.r, local);
    const int moved = ops->point_jacobian(c->robot, index, 0, point, c->q, blocks[0], jacobian[0], bias);
    const int turned = ops->turn_jacobian(c->robot, index, 0, c->q, blocks[1], jacobian[1], bias);
    assert_int_equal(moved, turned);
    for (int d = 0; d < c->robot->dof_count; d++) {
        double move[3] = {0.0}, turn[3] = {0.0}, swept[3];
        for (int b = 0; b < moved; b++) {
            for (int k = 0; k < 3 && blocks[0][b] == d / 4; k++) {
                move[k] = jacobian[0][12 * b + 4 * k + d % 4];
                turn[k] = jacobian[1][12 * b + 4 * k + d % 4];
            }
        }
        fil_v3_cross(swept, turn, axis);
        for (int k = 0; k < 3; k++) {
            Spot spot = {.link = link, .component = k, .local = {local[0], local[1], local[2]}};
            assert_true(fabs(slope(c, d, spot_place, &spot) - move[k]) < 1e-9);
            spot.axis = true;
            assert_true(fabs(slope(c, d, spot_place, &spot) - swept[k]) < 1e-9);
        }
    }
}

static void jacobians_are_slopes_of_places(void** state)
{
    (void)state;
    for (int number = 0; number < TREES; number++) {
        Case c = make_case(number, true);
        Random random = {3u + (uint64_t)number};
        for (int link = 0; link < c.robot->link_count; link++) {
            double local[3];
            tree_numbers(&random, 0.5, 3, local);
            check_columns(&c, link, local);
        }
        fil_world_destroy(c.world);
    }
}

/* A load does the work of its point. */
static void loads_act_through_jacobians(void** state)
{
    (void)state;
    Case c = make_case(6, true);
    const FilBodyOps* ops = &fil_articulated_ops;
    const int n = c.robot->dof_count, link = c.robot->link_count - 1, index = ops->collider_count(c.robot) + link;
    const double force[3] = {3.0, -1.0, 2.0}, torque[3] = {0.2, 0.5, -0.7};
    double without[UNKNOWNS], with[UNKNOWNS], bias[3];
    fil_articulated_inverse(c.robot, c.q, c.v, NULL, gravity, without);
    ops->load(c.robot, link, FIL_DRIVE_FORCE, 0, 1, force, NULL);
    ops->load(c.robot, link, FIL_DRIVE_TORQUE, 0, 1, torque, NULL);
    fil_articulated_inverse(c.robot, c.q, c.v, NULL, gravity, with);
    FilPose pose;
    int blocks[FIL_JACOBIAN_BLOCKS];
    double move[12 * FIL_JACOBIAN_BLOCKS], turn[12 * FIL_JACOBIAN_BLOCKS], expected[UNKNOWNS] = {0.0};
    ops->frame(c.robot, index, 0, c.q, NULL, &pose);
    const int count = ops->point_jacobian(c.robot, index, 0, pose.p, c.q, blocks, move, bias);
    ops->turn_jacobian(c.robot, index, 0, c.q, blocks, turn, bias);
    for (int b = 0; b < count; b++) {
        for (int k = 0; k < 12; k++) {
            expected[4 * blocks[b] + k % 4] += move[12 * b + k] * force[k / 4] + turn[12 * b + k] * torque[k / 4];
        }
    }
    for (int d = 0; d < n; d++) {
        assert_true(fabs(without[d] - with[d] - expected[d]) <= 1e-11);
    }
    ops->clear_loads(c.robot);
    fil_articulated_inverse(c.robot, c.q, c.v, NULL, gravity, with);
    assert_memory_equal(with, without, sizeof(double) * (size_t)n);
    fil_world_destroy(c.world);
}

/* ---- the tangent that contacts see ---- */

static void tangent_blocks_are_the_tangent(void** state)
{
    (void)state;
    static double values[16 * FIL_JACOBIAN_BLOCKS * FIL_JACOBIAN_BLOCKS];
    static int columns[FIL_JACOBIAN_BLOCKS * FIL_JACOBIAN_BLOCKS], rows[FIL_JACOBIAN_BLOCKS * FIL_JACOBIAN_BLOCKS];
    for (int number = 0; number < TREES; number++) {
        Case c = make_case(number, true);
        const FilBodyOps* ops = &fil_articulated_ops;
        const FilStepSetup setup = {.dt = 1e-2, .theta = 1.0, .theta_vq = 1.0, .gravity = {0.0, 0.0, -9.81}};
        double v[UNKNOWNS], residual[UNKNOWNS], potential, product[UNKNOWNS] = {0.0}, expected[UNKNOWNS], change[UNKNOWNS];
        ops->begin(c.robot, &setup, c.q, c.v, c.world->system.state.h);
        ops->guess(c.robot, c.v, v);
        // m is linear, and zero at the guess
        assert_true(ops->evaluate(c.robot, v, 0.0, residual, &potential));
        assert_true(largest(residual, c.robot->v_count) == 0.0);
        for (int d = 0; d < c.robot->v_count; d++) {
            change[d] = d < c.robot->dof_count ? sin(1.0 + d) : 0.0;
            v[d] += change[d];
        }
        assert_true(ops->evaluate(c.robot, v, 0.0, expected, &potential));
        const int count = ops->tangent_pattern(c.robot, columns, rows);
        ops->tangent(c.robot, values);
        for (int b = 0; b < count; b++) {
            for (int k = 0; k < 16; k++) {
                const int r = 4 * rows[b] + k % 4, s = 4 * columns[b] + k / 4;
                product[r] += values[16 * b + k] * change[s];
                product[s] += rows[b] != columns[b] ? values[16 * b + k] * change[r] : 0.0;
            }
        }
        for (int d = 0; d < c.robot->v_count; d++) {
            assert_true(fabs(product[d] - expected[d]) <= 1e-12 * largest(expected, c.robot->dof_count));
        }
        fil_world_destroy(c.world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forward_undoes_inverse),
        cmocka_unit_test(mass_and_bias_make_the_inverse),
        cmocka_unit_test(mass_gives_the_kinetic_energy_and_is_positive),
        cmocka_unit_test(momenta_are_sums_over_links),
        cmocka_unit_test(weight_is_the_slope_of_its_energy),
        cmocka_unit_test(bias_is_lagranges),
        cmocka_unit_test(jacobians_are_slopes_of_places),
        cmocka_unit_test(loads_act_through_jacobians),
        cmocka_unit_test(tangent_blocks_are_the_tangent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
