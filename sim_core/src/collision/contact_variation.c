/* Contacts of points, edges and faces that are parts of rigid shapes, with roundings around them. Of a point and a face the normal is the face's;
 * else it is that from the closest point of one core to that of the other, which slide along their edges so as to stay the closest. A cylinder has
 * round edges, its rims; its barrel is its axis, rounded. */
#include "collision/contact_variation.h"

#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "geometry/closest.h"

/* Lines that are nearer to parallel touch at two points, whose places are others. As in geometry/manifold.c. */
static const double PARALLEL = 0.05;

/* ---- features ---- */

/* An axis end is a point; in between, the core is an edge. `at` is the contact's place on the core. False if it is not there: near the nodes of rods
 * normals are turned across the edge (collision/collide.c). */
static bool touch_capsule(const FilShape* shape, const FilPose* pose, const double* at, FilTouch* touch)
{
    double from[3];
    fil_pose_axis(touch->axis, pose, 2);
    fil_v3_sub(from, at, pose->p);
    const double along = fil_v3_dot(from, touch->axis), reached = fmin(fabs(along), shape->half[2]);
    touch->feature = fabs(along) < shape->half[2] * (1.0 - 1e-9) ? FIL_TOUCH_EDGE : FIL_TOUCH_POINT;
    fil_v3_axpy(from, -copysign(reached, along), touch->axis);
    return fil_v3_norm(from) <= 1e-6 * shape->half[2] + 1e-6 * touch->rounding;
}

/* A box beside a ball at `centre`: by the coordinates that are outside of it. */
static void touch_box(const FilShape* shape, const FilPose* pose, const double* centre, const double* outward, FilTouch* touch)
{
    double local[3], normal[3];
    int outside = 0, inner = 0, steepest = 0;
    fil_pose_apply_inverse(local, pose, centre);
    fil_m3_apply_transposed(normal, pose->r, outward);
    for (int k = 0; k < 3; k++) {
        const bool out = fabs(local[k]) > shape->half[k];
        outside += out;
        inner = out ? inner : k;
        steepest = fabs(normal[k]) > fabs(normal[steepest]) ? k : steepest;
    }
    touch->feature = outside == 3 ? FIL_TOUCH_POINT : outside == 2 ? FIL_TOUCH_EDGE : FIL_TOUCH_FACE;
    fil_pose_axis(touch->axis, pose, touch->feature == FIL_TOUCH_FACE ? steepest : inner);
    if (touch->feature == FIL_TOUCH_FACE && normal[steepest] < 0.0) {
        fil_v3_scale(touch->axis, -1.0, touch->axis);
    }
}

/* The rim of a cylinder around `along`, at a point of it. */
static void touch_rim(const double* center, const double* at, FilTouch* touch)
{
    double out[3];
    fil_v3_sub(out, at, center);
    fil_v3_axpy(out, -fil_v3_dot(out, touch->along), touch->along);
    const double radius = fil_v3_normalise(out);
    touch->feature = FIL_TOUCH_EDGE;
    fil_v3_cross(touch->axis, touch->along, out);
    fil_v3_scale(touch->curving, -1.0 / radius, out);
}

/* A cylinder beside something else than a plane: barrel, cap or rim, by where `surface` lies on it. */
static void touch_cylinder(const FilShape* shape, const FilPose* pose, const double* surface, FilTouch* touch)
{
    double local[3];
    fil_pose_apply_inverse(local, pose, surface);
    const bool beside = fabs(local[2]) < shape->half[2] * (1.0 - 1e-6), above = hypot(local[0], local[1]) < shape->radius * (1.0 - 1e-6);
    fil_v3_copy(touch->axis, touch->along);
    if (beside) {
        touch->feature = FIL_TOUCH_EDGE;
        touch->rounding = shape->radius;
    } else if (above) {
        touch->feature = FIL_TOUCH_FACE;
        fil_v3_scale(touch->axis, copysign(1.0, local[2]), touch->axis);
    } else {
        touch_rim(pose->p, surface, touch);
    }
}

static bool is_round(FilShapeKind kind)
{
    return kind == FIL_PRIMITIVE_SPHERE || kind == FIL_PRIMITIVE_CAPSULE || kind == FIL_PRIMITIVE_CYLINDER;
}

/* What side s touches the other with. False if it is not known. */
static bool touch_with(const FilContact* contact, const FilShape shapes[2], const FilPose poses[2], int s, FilTouch* touch)
{
    const FilShape *own = &shapes[s], *other = &shapes[1 - s];
    const double* n = contact->frame + 6;
    const double toward = s == 0 ? 1.0 : -1.0;  // from this side to the other
    double core[3], outward[3];
    *touch = (FilTouch){.feature = FIL_TOUCH_POINT, .rounding = fil_shape_rounding(own)};
    fil_pose_axis(touch->along, &poses[s], 2);
    fil_v3_scale(outward, toward, n);
    fil_v3_copy(core, contact->point);
    fil_v3_axpy(core, -(touch->rounding + 0.5 * contact->distance), outward);
    switch (own->kind) {
        case FIL_PRIMITIVE_HALF_SPACE:
            touch->feature = FIL_TOUCH_FACE;
            fil_pose_axis(touch->axis, &poses[s], 2);
            return true;
        case FIL_PRIMITIVE_SPHERE:
            return other->kind == FIL_PRIMITIVE_HALF_SPACE || other->kind == FIL_PRIMITIVE_BOX || is_round(other->kind);
        case FIL_PRIMITIVE_CAPSULE:
            if (other->kind != FIL_PRIMITIVE_HALF_SPACE) {  // which touches its ends
                return touch_capsule(own, &poses[s], core, touch) && is_round(other->kind);
            }
            return true;
        case FIL_PRIMITIVE_CYLINDER:
            if (other->kind != FIL_PRIMITIVE_HALF_SPACE) {
                touch_cylinder(own, &poses[s], core, touch);
            }
            touch->goes_around = other->kind == FIL_PRIMITIVE_HALF_SPACE;
            fil_v3_copy(touch->center, poses[s].p);
            return other->kind == FIL_PRIMITIVE_HALF_SPACE || is_round(other->kind);
        case FIL_PRIMITIVE_BOX:
            if (other->kind == FIL_PRIMITIVE_SPHERE) {
                touch_box(own, &poses[s], poses[1 - s].p, outward, touch);
            }
            return other->kind == FIL_PRIMITIVE_HALF_SPACE || other->kind == FIL_PRIMITIVE_SPHERE;
        case FIL_PRIMITIVE_HULL:
            return other->kind == FIL_PRIMITIVE_HALF_SPACE && own->profile == NULL && own->mesh == NULL;
        default:
            return false;
    }
}

/* ---- variations: d, turn and stretch of both sides, 14 numbers, to those of the contact, 7 ---- */

enum { OWN = FIL_PART_MOTION };

/* How what lies at `at` of a side moves. */
static void move_of(const FilTouch* touch, const double* motion, const double* point, const double* at, double* out)
{
    double arm[3];
    fil_v3_sub(arm, at, point);
    fil_v3_cross(out, motion + 3, arm);
    fil_v3_add(out, out, motion);
    fil_v3_axpy(out, motion[6] * fil_v3_dot(touch->along, arm), touch->along);
}

/* What is lowest of a cylinder goes around its axis, as it and the face turn. A cap that lies flat keeps its points (geometry/shape.c). */
static void go_around(const FilTouch* touch, const double* n, const double* core, const double* turn, const double* face_turn, double* move)
{
    double down[3], change[3], relative[3], from[3], around[3];
    fil_v3_scale(down, -1.0, n);
    fil_v3_axpy(down, -fil_v3_dot(down, touch->along), touch->along);
    const double across2 = fil_v3_dot(down, down);
    if (across2 <= 1e-12) {
        return;
    }
    fil_v3_sub(relative, turn, face_turn);
    fil_v3_cross(change, relative, n);  // of the direction down, seen from the cylinder
    fil_v3_cross(around, down, change);
    fil_v3_sub(from, core, touch->center);
    const double angle = fil_v3_dot(touch->along, around) / across2;
    fil_v3_cross(around, touch->along, from);
    fil_v3_axpy(move, angle, around);
}

/* A point, side p, above a face. */
static void vary_face(const FilTouching* t, const FilTouch touch[2], int p, const double* motion, double* out)
{
    const double *n = touch[1 - p].axis, *x = t->point, half = touch[p].rounding + 0.5 * t->distance;
    double core[3], move[3], below[3], apart[3], turned[3];
    fil_v3_copy(core, t->middle);
    fil_v3_axpy(core, half, n);
    move_of(&touch[p], motion + OWN * p, x, core, move);
    move_of(&touch[1 - p], motion + OWN * (1 - p), x, core, below);
    if (touch[p].goes_around) {
        go_around(&touch[p], n, core, motion + OWN * p + 3, motion + OWN * (1 - p) + 3, move);
    }
    fil_v3_sub(apart, move, below);
    out[6] = fil_v3_dot(n, apart);
    fil_v3_cross(turned, motion + OWN * (1 - p) + 3, n);
    fil_v3_cross(out + 3, n, turned);
    fil_v3_copy(out, move);
    fil_v3_axpy(out, -0.5 * out[6], n);
    fil_v3_axpy(out, -half, turned);
}

/* Two edges without roundings, whose normal is across both however near they are. */
static bool is_sharp(const FilTouch touch[2])
{
    return touch[0].feature == FIL_TOUCH_EDGE && touch[1].feature == FIL_TOUCH_EDGE && touch[0].rounding + touch[1].rounding == 0.0;
}

/* The change of that normal, n = t_0 x t_1 / |t_0 x t_1|, where edges turn and contacts slide along them. */
static void turn_with_edges(const FilTouch touch[2], const double* n, const double* motion, const double* slide, double* change)
{
    double cross[3], d[2][3], more[3];
    for (int s = 0; s < 2; s++) {
        fil_v3_cross(d[s], motion + OWN * s + 3, touch[s].axis);
        fil_v3_axpy(d[s], slide[s], touch[s].curving);
    }
    fil_v3_cross(cross, touch[0].axis, touch[1].axis);
    const double size = fil_v3_norm(cross), sign = fil_v3_dot(cross, n) < 0.0 ? -1.0 : 1.0;
    fil_v3_cross(change, d[0], touch[1].axis);
    fil_v3_cross(more, touch[0].axis, d[1]);
    fil_v3_add(change, change, more);
    fil_v3_scale(change, sign / size, change);
    fil_v3_axpy(change, -fil_v3_dot(change, n), n);
}

/* Points and edges: the gap g from core to core stays across both edges, (turn x t) . g + t . dg = 0. */
static void vary_lines(const FilTouching* t, const FilTouch touch[2], const double* motion, double* out)
{
    const double *n = t->normal, *x = t->point;
    const double half[2] = {touch[0].rounding + 0.5 * t->distance, touch[1].rounding + 0.5 * t->distance}, gap = half[0] + half[1];
    double move[2][3], apart[3], rhs[2] = {0.0}, slide[2] = {0.0}, cosine = 0.0, turned[3];
    for (int s = 0; s < 2; s++) {
        double core[3];
        fil_v3_copy(core, t->middle);
        fil_v3_axpy(core, s == 0 ? -half[0] : half[1], n);
        move_of(&touch[s], motion + OWN * s, x, core, move[s]);
    }
    fil_v3_sub(apart, move[1], move[0]);
    for (int s = 0; s < 2; s++) {
        if (touch[s].feature == FIL_TOUCH_EDGE) {
            fil_v3_cross(turned, motion + OWN * s + 3, touch[s].axis);
            rhs[s] = gap * fil_v3_dot(turned, n) + fil_v3_dot(touch[s].axis, apart);
        }
    }
    // t_0 . (dg + t_1 b - t_0 a) + k_0 . g a = ..., the same of t_1
    if (touch[0].feature == FIL_TOUCH_EDGE && touch[1].feature == FIL_TOUCH_EDGE) {
        cosine = fil_v3_dot(touch[0].axis, touch[1].axis);
    }
    const double bend[2] = {1.0 - gap * fil_v3_dot(touch[0].curving, n), 1.0 + gap * fil_v3_dot(touch[1].curving, n)};
    const double determinant = bend[0] * bend[1] - cosine * cosine;
    slide[0] = touch[0].feature == FIL_TOUCH_EDGE ? (bend[1] * rhs[0] - cosine * rhs[1]) / determinant : 0.0;
    slide[1] = touch[1].feature == FIL_TOUCH_EDGE ? -(bend[0] * rhs[1] - cosine * rhs[0]) / determinant : 0.0;
    for (int s = 0; s < 2; s++) {
        fil_v3_axpy(move[s], slide[s], touch[s].axis);
    }
    fil_v3_sub(apart, move[1], move[0]);
    out[6] = fil_v3_dot(n, apart);
    if (is_sharp(touch)) {
        turn_with_edges(touch, n, motion, slide, apart);
    } else {
        fil_v3_axpy(apart, -out[6], n);
        fil_v3_scale(apart, 1.0 / gap, apart);  // of the normal
    }
    fil_v3_cross(out + 3, n, apart);
    fil_v3_copy(out, move[0]);
    fil_v3_axpy(out, 0.5 * out[6], n);
    fil_v3_axpy(out, half[0], apart);
}

static const char NOT_KNOWN[] =
    "touch by shapes of which gradients are not known yet (known: spheres, capsules and cylinders with each other but for caps that meet barrels, "
    "straight edges or caps, spheres on boxes, all on half-spaces)";

static const char SIDE_BY_SIDE[] = "lie side by side, of which gradients are not known yet";

/* Leaves of a normal what is across an edge. */
static void turn_across(double* n, const double* edge)
{
    fil_v3_axpy(n, -fil_v3_dot(n, edge), edge);
    (void)fil_v3_normalise(n);
}

/* Two edges of rods: normals may have been turned across either or both. False if the contact is not theirs. */
static bool touch_edges(const FilContact* contact, const FilShape shapes[2], const FilPose poses[2], FilTouching* out)
{
    double ends[2][2][3], at[2], core[2][3], n[3];
    for (int s = 0; s < 2; s++) {
        fil_pose_axis(out->edge[s], &poses[s], 2);
        for (int e = 0; e < 2; e++) {
            fil_v3_copy(ends[s][e], poses[s].p);
            fil_v3_axpy(ends[s][e], e == 0 ? -shapes[s].half[2] : shapes[s].half[2], out->edge[s]);
        }
    }
    (void)fil_segment_segment(ends[0][0], ends[0][1], ends[1][0], ends[1][1], &at[0], &at[1]);
    for (int s = 0; s < 2; s++) {
        FilTouch* touch = &out->touch[s];
        *touch = (FilTouch){.feature = at[s] > 0.0 && at[s] < 1.0 ? FIL_TOUCH_EDGE : FIL_TOUCH_POINT, .rounding = shapes[s].radius};
        fil_v3_copy(touch->axis, out->edge[s]);
        fil_v3_copy(touch->along, out->edge[s]);
        for (int k = 0; k < 3; k++) {
            core[s][k] = ends[s][0][k] + at[s] * (ends[s][1][k] - ends[s][0][k]);
        }
    }
    fil_v3_sub(out->normal, core[1], core[0]);
    if (!(fil_v3_normalise(out->normal) > 1e-9 * (shapes[0].radius + shapes[1].radius))) {
        return false;
    }
    for (int which = 0; which < 4; which++) {
        double off[3];
        fil_v3_copy(n, out->normal);
        for (int s = 0; s < 2; s++) {
            out->across[s] = (which >> s) % 2 == 1;
            if (out->across[s]) {
                turn_across(n, out->edge[s]);
            }
        }
        fil_v3_sub(off, n, contact->frame + 6);
        if (fil_v3_norm(off) <= 1e-9) {
            return true;
        }
    }
    return false;
}

/* Has an axis beside which another may lie, along which contacts are two. */
static bool is_line(const FilShape* shape, const FilTouch* touch)
{
    return shape->kind == FIL_PRIMITIVE_CAPSULE ||
           (shape->kind == FIL_PRIMITIVE_CYLINDER && touch->feature == FIL_TOUCH_EDGE && touch->rounding > 0.0);
}

/* A rim above a cap touches with what is lowest of it, as above a plane. */
static void lower_rim(FilTouch* rim, const FilTouch* face, const FilPose* pose)
{
    const bool curved = fil_v3_dot(rim->curving, rim->curving) > 0.0;
    if (rim->feature == FIL_TOUCH_EDGE && curved && face->feature == FIL_TOUCH_FACE && fabs(fil_v3_dot(rim->axis, face->axis)) <= 1e-9) {
        rim->feature = FIL_TOUCH_POINT;
        rim->goes_around = true;
        fil_v3_copy(rim->center, pose->p);
    }
}

const char* fil_contact_touching(const FilContact* contact, const FilShape shapes[2], const FilPose poses[2], FilTouching* out)
{
    FilTouch* touch = out->touch;
    double across[3];
    *out = (FilTouching){.distance = contact->distance};
    fil_v3_copy(out->normal, contact->frame + 6);
    fil_v3_copy(out->middle, contact->point);
    fil_v3_copy(out->point, contact->point);
    const bool edges = contact->redundant && shapes[0].kind == FIL_PRIMITIVE_CAPSULE && shapes[1].kind == FIL_PRIMITIVE_CAPSULE;
    if (edges ? !touch_edges(contact, shapes, poses, out)
              : !touch_with(contact, shapes, poses, 0, &touch[0]) || !touch_with(contact, shapes, poses, 1, &touch[1])) {
        return NOT_KNOWN;
    }
    for (int s = 0; s < 2; s++) {
        lower_rim(&touch[s], &touch[1 - s], &poses[s]);
    }
    fil_v3_cross(across, touch[0].axis, touch[1].axis);
    if (is_line(&shapes[0], &touch[0]) && is_line(&shapes[1], &touch[1]) && fil_v3_norm(across) <= PARALLEL) {
        return SIDE_BY_SIDE;
    }
    return fil_touching_check(out);
}

static bool has_face(const FilTouch touch[2])
{
    return touch[0].feature == FIL_TOUCH_FACE || touch[1].feature == FIL_TOUCH_FACE;
}

const char* fil_touching_check(const FilTouching* t)
{
    const FilTouch* touch = t->touch;
    double across[3];
    fil_v3_cross(across, touch[0].axis, touch[1].axis);
    if (has_face(touch) && touch[0].feature != FIL_TOUCH_POINT && touch[1].feature != FIL_TOUCH_POINT) {
        return NOT_KNOWN;
    }
    if (touch[0].feature == FIL_TOUCH_EDGE && touch[1].feature == FIL_TOUCH_EDGE && fil_v3_norm(across) <= PARALLEL &&
        !(fil_v3_dot(touch[0].curving, touch[0].curving) + fil_v3_dot(touch[1].curving, touch[1].curving) > 0.0)) {
        return SIDE_BY_SIDE;
    }
    if (is_sharp(touch) && fil_v3_norm(across) <= PARALLEL) {
        return SIDE_BY_SIDE;
    }
    if (!has_face(touch) && !is_sharp(touch) && !(touch[0].rounding + touch[1].rounding + t->distance > 0.0)) {
        return "are so deep in each other, or touch with such sharp edges, that their contact has no derivative";
    }
    return NULL;
}

/* The turn of a normal that is turned across edges, from its change `dn` before that, where `side` turns by w. */
static void turn_change(const FilTouching* t, int side, const double* w, const double* dn, double* turn)
{
    double n[3], change[3];
    fil_v3_copy(n, t->normal);
    fil_v3_copy(change, dn);
    for (int s = 0; s < 2; s++) {
        const double *e = t->edge[s], along = fil_v3_dot(n, e);
        double de[3] = {0.0};
        if (!t->across[s]) {
            continue;
        }
        if (s == side) {
            fil_v3_cross(de, w, e);
        }
        fil_v3_axpy(change, -fil_v3_dot(change, e) - fil_v3_dot(n, de), e);
        fil_v3_axpy(change, -along, de);
        fil_v3_axpy(n, -along, e);
        const double size = fil_v3_normalise(n);
        fil_v3_axpy(change, -fil_v3_dot(change, n), n);
        fil_v3_scale(change, 1.0 / size, change);
    }
    fil_v3_cross(turn, n, change);
}

void fil_touching_vary(const FilTouching* t, int side, const double* along, double map[FIL_CONTACT_MOTION][FIL_PART_MOTION])
{
    FilTouch touch[2] = {t->touch[0], t->touch[1]};
    fil_v3_copy(touch[side].along, along);
    for (int k = 0; k < OWN; k++) {
        double motion[2 * OWN] = {0.0}, change[FIL_CONTACT_MOTION], turned[3];
        motion[OWN * side + k] = 1.0;
        if (has_face(touch)) {
            vary_face(t, touch, touch[0].feature == FIL_TOUCH_FACE ? 1 : 0, motion, change);
        } else {
            vary_lines(t, touch, motion, change);
        }
        // from the middle to the contact's point
        fil_v3_cross(turned, change + 3, t->normal);
        fil_v3_axpy(change, t->beyond * change[6], t->normal);
        fil_v3_axpy(change, t->beyond * t->distance, turned);
        if (t->across[0] || t->across[1]) {
            turn_change(t, side, motion + OWN * side + 3, turned, change + 3);
        }
        for (int i = 0; i < FIL_CONTACT_MOTION; i++) {
            map[i][k] = change[i];
        }
    }
}

/* ---- transposed, line by line ---- */

static void move_of_back(const FilTouch* touch, const double* point, const double* at, const double* weight, double* motion)
{
    double arm[3], turn[3];
    fil_v3_sub(arm, at, point);
    fil_v3_cross(turn, arm, weight);
    fil_v3_add(motion, motion, weight);
    fil_v3_add(motion + 3, motion + 3, turn);
    motion[6] += fil_v3_dot(touch->along, arm) * fil_v3_dot(touch->along, weight);
}

static void go_around_back(const FilTouch* touch, const double* n, const double* core, const double* weight, double* turn, double* face_turn)
{
    double down[3], change[3], from[3], around[3];
    fil_v3_scale(down, -1.0, n);
    fil_v3_axpy(down, -fil_v3_dot(down, touch->along), touch->along);
    const double across2 = fil_v3_dot(down, down);
    if (across2 <= 1e-12) {
        return;
    }
    fil_v3_sub(from, core, touch->center);
    fil_v3_cross(around, touch->along, from);
    const double angle = fil_v3_dot(weight, around) / across2;
    fil_v3_cross(around, touch->along, down);
    fil_v3_cross(change, n, around);
    fil_v3_axpy(turn, angle, change);
    fil_v3_axpy(face_turn, -angle, change);
}

static void vary_face_back(const FilTouching* t, int p, const double* weight, double motion[2][OWN])
{
    const FilTouch* touch = t->touch;
    const double *n = touch[1 - p].axis, *x = t->point, half = touch[p].rounding + 0.5 * t->distance;
    const double closing = weight[6] - 0.5 * fil_v3_dot(n, weight);
    double core[3], move[3], below[3], turned[3], turn[3];
    fil_v3_copy(core, t->middle);
    fil_v3_axpy(core, half, n);
    fil_v3_copy(move, weight);
    fil_v3_axpy(move, closing, n);
    fil_v3_scale(below, -closing, n);
    fil_v3_cross(turned, weight + 3, n);
    fil_v3_axpy(turned, -half, weight);
    fil_v3_cross(turn, n, turned);
    fil_v3_add(motion[1 - p] + 3, motion[1 - p] + 3, turn);
    if (touch[p].goes_around) {
        go_around_back(&touch[p], n, core, move, motion[p] + 3, motion[1 - p] + 3);
    }
    move_of_back(&touch[p], x, core, move, motion[p]);
    move_of_back(&touch[1 - p], x, core, below, motion[1 - p]);
}

/* Of turn_with_edges(): from weights of the normal's change to those of both turns and slides. */
static void turn_with_edges_back(const FilTouch touch[2], const double* n, const double* weight, double motion[2][OWN], double along[2])
{
    double cross[3], own[3], d[2][3], turn[3];
    fil_v3_cross(cross, touch[0].axis, touch[1].axis);
    const double size = fil_v3_norm(cross), sign = fil_v3_dot(cross, n) < 0.0 ? -1.0 : 1.0;
    fil_v3_copy(own, weight);
    fil_v3_axpy(own, -fil_v3_dot(weight, n), n);
    fil_v3_scale(own, sign / size, own);
    fil_v3_cross(d[0], touch[1].axis, own);
    fil_v3_cross(d[1], own, touch[0].axis);
    for (int s = 0; s < 2; s++) {
        fil_v3_cross(turn, touch[s].axis, d[s]);
        fil_v3_add(motion[s] + 3, motion[s] + 3, turn);
        along[s] = fil_v3_dot(touch[s].curving, d[s]);
    }
}

static void vary_lines_back(const FilTouching* t, const double* weight, double motion[2][OWN])
{
    const FilTouch* touch = t->touch;
    const double *n = t->normal, *x = t->point;
    const double half[2] = {touch[0].rounding + 0.5 * t->distance, touch[1].rounding + 0.5 * t->distance}, gap = half[0] + half[1];
    double move[2][3], apart[3], slide[2] = {0.0}, along[2] = {0.0}, cosine = 0.0;
    fil_v3_cross(apart, weight + 3, n);
    fil_v3_axpy(apart, half[0], weight);
    if (is_sharp(touch)) {
        turn_with_edges_back(touch, n, apart, motion, along);
        fil_v3_set(apart, 0.0, 0.0, 0.0);
    } else {
        fil_v3_scale(apart, 1.0 / gap, apart);
    }
    fil_v3_axpy(apart, weight[6] + 0.5 * fil_v3_dot(n, weight) - fil_v3_dot(n, apart), n);
    fil_v3_sub(move[0], weight, apart);
    fil_v3_copy(move[1], apart);
    if (touch[0].feature == FIL_TOUCH_EDGE && touch[1].feature == FIL_TOUCH_EDGE) {
        cosine = fil_v3_dot(touch[0].axis, touch[1].axis);
    }
    const double bend[2] = {1.0 - gap * fil_v3_dot(touch[0].curving, n), 1.0 + gap * fil_v3_dot(touch[1].curving, n)};
    const double determinant = bend[0] * bend[1] - cosine * cosine;
    for (int s = 0; s < 2; s++) {
        slide[s] = touch[s].feature == FIL_TOUCH_EDGE ? (fil_v3_dot(move[s], touch[s].axis) + along[s]) / determinant : 0.0;
    }
    const double rhs[2] = {bend[1] * slide[0] + cosine * slide[1], -cosine * slide[0] - bend[0] * slide[1]};
    for (int s = 0; s < 2; s++) {
        if (touch[s].feature == FIL_TOUCH_EDGE) {
            double turn[3];
            fil_v3_cross(turn, touch[s].axis, n);
            fil_v3_axpy(motion[s] + 3, gap * rhs[s], turn);
            fil_v3_axpy(move[0], -rhs[s], touch[s].axis);
            fil_v3_axpy(move[1], rhs[s], touch[s].axis);
        }
    }
    for (int s = 0; s < 2; s++) {
        double core[3];
        fil_v3_copy(core, t->middle);
        fil_v3_axpy(core, s == 0 ? -half[0] : half[1], n);
        move_of_back(&touch[s], x, core, move[s], motion[s]);
    }
}

/* Of turn_change(): weights of the turned normal's turn become those of the turn before; adds to those of the sides'. */
static void turn_change_back(const FilTouching* t, double* weight, double motion[2][OWN])
{
    double n[3][3], size[2] = {1.0, 1.0}, change[3];
    fil_v3_copy(n[0], t->normal);
    for (int s = 0; s < 2; s++) {
        fil_v3_copy(n[s + 1], n[s]);
        if (t->across[s]) {
            fil_v3_axpy(n[s + 1], -fil_v3_dot(n[s], t->edge[s]), t->edge[s]);
            size[s] = fil_v3_normalise(n[s + 1]);
        }
    }
    fil_v3_cross(change, weight, n[2]);
    for (int s = 1; s >= 0; s--) {
        const double *e = t->edge[s], along = fil_v3_dot(n[s], e);
        double by_edge[3], turn[3];
        if (!t->across[s]) {
            continue;
        }
        fil_v3_axpy(change, -fil_v3_dot(change, n[s + 1]), n[s + 1]);
        fil_v3_scale(change, 1.0 / size[s], change);
        fil_v3_scale(by_edge, -fil_v3_dot(change, e), n[s]);
        fil_v3_axpy(by_edge, -along, change);
        fil_v3_cross(turn, e, by_edge);
        fil_v3_add(motion[s] + 3, motion[s] + 3, turn);
        fil_v3_axpy(change, -fil_v3_dot(change, e), e);
    }
    fil_v3_cross(weight, n[0], change);
}

void fil_touching_vary_back(const FilTouching* t, const double* contact, double motion[2][FIL_PART_MOTION])
{
    double weight[FIL_CONTACT_MOTION], turn[3];
    memcpy(weight, contact, sizeof weight);
    memset(motion, 0, 2 * sizeof *motion);
    if (t->across[0] || t->across[1]) {
        turn_change_back(t, weight + 3, motion);
    }
    weight[6] += t->beyond * fil_v3_dot(t->normal, contact);
    fil_v3_cross(turn, t->normal, contact);
    fil_v3_axpy(weight + 3, t->beyond * t->distance, turn);
    if (has_face(t->touch)) {
        vary_face_back(t, t->touch[0].feature == FIL_TOUCH_FACE ? 1 : 0, weight, motion);
    } else {
        vary_lines_back(t, weight, motion);
    }
}
