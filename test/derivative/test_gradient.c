/* Gradients of steps (filum/gradient.h): forward products against central differences of the steps themselves, backward products against forward
 * ones, trajectories against both, and what is refused. */
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
#include "gradient_check.h"
#include "world/world.h"

typedef struct Case {
    const char* name;
    double size; /* of the variation in central differences: m and m/s, rad and rad/s */
    const char* text;
} Case;

#define WORLD \
    "world: {dt: 2e-3, contact: {model: none}, newton: {tolerance: 1e-13}}\nmaterials: {rubber: {young: 1e6, poisson: 0.4, density: 1100}}\n"
#define TOUCH_WITHIN(tolerance) "world: {dt: 2e-3, contact: {model: sap, tolerance: " tolerance "}, newton: {tolerance: 1e-13}}\n"
#define TOUCH TOUCH_WITHIN("1e-12")
#define GROUND "{name: ground, motion: static, shapes: [{half_space: {}}]}, "
#define BALL "shapes: [{sphere: {radius: 0.1}}]"
#define CURVE \
    "material: rubber, shape: {polyline: {points: [[0,0,0], [0.1,0,0.02], [0.2,0.03,0.03], [0.29,0.08,0.02], [0.36,0.15,0], [0.4,0.24,-0.01]]}}"
#define ROUND CURVE ", section: {circle: {radius: 0.006}}"
#define BENT CURVE ", section: {rectangle: {width: 0.02, height: 0.008}}"

#define LIES                                                                                                                                  \
    "world: {dt: 2e-3, contact: {model: sap, tolerance: 1e-12}, newton: {tolerance: 1e-13}}\nmaterials: {rubber: {young: 1e6, poisson: 0.4, " \
    "density: "                                                                                                                               \
    "1100}}\n"
#define FLOOR "{name: ground, motion: static, position: [0, 0, -0.02], shapes: [{half_space: {}}]}"
#define SOFT_FLOOR "{name: ground, motion: static, position: [0, 0, -0.02], surface: {stiffness: 2e3}, shapes: [{half_space: {}}]}"
#define LYING                                                                                                                                \
    "material: rubber, section: {circle: {radius: 0.006}}, shape: {polyline: {points: [[0,0,-0.0145], [0.1,0,-0.0142], [0.2,0.03,-0.0143], " \
    "[0.29,0.08,-0.0148], [0.36,0.15,-0.0141], [0.4,0.24,-0.0144]]}}"

static const Case cases[] = {
    {"a flat rod that turns, spins and flies", 1e-5, WORLD "rods: [{name: a, " BENT ", twist: 1, angular_velocity: [3, 2, 5], spin: 40}]\n"},
    {"the same, damped and dragged", 1e-5,
     WORLD "rods: [{name: a, " BENT ", twist: 1, angular_velocity: [3, 2, 5], spin: 40, damping: {mass: 0.5, stiffness: 0.01}, drag: 0.3}]\n"},
    {"a clamped rod", 1e-5,
     WORLD "rods: [{name: a, " BENT ", rest: initial, damping: {stiffness: 0.005}}]\nattachments: [{name: wall, clamp: {rod: a, node: 0}}]\n"},
    {"a rod clamped in its middle, pushed", 1e-5,
     WORLD "rods: [{name: a, " BENT ", twist: 0.5, damping: {stiffness: 0.005}}]\nattachments: [{name: wall, clamp: {rod: a, node: 2}}]\n"
           "drives: [{name: push, rod: a, node: -1, force: [0.1, 0.2, 0.3]}]\n"},
    {"a pinned cord", 1e-5,
     WORLD "rods: [{name: a, " CURVE
           ", twist_free: true, gyroscopic: false, section: {circle: {radius: 0.003}}}]\nattachments: [{name: hook, pin: {rod: a, node: 0}}]\n"},
    {"a ring of rod", 1e-5,
     WORLD "rods: [{name: a, material: rubber, section: {rectangle: {width: 0.02, height: 0.01}}, shape: {ring: {radius: 0.1, nodes: 14}}, twist: "
           "6.283185307179586, angular_velocity: [9, 4, 1], spin: 20}]\n"},
    {"two rods and a pin", 1e-5,
     WORLD "rods: [{name: a, " BENT "}, {name: b, " BENT ", velocity: [1, 0, 0]}]\nattachments: [{name: hook, pin: {rod: b, node: -1}}]\n"},
    {"a rod that a hand leads", 1e-5,
     WORLD "rods: [{name: a, " BENT ", twist: 1}]\nattachments: [{name: hand, handle: {rod: a, node: 2, stiffness: 30, damping: 2}}, {name: other, "
           "handle: {rod: a, node: -1, stiffness: 30, damping: 1, max_force: 100}}]\n"
           "drives: [{name: lead, attachment: hand, velocity: [1, -2, 0.5]}]\n"},
    {"a rod with torques on its edges", 1e-5,
     WORLD "rods: [{name: a, " BENT ", twist: 1, spin: 10}]\ndrives: [{name: t, rod: a, edge: 1, torque: [0.01, 0.02, -0.015]}, {name: s, rod: a, "
           "edge: -1, axial_torque: 0.003}]\n"},
    {"three rods that share a node", 1e-5,
     WORLD "rods: [{name: a, " BENT ", spin: 20}, {name: b, material: rubber, section: {circle: {radius: 0.006}}, damping: {stiffness: 0.003}, "
           "shape: {straight: {from: [0.2, 0.03, 0.03], to: [0.2, 0.3, 0.2], nodes: 5}}}, "
           "{name: c, material: rubber, section: {circle: {radius: 0.006}}, shape: {straight: {from: [0.2, -0.3, 0], to: [0.2, 0.03, 0.03], nodes: "
           "4}}, angular_velocity: [0, 0, 0]}]\n"
           "junctions: [{a: {rod: a, node: 2}, b: {rod: b, node: 0}}, {a: {rod: a, node: 2}, b: {rod: c, node: -1}}]\nattachments: [{name: hook, "
           "pin: {rod: b, node: -1}}]\n"},
    {"a tumbling box with a torque", 1e-5,
     WORLD "rigid_bodies: [{name: a, position: [0, 0, 1], shapes: [{box: {size: [0.1, 0.2, 0.3]}}], velocity: [1, 2, 3], angular_velocity: [30, 20, "
           "10], damping: {linear: 0.5, angular: 0.3}}]\n"
           "drives: [{name: t, body: a, torque: [0.5, -1, 2]}]\n"},
    {"a double pendulum that is pulled", 1e-5,
     WORLD "robots: [{name: a, urdf: ../robots/double_pendulum.urdf, rotation: [0.5, 0.2, 0], joints: [{joint: shoulder, position: 2, velocity: 3}, "
           "{joint: elbow, position: 0.5, velocity: -7}]}]\n"
           "drives: [{name: f, link: lower, force: [3, -5, 2]}, {name: t, link: upper, torque: [1, 2, -1]}]\n"},
    {"an arm of six joints by efforts", 1e-5,
     WORLD "robots: [{name: a, urdf: ../robots/arm6.urdf, joints: [{joint: pan, position: 0.3, velocity: 1, friction: 0, armature: 0.01, damping: "
           "0.4}, {joint: shoulder_lift, position: -1, velocity: 2, friction: 0, armature: 0.01, damping: 0.4}, "
           "{joint: elbow, position: 1, velocity: -3, friction: 0, armature: 0.01, damping: 0.4}, {joint: wrist_1, position: 0.5, velocity: 4, "
           "friction: 0, armature: 0.01, damping: 0.4}, {joint: wrist_2, position: 0.2, velocity: -2, friction: 0, armature: 0.01, damping: 0.4}, "
           "{joint: wrist_3, position: 0.1, velocity: 6, friction: 0, armature: 0.01, damping: 0.4}]}]\n"},
    {"an arm of six motors that hold", 1e-5,
     WORLD "robots: [{name: a, urdf: ../robots/arm6.urdf, joints: [{joint: pan, position: 0.3, velocity: 1, friction: 0, gains: {stiffness: 300, "
           "damping: 10}}, {joint: shoulder_lift, position: -1, velocity: 2, friction: 0, gains: {stiffness: 300, damping: 10}}, "
           "{joint: elbow, position: 1, velocity: -3, friction: 0, gains: {stiffness: 300, damping: 10}}, {joint: wrist_1, position: 0.5, velocity: "
           "4, friction: 0, gains: {stiffness: 300, damping: 10}}, {joint: wrist_2, position: 0.2, velocity: -2, friction: 0, gains: {stiffness: "
           "300, damping: 10}}, {joint: wrist_3, position: 0.1, velocity: 6, friction: 0, gains: {stiffness: 300, damping: 10}}]}]\n"},
    {"a soft arm of one section", 1e-5,
     WORLD "arms: [{name: a, rotation: [2, 0, 0], sections: [{length: 0.2, mass: 0.3, elongation: [0.02, -0.01, 0.005], rate: "
           "[0.1, -0.2, 0.05]}]}]\n"},
    {"a soft arm of three sections that swings", 1e-5,
     WORLD
     "arms: [{name: a, rotation: [2, 0.3, 0.5], rotational_energy: true, sections: [{length: 0.2, mass: 0.3, elongation: [0.02, -0.01, 0.005], rate: "
     "[0.1, -0.2, 0.05]}, {length: 0.15, mass: 0.2, elongation: [0, 0, 0], rate: [0.2, 0.1, -0.1]}, {length: 0.1, mass: 0.1, chambers: 4, "
     "elongation: "
     "[0.001, 0.02, 0.004], rate: [-0.3, 0.1, 0.1]}]}]\ndrives: [{name: p, arm: a, chamber: 0, pressure: 3e4}]\n"},
    {"the same, implicit", 1e-5,
     WORLD "arms: [{name: a, rotation: [2, 0.3, 0.5], rotational_energy: true, scheme: implicit, sections: [{length: 0.2, mass: 0.3, elongation: "
           "[0.02, -0.01, "
           "0.005], rate: [0.1, -0.2, 0.05]}, {length: 0.15, mass: 0.2, elongation: [0, 0, 0], rate: [0.2, 0.1, -0.1]}]}]\n"},
    {"a soft arm without Coriolis terms", 1e-5,
     WORLD "arms: [{name: a, coriolis: none, sections: [{length: 0.2, mass: 0.3, elongation: [0.02, -0.01, 0.005], rate: [0.1, -0.2, 0.05]}, "
           "{length: 0.15, mass: "
           "0.2, elongation: [0.01, 0, 0.02], rate: [0.2, 0.1, -0.1]}]}]\n"},
    {"contact: a ball that slides", 1e-6,
     TOUCH "rigid_bodies: [" GROUND
           "{name: a, position: [0, 0, 0.096], surface: {stiffness: 1e4}, velocity: [1, 0.3, -0.1], angular_velocity: [0.3, 0.2, 0.5], " BALL "}]\n"},
    {"contact: a ball that rolls", 1e-6,
     TOUCH "rigid_bodies: [" GROUND "{name: a, position: [0, 0, 0.09999], velocity: [1, 0, 0], angular_velocity: [0, 10, 0], " BALL "}]\n"},
    {"contact made: a ball that falls on the ground", 1e-6,
     TOUCH "rigid_bodies: [" GROUND "{name: a, position: [0, 0, 0.1255], velocity: [1, 0.5, -2], angular_velocity: [3, 2, 5], " BALL "}]\n"},
    {"contact broken: a ball that leaves a soft ground", 1e-6,
     TOUCH "rigid_bodies: [" GROUND
           "{name: a, position: [0, 0, 0.0925], velocity: [0.5, 0.2, 0.5], angular_velocity: [3, 2, 5], surface: {stiffness: 1e4}, " BALL "}]\n"},
    {"contact: a box that sticks", 1e-6,
     TOUCH "rigid_bodies: [" GROUND "{name: a, position: [0, 0, 0.0999], rotation: [0.001, 0.002, 0], shapes: [{box: {size: [0.2, 0.3, 0.2]}}]}]\n"},
    {"contact: a box on its corner", 1e-6,
     TOUCH_WITHIN("1e-11") "rigid_bodies: [" GROUND "{name: a, position: [0, 0, 0.175], rotation: [0.6, 0.5, 0.2], velocity: [0.2, 0.1, -1], "
                           "angular_velocity: [1, 2, 0.5], shapes: [{box: {size: [0.2, 0.3, 0.2]}}]}]\n"},
    {"contact: a capsule on its end", 1e-6,
     TOUCH "rigid_bodies: [" GROUND
           "{name: a, position: [0, 0, 0.09], rotation: [0, 1.2, 0.3], velocity: [0, 1, -1], shapes: [{capsule: {radius: 0.05, length: 0.2}}]}]\n"},
    {"contact: a ball on a ball", 1e-6,
     TOUCH "rigid_bodies: [" GROUND "{name: a, position: [0, 0, 0.0999], " BALL
           "}, {name: b, position: [0.05, 0.03, 0.29], velocity: [0, 0, -1], angular_velocity: [3, 0, 1], " BALL "}]\n"},
    {"contact: capsules that cross", 1e-6,
     TOUCH "rigid_bodies: [{name: a, rotation: [1.5707963, 0, 0], shapes: [{capsule: {radius: 0.05, length: 0.4}}]}, {name: b, position: [0.02, "
           "0.01, 0.106], rotation: [0.1, 1.5707963, 0.05], velocity: [0.3, 0.1, -0.5], shapes: [{capsule: {radius: 0.05, length: 0.4}}]}]\n"},
    {"contact: a ball on the face of a box", 1e-6,
     TOUCH "rigid_bodies: [{name: a, shapes: [{box: {size: [0.2, 0.3, 0.2]}}]}, {name: b, position: [0.02, 0.03, 0.206], velocity: [0.5, 0, -0.5], "
           "angular_velocity: [3, 0, 1], " BALL "}]\n"},
    {"contact: a ball on the edge of a box", 1e-6,
     TOUCH "rigid_bodies: [{name: a, shapes: [{box: {size: [0.2, 0.3, 0.2]}}]}, {name: b, position: [0.165, 0.03, 0.176], velocity: [-0.5, 0, -0.5], "
           "angular_velocity: [3, 0, 1], " BALL "}]\n"},
    {"contact: a ball on the corner of a box", 1e-6,
     TOUCH "rigid_bodies: [{name: a, shapes: [{box: {size: [0.2, 0.3, 0.2]}}]}, {name: b, position: [0.1745, 0.1798, 0.1745], velocity: [-0.5, -0.2, "
           "-0.5], angular_velocity: [3, 0, 1], " BALL "}]\n"},
    {"contact: a ball on a plate that moves", 1e-6,
     TOUCH "rigid_bodies: [{name: plate, motion: kinematic, position: [0, 0, -0.1], shapes: [{box: {size: [3, 3, 0.2]}}]}, {name: b, position: "
           "[0.13, 0.03, 0.0999], velocity: [-0.5, 0, -0.5], " BALL "}]\ndrives: [{name: d, body: plate, velocity: [0.3, 0.1, 0.2]}]\n"},
    {"contact: a fingertip with motors against a ball", 1e-6,
     TOUCH
     "robots: [{name: r, urdf: ../robots/planar3.urdf, rotation: [0.3, 0.2, 0.1], joints: [{joint: shoulder, position: 0.5, velocity: 1, gains: "
     "{stiffness: 50, damping: 2}}, {joint: elbow, position: 0.7, velocity: 0.5, gains: {stiffness: 50, damping: 2}}, {joint: wrist, position: 0.4, "
     "velocity: 0.3, gains: {stiffness: 50, damping: 2}}]}]\nrigid_bodies: [{name: b, position: [0.726, -0.064, 0.178], velocity: [0, 0, 1], " BALL
     "}]\n"},
    {"contact: a rod on the ground", 1e-7, LIES "rigid_bodies: [" FLOOR "]\nrods: [{name: a, " LYING ", velocity: [0.3, 0.2, -0.5]}]\n"},
    {"contact: a rod that lies on soft ground, damped", 1e-7,
     LIES "rigid_bodies: [" SOFT_FLOOR "]\nrods: [{name: a, " LYING ", damping: {mass: 0.5, stiffness: 0.005}, spin: 5}]\n"},
    {"contact: a clamped rod on a ball that is held", 1e-7,
     LIES "rigid_bodies: [{name: b, motion: static, position: [0.22, 0.03, -0.085], " BALL "}]\nrods: [{name: a, " ROUND
          ", velocity: [0, 0, -0.5], damping: {stiffness: 0.005}}]\nattachments: [{name: wall, clamp: {rod: a, node: 0}}]\n"},
    {"contact: a flat rod clamped in its middle, on the ground", 1e-7,
     LIES "rigid_bodies: [" FLOOR "]\nrods: [{name: a, " BENT ", twist: 0.3}]\nattachments: [{name: wall, clamp: {rod: a, node: 2}}]\n"},
    // differences show where the solver ends, 1e-12 of momenta: 3.5e-6 with 1e-7, 3e-7 with 1e-6, 2.6e-7 with 1e-5
    {"contact: a rod that carries a ball", 1e-5,
     LIES "rods: [{name: a, " ROUND "}]\nattachments: [{name: l, pin: {rod: a, node: 0}}, {name: r, pin: {rod: a, node: -1}}]\nrigid_bodies: [{name: "
          "b, mass: 0.05, position: [0.16, 0.02, 0.1285], angular_velocity: [2, 1, 0], velocity: [0.1, 0, -0.3], " BALL "}]\n"},
    {"contact: rods that cross", 1e-7,
     LIES "rods: [{name: a, " ROUND
          "}, {name: b, material: rubber, velocity: [0, 0, -1], section: {circle: {radius: 0.006}}, shape: {straight: {from: "
          "[0.14, -0.2, 0.043], to: [0.17, 0.25, 0.05], nodes: 6}}}]\nattachments: [{name: l, pin: {rod: a, node: 0}}, {name: r, pin: {rod: a, node: "
          "-1}}]\n"},
    {"contact: a fork of rods on the ground", 3e-8,
     LIES "rigid_bodies: [" FLOOR "]\nrods: [{name: a, " LYING "}, {name: b, material: rubber, section: {circle: {radius: 0.006}}, shape: {straight: "
          "{from: [0.2, 0.03, -0.0143], to: [0.3, -0.2, -0.0144], nodes: 4}}}]\njunctions: [{a: {rod: a, node: 2}, b: {rod: b, node: 0}}]\n"},
    {"contact: a ring of rod on the ground", 1e-7,
     LIES "rigid_bodies: [" FLOOR "]\nrods: [{name: a, material: rubber, section: {circle: {radius: 0.006}}, twist: 6.283185307179586, spin: 5, "
          "velocity: [0.1, 0.2, -0.3], shape: {ring: {radius: 0.1, nodes: 14, center: [0, 0, -0.0143], normal: [0.002, 0.001, 1]}}}]\n"},
    {"contact: a rod on a ground that tilts", 1e-7,
     LIES "rigid_bodies: [{name: ground, motion: kinematic, position: [0, 0, -0.02], shapes: [{half_space: {}}]}]\nrods: [{name: a, " LYING
          ", velocity: [0.3, 0.2, -0.5]}]\ndrives: [{name: d, body: ground, rotation: [[0, 0, 0, 0], [1, 0.2, -0.3, 0.5]]}]\n"},
    {"contact made: a rod that falls on the ground", 1e-7,
     LIES "rigid_bodies: [{name: ground, motion: static, position: [0, 0, -0.0325], shapes: [{half_space: {}}]}]\nrods: [{name: a, " LYING
          ", velocity: [0.3, 0.2, -1]}]\n"},
    {"contact broken: a rod that leaves the ground", 1e-7,
     LIES "rigid_bodies: [{name: ground, motion: static, position: [0, 0, -0.0185], surface: {stiffness: 150}, shapes: [{half_space: {}}]}]\nrods: "
          "[{name: a, " LYING ", velocity: [0.1, 0, 0]}]\n"},
    {"contact: a ball on a soft arm", 1e-7,
     TOUCH
     "rigid_bodies: [{name: b, position: [0.2, 0.01, 0.15], velocity: [0.1, 0, -2], angular_velocity: [3, 2, 5], " BALL
     "}]\narms: [{name: a, rotation: [0, 1.57, 0], sections: [{length: 0.2, mass: 0.3}, {length: 0.15, mass: 0.2, elongation: [0.005, 0, 0], rate: "
     "[0.2, 0.1, -0.1]}]}]\n"},
    {"contact: a rod of 40 nodes that slides on the ground under ipc", 1e-6,
     "world: {dt: 2e-3, contact: {model: ipc}, ipc: {range: 2e-3, slip_speed: 1e-2, friction_iterations: 1}, newton: {tolerance: "
     "1e-13}}\nmaterials: {rubber: {young: 1e6, poisson: 0.4, density: 1100}}\nrigid_bodies: [" FLOOR
     "]\nrods: [{name: a, material: rubber, section: {circle: {radius: 0.006}}, velocity: [0.3, 0.2, -0.05], shape: {straight: {from: [0, 0, "
     "-0.0116], to: [1, 0.1, -0.0117], nodes: 40}}}]\n"},
    // wound up: steps end where rounding could be, which grows with the distance from the origin, and differences of a long rod show that
    {"contact: a rod of so many nodes under ipc that steps are solved by conjugate gradients", 2e-6,
     "world: {dt: 2e-3, contact: {model: ipc}, ipc: {range: 2e-3, slip_speed: 1e-2}, newton: {tolerance: 1e-13}}\nmaterials: {rubber: {young: 1e6, "
     "poisson: 0.4, density: 1100}}\nrigid_bodies: [" FLOOR "]\nrods: [{name: a, material: rubber, section: {circle: {radius: 0.002}}, rest: "
     "initial, spin: 20, velocity: [0.3, 0.2, -0.05], shape: {helix: {radius: 0.16, pitch: 0.02, turns: 20, nodes: 4100, origin: [0, 0, "
     "-0.0165]}}}]\n"},
    {"contact: a ball on a ground that rises under ipc", 1e-6,
     "world: {dt: 2e-3, contact: {model: ipc}, ipc: {range: 2e-3, slip_speed: 1e-2, friction_iterations: 1}, newton: {tolerance: "
     "1e-13}}\nrigid_bodies: [{name: ground, "
     "motion: kinematic, shapes: [{half_space: {}}]}, {name: a, position: [0, 0, 0.1018], velocity: [1, 0.3, -0.1], angular_velocity: [0.3, 0.2, "
     "0.5], " BALL "}]\ndrives: [{name: d, body: ground, velocity: [0.1, 0, 0.02]}]\n"},
    {"contact: a cord on the ground", 1e-7,
     LIES "rigid_bodies: [" FLOOR "]\nrods: [{name: a, " LYING ", twist_free: true, gyroscopic: false, velocity: [0.3, 0.2, -0.5]}]\n"},
};

enum { STEPS = 3, BEFORE = 5 };

/* Robots are moved by efforts, or hold themselves by their motors. */
static void command_robots(const char* name, FilWorld* world)
{
    for (int r = 0; r < fil_world_robot_count(world); r++) {
        const FilId robot = fil_world_robot_at(world, r);
        for (int j = 0; j < fil_robot_joint_count(world, robot) && strstr(name, "motors") == NULL; j++) {
            gradient_ok(world, fil_robot_set_joint_command(world, robot, j, &(FilJointCommand){.mode = FIL_JOINT_EFFORT, .effort = 0.3 * (j + 1)}));
        }
    }
}

static void check_case(const Case* c)
{
    FilWorld* world = gradient_load(c->text);
    command_robots(c->name, world);
    FilGradient* gradient = NULL;
    gradient_ok(world, fil_gradient_create(world, &gradient));
    const int n = fil_gradient_size(gradient);
    const int numbers = fil_gradient_variation_size(gradient);
    const size_t size = fil_world_snapshot_size(world), bytes = sizeof(double) * (size_t)numbers;
    void* snapshot = malloc(size);
    double *start = malloc(bytes), *end = malloc(bytes), *quotient = malloc(bytes), *v[2] = {malloc(bytes), malloc(bytes)};
    Random random = {7};
    for (int s = 0; s < BEFORE; s++) {
        gradient_ok(world, fil_world_step(world, NULL));
    }
    int contacts = 0;
    const int before = gradient_bearing(world);
    fil_world_save(world, snapshot);
    for (int s = 0; s < STEPS; s++) {
        gradient_ok(world, fil_world_step(world, NULL));
        contacts += gradient_bearing(world);
    }
    // as the name says
    assert_int_equal(contacts > 0, strstr(c->name, "contact") != NULL);
    assert_false(strstr(c->name, "made") != NULL && before > 0);
    assert_false(strstr(c->name, "broken") != NULL && (before == 0 || gradient_bearing(world) > 0));
    for (int trial = 0; trial < 3; trial++) {
        gradient_choose(gradient, world, &random, start);
        const double off = gradient_products(gradient, world, &random, snapshot, size, STEPS, start, end);
        if (!(off <= 1e-10)) {
            fail_msg("%s: backward products are %g off forward ones", c->name, off);
        }
        // central differences, extrapolated: errors of the fourth order
        double *a = v[0], *b = v[1], worst = 0.0;
        for (int k = 0; k < 2; k++) {
            const double h = c->size * (k == 0 ? 1.0 : 2.0), factor = (k == 0 ? 4.0 : -1.0) / (3.0 * 2.0 * h);
            gradient_run(world, snapshot, size, start, h, STEPS, a);
            gradient_run(world, snapshot, size, start, -h, STEPS, b);
            for (int j = 0; j < n; j++) {
                quotient[j] = (k == 0 ? 0.0 : quotient[j]) + factor * (a[j] - b[j]);
            }
        }
        for (int j = 0; j < n; j++) {
            // copies of shared nodes repeat their owners' velocities, which count
            worst = start[n + j] != 0.0 ? fmax(worst, fabs(quotient[j] - end[n + j])) : worst;
        }
        const double relative = worst / (gradient_norm(end + n, n) / sqrt(n));
        if (!(relative <= 1e-6)) {
            fail_msg("%s: error %g of central differences", c->name, relative);
        }
    }
    free(snapshot);
    for (int k = 0; k < 2; k++) {
        free(v[k]);
    }
    free(start), free(end), free(quotient);
    fil_gradient_destroy(gradient);
    fil_world_destroy(world);
}

static void steps_vary_as_their_differences(void** state)
{
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        check_case(&cases[k]);
    }
}

/* ---- bits ---- */

#define ROUGHLY "world: {dt: 2e-3, contact: {model: sap}}\nmaterials: {rubber: {young: 1e6, poisson: 0.4, density: 1100}}\n"

/* Steps with gradients are those that the world takes without: of all the above, and at Newton's own tolerance, where guesses of free motion stay. */
static void gradients_change_no_bit(void** state)
{
    (void)state;
    static const Case others[] = {
        {"a rod on the ground", 0.0, ROUGHLY "rigid_bodies: [" FLOOR "]\nrods: [{name: a, " LYING ", velocity: [0.3, 0.2, -0.5]}]\n"},
        {"a rod on the ground, held where it touches", 0.0,
         ROUGHLY "rigid_bodies: [" FLOOR "]\nrods: [{name: a, " LYING "}]\nattachments: [{name: hook, pin: {rod: a, node: 2}}]\n"},
        {"a soft arm on the ground", 0.0,
         ROUGHLY "rigid_bodies: [{name: ground, motion: static, shapes: [{half_space: {}}]}]\narms: [{name: a, position: [0, 0, 0.035], rotation: "
                 "[0, 1.57, 0], sections: [{length: 0.2, mass: 0.3, disks: 4, disk_radius: 0.03}]}]\n"},
    };
    const size_t count = sizeof cases / sizeof *cases, all = count + sizeof others / sizeof *others;
    int stayed = 0;
    for (size_t k = 0; k < all; k++) {
        const Case* c = k < count ? &cases[k] : &others[k - count];
        FilWorld *plain = gradient_load(c->text), *world = gradient_load(c->text);
        FilGradient* gradient = NULL;
        command_robots(c->name, plain);
        command_robots(c->name, world);
        gradient_ok(world, fil_gradient_create(world, &gradient));
        const int numbers = fil_gradient_variation_size(gradient), steps = numbers > 10000 ? 2 : 60;
        double *end = calloc((size_t)numbers, sizeof *end), *start = calloc((size_t)numbers, sizeof *start);
        end[0] = 1.0;
        for (int s = 0; s < steps; s++) {
            gradient_ok(plain, fil_world_step(plain, NULL));
            const FilStatus status = fil_gradient_step(gradient, NULL);
            assert_true(status == FIL_OK || status == FIL_BAD_INPUT);  // some have steps without a derivative later on
            if (status == FIL_OK) {
                gradient_ok(world, fil_gradient_backward(gradient, end, start, NULL));
                stayed += k >= count && world->solver.contact.active && world->solver.motions[world->system.body_count - 1].newton.stayed;
            }
            if (fil_world_hash(world) != fil_world_hash(plain)) {
                fail_msg("%s: step %d of a world with a gradient has other bits", c->name, s);
            }
            for (int j = 0; j < fil_world_attachment_count(world); j++) {
                const FilVec3 force = fil_attachment_force(world, fil_world_attachment_at(world, j));
                const FilVec3 other = fil_attachment_force(plain, fil_world_attachment_at(plain, j));
                if (memcmp(&force, &other, sizeof force) != 0) {
                    fail_msg("%s: after step %d an attachment holds with (%g, %g, %g) N, not (%g, %g, %g)", c->name, s, force.x, force.y, force.z,
                             other.x, other.y, other.z);
                }
            }
        }
        free(end), free(start);
        fil_gradient_destroy(gradient);
        fil_world_destroy(world);
        fil_world_destroy(plain);
    }
    assert_true(stayed > 0);
}

/* ---- trajectories ---- */

static const char cable[] = WORLD "rods: [{name: a, " BENT
                                  ", damping: {stiffness: 0.002}}]\nattachments: [{name: hook, pin: {rod: a, node: 0}}]\n"
                                  "drives: [{name: push, rod: a, node: -1, force: [0, 0, 0]}]\n";

typedef struct Objective {
    int steps, n, tip;    /* number of the tip's place among the world's */
    const double* pushes; /* 3 a step */
} Objective;

static FilStatus push(void* context, int step, FilWorld* world)
{
    const Objective* objective = context;
    return fil_drive_set(world, fil_world_find_drive(world, "push"), objective->pushes + 3 * (size_t)step, 3);
}

/* Half the square of the tip's way to a place, at the end, and of its speed on the way. */
static double cost(void* context, int step, const FilWorld* world, double* slope)
{
    const Objective* objective = context;
    static const double place[3] = {0.3, 0.3, 0.1};
    const double *q = fil_world_positions(world, NULL) + objective->tip, *v = fil_world_velocities(world, NULL) + objective->tip;
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        const double way = step == objective->steps ? q[k] - place[k] : 0.0;
        sum += 0.5 * way * way + 5e-4 * v[k] * v[k];
        if (slope != NULL) {
            slope[objective->tip + k] += way;
            slope[objective->n + objective->tip + k] += 1e-3 * v[k];
        }
    }
    return sum;
}

static double total(const Objective* objective, const double* variation, double share)
{
    FilWorld* world = gradient_load(cable);
    double sum = 0.0, *varied = malloc(2 * sizeof(double) * (size_t)objective->n);
    for (int k = 0; k < 2 * objective->n; k++) {
        varied[k] = share * variation[k];
    }
    gradient_ok(world, fil_world_vary(world, varied));
    for (int s = 0; s < objective->steps; s++) {
        gradient_ok(world, push((void*)(uintptr_t)objective, s, world));
        gradient_ok(world, fil_world_step(world, NULL));
        sum += cost((void*)(uintptr_t)objective, s + 1, world, NULL);
    }
    free(varied);
    fil_world_destroy(world);
    return sum;
}

static void trajectories_vary_as_their_differences(void** state)
{
    (void)state;
    enum { STEPS_ALL = 30, NODES = 6, N = 4 * NODES };
    double pushes[3 * STEPS_ALL], start[3][2 * N], *forces = malloc(sizeof(double) * STEPS_ALL * N), sums[3];
    Random random = {3};
    for (int k = 0; k < 3 * STEPS_ALL; k++) {
        pushes[k] = random_between(&random, -0.2, 0.2);
    }
    Objective objective = {.steps = STEPS_ALL, .n = N, .tip = 4 * (NODES - 1), .pushes = pushes};
    uint64_t hash = 0;
    for (int kept = 0; kept < 2; kept++) {
        FilWorld* world = gradient_load(cable);
        FilGradient* gradient = NULL;
        gradient_ok(world, fil_gradient_create(world, &gradient));
        assert_int_equal(fil_gradient_size(gradient), N);
        FilTrajectoryCost def = fil_trajectory_cost_default();
        def.steps = STEPS_ALL;
        def.checkpoints = kept == 0 ? 0 : STEPS_ALL;
        def.control = push;
        def.cost = cost;
        def.context = &objective;
        def.start = start[kept];
        def.forces = forces;
        gradient_ok(world, fil_gradient_trajectory(gradient, &def, &sums[kept]));
        hash = kept == 0 ? fil_world_hash(world) : hash;
        assert_true(hash == fil_world_hash(world));  // and as if it had just been run
        def.checkpoints = 3;
        assert_int_equal(fil_gradient_trajectory(gradient, &def, &sums[2]), FIL_BAD_INPUT);
        assert_non_null(strstr(fil_world_error(world), "30 steps need 11 checkpoints"));
        fil_gradient_destroy(gradient);
        fil_world_destroy(world);
    }
    // snapshots change nothing
    assert_memory_equal(start[0], start[1], sizeof start[0]);
    assert_true(sums[0] == sums[1]);
    // by the start: all but the pinned node, and the last angle, which is idle
    double variation[2 * N] = {0.0}, h = 1e-5;
    for (int k = 4; k < N - 1; k++) {
        variation[k] = random_between(&random, -1.0, 1.0);
        variation[N + k] = random_between(&random, -1.0, 1.0);
    }
    double by_start = gradient_dot(start[0], variation, 2 * N);
    double quotient = (4.0 * (total(&objective, variation, h) - total(&objective, variation, -h)) -
                       0.5 * (total(&objective, variation, 2.0 * h) - total(&objective, variation, -2.0 * h))) /
                      (6.0 * h);
    assert_true(fabs(by_start - quotient) <= 1e-6 * fabs(quotient));
    // by the pushes, which are forces on the tip
    memset(variation, 0, sizeof variation);
    for (int s = 0; s < STEPS_ALL; s += 7) {
        for (int k = 0; k < 3; k++) {
            const double was = pushes[3 * s + k], size = 1e-4;
            pushes[3 * s + k] = was + size;
            quotient = total(&objective, variation, 0.0);
            pushes[3 * s + k] = was - size;
            quotient = (quotient - total(&objective, variation, 0.0)) / (2.0 * size);
            pushes[3 * s + k] = was;
            // differences of a number of order 0.1 leave 1e-16 / 1e-4
            assert_true(fabs(forces[(size_t)s * N + (size_t)(objective.tip + k)] - quotient) <= 1e-6 * fabs(quotient) + 1e-11);
        }
    }
    free(forces);
}

/* ---- what is refused ---- */

static void refuses(const char* text, const char* message)
{
    FilWorld* world = gradient_load(text);
    FilGradient* gradient = NULL;
    FilStatus status = fil_gradient_create(world, &gradient);
    status = status == FIL_OK ? fil_gradient_step(gradient, NULL) : status;
    if (status != FIL_BAD_INPUT || strstr(fil_world_error(world), message) == NULL) {
        fail_msg("'%s' is not '%s'", fil_world_error(world), message);
    }
    fil_gradient_destroy(gradient);
    fil_world_destroy(world);
}

static void what_is_not_known_is_refused(void** state)
{
    (void)state;
#define ROD "rods: [{name: a, " BENT "}]\n"
    const char* materials = strchr(WORLD, '\n') + 1;
    char text[2000];
    snprintf(text, sizeof text, "world: {contact: {model: sap_lagged}}\n%s" ROD, materials);
    refuses(text, "under the contact model sap_lagged are not known yet");
    refuses(TOUCH
            "rigid_bodies: [{name: a, shapes: [{box: {size: [1, 1, 1]}}]}, {name: b, position: [0, 0, 0.999], shapes: [{box: {size: [1, 1, 1]}}]}]\n",
            "'a' and 'b' touch by shapes of which");
    refuses(TOUCH
            "rigid_bodies: [{name: a, shapes: [{capsule: {radius: 0.1, length: 1}}]}, {name: b, position: [0.199, 0, 0], shapes: [{capsule: {radius: "
            "0.1, length: 1}}]}]\n",
            "lie side by side");
    snprintf(text, sizeof text, "world: {integrator: midpoint, contact: {model: none}}\n%s" ROD, materials);
    refuses(text, "backward Euler only");
    refuses(WORLD ROD "attachments: [{name: hand, handle: {rod: a, node: 0, stiffness: 10, max_force: 1e-6}}]\n", "all the force that it has");
    refuses(WORLD ROD "attachments: [{name: turn, twist: {rod: a, edge: 0}}]\n", "held by its angle");
    refuses(WORLD
            "shells: [{name: s, material: rubber, thickness: 0.01, sheet: {corner: [0, 0, 0], along: [1, 0, 0], across: [0, 1, 0], columns: 2, rows: "
            "2}}]\n",
            "of kind shell");

#define ARM "arms: [{name: a, sections: [{}]"
    refuses(WORLD ARM ", free_base: true}]\n", "a base that moves");
    refuses(WORLD ARM "}]\ndrives: [{name: f, arm: a, disk: -1, force: [1, 0, 0]}]\n", "loads on its disks");
    refuses(WORLD ARM ", scheme: rk23}]\n", "Runge and Kutta");
    refuses(WORLD ARM ", coriolis: lumped}]\n", "lumped Coriolis terms");

    FilWorld* world = gradient_load(WORLD ROD);
    FilGradient* gradient = NULL;
    gradient_ok(world, fil_gradient_create(world, &gradient));
    double numbers[2][2 * 24] = {{0.0}};
    assert_int_equal(fil_gradient_forward(gradient, numbers[0], NULL, numbers[1]), FIL_BAD_INPUT);
    assert_non_null(strstr(fil_world_error(world), "there is no step to differentiate"));
    gradient_ok(world, fil_gradient_step(gradient, NULL));
    assert_int_equal(fil_gradient_backward(gradient, NULL, numbers[1], NULL), FIL_BAD_INPUT);
    gradient_ok(world, fil_gradient_backward(gradient, numbers[0], numbers[1], NULL));
    gradient_ok(world, fil_world_vary(world, numbers[0]));
    assert_int_equal(fil_gradient_backward(gradient, numbers[0], numbers[1], NULL), FIL_BAD_INPUT);
    numbers[0][3] = NAN;
    assert_int_equal(fil_world_vary(world, numbers[0]), FIL_BAD_INPUT);
    fil_gradient_destroy(gradient);
    fil_world_destroy(world);
}

/* ---- convergence ---- */

/* A soft rod of 100 nodes that falls about a pin and lashes: what Newton's tangent lacks is not small beside it, and corrections grow before they
 * vanish. */
static void gradients_of_a_lashing_rod_are_found(void** state)
{
    (void)state;
    FilWorld* world = gradient_load(WORLD
                                    "rods: [{name: a, material: rubber, section: {circle: {radius: 0.006}}, shape: {straight: {from: [0, 0, "
                                    "0], to: [1, 0, 0], nodes: 100}}}]\nattachments: [{name: h, pin: {rod: a, node: 0}}]\n");
    FilGradient* gradient = NULL;
    gradient_ok(world, fil_gradient_create(world, &gradient));
    const int numbers = fil_gradient_variation_size(gradient);
    const size_t bytes = sizeof(double) * (size_t)numbers;
    double *weight = malloc(bytes), *adjoint = malloc(bytes), *from = malloc(bytes), *end = malloc(bytes);
    Random random = {11};
    for (int s = 0; s < 250; s++) {
        gradient_ok(world, fil_gradient_step(gradient, NULL));
        for (int k = 0; k < numbers; k++) {
            weight[k] = random_between(&random, -1.0, 1.0);
            from[k] = random_between(&random, -1.0, 1.0);
        }
        gradient_ok(world, fil_gradient_backward(gradient, weight, adjoint, NULL));
        gradient_ok(world, fil_gradient_forward(gradient, from, NULL, end));
        const double off = fabs(gradient_dot(weight, end, numbers) - gradient_dot(adjoint, from, numbers));
        assert_true(off <= 1e-10 * gradient_norm(weight, numbers) * gradient_norm(end, numbers));
    }
    free(weight), free(adjoint), free(from), free(end);
    fil_gradient_destroy(gradient);
    fil_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_vary_as_their_differences),        cmocka_unit_test(gradients_change_no_bit),
        cmocka_unit_test(trajectories_vary_as_their_differences), cmocka_unit_test(what_is_not_known_is_refused),
        cmocka_unit_test(gradients_of_a_lashing_rod_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
