/* Random trees of links with mixed joints, written as URDF and, for referees whose URDF has no ball joints, as MJCF. */
#ifndef TEST_RANDOM_TREE_H
#define TEST_RANDOM_TREE_H

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/quat.h"
#include "filum/robot.h"
#include "random.h"

enum { TREE_LINKS = 40, TREE_TEXT = 80000 };

typedef struct TreePart {
    int parent;
    FilRobotJointType type; /* of the joint above */
    double place[6];        /* of the joint: xyz, rpy */
    double axis[3];
    double mass, center[6], inertia[6]; /* center: xyz, rpy */
} TreePart;

/* Part 0 is the world. */
typedef struct Tree {
    int count;
    TreePart parts[TREE_LINKS];
} Tree;

typedef struct TreeText {
    char text[TREE_TEXT];
    size_t size;
} TreeText;

static inline void tree_print(TreeText* out, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    out->size += (size_t)vsnprintf(out->text + out->size, TREE_TEXT - out->size, format, arguments);
    va_end(arguments);
}

static inline void tree_numbers(Random* random, double size, int count, double* out)
{
    for (int k = 0; k < count; k++) {
        out[k] = random_between(random, -size, size);
    }
}

/* A tree of `count` links and the world; `turns` allows ball joints, `floats` puts it on a floating joint. */
static inline Tree tree_random(Random* random, int count, bool turns, bool floats)
{
    Tree tree = {.count = count + 1};
    for (int k = 1; k <= count; k++) {
        TreePart* part = &tree.parts[k];
        const double chance = random_between(random, 0.0, 1.0);
        // chains more often than bushes
        part->parent = k == 1 || random_between(random, 0.0, 1.0) < 0.6 ? k - 1 : 1 + (int)random_between(random, 0.0, k - 1.0);
        part->type = chance < 0.15   ? FIL_ROBOT_FIXED
                     : chance < 0.45 ? FIL_ROBOT_REVOLUTE
                     : chance < 0.65 ? FIL_ROBOT_CONTINUOUS
                     : chance < 0.85 ? FIL_ROBOT_PRISMATIC
                                     : (turns ? FIL_ROBOT_BALL : FIL_ROBOT_REVOLUTE);
        tree_numbers(random, 0.3, 3, part->place);
        tree_numbers(random, 3.0, 3, part->place + 3);
        if (k == 1 && floats) {
            part->type = FIL_ROBOT_FLOATING;
            memset(part->place, 0, sizeof part->place);
        }
        do {
            tree_numbers(random, 1.0, 3, part->axis);
        } while (fil_v3_norm(part->axis) < 0.1);
        fil_v3_normalise(part->axis);
        part->mass = random_between(random, 0.2, 3.0);
        tree_numbers(random, 0.1, 3, part->center);
        tree_numbers(random, 3.0, 3, part->center + 3);
        // of a box with sides a, b, c
        const double a = random_between(random, 0.05, 0.3), b = random_between(random, 0.05, 0.3), c = random_between(random, 0.05, 0.3),
                     m = part->mass / 12.0;
        part->inertia[0] = m * (b * b + c * c);
        part->inertia[1] = m * (a * a + c * c);
        part->inertia[2] = m * (a * a + b * b);
    }
    return tree;
}

static inline void tree_write_urdf(const Tree* tree, TreeText* out)
{
    static const char* const types[] = {"fixed", "revolute", "continuous", "prismatic", "ball", "floating"};
    out->size = 0;
    tree_print(out,
               "<robot name=\"tree\">\n<mujoco><compiler fusestatic=\"false\" balanceinertia=\"false\"/></mujoco>\n"
               "<link name=\"world\"/>\n");
    for (int k = 1; k < tree->count; k++) {
        const TreePart* p = &tree->parts[k];
        const double *c = p->center, *i = p->inertia, *x = p->place, *a = p->axis;
        tree_print(out,
                   "<link name=\"link%d\"><inertial><origin xyz=\"%.17g %.17g %.17g\" rpy=\"%.17g %.17g %.17g\"/>"
                   "<mass value=\"%.17g\"/><inertia ixx=\"%.17g\" iyy=\"%.17g\" izz=\"%.17g\" ixy=\"%.17g\" ixz=\"%.17g\" "
                   "iyz=\"%.17g\"/></inertial></link>\n",
                   k, c[0], c[1], c[2], c[3], c[4], c[5], p->mass, i[0], i[1], i[2], i[3], i[4], i[5]);
        tree_print(out,
                   "<joint name=\"joint%d\" type=\"%s\"><origin xyz=\"%.17g %.17g %.17g\" rpy=\"%.17g %.17g %.17g\"/>"
                   "<axis xyz=\"%.17g %.17g %.17g\"/><limit lower=\"-100\" upper=\"100\" effort=\"10\" velocity=\"10\"/>",
                   k, types[p->type], x[0], x[1], x[2], x[3], x[4], x[5], a[0], a[1], a[2]);
        tree_print(out, "<parent link=\"%s%.0d\"/><child link=\"link%d\"/></joint>\n", p->parent == 0 ? "world" : "link", p->parent, k);
    }
    tree_print(out, "</robot>\n");
}

static inline FilQuat tree_quat(const double* rpy)
{
    const double x[3] = {rpy[0], 0.0, 0.0}, y[3] = {0.0, rpy[1], 0.0}, z[3] = {0.0, 0.0, rpy[2]};
    return fil_quat_multiply(fil_quat_exponential(z), fil_quat_multiply(fil_quat_exponential(y), fil_quat_exponential(x)));
}

static inline void tree_write_body(const Tree* tree, int parent, TreeText* out)
{
    static const char* const types[] = {"", "hinge", "hinge", "slide", "ball", "free"};
    for (int k = 1; k < tree->count; k++) {
        const TreePart* p = &tree->parts[k];
        if (p->parent != parent) {
            continue;
        }
        const FilQuat q = tree_quat(p->place + 3), c = tree_quat(p->center + 3);
        tree_print(out, "<body name=\"link%d\" pos=\"%.17g %.17g %.17g\" quat=\"%.17g %.17g %.17g %.17g\">\n", k, p->place[0], p->place[1],
                   p->place[2], q.w, q.x, q.y, q.z);
        tree_print(out,
                   "<inertial pos=\"%.17g %.17g %.17g\" quat=\"%.17g %.17g %.17g %.17g\" mass=\"%.17g\" "
                   "diaginertia=\"%.17g %.17g %.17g\"/>\n",
                   p->center[0], p->center[1], p->center[2], c.w, c.x, c.y, c.z, p->mass, p->inertia[0], p->inertia[1], p->inertia[2]);
        if (p->type == FIL_ROBOT_REVOLUTE || p->type == FIL_ROBOT_CONTINUOUS || p->type == FIL_ROBOT_PRISMATIC) {
            tree_print(out, "<joint name=\"joint%d\" type=\"%s\" axis=\"%.17g %.17g %.17g\"/>\n", k, types[p->type], p->axis[0], p->axis[1],
                       p->axis[2]);
        } else if (p->type != FIL_ROBOT_FIXED) {
            tree_print(out, "<joint name=\"joint%d\" type=\"%s\"/>\n", k, types[p->type]);
        }
        tree_write_body(tree, k, out);
        tree_print(out, "</body>\n");
    }
}

static inline void tree_write_mjcf(const Tree* tree, TreeText* out)
{
    out->size = 0;
    tree_print(out, "<mujoco><compiler angle=\"radian\"/><worldbody>\n");
    tree_write_body(tree, 0, out);
    tree_print(out, "</worldbody></mujoco>\n");
}

#endif
