/* Contacts of points, edges and faces that are parts of rigid shapes, with roundings around them. Of a point and a face the normal is the face's;
 * else it is that from the closest point of one core to that of the other, which slide along their edges so as to stay the closest. */
#include "collision/contact_variation.h"

#include <math.h>
#include <string.h>

#include "base/vec3.h"

/* What a side touches with: a point of its core, an edge along `axis`, or a face. */
typedef enum Feature { POINT, EDGE, FACE } Feature;

typedef struct Touch {
    Feature feature;
    double rounding;
    double axis[3];  /* of an edge, or the face's normal, outward */
    double along[3]; /* what it stretches along */
} Touch;

/* Lines that are nearer to parallel touch at two points, whose places are others. As in geometry/manifold.c. */
static const double PARALLEL = 0.05;

/* ---- features ---- */

/* An axis end is a point; in between, the core is an edge. `at` is the contact's place on the core. False if it is not there: near the nodes of rods
 * normals are turned across the edge (collision/collide.c). */
static bool touch_capsule(const FilShape* shape, const FilPose* pose, const double* at, Touch* touch)
{
    double from[3];
    fil_pose_axis(touch->axis, pose, 2);
    fil_v3_sub(from, at, pose->p);
    const double along = fil_v3_dot(from, touch->axis), reached = fmin(fabs(along), shape->half[2]);
    touch->feature = fabs(along) < shape->half[2] * (1.0 - 1e-9) ? EDGE : POINT;
    fil_v3_axpy(from, -copysign(reached, along), touch->axis);
    return fil_v3_norm(from) <= 1e-6 * shape->half[2] + 1e-6 * touch->rounding;
}

/* A box beside a ball at `centre`: by the coordinates that are outside of it. */
static void touch_box(const FilShape* shape, const FilPose* pose, const double* centre, const double* outward, Touch* touch)
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
    touch->feature = outside == 3 ? POINT : outside == 2 ? EDGE : FACE;
    fil_pose_axis(touch->axis, pose, touch->feature == FACE ? steepest : inner);
    if (touch->feature == FACE && normal[steepest] < 0.0) {
        fil_v3_scale(touch->axis, -1.0, touch->axis);
    }
}

static bool is_round(FilShapeKind kind)
{
    return kind == FIL_SHAPE_SPHERE || kind == FIL_SHAPE_CAPSULE;
}

/* What side s touches the other with. False if it is not known. */
static bool touch_with(const FilContact* contact, const FilShape shapes[2], const FilPose poses[2], int s, Touch* touch)
{
    const FilShape *own = &shapes[s], *other = &shapes[1 - s];
    const double* n = contact->frame + 6;
    const double toward = s == 0 ? 1.0 : -1.0;  // from this side to the other
    double core[3], outward[3];
    *touch = (Touch){.feature = POINT, .rounding = fil_shape_rounding(own)};
    fil_pose_axis(touch->along, &poses[s], 2);
    fil_v3_scale(outward, toward, n);
    fil_v3_copy(core, contact->point);
    fil_v3_axpy(core, -(touch->rounding + 0.5 * contact->distance), outward);
    switch (own->kind) {
        case FIL_SHAPE_HALF_SPACE:
            touch->feature = FACE;
            fil_pose_axis(touch->axis, &poses[s], 2);
            return true;
        case FIL_SHAPE_SPHERE:
            return other->kind == FIL_SHAPE_HALF_SPACE || other->kind == FIL_SHAPE_BOX || is_round(other->kind);
        case FIL_SHAPE_CAPSULE:
            if (other->kind != FIL_SHAPE_HALF_SPACE) {  // which touches its ends
                return touch_capsule(own, &poses[s], core, touch) && is_round(other->kind);
            }
            return true;
        case FIL_SHAPE_BOX:
            if (other->kind == FIL_SHAPE_SPHERE) {
                touch_box(own, &poses[s], poses[1 - s].p, outward, touch);
            }
            return other->kind == FIL_SHAPE_HALF_SPACE || other->kind == FIL_SHAPE_SPHERE;
        case FIL_SHAPE_HULL:
            return other->kind == FIL_SHAPE_HALF_SPACE && own->profile == NULL && own->mesh == NULL;
        default:
            return false;
    }
}

/* ---- variations: d, turn and stretch of both sides, 14 numbers, to those of the contact, 7 ---- */

enum { OWN = FIL_PART_MOTION };

/* How what lies at `at` of a side moves. */
static void move_of(const Touch* touch, const double* motion, const double* point, const double* at, double* out)
{
    double arm[3];
    fil_v3_sub(arm, at, point);
    fil_v3_cross(out, motion + 3, arm);
    fil_v3_add(out, out, motion);
    fil_v3_axpy(out, motion[6] * fil_v3_dot(touch->along, arm), touch->along);
}

/* A point, side p, above a face. */
static void vary_face(const FilContact* contact, const Touch touch[2], int p, const double* motion, double* out)
{
    const double *n = touch[1 - p].axis, *x = contact->point, half = touch[p].rounding + 0.5 * contact->distance;
    double core[3], move[3], below[3], apart[3], turned[3];
    fil_v3_copy(core, x);
    fil_v3_axpy(core, half, n);
    move_of(&touch[p], motion + OWN * p, x, core, move);
    move_of(&touch[1 - p], motion + OWN * (1 - p), x, core, below);
    fil_v3_sub(apart, move, below);
    out[6] = fil_v3_dot(n, apart);
    fil_v3_cross(turned, motion + OWN * (1 - p) + 3, n);
    fil_v3_cross(out + 3, n, turned);
    fil_v3_copy(out, move);
    fil_v3_axpy(out, -0.5 * out[6], n);
    fil_v3_axpy(out, -half, turned);
}

/* Points and edges: the gap g from core to core stays across both edges, (turn x t) . g + t . dg = 0. */
static void vary_lines(const FilContact* contact, const Touch touch[2], const double* motion, double* out)
{
    const double *n = contact->frame + 6, *x = contact->point;
    const double half[2] = {touch[0].rounding + 0.5 * contact->distance, touch[1].rounding + 0.5 * contact->distance}, gap = half[0] + half[1];
    double move[2][3], apart[3], rhs[2] = {0.0}, slide[2] = {0.0}, cosine = 0.0, turned[3];
    for (int s = 0; s < 2; s++) {
        double core[3];
        fil_v3_copy(core, x);
        fil_v3_axpy(core, s == 0 ? -half[0] : half[1], n);
        move_of(&touch[s], motion + OWN * s, x, core, move[s]);
    }
    fil_v3_sub(apart, move[1], move[0]);
    for (int s = 0; s < 2; s++) {
        if (touch[s].feature == EDGE) {
            fil_v3_cross(turned, motion + OWN * s + 3, touch[s].axis);
            rhs[s] = gap * fil_v3_dot(turned, n) + fil_v3_dot(touch[s].axis, apart);
        }
    }
    // t_0 . (dg + t_1 b - t_0 a) = ..., the same of t_1
    if (touch[0].feature == EDGE && touch[1].feature == EDGE) {
        cosine = fil_v3_dot(touch[0].axis, touch[1].axis);
    }
    const double sine2 = 1.0 - cosine * cosine;
    slide[0] = touch[0].feature == EDGE ? (rhs[0] - cosine * rhs[1]) / sine2 : 0.0;
    slide[1] = touch[1].feature == EDGE ? -(rhs[1] - cosine * rhs[0]) / sine2 : 0.0;
    for (int s = 0; s < 2; s++) {
        fil_v3_axpy(move[s], slide[s], touch[s].axis);
    }
    fil_v3_sub(apart, move[1], move[0]);
    out[6] = fil_v3_dot(n, apart);
    fil_v3_axpy(apart, -out[6], n);
    fil_v3_scale(apart, 1.0 / gap, apart);  // of the normal
    fil_v3_cross(out + 3, n, apart);
    fil_v3_copy(out, move[0]);
    fil_v3_axpy(out, 0.5 * out[6], n);
    fil_v3_axpy(out, half[0], apart);
}

const char* fil_contact_vary(const FilContact* contact, const FilShape shapes[2], const FilPose poses[2], const bool moves[2],
                             FilContactVariation* out)
{
    Touch touch[2];
    double across[3];
    if (!touch_with(contact, shapes, poses, 0, &touch[0]) || !touch_with(contact, shapes, poses, 1, &touch[1])) {
        return "touch by shapes of which gradients are not known yet (known: spheres and capsules with each other, spheres on boxes, all but "
               "cylinders on "
               "half-spaces; not at nodes between edges of two rods)";
    }
    const bool faces = touch[0].feature == FACE || touch[1].feature == FACE;
    fil_v3_cross(across, touch[0].axis, touch[1].axis);
    if (shapes[0].kind == FIL_SHAPE_CAPSULE && shapes[1].kind == FIL_SHAPE_CAPSULE && fil_v3_norm(across) <= PARALLEL) {
        return "lie side by side, of which gradients are not known yet";
    }
    if (!faces && !(touch[0].rounding + touch[1].rounding + contact->distance > 0.0)) {
        return "are so deep in each other that their contact has no derivative";
    }
    for (int k = 0; k < 2 * OWN; k++) {
        if (!moves[k / OWN]) {
            continue;
        }
        double motion[2 * OWN] = {0.0}, change[7];
        motion[k] = 1.0;
        if (faces) {
            vary_face(contact, touch, touch[0].feature == FACE ? 1 : 0, motion, change);
        } else {
            vary_lines(contact, touch, motion, change);
        }
        for (int i = 0; i < 7; i++) {
            out->map[i][k] = change[i];
        }
    }
    return NULL;
}
