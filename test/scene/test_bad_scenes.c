/* Scenes that cannot be used: each is refused with a message that names file, line and key, and by the command line
 * with exit code 2. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "filum/filum.h"
#include "scene/scene_folder.h"

/* Lines 1 to 7 of most cases: a good rod called cable. What a case adds begins in line 8. */
#define MATERIAL "materials:\n  rubber: {young: 1e6, poisson: 0.5, density: 1000}\n"
#define HEAD MATERIAL "rods:\n  - name: cable\n    material: rubber\n"
#define SECTION "    section: {circle: {radius: 0.01}}\n"
#define SHAPE "    shape: {straight: {from: [0, 0, 0], to: [1, 0, 0], nodes: 5}}\n"
#define ROD HEAD SECTION SHAPE

/* Lines 1 to 6, so that the shape stands in line 7. */
#define BARE HEAD SECTION

/* Lines 1 to 3: a good ball; what a case adds begins in line 4. */
#define BALL(rest) "rigid_bodies:\n  - name: ball\n    shapes: [{sphere: {radius: 0.1}}]\n" rest

typedef struct BadScene {
    const char* title;
    const char* text;
    const char* place;   /* ":line: key: " after the file name */
    const char* message; /* a part of what is said */
} BadScene;

static const BadScene bad_scenes[] = {
    // YAML itself
    {"empty file", "", ":1: scene: ", "empty"},
    {"nothing but a comment", "# a scene to come\n", ":1: scene: ", "empty"},
    {"a list as a scene", "- 1\n- 2\n", ":1: scene: ", "expected a mapping"},
    {"a text as a scene", "cable\n", ":1: scene: ", "expected a mapping"},
    {"unclosed bracket", ROD "world:\n  gravity: [0, 0, -9.81\n", ":10: world.gravity.3: ", "not valid YAML"},
    {"tab as indent", "world:\n\tdt: 1\n", ":2: world: ", "not valid YAML"},
    {"broken UTF-8", "title: good\nworld: \xff\xfe\n", ":2: ", "not valid YAML"},
    {"control character", "title: good\nworld: \x01\n", ":2: ", "not valid YAML"},
    {"key given twice", ROD "duration: 1\nduration: 2\n", ":9: duration: ", "given twice (first in line 8)"},
    {"alias", "world: &w {dt: 1e-3}\nrods: *w\n", ":1: world: ", "anchors"},
    {"tag", "world: !!map {dt: 1e-3}\n", ":1: world: ", "tags"},
    {"second document", ROD "---\ntitle: again\n", ":8: scene: ", "second"},
    {"list as a key", "? [1, 2]\n: 3\n", ":1: scene: ", "a key must be a name"},
    {"NUL in a text", "title: \"a\\0b\"\n", ":1: title: ", "\\0"},
    // keys
    {"unknown key of the scene", ROD "duratoin: 2\n", ":8: duratoin: ", "did you mean 'duration'?"},
    {"unknown key of the world", ROD "world:\n  gravty: [0, 0, 0]\n", ":9: world.gravty: ", "did you mean 'gravity'?"},
    {"unknown key of a rod", ROD "    dirctor: [0, 0, 1]\n", ":8: rods.cable.dirctor: ", "did you mean 'director'?"},
    {"unknown key of a shape", BARE "    shape: {straight: {from: [0, 0, 0], to: [1, 0, 0], nods: 5}}\n",
     ":7: rods.cable.shape.straight.nods: ", "did you mean 'nodes'?"},
    {"unknown key of a material", "materials:\n  rubber: {young: 1e6, poison: 0.5, density: 1000}\n",
     ":2: materials.rubber.poison: ", "did you mean 'poisson'?"},
    {"far from every key", ROD "world: {xyzzy: 1}\n", ":8: world.xyzzy: ", "known: gravity, dt, integrator"},
    // values
    {"text for a number", ROD "duration: long\n", ":8: duration: ", "expected a number, got 'long'"},
    {"quoted number", ROD "duration: \"1\"\n", ":8: duration: ", "expected a number, got the text '1'"},
    {"list for a number", ROD "duration: [1]\n", ":8: duration: ", "expected a number, got a list"},
    {"nothing for a number", ROD "duration:\n", ":8: duration: ", "expected a number, got nothing"},
    {"number for a list", ROD "world: {gravity: 9.81}\n", ":8: world.gravity: ", "expected a list of numbers"},
    {"list too short", ROD "world: {gravity: [0, 9.81]}\n", ":8: world.gravity: ", "expected 3 numbers, got 2"},
    {"list too long", ROD "world: {gravity: [0, 0, 9.81, 0]}\n", ":8: world.gravity: ", "expected 3 numbers, got 4"},
    {"NaN", ROD "world:\n  dt: .nan\n", ":9: world.dt: ", "expected a finite number, got '.nan'"},
    {"NaN in a list", ROD "world: {gravity: [0, 0, NaN]}\n", ":8: world.gravity.2: ", "expected a finite number"},
    {"infinity", ROD "duration: -.Inf\n", ":8: duration: ", "expected a finite number"},
    {"number beyond double", ROD "duration: 1e999\n", ":8: duration: ", "expected a finite number"},
    {"zero duration", ROD "duration: 0\n", ":8: duration: ", "must be positive, got 0"},
    {"negative time step", ROD "world: {dt: -1e-3}\n", ":8: world.dt: ", "must be positive, got -0.001"},
    {"fraction for a whole number", ROD "seed: 1.5\n", ":8: seed: ", "expected a whole number, got 1.5"},
    {"unknown integrator", ROD "world: {integrator: midpiont}\n", ":8: world.integrator: ", "mean 'midpoint'?"},
    {"unknown contact model", ROD "world: {contact: telepathy}\n", ":8: world.contact: ", "known: none"},
    {"word for a flag", ROD "    gyroscopic: maybe\n", ":8: rods.cable.gyroscopic: ", "expected true or false"},
    {"mapping for a text", ROD "title: {a: 1}\n", ":8: title: ", "expected a text, got a mapping"},
    // materials and sections
    {"no Young's modulus", "materials:\n  rubber: {poisson: 0.5, density: 1000}\n", ":2: materials.rubber.young: ", "missing"},
    {"neither shear nor poisson", "materials:\n  rubber: {young: 1, density: 1}\n",
     ":2: materials.rubber: ", "one of these is missing: shear, poisson"},
    {"shear and poisson", "materials:\n  rubber: {young: 1, shear: 1, poisson: 0, density: 1}\n",
     ":2: materials.rubber.poisson: ", "only one of 'shear' and 'poisson'"},
    {"poisson of -1", "materials:\n  rubber: {young: 1, poisson: -1, density: 1}\n", ":2: materials.rubber.poisson: ", "must be above -1"},
    {"poisson above one half", "materials:\n  rubber: {young: 1, poisson: 0.6, density: 1}\n", ":2: materials.rubber.poisson: ", "at most 0.5"},
    {"unknown material", MATERIAL "rods:\n  - name: cable\n    material: ruber\n" SECTION SHAPE,
     ":5: rods.cable.material: ", "did you mean 'rubber'?"},
    {"no material", MATERIAL "rods:\n  - name: cable\n" SECTION SHAPE, ":5: rods.cable.section.circle: ", "needs a material"},
    {"no section", HEAD SHAPE, ":4: rods.cable.section: ", "missing"},
    {"no kind of section", HEAD "    section: {}\n" SHAPE, ":6: rods.cable.section: ", "circle, tube, rectangle"},
    {"two sections", HEAD "    section: {circle: {radius: 1}, tube: {radius: 2, inner_radius: 1}}\n" SHAPE,
     ":6: rods.cable.section.tube: ", "only one of"},
    {"negative radius", HEAD "    section: {circle: {radius: -0.01}}\n" SHAPE,
     ":6: rods.cable.section.circle.radius: ", "must be positive, got -0.01"},
    {"hole wider than its tube", HEAD "    section: {tube: {radius: 0.01, inner_radius: 0.02}}\n" SHAPE,
     ":6: rods.cable.section.tube.inner_radius: ", "less than the radius"},
    {"stiffness without mass", HEAD "    section: {stiffness: {ea: 1, ei1: 1, gj: 1, radius: 1}}\n" SHAPE,
     ":6: rods.cable.section.stiffness.mass_per_length: ", "missing"},
    {"section range too long", ROD "    sections:\n      - {first: 2, count: 3, circle: {radius: 1}}\n",
     ":9: rods.cable.sections.0.count: ", "must be from 1 to 2, got 3"},
    // shapes
    {"no shape", BARE, ":4: rods.cable.shape: ", "missing"},
    {"no nodes", BARE "    shape: {straight: {from: [0, 0, 0], to: [1, 0, 0]}}\n", ":7: rods.cable.shape.straight.nodes: ", "missing"},
    {"one node", BARE "    shape: {straight: {from: [0, 0, 0], to: [1, 0, 0], nodes: 1}}\n",
     ":7: rods.cable.shape.straight.nodes: ", "must be from 2 to"},
    {"too many nodes", BARE "    shape: {straight: {from: [0, 0, 0], to: [1, 0, 0], nodes: 1e8}}\n",
     ":7: rods.cable.shape.straight.nodes: ", "must be from 2 to 10000000"},
    {"no length", BARE "    shape: {straight: {from: [1, 0, 0], to: [1, 0, 0], nodes: 5}}\n", ":7: rods.cable.shape.straight.to: ", "no length"},
    {"zero-length edge",
     BARE "    shape:\n      polyline:\n        points:\n          - [0, 0, 0]\n"
          "          - [1, 0, 0]\n          - [1, 0, 0]\n",
     ":12: rods.cable.shape.polyline.points.2: ", "points 1 and 2 are equal"},
    {"two numbers for a point", BARE "    shape: {polyline: {points: [[0, 0, 0], [1, 0]]}}\n",
     ":7: rods.cable.shape.polyline.points.1: ", "expected 3 numbers, got 2"},
    {"one point", BARE "    shape: {polyline: {points: [[0, 0, 0]]}}\n", ":7: rods.cable.shape.polyline.points: ", "at least 2 points"},
    {"arc without radius",
     BARE "    shape: {arc: {center: [0, 0, 0], normal: [0, 0, 1], start: [0, 0, 1], angle: 1, "
          "nodes: 5}}\n",
     ":7: rods.cable.shape.arc.start: ", "no radius"},
    {"zero normal", BARE "    shape: {ring: {normal: [0, 0, 0], radius: 1, nodes: 5}}\n", ":7: rods.cable.shape.ring.normal: ", "must not be zero"},
    {"open ring", BARE "    shape: {ring: {radius: 1, nodes: 5}}\n    closed: false\n", ":8: rods.cable.closed: ", "always closed"},
    {"closed rod of two nodes",
     BARE "    shape: {straight: {from: [0, 0, 0], to: [1, 0, 0], nodes: 2}}\n"
          "    closed: true\n",
     ":7: rods.cable.shape.straight: ", "at least 3 nodes"},
    {"rest curvature per node, one missing", ROD "    rest_curvature: [[0, 0], [0, 0], [0, 0], [0, 0]]\n",
     ":8: rods.cable.rest_curvature: ", "expected 5 pairs"},
    {"angles and twist", ROD "    angles: [0, 0, 0, 0]\n    twist: 1\n", ":9: rods.cable.twist: ", "only one of"},
    {"negative damping", ROD "    damping: {mass: -1}\n", ":8: rods.cable.damping.mass: ", "must not be negative"},
    // names and references
    {"nothing in it", "title: nothing\n", ":1: scene: ", "at least one object: rod, net, rigid body, chain, arm"},
    {"empty rods", "rods: []\n", ":1: scene: ", "at least one object: rod, net, rigid body, chain, arm"},
    {"rods as a mapping", "rods: {cable: {}}\n", ":1: rods: ", "expected a list of rods, got a mapping"},
    {"duplicate name", ROD "  - name: cable\n    material: rubber\n" SECTION SHAPE, ":8: rods.cable.name: ", "the name 'cable' is given twice"},
    {"name with a dot", MATERIAL "rods:\n  - name: a.b\n    material: rubber\n" SECTION SHAPE, ":4: rods.a.b.name: ", "is not a name"},
    {"unknown rod", ROD "attachments:\n  - {name: wall, clamp: {rod: cabel, node: 0}}\n",
     ":9: attachments.wall.clamp.rod: ", "unknown rod 'cabel'; did you mean 'cable'?"},
    {"node out of range", ROD "attachments:\n  - {name: wall, clamp: {rod: cable, node: 5}}\n",
     ":9: attachments.wall.clamp.node: ", "5 is out of range: 0 to 4"},
    {"range out of range", ROD "attachments:\n  - {name: wall, pin: {rod: cable, nodes: [3, 3]}}\n",
     ":9: attachments.wall.pin.nodes: ", "is not inside of 0 to 4"},
    {"attachment without a kind", ROD "attachments:\n  - {name: wall}\n",
     ":9: attachments.wall: ", "one of these is missing: pin, twist, clamp, handle, hold"},
    {"handle without stiffness", ROD "attachments:\n  - {name: hand, handle: {rod: cable, node: 0}}\n",
     ":9: attachments.hand.handle.stiffness: ", "missing"},
    {"drive of an unknown attachment",
     ROD "attachments:\n  - {name: wall, pin: {rod: cable, node: 0}}\n"
         "drives:\n  - {name: pull, attachment: well, position: [1, 0, 0]}\n",
     ":11: drives.pull.attachment: ", "did you mean 'wall'?"},
    {"times that do not increase",
     ROD "drives:\n  - name: push\n    rod: cable\n    force:\n      - [0, 0, 0, 0]\n"
         "      - [1, 0, 0, 1]\n      - [1, 0, 0, 2]\n",
     ":14: drives.push.force.2: ", "times must increase: 1 comes after 1"},
    {"drive of the wrong dimension", ROD "drives:\n  - {name: push, rod: cable, force: 1}\n",
     ":9: drives.push.force: ", "expected a list of numbers"},
    {"position on a rod", ROD "drives:\n  - {name: push, rod: cable, position: [1, 0, 0]}\n",
     ":9: drives.push.rod: ", "'position' does not act on 'rod': it needs 'body' or 'attachment'"},
    {"probe of an unknown kind", ROD "probes:\n  tip: {positon: {rod: cable, node: -1}}\n", ":9: probes.tip.positon: ", "did you mean 'position'?"},
    {"probe of nothing", ROD "probes:\n  tip: position\n", ":9: probes.tip: ", "needs to know of what"},
    {"component of a number", ROD "probes:\n  sum: {momentum: {component: w}}\n", ":9: probes.sum.momentum.component: ", "unknown value 'w'"},
    {"two probes of one name",
     ROD "probes:\n  tip: {position: {rod: cable, node: -1}}\n"
         "  tip_x: {position: {rod: cable, node: 0, component: x}}\n",
     ":10: probes.tip_x: ", "tip_x"},
    {"junction of distant nodes",
     ROD "  - name: rope\n    material: rubber\n" SECTION "    shape: {straight: {from: [0, 1, 0], to: [1, 1, 0], nodes: 5}}\n"
         "junctions:\n  - {a: {rod: cable, node: 0}, b: {rod: rope, node: 0}}\n",
     ":13: junctions.0: ", "1 m apart"},
    // contact
    {"unknown contact model", ROD "world: {contact: sapp}\n", ":8: world.contact: ", "did you mean 'sap'?"},
    {"unknown setting of contact", ROD "world:\n  contact: {model: sap, tolerence: 1e-6}\n",
     ":9: world.contact.tolerence: ", "did you mean 'tolerance'?"},
    {"contact that never iterates", ROD "world:\n  contact: {model: sap, max_iterations: 0}\n",
     ":9: world.contact.max_iterations: ", "must be from 1 to"},
    {"negative friction", ROD "    surface: {friction: -0.1}\n", ":8: rods.cable.surface.friction: ", "must not be negative"},
    {"rod of a material without elasticity", "materials:\n  wood: {density: 500}\nrods:\n  - name: cable\n    material: wood\n" SECTION SHAPE,
     ":6: rods.cable.section.circle: ", "'wood' has no Young's modulus"},
    {"shear without young", "materials:\n  wood: {density: 500, shear: 1e6}\n", ":2: materials.wood.young: ", "missing"},
    {"group as a word", ROD "    collision: {groups: ropes}\n", ":8: rods.cable.collision.groups: ", "expected a list of groups"},
    {"unknown group", ROD "    collision: {groups: [ropes], with: [rope]}\n",
     ":8: rods.cable.collision.with.0: ", "unknown group 'rope'; did you mean 'ropes'?"},
    {"too many groups", ROD BALL("  - name: ball\n    repeat: 32\n    collision: {groups: [g$(index)]}\n"),
     ":13: rigid_bodies.ball31.collision.groups.0: ", "more than 32 groups"},
    {"pair of an unknown thing", ROD "pairs:\n  - {a: cable, b: cabel, friction: 1}\n",
     ":9: pairs.0.b: ", "unknown object 'cabel'; did you mean 'cable'?"},
    // rigid bodies
    {"unknown shape", "rigid_bodies:\n  - name: ball\n    shapes: [{spere: {radius: 1}}]\n",
     ":3: rigid_bodies.ball.shapes.0.spere: ", "did you mean 'sphere'?"},
    {"box without length", "rigid_bodies:\n  - name: ball\n    shapes: [{box: {size: [0, 1, 1]}}]\n",
     ":3: rigid_bodies.ball.shapes.0.box.size: ", "three positive sizes"},
    {"box without width", "rigid_bodies:\n  - name: ball\n    shapes: [{box: {size: [1, -1, 1]}}]\n",
     ":3: rigid_bodies.ball.shapes.0.box.size: ", "three positive sizes"},
    {"box without height", "rigid_bodies:\n  - name: ball\n    shapes: [{box: {size: [1, 1, 0]}}]\n",
     ":3: rigid_bodies.ball.shapes.0.box.size: ", "three positive sizes"},
    {"two shapes in one", "rigid_bodies:\n  - name: ball\n    shapes: [{sphere: {radius: 1}, box: {size: [1, 1, 1]}}]\n",
     ":3: rigid_bodies.ball.shapes.0.box: ", "only one of 'sphere' and 'box'"},
    {"box without thickness", "rigid_bodies:\n  - name: plate\n    shapes: [{box: {size: [1, 1, 0]}}]\n",
     ":3: rigid_bodies.plate.shapes.0.box.size: ", "three positive sizes"},
    {"body of nothing", "rigid_bodies:\n  - name: ghost\n", ":2: rigid_bodies.ghost: ", "needs shapes, or mass and inertia"},
    {"dynamic half-space", BALL("  - name: floor\n    shapes: [{half_space: {}}]\n"), ":4: rigid_bodies.floor: ", "a half-space cannot be dynamic"},
    {"hull that is flat", "rigid_bodies:\n  - name: leaf\n    shapes: [{hull: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0]]}}]\n",
     ":2: rigid_bodies.leaf: ", "hull"},
    {"mesh that is not there", "rigid_bodies:\n  - name: stone\n    shapes: [{mesh: {file: stone.stl}}]\n",
     ":3: rigid_bodies.stone.shapes.0.mesh.file: ", "stone.stl"},
    {"long quaternion", BALL("  - name: cube\n    orientation: [0, 0, 1, 1]\n"), ":5: rigid_bodies.cube.orientation: ", "must have length 1"},
    {"turned twice", BALL("  - name: cube\n    orientation: [0, 0, 0, 1]\n    rotation: [1, 0, 0]\n"),
     ":5: rigid_bodies.cube.orientation: ", "only one of"},
    {"thrown wall", BALL("  - name: wall\n    motion: static\n    velocity: [1, 0, 0]\n"), ":6: rigid_bodies.wall.velocity: ", "is not thrown"},
    {"unknown motion", BALL("  - name: wall\n    motion: statik\n"), ":5: rigid_bodies.wall.motion: ", "did you mean 'static'?"},
    {"inertia without mass", BALL("  - name: top\n    inertia: [1, 1, 1, 0, 0, 0]\n"), ":5: rigid_bodies.top.inertia: ", "needs 'mass'"},
    {"body called like a rod", ROD BALL("  - name: cable\n    shapes: [{sphere: {radius: 1}}]\n"),
     ":11: rigid_bodies.cable.name: ", "the name 'cable' is given twice"},
    {"drive of a dynamic body", BALL("drives:\n  - {name: push, body: ball, position: [1, 0, 0]}\n"),
     ":5: drives.push.body: ", "acts on kinematic bodies"},
    {"curvature of a body", BALL("drives:\n  - {name: bend, body: ball, curvature: [1, 0]}\n"),
     ":5: drives.bend.body: ", "'curvature' does not act on 'body': it needs 'rod'"},
    {"force on a wall", BALL("  - name: wall\n    motion: static\ndrives:\n  - {name: push, body: wall, force: [1, 0, 0]}\n"),
     ":7: drives.push.body: ", "acts on dynamic bodies"},
    {"probe of an unknown body", BALL("probes:\n  top: {body_position: {body: bal}}\n"),
     ":5: probes.top.body_position.body: ", "unknown rigid body 'bal'; did you mean 'ball'?"},
    {"force of contact on nothing", BALL("probes:\n  load: {contact_force: {component: z}}\n"),
     ":5: probes.load.contact_force: ", "one of these is missing: rod, body"},
    {"edges under a force", ROD "drives:\n  - {name: push, rod: cable, edge: 0, force: [1, 0, 0]}\n",
     ":9: drives.push.edge: ", "'force' acts on nodes, not on 'edge'"},
    {"disk of a rod", ROD "drives:\n  - {name: push, rod: cable, disk: 0, force: [1, 0, 0]}\n", ":9: drives.push.disk: ", "rod 'cable' has no disks"},
    {"drive on nothing", ROD "drives:\n  - {name: push, force: [1, 0, 0]}\n",
     ":9: drives.push: ", "one of these is missing: rod, body, arm, solid, link"},
    {"component of a drive's one number",
     ROD "drives:\n  - {name: bend, rod: cable, rest_twist: 1}\nprobes:\n  b: {drive: {drive: bend, component: x}}\n",
     ":11: probes.b.drive.component: ", "has 1 component only"},
    {"probe of a part that is not its own", ROD "probes:\n  t: {tension: {rod: cable, node: 1}}\n",
     ":9: probes.t.tension.node: ", "unknown key 'node'"},
    {"twisted beyond measure", ROD "    rest_twist: 1e300\n", ":4: rods.cable: ", "turns an edge by more than 10000 rad"},
    {"too many threads", ROD "world: {threads: 1000}\n", ":8: world.threads: ", "must be from 0 to 256"},
    {"adaptive steps without room", ROD "world: {adaptive: {iterations: 1}}\n", ":8: world.adaptive.iterations: ", "must be from 2 to 10000"},
    {"settings of a model that has none", ROD "world: {sap: {}}\n", ":8: world.sap: ", "unknown key 'sap'"},
    // joints
    {"joint of nothing", BALL("joints:\n  - {name: hinge, pin: {point: [0, 0, 0]}}\n"), ":5: joints.hinge.pin.a: ", "missing"},
    {"joint without a point", BALL("joints:\n  - {name: hinge, pin: {a: {body: ball}}}\n"), ":5: joints.hinge.pin.point: ", "missing"},
    {"node of a body", BALL("joints:\n  - {name: hinge, pin: {a: {body: ball, node: 0}, point: [0, 0, 0]}}\n"),
     ":5: joints.hinge.pin.a.node: ", "rigid body 'ball' has no nodes"},
    {"point beside a node", ROD "joints:\n  - {name: hinge, pin: {a: {rod: cable, node: 0}, point: [0, 0, 0]}}\n",
     ":9: joints.hinge.pin.point: ", "is the rod's node"},
    {"stiff pin", BALL("joints:\n  - {name: hinge, pin: {a: {body: ball}, point: [0, 0, 0], stiffness: 1}}\n"),
     ":5: joints.hinge.pin.stiffness: ", "unknown key 'stiffness'"},
    {"bushing of nothing", BALL("joints:\n  - {name: rubber, bushing: {a: {body: ball}, point: [0, 0, 0]}}\n"),
     ":5: joints.rubber.bushing: ", "needs stiffness or damping"},
    {"probe of an unknown joint", BALL("probes:\n  pull: {joint_force: {joint: hinge}}\n"),
     ":5: probes.pull.joint_force.joint: ", "unknown joint 'hinge'"},
    {"a profile that reaches the axis", "rigid_bodies:\n  - name: top\n    shapes: [{revolution: {profile: $(0.1 - z), length: 0.4}}]\n",
     ":3: rigid_bodies.top.shapes.0.revolution.profile: ", "must be positive"},
    {"a profile of something unknown", "rigid_bodies:\n  - name: top\n    shapes: [{revolution: {profile: $(0.1 - y), length: 0.4}}]\n",
     ":3: rigid_bodies.top.shapes.0.revolution.profile: ", "unknown parameter 'y'"},
    {"hinge without an axis", BALL("joints:\n  - {name: axle, hinge: {a: {body: ball}, point: [0, 0, 0]}}\n"),
     ":5: joints.axle.hinge.axis: ", "missing"},
    {"ball with a motor", BALL("joints:\n  - {name: knee, ball: {a: {body: ball}, point: [0, 0, 0], motor: {velocity: 1}}}\n"),
     ":5: joints.knee.ball.motor: ", "unknown key"},
    {"motor with two targets",
     BALL("joints:\n  - {name: axle, hinge: {a: {body: ball}, point: [0, 0, 0], axis: [1, 0, 0], motor: {velocity: 1, effort: 2}}}\n"),
     ":5: joints.axle.hinge.motor", "effort"},
    {"limits that leave out the start",
     BALL("joints:\n  - {name: axle, hinge: {a: {body: ball}, point: [0, 0, 0], axis: [1, 0, 0], limits: {lower: 1}}}\n"),
     ":5: joints.axle.hinge: ", "not between its limits"},
    {"drive of a joint without a motor",
     BALL("joints:\n  - {name: axle, hinge: {a: {body: ball}, point: [0, 0, 0], axis: [1, 0, 0]}}\n"
          "drives:\n  - {name: turn, joint: axle, motor: 3}\n"),
     ":7: drives.turn: ", "has a motor"},
    {"chain without bushings", "chains:\n  - name: rope\n    radius: 0.01\n" SHAPE, ":2: chains.rope.bushing: ", "missing"},
    // knots and wraps
    {"knot that does not fit", BARE "    shape: {knot: {n: 9, nodes: 301, length: 0.1, diameter: 0.01}}\n",
     ":7: rods.cable.shape.knot: ", "do not fit"},
    {"wrap with too few corners", BARE "    shape: {wrap: {radius: 0.1, angle: 7, segments: 2, tails: [1, 1]}}\n",
     ":7: rods.cable.shape.wrap.segments: ", "less than pi"},
    {"wrap with a negative tail", BARE "    shape: {wrap: {radius: 0.1, angle: 1, segments: 9, tails: [1, -1]}}\n",
     ":7: rods.cable.shape.wrap.tails: ", "expected lengths of tails"},
    // repeated elements
    {"half a copy", BALL("  - name: egg\n    repeat: 1.5\n"), ":5: rigid_bodies.egg.repeat: ", "expected a whole number"},
    {"fewer than no copies", BALL("  - name: egg\n    repeat: -1\n"), ":5: rigid_bodies.egg.repeat: ", "must not be negative"},
    {"too many copies", BALL("  - name: egg\n    repeat: 1e6\n    shapes: [{sphere: {radius: 1}}]\n"),
     ":5: rigid_bodies.egg.repeat: ", "copies of more than"},
    {"error in a copy", BALL("  - name: egg\n    repeat: 3\n    motion: static\n    position: [0, 0, $(1 / (index - 2))]\n"),
     ":7: rigid_bodies.egg2.position.2: ", "division by zero"},
    {"index outside of a copy", ROD "duration: $(index + 1)\n", ":8: duration: ", "unknown parameter 'index'"},
    {"own parameter called index", BALL("  - name: egg\n    repeat: 3\n    parameters: {index: 1}\n"),
     ":6: rigid_bodies.egg.parameters.index: ", "the copy's own number"},
    {"reference past the last copy",
     BALL("  - name: egg\n    repeat: 2\n    shapes: [{sphere: {radius: 1}}]\npairs:\n  - {repeat: 2, a: egg$(index), "
          "b: "
          "egg$(index + 1)}\n"),
     ":8: pairs.1.b: ", "unknown object 'egg2'"},
    {"name that is no name", BALL("  - name: egg$(0.5)\n"), ":4: rigid_bodies.egg0.5.name: ", "is not a name"},
    {"open bracket in a name", BALL("  - name: egg$(1\n"), ":4: rigid_bodies.egg$(1.name: ", "is not closed"},
    // expressions
    {"argument of random", ROD "duration: $(random(1))\n", ":8: duration: ", "expected ')'"},
    {"unknown parameter", "parameters: {knot: {n: 4}}\n" ROD "duration: $(2 * knot.m)\n",
     ":9: duration: ", "unknown parameter 'knot.m'; did you mean 'knot.n'?"},
    {"broken expression", ROD "duration: $(2 * (3 + 1)\n", ":8: duration: ", "expected ')'"},
    {"division by zero", "parameters: {n: 0}\n" ROD "duration: $(1 / n)\n", ":9: duration: ", "division by zero"},
    {"root of a negative number", ROD "duration: $(sqrt(-1))\n", ":8: duration: ", "not finite"},
    {"parameters in a circle", "parameters:\n  a: $(b)\n  b: $(a + 1)\n" ROD, ":2: parameters.a: ", "depends on itself"},
    {"text as a parameter", "parameters: {a: {b: yes}}\n" ROD, ":1: parameters.a.b: ", "expected a number"},
};

/* ---- files ---- */

static const char* path_of(const char* name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void assert_contains(const char* title, const char* text, const char* part)
{
    if (strstr(text, part) == NULL) {
        fail_msg("%s: '%s' is not in '%s'", title, part, text);
    }
}

/* The library refuses the file with this status and message; the world is not made. */
static void assert_refused(const char* title, const char* name, FilStatus expected, const char* place, const char* message)
{
    FilWorld* world = (FilWorld*)&world;
    FilError error;
    const FilStatus status = fil_scene_load(path_of(name), NULL, &world, NULL, &error);
    if (status != expected) {
        fail_msg("%s: status is '%s', message '%s'", title, fil_status_name(status), error.text);
    }
    assert_null(world);
    assert_contains(title, error.text, place);
    assert_contains(title, error.text, message);
}

/* The command line says the same and ends with 2. */
static void assert_exit_code(const char* title, const char* name, const char* message)
{
    char command[512], output[2048];
    // leaks are looked for in this process; a hundred children doing so would take minutes
    snprintf(command, sizeof command, "ASAN_OPTIONS=detect_leaks=0 '%s' run '%s' 2>&1", FILUM_CLI, path_of(name));
    FILE* pipe = popen(command, "r");
    assert_non_null(pipe);
    const size_t length = fread(output, 1, sizeof output - 1, pipe);
    output[length] = '\0';
    const int status = pclose(pipe);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 2) {
        fail_msg("%s: exit status is %d, output '%s'", title, status, output);
    }
    assert_contains(title, output, message);
}

/* ---- the cases ---- */

static void every_bad_scene_is_refused(void** state)
{
    (void)state;
    const int count = (int)(sizeof bad_scenes / sizeof bad_scenes[0]);
    for (int k = 0; k < count; k++) {
        const BadScene* scene = &bad_scenes[k];
        char place[128];
        snprintf(place, sizeof place, "bad.yaml%s", scene->place);
        write_file("bad.yaml", scene->text);
        assert_refused(scene->title, "bad.yaml", FIL_BAD_INPUT, place, scene->message);
        assert_exit_code(scene->title, "bad.yaml", scene->message);
    }
}

static void a_missing_file_is_named(void** state)
{
    (void)state;
    assert_refused("missing file", "none.yaml", FIL_IO, "none.yaml", "cannot be opened");
    assert_exit_code("missing file", "none.yaml", "none.yaml");
}

static void a_folder_is_not_a_scene(void** state)
{
    (void)state;
    assert_int_equal(mkdir(path_of("folder.yaml"), 0700), 0);
    assert_refused("folder", "folder.yaml", FIL_IO, "folder.yaml", "not a plain file");
    assert_exit_code("folder", "folder.yaml", "folder.yaml");
}

/* `line` bytes of x, `count` times. */
static void write_large(const char* name, size_t line, int count, bool ends)
{
    char* text = malloc(line + 1);
    assert_non_null(text);
    memset(text, 'x', line);
    text[0] = '#';
    text[line] = '\n';
    FILE* file = fopen(path_of(name), "wb");
    assert_non_null(file);
    for (int k = 0; k < count; k++) {
        assert_int_equal(fwrite(text, 1, line + ends, file), line + ends);
    }
    assert_int_equal(fclose(file), 0);
    free(text);
}

static void a_line_of_100_megabytes_is_refused(void** state)
{
    (void)state;
    write_large("line.yaml", 1000000, 100, false);
    assert_refused("100 MB line", "line.yaml", FIL_BAD_INPUT, "line.yaml:1: scene: ", "a line of more than");
    assert_exit_code("100 MB line", "line.yaml", "a line of more than");
    assert_int_equal(remove(path_of("line.yaml")), 0);
}

static void a_file_of_70_megabytes_is_refused(void** state)
{
    (void)state;
    write_large("large.yaml", 999, 70000, true);
    assert_refused("70 MB file", "large.yaml", FIL_BAD_INPUT, "large.yaml:", "a file of more than");
    assert_int_equal(remove(path_of("large.yaml")), 0);
}

static void deep_nesting_is_refused(void** state)
{
    (void)state;
    char text[5001];
    memset(text, '[', 5000);
    text[5000] = '\0';
    write_file("deep.yaml", text);
    assert_refused("deep lists", "deep.yaml", FIL_BAD_INPUT, "deep.yaml:1: ", "nested more than 64 deep");
    for (int k = 0; k < 5000; k += 2) {
        memcpy(text + k, "- ", 2);
    }
    write_file("deep.yaml", text);
    assert_refused("deep blocks", "deep.yaml", FIL_BAD_INPUT, "deep.yaml:1: ", "nested more than 64 deep");
    char* end = text;
    end += sprintf(end, "duration: $(");
    memset(end, '(', 4000);
    strcpy(end + 4000, ")\n" MATERIAL "rods:\n  - material: rubber\n" SECTION SHAPE);
    write_file("deep.yaml", text);
    assert_refused("deep expression", "deep.yaml", FIL_BAD_INPUT, "deep.yaml:1: duration: ", "nested too deep");
}

static void too_many_keys_are_refused(void** state)
{
    (void)state;
    enum { KEYS = 10001 };
    char* text = malloc(16 * KEYS);
    assert_non_null(text);
    size_t length = 0;
    for (int k = 0; k < KEYS; k++) {
        length += (size_t)sprintf(text + length, "k%d: 1\n", k);
    }
    write_file("keys.yaml", text);
    free(text);
    assert_refused("keys", "keys.yaml", FIL_BAD_INPUT, "keys.yaml:10001: ", "more than 10000 keys");
}

/* ---- includes ---- */

static void an_include_in_a_circle_names_its_chain(void** state)
{
    (void)state;
    write_file("a.yaml", "title: a\ninclude: b.yaml\n");
    write_file("b.yaml", "include: c.yaml\n");
    write_file("c.yaml", "duration: 1\nworld: {dt: 1e-3}\ninclude: ./a.yaml\n");
    assert_refused("circle", "a.yaml", FIL_BAD_INPUT, "c.yaml:3: include: ", "circle: ");
    assert_refused("circle", "a.yaml", FIL_BAD_INPUT, "c.yaml:3: include: ", "/a.yaml -> ");
    assert_refused("circle", "a.yaml", FIL_BAD_INPUT, "c.yaml:3: include: ", "/b.yaml -> ");
    assert_exit_code("circle", "a.yaml", "circle");
    write_file("self.yaml", "include: [self.yaml]\n");
    assert_refused("self", "self.yaml", FIL_BAD_INPUT, "self.yaml:1: include.0: ", "circle: ");
}

static void an_error_in_an_included_file_names_that_file(void** state)
{
    (void)state;
    write_file("main.yaml", "include: part.yaml\n" ROD);
    write_file("part.yaml", "title: part\nworld:\n  dt: fast\n");
    assert_refused("value", "main.yaml", FIL_BAD_INPUT, "part.yaml:3: world.dt: ", "expected a number");
    write_file("part.yaml", "title: part\nworld: [\n");
    assert_refused("syntax", "main.yaml", FIL_BAD_INPUT, "part.yaml:3: world.0: ", "not valid YAML");
    write_file("part.yaml", "- 1\n");
    assert_refused("list", "main.yaml", FIL_BAD_INPUT, "part.yaml:1: scene: ", "expected a mapping");
    assert_int_equal(remove(path_of("part.yaml")), 0);
    assert_refused("missing", "main.yaml", FIL_BAD_INPUT, "main.yaml:1: include: ", "part.yaml");
    write_file("main.yaml", "include: .\n" ROD);
    assert_refused("folder", "main.yaml", FIL_BAD_INPUT, "main.yaml:1: include: ", "not a plain file");
    write_file("main.yaml", "include: {a: b}\n" ROD);
    assert_refused("mapping", "main.yaml", FIL_BAD_INPUT, "main.yaml:1: include: ", "expected a file name");
}

static void includes_that_multiply_are_bounded(void** state)
{
    (void)state;
    // each file includes the next one twice: 2^12 readings without a bound
    for (int k = 0; k < 12; k++) {
        char name[32], text[64];
        snprintf(name, sizeof name, "fan%d.yaml", k);
        snprintf(text, sizeof text, "include: [fan%d.yaml, fan%d.yaml]\n", k + 1, k + 1);
        write_file(name, text);
    }
    write_file("fan12.yaml", ROD);
    assert_refused("fan", "fan0.yaml", FIL_BAD_INPUT, ": include.", "more than 64 files");
}

/* ---- settings ---- */

static void assert_setting_refused(const char* path, const char* value, const char* place, const char* message)
{
    const char* text = "parameters: {knot: {n: 4}}\n" ROD;
    const FilSetting setting = {.path = path, .value = value};
    const FilSceneOptions options = {.settings = &setting, .setting_count = 1};
    FilWorld* world = NULL;
    FilError error;
    assert_int_equal(fil_scene_load_text("good.yaml", text, strlen(text), &options, &world, NULL, &error), FIL_BAD_INPUT);
    assert_null(world);
    assert_contains(path, error.text, place);
    assert_contains(path, error.text, message);
}

static void bad_settings_are_refused(void** state)
{
    (void)state;
    assert_setting_refused("knot.m", "5", "--set knot.m=5: ", "did you mean 'knot.n'?");
    assert_setting_refused("parameters.knt.n", "5", "--set ", "did you mean 'parameters.knot.n'?");
    assert_setting_refused("knot.n", "many", "--set knot.n=many: parameters.knot.n: ", "expected a number");
    assert_setting_refused("knot.n", "", "--set knot.n=: knot.n: ", "has no value");
    assert_setting_refused("knot.n", "[1", "--set knot.n=[1", "not valid YAML");
    assert_setting_refused("world.dtt", "1e-3", "--set world.dtt=1e-3: world.dtt: ", "did you mean 'dt'?");
    assert_setting_refused("wrold.dt", "1e-3", "--set wrold.dt=1e-3: ", "no such path 'wrold.dt'");
    assert_setting_refused("rods.cabel.material", "x", "--set ", "did you mean 'rods.cable.material'?");
    assert_setting_refused("rods.cable.section.circle.radius", "-1", ": rods.cable.section.circle.radius: ", "must be positive");
    assert_setting_refused("rods.cable.shape.straight.nodes.deep", "1", "--set ", "no such path");
    assert_setting_refused("include", "other.yaml", "--set include=other.yaml", "no such path");
    assert_setting_refused("", "1", "--set =1: ", "no such path");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bad_scene_is_refused),
        cmocka_unit_test(a_missing_file_is_named),
        cmocka_unit_test(a_folder_is_not_a_scene),
        cmocka_unit_test(a_line_of_100_megabytes_is_refused),
        cmocka_unit_test(a_file_of_70_megabytes_is_refused),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(too_many_keys_are_refused),
        cmocka_unit_test(an_include_in_a_circle_names_its_chain),
        cmocka_unit_test(an_error_in_an_included_file_names_that_file),
        cmocka_unit_test(includes_that_multiply_are_bounded),
        cmocka_unit_test(bad_settings_are_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
