/* Where points of surfaces are. */
#include <math.h>

#include "base/vec3.h"
#include "solver/solver.h"

/* Sine of the inclination below which a rim counts as flat: rounding would turn it. */
static const double FLAT = 1e-12;

/* Sine of the inclination on a face below which a rim's points are held: chosen; of 400 cylinders thrown at boxes of their size 190 failed within 250
 * steps of 1 ms when none were held, 7 do with 0.02, and 3 with 0.1 or 0.3. */
static const double MAX_HELD = 0.1;

/* ... and at which the lowest point of the circle is below its lowest point that is held by no more than this share of the range: when points are let
 * go, nothing meets by it. Half of what counts as too near (ipc_contacts.c). */
static const double LIFT_SHARE = 0.01;

static void shape_pose(const FilSolver* solver, const FilWorldCollider* c, const double* q, FilPose* pose)
{
    const FilBody* body = &solver->system->bodies[c->body];
    FilPlacement place;
    body->ops->place(body->impl, c->index, q + body->q, solver->system->state.v + body->v, &place);
    *pose = place.pose;
}

void fil_ipc_plane(const FilSolver* solver, int plane, const double* q, double* normal, double* point)
{
    FilPose pose;
    shape_pose(solver, &solver->collision->colliders[solver->ipc.surface.planes[plane]], q, &pose);
    fil_pose_axis(normal, &pose, 2);
    fil_v3_copy(point, pose.p);
}

void fil_ipc_rim_normal(const FilSolver* solver, int rim, const double* q, double* normal)
{
    const FilIpcSurface* s = &solver->ipc.surface;
    if (rim <= s->plane_count) {
        double at[3];
        fil_ipc_plane(solver, rim - 1, q, normal, at);
        return;
    }
    const FilIpcFace* face = &s->faces[rim - 1 - s->plane_count];
    FilPose pose;
    shape_pose(solver, &solver->collision->colliders[face->collider], q, &pose);
    fil_m3_apply(normal, pose.r, face->normal);
}

/* Which way is down to its plane or face in a shape's frame, along which its rim's points are counted. Returns the sine of its inclination. */
static double rim_down(const FilSolver* solver, int rim, const FilPose* pose, const double* q, double* down)
{
    double normal[3], local[3];
    fil_ipc_rim_normal(solver, rim, q, normal);
    fil_m3_apply_transposed(local, pose->r, normal);
    const double size = hypot(local[0], local[1]);
    // one that lies flat is as low everywhere
    down[0] = size > FLAT ? -local[0] / size : 1.0;
    down[1] = size > FLAT ? -local[1] / size : 0.0;
    return size;
}

/* Whether a rim lies flat on its face. */
static bool is_flat(const FilSolver* solver, const FilIpcPoint* point, const double* q)
{
    const FilWorldCollider* c = &solver->collision->colliders[point->collider];
    FilPose pose;
    double down[2];
    shape_pose(solver, c, q, &pose);
    const double sine = rim_down(solver, point->rim, &pose, q, down), lift = c->collider.shape.radius * (1.0 - cos(FIL_PI / FIL_IPC_PRISM));
    return sine < MAX_HELD && sine * lift < LIFT_SHARE * solver->settings.model.ipc.range;
}

void fil_ipc_surface_hold(FilSolver* solver, const double* q)
{
    FilIpcSurface* s = &solver->ipc.surface;
    for (int k = s->first_shape; k < s->point_count; k++) {
        FilIpcPoint* point = &s->points[k];
        if (point->rim > s->plane_count) {
            const FilIpcPoint* before = point - 1;  // there is one: rims come after all other points
            const bool same = before->rim == point->rim && before->collider == point->collider;
            point->held = same ? before->held : is_flat(solver, point, q);
        }
    }
}

/* Points at a time: some five microseconds. */
enum { POINT_GRAIN = 2048 };

typedef struct Placing {
    const FilIpcSurface* surface;
    const double* q;
    double* x;
} Placing;

static void place_nodes(void* context, int first, int end, int worker)
{
    const Placing* placing = context;
    const int* node_q = placing->surface->node_q;
    (void)worker;
    for (int k = first; k < end; k++) {
        if (node_q[k] >= 0) {
            fil_v3_copy(placing->x + 3 * k, placing->q + node_q[k]);
        }
    }
}

void fil_ipc_surface_place(const FilSolver* solver, const double* q, double* x)
{
    const FilIpcSurface* s = &solver->ipc.surface;
    int last = -1, rim = 0;
    FilPose pose = {0};
    double down[2] = {1.0, 0.0};
    Placing placing = {s, q, x};
    fil_workers_run(solver->system->workers, s->point_count, POINT_GRAIN, place_nodes, &placing);
    for (int k = s->first_shape; k < s->point_count; k++) {
        if (s->node_q[k] >= 0) {
            continue;
        }
        const FilIpcPoint* point = &s->points[k];
        if (last != point->collider) {  // points of a shape stand together
            shape_pose(solver, &solver->collision->colliders[point->collider], q, &pose);
            last = point->collider;
            rim = 0;
        }
        if (point->rim > 0) {
            if (rim != point->rim) {
                (void)rim_down(solver, point->rim, &pose, q, down);
                rim = point->rim;
            }
            static const double fixed[2] = {1.0, 0.0};
            const double radius = solver->collision->colliders[point->collider].collider.shape.radius, *turn = point->local;
            const double* from = point->held ? fixed : down;
            const double local[3] = {radius * (turn[0] * from[0] - turn[1] * from[1]), radius * (turn[0] * from[1] + turn[1] * from[0]), turn[2]};
            fil_m3_apply(x + 3 * k, pose.r, local);
        } else {
            fil_m3_apply(x + 3 * k, pose.r, point->local);
        }
        fil_v3_axpy(x + 3 * k, 1.0, pose.p);
    }
}
