/* Whether a definition makes a robot: numbers in range, joints that make a tree. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/quat.h"
#include "body/articulated.h"

static FilStatus check_link(const FilLinkDef* link, FilError* error)
{
    const double* i = link->inertia;
    const double numbers[] = {link->mass, link->center_of_mass.x, link->center_of_mass.y, link->center_of_mass.z};
    if (!fil_all_finite(numbers, 4) || !fil_all_finite(i, 6)) {
        return fil_error(error, FIL_BAD_INPUT, "link '%s': its inertia is not finite", link->name);
    }
    if (link->mass < 0.0) {
        return fil_error(error, FIL_BAD_INPUT, "link '%s': its mass of %g kg is negative", link->name, link->mass);
    }
    // no negative moment about any axis: all principal minors are at least zero, up to rounding of printed numbers
    const double size = fabs(i[0]) + fabs(i[1]) + fabs(i[2]), slack = 1e-9 * size * size;
    const double det = i[0] * (i[1] * i[2] - i[5] * i[5]) - i[3] * (i[3] * i[2] - i[5] * i[4]) + i[4] * (i[3] * i[5] - i[1] * i[4]);
    if (i[0] < 0.0 || i[1] < 0.0 || i[2] < 0.0 || i[0] * i[1] - i[3] * i[3] < -slack || i[0] * i[2] - i[4] * i[4] < -slack ||
        i[1] * i[2] - i[5] * i[5] < -slack || det < -slack * size) {
        return fil_error(error, FIL_BAD_INPUT, "link '%s': its inertia is negative about some axis", link->name);
    }
    if (link->mass == 0.0 && size > 0.0) {
        return fil_error(error, FIL_BAD_INPUT, "link '%s': it has an inertia but no mass", link->name);
    }
    return FIL_OK;
}

/* Numbers of a joint that turns or slides. */
static FilStatus check_coordinate(const FilRobotJointDef* j, FilError* error)
{
    const struct {
        const char* name;
        double value;
        bool may_be_infinite;
    } numbers[] = {{"effort", j->max_effort, true},
                   {"velocity limit", j->max_velocity, true},
                   {"limit stiffness", j->limit_stiffness, true},
                   {"limit damping", j->limit_damping, false},
                   {"friction", j->friction, false},
                   {"stiffness gain", j->stiffness_gain, false},
                   {"damping gain", j->damping_gain, false}};
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        if (!(numbers[k].value >= 0.0) || (isinf(numbers[k].value) && !numbers[k].may_be_infinite)) {
            return fil_error(error, FIL_BAD_INPUT, "joint '%s': its %s must be zero or positive, not %g", j->name, numbers[k].name, numbers[k].value);
        }
    }
    const double length = sqrt(j->axis.x * j->axis.x + j->axis.y * j->axis.y + j->axis.z * j->axis.z);
    // axes in files are of length one and have some nine digits: what is shorter is rounding of zero
    if (!(isfinite(length) && length > 1e-9)) {
        return fil_error(error, FIL_BAD_INPUT, "joint '%s': its axis has no direction", j->name);
    }
    if (!(j->lower <= j->upper) || !(j->limit_stiffness > 0.0)) {
        return fil_error(error, FIL_BAD_INPUT, "joint '%s': its limits %g and %g must be in order and not soft", j->name, j->lower, j->upper);
    }
    if (!isfinite(j->multiplier) || !isfinite(j->offset) || !isfinite(j->start_velocity) || isinf(j->start_position) ||
        (j->modes & ~(unsigned)(FIL_JOINT_POSITION | FIL_JOINT_VELOCITY | FIL_JOINT_EFFORT)) != 0) {
        return fil_error(error, FIL_BAD_INPUT, "joint '%s': its coupling, start or modes are not usable", j->name);
    }
    if (j->start_position < j->lower || j->start_position > j->upper) {
        return fil_error(error, FIL_BAD_INPUT, "joint '%s': it starts at %g, outside its limits %g and %g", j->name, j->start_position, j->lower,
                         j->upper);
    }
    return FIL_OK;
}

static FilStatus check_joint(const FilRobotDef* def, const FilRobotJointDef* j, FilError* error)
{
    const double numbers[] = {j->position.x, j->position.y, j->position.z, j->orientation.x, j->orientation.y, j->orientation.z, j->orientation.w};
    FilQuat unit = j->orientation;
    if (j->parent < 0 || j->parent >= def->link_count || j->child < 0 || j->child >= def->link_count) {
        return fil_error(error, FIL_BAD_INPUT, "joint '%s': there is no link %d", j->name,
                         j->parent < 0 || j->parent >= def->link_count ? j->parent : j->child);
    }
    if (j->parent == j->child) {
        return fil_error(error, FIL_BAD_INPUT, "joint '%s': it joins link '%s' to itself", j->name, def->links[j->child].name);
    }
    if ((unsigned)j->type > FIL_ROBOT_FLOATING || !fil_all_finite(numbers, 7) || !fil_quat_normalise(&unit)) {
        return fil_error(error, FIL_BAD_INPUT, "joint '%s': its type or its place is not usable", j->name);
    }
    if (j->mimic >= 0) {
        const FilRobotJointDef* leader = j->mimic < def->joint_count ? &def->joints[j->mimic] : NULL;
        if (leader == NULL || leader == j || !fil_joint_has_coordinate(leader->type) || leader->mimic >= 0 || !fil_joint_has_coordinate(j->type)) {
            return fil_error(error, FIL_BAD_INPUT, "joint '%s': it can only mimic a joint that turns or slides by itself", j->name);
        }
    }
    if (!(isfinite(j->damping) && j->damping >= 0.0) || !(isfinite(j->armature) && j->armature >= 0.0)) {
        return fil_error(error, FIL_BAD_INPUT, "joint '%s': its damping and armature must be zero or positive", j->name);
    }
    return fil_joint_has_coordinate(j->type) ? check_coordinate(j, error) : FIL_OK;
}

FilStatus fil_articulated_sort(const FilRobotDef* def, int* order, int* joint_of, FilError* error)
{
    for (int l = 0; l < def->link_count; l++) {
        joint_of[l] = -1;
    }
    for (int j = 0; j < def->joint_count; j++) {
        int* above = &joint_of[def->joints[j].child];
        if (*above >= 0) {
            return fil_error(error, FIL_BAD_INPUT, "link '%s' has two parents: joints '%s' and '%s'", def->links[def->joints[j].child].name,
                             def->joints[*above].name, def->joints[j].name);
        }
        *above = j;
    }
    int root = -1, count = 0;
    for (int l = 0; l < def->link_count; l++) {
        if (joint_of[l] >= 0) {
            continue;
        }
        if (root >= 0) {
            return fil_error(error, FIL_BAD_INPUT, "there are two roots: no joint leads to links '%s' and '%s'", def->links[root].name,
                             def->links[l].name);
        }
        root = l;
    }
    if (root < 0) {
        return fil_error(error, FIL_BAD_INPUT, "the joints make a circle: every link, '%s' too, has a parent", def->links[0].name);
    }
    order[count++] = root;
    for (int k = 0; k < count; k++) {  // children follow right behind their parent, the last one found first
        for (int j = def->joint_count - 1; j >= 0; j--) {
            if (def->joints[j].parent == order[k]) {
                memmove(order + k + 2, order + k + 1, sizeof(int) * (size_t)(count - k - 1));
                order[k + 1] = def->joints[j].child;
                count++;
            }
        }
    }
    for (int l = 0; l < def->link_count && count < def->link_count; l++) {
        bool found = false;
        for (int k = 0; k < count && !found; k++) {
            found = order[k] == l;
        }
        if (!found) {
            return fil_error(error, FIL_BAD_INPUT, "the joints make a circle: link '%s' does not hang on the root '%s'", def->links[l].name,
                             def->links[root].name);
        }
    }
    return FIL_OK;
}

FilStatus fil_articulated_check(const FilRobotDef* def, FilError* error)
{
    const double numbers[] = {def->position.x, def->position.y, def->position.z};
    FilQuat unit = def->orientation;
    if (def->link_count < 1 || def->links == NULL || (def->joint_count > 0 && def->joints == NULL)) {
        return fil_error(error, FIL_BAD_INPUT, "a robot needs at least one link");
    }
    if (!fil_all_finite(numbers, 3) || !fil_quat_normalise(&unit)) {
        return fil_error(error, FIL_BAD_INPUT, "the position of the base is not finite, or its orientation is no rotation");
    }
    // each is kept in every copy of the state: 1e5 of six joints are 15 MB
    if (def->trajectory_points < 0 || def->trajectory_points > 100000) {
        return fil_error(error, FIL_BAD_INPUT, "a trajectory can have 0 to 100000 points, not %d", def->trajectory_points);
    }
    FilStatus status = FIL_OK;
    for (int k = 0; k < def->link_count && status == FIL_OK; k++) {
        status = def->links[k].name != NULL ? check_link(&def->links[k], error) : fil_error(error, FIL_BAD_INPUT, "link %d has no name", k);
    }
    int unknowns = def->floating ? 6 : 0;
    for (int k = 0; k < def->joint_count && status == FIL_OK; k++) {
        const FilRobotJointDef* j = &def->joints[k];
        status = j->name != NULL ? check_joint(def, j, error) : fil_error(error, FIL_BAD_INPUT, "joint %d has no name", k);
        unknowns += fil_joint_has_coordinate(j->type) ? 1 : (j->type == FIL_ROBOT_BALL ? 3 : (j->type == FIL_ROBOT_FLOATING ? 6 : 0));
    }
    if (status == FIL_OK && unknowns > FIL_ROBOT_UNKNOWNS) {
        status = fil_error(error, FIL_BAD_INPUT, "a robot can have %d degrees of freedom, not %d", FIL_ROBOT_UNKNOWNS, unknowns);
    }
    return status;
}
