#include "solver/ipc_surface.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/vec3.h"
#include "solver/solver.h"

/* Faces that a hull may have for rims of cylinders to meet them, and points of rims that a world may have for faces: beyond, they meet prisms. */
enum { MAX_FACES = 12, MAX_FACE_POINTS = 20000 };

void fil_ipc_surface_free(FilIpcSurface* surface)
{
    fil_free(surface->points);
    fil_free(surface->node_q);
    fil_free(surface->node_block);
    fil_free(surface->edges);
    fil_free(surface->triangles);
    fil_free(surface->planes);
    fil_free(surface->faces);
    fil_free(surface->fan_first);
    fil_free(surface->fan);
    fil_free(surface->body_mass);
}

/* ---- taking in ---- */

static FilStatus add_point(FilSolver* solver, const FilIpcPoint* point)
{
    FilIpcSurface* s = &solver->ipc.surface;
    const FilStatus status = fil_solver_reserve((void**)&s->points, s->point_count, &s->point_capacity, sizeof *point);
    if (status == FIL_OK) {
        s->points[s->point_count++] = *point;
    }
    return status;
}

static FilStatus add_edge(FilSolver* solver, int a, int b, int part, double length)
{
    FilIpcSurface* s = &solver->ipc.surface;
    const FilStatus status = fil_solver_reserve((void**)&s->edges, s->edge_count, &s->edge_capacity, sizeof *s->edges);
    if (status == FIL_OK) {
        const int collider = s->points[a].collider;
        const FilCollision* c = &solver->collision->colliders[collider].collider.collision;
        s->edges[s->edge_count++] = (FilIpcEdge){{a, b}, collider, part, c->self, c->groups, c->mask, length};
    }
    return status;
}

static FilStatus add_triangle(FilSolver* solver, int a, int b, int c, int part, int face)
{
    FilIpcSurface* s = &solver->ipc.surface;
    const FilStatus status = fil_solver_reserve((void**)&s->triangles, s->triangle_count, &s->triangle_capacity, sizeof *s->triangles);
    if (status == FIL_OK) {
        s->triangles[s->triangle_count++] = (FilIpcTriangle){{a, b, c}, part, face};
    }
    return status;
}

/* Adds a face of the shape that a point belongs to, with an outward normal in its frame. */
static FilStatus add_face(FilSolver* solver, int point, const double* normal)
{
    FilIpcSurface* s = &solver->ipc.surface;
    const FilStatus status = fil_solver_reserve((void**)&s->faces, s->face_count, &s->face_capacity, sizeof *s->faces);
    if (status == FIL_OK) {
        s->faces[s->face_count++] = (FilIpcFace){s->points[point].collider, {normal[0], normal[1], normal[2]}};
    }
    return status;
}

static FilStatus take_row(FilSolver* solver, int index)
{
    const FilWorldCollider* c = &solver->collision->colliders[index];
    const FilBody* body = &solver->system->bodies[c->body];
    const int first = solver->ipc.surface.point_count;
    const double mass = solver->ipc.surface.body_mass[c->body] / (0.25 * body->q_count);
    FilStatus status = FIL_OK;
    if (c->collider.boxes) {  // a circle around them would keep strips apart that lie on each other
        return fil_solver_refuse(solver,
                                 "'%s' has rectangular sections, whose sides contact model 'ipc' does not know: use 'sap', "
                                 "'sap_lagged', 'lcp' or 'imc', or switch off its collision",
                                 c->name);
    }
    for (int i = 0; i < c->collider.node_count && status == FIL_OK; i++) {
        const int edge = i < c->collider.edge_count ? i : i - 1;
        // shared nodes are those of their owner
        int blocks[FIL_JACOBIAN_BLOCKS];
        double jacobian[12 * FIL_JACOBIAN_BLOCKS], bias[3];
        FilPlacement place;
        body->ops->place(body->impl, c->index, solver->system->state.q + body->q, solver->system->state.v + body->v, &place);
        body->ops->point_jacobian(body->impl, c->index, edge, place.nodes + 4 * i, solver->system->state.q + body->q, blocks, jacobian, bias);
        const FilIpcPoint point = {.collider = index,
                                   .node = blocks[i == edge ? 0 : 1],
                                   .part = {i > 0                ? i - 1
                                            : c->collider.closed ? c->collider.edge_count - 1
                                                                 : edge,
                                            edge},
                                   .radius = c->collider.radii[edge],
                                   .mass = mass};
        status = add_point(solver, &point);
    }
    for (int i = 0; i < c->collider.edge_count && status == FIL_OK; i++) {
        status = add_edge(solver, first + i, first + (i + 1) % c->collider.node_count, i, c->collider.arc[i + 1] - c->collider.arc[i]);
    }
    return status;
}

static int block_of(const FilBodyMesh* mesh, int vertex)
{
    return mesh->blocks != NULL ? mesh->blocks[vertex] : vertex;
}

/* A sheet: its vertices are the colliders that begin at `index`. */
static FilStatus take_mesh(FilSolver* solver, int index, const FilBodyMesh* mesh)
{
    const FilWorldCollider* c = &solver->collision->colliders[index];
    const int first = solver->ipc.surface.point_count;
    FilStatus status = FIL_OK;
    for (int i = 0; i < mesh->vertex_count && status == FIL_OK; i++) {
        const FilIpcPoint point = {.collider = index,
                                   .node = block_of(mesh, i),
                                   .after = i,
                                   .radius = mesh->radius,
                                   .mass = solver->ipc.surface.body_mass[c->body] / mesh->vertex_count};
        status = add_point(solver, &point);
    }
    // lengths as at first, whenever this is asked for: a restored world goes on with the same bits
    const FilBody* body = &solver->system->bodies[c->body];
    double* x = solver->system->next.q + body->q;  // written again when the step is over
    body->ops->init_state(body->impl, x, solver->system->next.v + body->v, solver->system->next.h + body->h);
    for (int k = 0; k < mesh->edge_count && status == FIL_OK; k++) {
        const int a = mesh->edges[2 * k], b = mesh->edges[2 * k + 1];
        status = add_edge(solver, first + a, first + b, k, fil_v3_distance(x + 4 * block_of(mesh, a), x + 4 * block_of(mesh, b)));
    }
    for (int k = 0; k < mesh->triangle_count && status == FIL_OK; k++) {
        const int* t = mesh->triangles + 3 * k;
        status = add_triangle(solver, first + t[0], first + t[1], first + t[2], k, -1);
    }
    return status;
}

/* Points of a shape in its own frame; *radius around them. */
static int shape_points(const FilShape* shape, double (*local)[3], int max)
{
    int count = 0;
    switch (shape->kind) {
        case FIL_PRIMITIVE_SPHERE:
            fil_v3_set(local[count++], 0.0, 0.0, 0.0);
            break;
        case FIL_PRIMITIVE_CAPSULE:
            fil_v3_set(local[count++], 0.0, 0.0, -shape->half[2]);
            fil_v3_set(local[count++], 0.0, 0.0, shape->half[2]);
            break;
        case FIL_PRIMITIVE_BOX:
            for (int k = 0; k < 8; k++) {
                fil_v3_set(local[count++], (k & 1 ? 1.0 : -1.0) * shape->half[0], (k & 2 ? 1.0 : -1.0) * shape->half[1],
                           (k & 4 ? 1.0 : -1.0) * shape->half[2]);
            }
            break;
        case FIL_PRIMITIVE_CYLINDER:
            for (int k = 0; k < 2 * FIL_IPC_PRISM; k++) {
                const double angle = 2.0 * FIL_PI * (k / 2) / FIL_IPC_PRISM;
                fil_v3_set(local[count++], shape->radius * cos(angle), shape->radius * sin(angle), k % 2 == 0 ? -shape->half[2] : shape->half[2]);
            }
            break;
        default:
            for (int k = 0; k < shape->hull->vertex_count && k < max; k++) {
                fil_v3_copy(local[count++], shape->hull->vertices + 3 * k);
            }
    }
    return count;
}

static FilStatus box_sides(FilSolver* solver, int first)
{
    static const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    static const double normals[6][3] = {{0, 0, -1}, {0, 0, 1}, {0, -1, 0}, {0, 1, 0}, {-1, 0, 0}, {1, 0, 0}};
    FilStatus status = FIL_OK;
    for (int a = 0; a < 8; a++) {
        for (int bit = 1; bit < 8 && status == FIL_OK; bit *= 2) {
            status = (a & bit) == 0 ? add_edge(solver, first + a, first + a + bit, 0, 0.0) : FIL_OK;
        }
    }
    for (int f = 0; f < 6 && status == FIL_OK; f++) {
        const int *c = faces[f], face = solver->ipc.surface.face_count;
        status = add_face(solver, first, normals[f]);
        status = status == FIL_OK ? add_triangle(solver, first + c[0], first + c[1], first + c[2], 0, face) : status;
        status = status == FIL_OK ? add_triangle(solver, first + c[0], first + c[2], first + c[3], 0, face) : status;
    }
    return status;
}

static FilStatus prism_sides(FilSolver* solver, int first)
{
    FilStatus status = FIL_OK;
    for (int k = 0; k < FIL_IPC_PRISM && status == FIL_OK; k++) {
        const int a = first + 2 * k, b = first + 2 * ((k + 1) % FIL_IPC_PRISM);
        status = add_edge(solver, a, a + 1, 0, 0.0);
        status = status == FIL_OK ? add_edge(solver, a, b, 0, 0.0) : status;
        status = status == FIL_OK ? add_edge(solver, a + 1, b + 1, 0, 0.0) : status;
        status = status == FIL_OK ? add_triangle(solver, a, b, b + 1, 0, -1) : status;
        status = status == FIL_OK ? add_triangle(solver, a, b + 1, a + 1, 0, -1) : status;
        if (k > 0 && k < FIL_IPC_PRISM - 1 && status == FIL_OK) {
            status = add_triangle(solver, first, b, a, 0, -1);
            status = status == FIL_OK ? add_triangle(solver, first + 1, a + 1, b + 1, 0, -1) : status;
        }
    }
    return status;
}

static FilStatus hull_sides(FilSolver* solver, int first, const FilHull* hull)
{
    FilStatus status = FIL_OK;
    for (int v = 0; v < hull->vertex_count; v++) {
        for (int k = hull->around_first[v]; k < hull->around_first[v + 1] && status == FIL_OK; k++) {
            const int u = hull->around_vertex[k];
            status = u > v ? add_edge(solver, first + v, first + u, 0, 0.0) : FIL_OK;
        }
    }
    for (int f = 0; f < hull->face_count; f++) {
        const int *c = hull->face_corners + hull->face_first[f], face = hull->face_count <= MAX_FACES ? solver->ipc.surface.face_count : -1;
        status = status == FIL_OK && face >= 0 ? add_face(solver, first, hull->normals + 3 * (ptrdiff_t)f) : status;
        for (int k = 2; k < hull->face_first[f + 1] - hull->face_first[f] && status == FIL_OK; k++) {
            status = add_triangle(solver, first + c[0], first + c[k - 1], first + c[k], 0, face);
        }
    }
    return status;
}

/* What a push on a point of a shape moves. Of a chain of links or sections: by its inertia there, 1 / mean diagonal of
 * J A^-1 J'. */
static double pushed_mass(FilSolver* solver, const FilWorldCollider* c, const double* local)
{
    const FilBody* body = &solver->system->bodies[c->body];
    if (!c->collider.movable || body->ops->mass != NULL) {
        return c->collider.movable ? solver->ipc.surface.body_mass[c->body] : INFINITY;
    }
    const double* q = solver->system->state.q + body->q;
    double jacobian[12 * FIL_JACOBIAN_BLOCKS], bias[3], point[3], compliance = 0.0, potential, *x = solver->system->scratch.direction;
    int blocks[FIL_JACOBIAN_BLOCKS];
    FilPlacement place;
    body->ops->place(body->impl, c->index, q, solver->system->state.v + body->v, &place);
    fil_m3_apply(point, place.pose.r, local);
    fil_v3_add(point, point, place.pose.p);
    const int count = body->ops->point_jacobian(body->impl, c->index, 0, point, q, blocks, jacobian, bias);
    if (!body->ops->evaluate(body->impl, solver->system->state.v + body->v, 0.0, x, &potential) || !body->ops->factor(body->impl)) {
        return INFINITY;
    }
    for (int row = 0; row < 3; row++) {
        memset(x, 0, sizeof(double) * (size_t)body->v_count);
        for (int b = 0; b < count; b++) {
            memcpy(x + 4 * blocks[b], jacobian + 12 * b + 4 * row, 4 * sizeof(double));
        }
        body->ops->solve(body->impl, x);
        for (int k = 0; k < 4 * count; k++) {
            compliance += jacobian[12 * (k / 4) + 4 * row + k % 4] * x[4 * blocks[k / 4] + k % 4] / 3.0;
        }
    }
    return compliance > 0.0 ? 1.0 / compliance : INFINITY;
}

static FilStatus take_shape(FilSolver* solver, int index)
{
    // corners and edges on the stack; a bound of ours
    enum { MAX_COUNT = 4096 };
    FilIpcSurface* s = &solver->ipc.surface;
    const FilWorldCollider* c = &solver->collision->colliders[index];
    const FilShape* shape = &c->collider.shape;
    if (shape->kind == FIL_PRIMITIVE_HALF_SPACE) {
        const FilStatus status = fil_solver_reserve((void**)&s->planes, s->plane_count, &s->plane_capacity, sizeof(int));
        if (status == FIL_OK) {
            s->planes[s->plane_count++] = index;
        }
        return status;
    }
    if (shape->mesh != NULL) {
        return fil_solver_refuse(
            solver, "contact model 'ipc' takes convex meshes only, which '%s' is not; use 'sap', 'sap_lagged' or 'lcp', or set convex for its hull",
            c->name);
    }
    if (shape->kind == FIL_PRIMITIVE_HULL && shape->hull->vertex_count > MAX_COUNT) {
        return fil_solver_refuse(solver, "contact model 'ipc' takes hulls of at most %d corners", MAX_COUNT);
    }
    double(*local)[3] = fil_alloc(MAX_COUNT, sizeof *local);
    if (local == NULL) {
        return FIL_OUT_OF_MEMORY;
    }
    const int first = s->point_count, count = shape_points(shape, local, MAX_COUNT);
    FilStatus status = FIL_OK;
    for (int k = 0; k < count && status == FIL_OK; k++) {
        FilIpcPoint point = {.collider = index,
                             .node = -1,
                             .radius = fil_shape_rounding(shape),
                             .mass = pushed_mass(solver, c, local[k]),
                             .lone = shape->kind == FIL_PRIMITIVE_SPHERE,
                             .prism = shape->kind == FIL_PRIMITIVE_CYLINDER};
        fil_v3_copy(point.local, local[k]);
        status = add_point(solver, &point);
    }
    fil_free(local);
    if (status != FIL_OK || shape->kind == FIL_PRIMITIVE_SPHERE) {
        return status;
    }
    const int first_edge = s->edge_count;
    status = shape->kind == FIL_PRIMITIVE_CAPSULE    ? add_edge(solver, first, first + 1, 0, 0.0)
             : shape->kind == FIL_PRIMITIVE_BOX      ? box_sides(solver, first)
             : shape->kind == FIL_PRIMITIVE_CYLINDER ? prism_sides(solver, first)
                                                     : hull_sides(solver, first, shape->hull);
    for (int k = first_edge; k < s->edge_count; k++) {
        s->edges[k].length = fil_v3_distance(s->points[s->edges[k].point[0]].local, s->points[s->edges[k].point[1]].local);
    }
    return status;
}

/* Faces only that cylinders may meet, unless that are too many points; triangles tell which are left. */
static void leave_faces(FilSolver* solver)
{
    FilIpcSurface* s = &solver->ipc.surface;
    int prisms = 0;
    for (int p = 0; p < s->point_count; p += s->points[p].prism ? 2 * FIL_IPC_PRISM : 1) {
        prisms += s->points[p].prism;
    }
    if (prisms == 0 || (double)prisms * s->face_count * 2 * FIL_IPC_PRISM > MAX_FACE_POINTS) {
        s->face_count = 0;
        for (int t = 0; t < s->triangle_count; t++) {
            s->triangles[t].face = -1;
        }
    }
}

/* The rim of a cylinder whose prism begins with the point `first`, for a plane or a face: as many points as the prism has. */
static FilStatus take_rim(FilSolver* solver, int first, int rim)
{
    FilStatus status = FIL_OK;
    for (int k = 0; k < 2 * FIL_IPC_PRISM && status == FIL_OK; k++) {
        FilIpcPoint point = solver->ipc.surface.points[first + k];  // what it weighs
        const double angle = 2.0 * FIL_PI * (k / 2) / FIL_IPC_PRISM;
        point.prism = false;
        point.rim = rim;
        fil_v3_set(point.local, cos(angle), sin(angle), point.local[2]);
        status = add_point(solver, &point);
    }
    return status;
}

/* The rims of all cylinders, for each plane and each face that they may meet: those of one cylinder stand together. */
static FilStatus take_rims(FilSolver* solver)
{
    FilIpcSurface* s = &solver->ipc.surface;
    const FilWorldCollider* colliders = solver->collision->colliders;
    const int count = s->point_count;
    FilStatus status = FIL_OK;
    leave_faces(solver);
    for (int first = 0; first < count; first += s->points[first].prism ? 2 * FIL_IPC_PRISM : 1) {
        for (int k = 0; k < s->plane_count + s->face_count && s->points[first].prism && status == FIL_OK; k++) {
            const int other = k < s->plane_count ? s->planes[k] : s->faces[k - s->plane_count].collider;
            const bool meet =
                k < s->plane_count || fil_collision_may_meet(solver->collision, &colliders[s->points[first].collider], &colliders[other]);
            status = meet ? take_rim(solver, first, 1 + k) : FIL_OK;
        }
    }
    return status;
}

/* What every body weighs that is moved as a whole by a push anywhere; the others' points weigh by themselves. */
static FilStatus weigh_bodies(FilSolver* solver)
{
    FilIpcSurface* s = &solver->ipc.surface;
    fil_free(s->body_mass);
    s->body_mass = fil_alloc((size_t)solver->system->body_count, sizeof(double));
    if (s->body_mass == NULL) {
        return FIL_OUT_OF_MEMORY;
    }
    for (int b = 0; b < solver->system->body_count; b++) {
        const FilBody* body = &solver->system->bodies[b];
        const double mass = body->ops->mass != NULL ? body->ops->mass(body->impl) : 0.0;
        s->body_mass[b] = body->moves && mass > 0.0 ? mass : INFINITY;
    }
    return FIL_OK;
}

/* Whether some edges may meet each other. */
static bool edges_may_meet(const FilIpcSurface* s)
{
    for (int e = 0; e < s->edge_count; e++) {
        const bool other = e == 0 || s->edges[e].collider != s->edges[e - 1].collider;  // one edge of each is enough
        for (int f = 0; f <= e && other; f++) {
            if (fil_ipc_edges_meet(&s->edges[e], &s->edges[f])) {
                return true;
            }
        }
    }
    return false;
}

/* Where nodes stand in q, and which blocks of velocities they have. */
static FilStatus find_nodes(FilSolver* solver)
{
    FilIpcSurface* s = &solver->ipc.surface;
    fil_free(s->node_q);
    fil_free(s->node_block);
    s->node_q = fil_alloc((size_t)s->point_count, sizeof *s->node_q);
    s->node_block = fil_alloc((size_t)s->point_count, sizeof *s->node_block);
    if ((s->node_q == NULL || s->node_block == NULL) && s->point_count > 0) {
        return FIL_OUT_OF_MEMORY;
    }
    s->first_shape = s->point_count;
    s->turns = false;
    for (int k = s->point_count - 1; k >= 0; k--) {
        const FilIpcPoint* point = &s->points[k];
        const FilBody* body = &solver->system->bodies[solver->collision->colliders[point->collider].body];
        s->node_q[k] = point->node >= 0 ? body->q + 4 * point->node : -1;
        s->first_shape = point->node >= 0 ? s->first_shape : k;
        s->turns = s->turns || (point->node < 0 && body->moves);
        s->node_block[k] = point->node >= 0 ? body->v / 4 + point->node : -1;
    }
    return FIL_OK;
}

/* Triangles around each point. */
static FilStatus find_fans(FilIpcSurface* s)
{
    const size_t points = (size_t)s->point_count, corners = 3 * (size_t)s->triangle_count;
    fil_free(s->fan_first);
    fil_free(s->fan);
    s->fan_first = fil_alloc(points + 2, sizeof *s->fan_first);
    s->fan = fil_alloc(corners + 1, sizeof *s->fan);
    if (s->fan_first == NULL || s->fan == NULL) {
        return FIL_OUT_OF_MEMORY;
    }
    // counts two places ahead, then where each begins one place ahead, which moves to its end as it is filled
    memset(s->fan_first, 0, (points + 2) * sizeof *s->fan_first);
    for (size_t k = 0; k < corners; k++) {
        s->fan_first[s->triangles[k / 3].point[k % 3] + 2]++;
    }
    for (size_t p = 2; p < points + 2; p++) {
        s->fan_first[p] += s->fan_first[p - 1];
    }
    for (size_t k = 0; k < corners; k++) {
        s->fan[s->fan_first[s->triangles[k / 3].point[k % 3] + 1]++] = (int)(k / 3);
    }
    return FIL_OK;
}

FilStatus fil_ipc_surface_build(FilSolver* solver)
{
    FilIpcSurface* s = &solver->ipc.surface;
    if (s->ready && s->body_count == solver->system->body_count) {
        return FIL_OK;
    }
    s->point_count = s->edge_count = s->triangle_count = s->plane_count = s->face_count = 0;
    fil_ipc_near_forget(&solver->ipc.near);
    FilStatus status = weigh_bodies(solver);
    for (int k = 0; k < solver->collision->collider_count && status == FIL_OK; k++) {
        const FilWorldCollider* c = &solver->collision->colliders[k];
        const FilBody* body = &solver->system->bodies[c->body];
        if (!c->collider.collision.enabled) {
            continue;
        }
        if (body->ops->mesh != NULL) {
            FilBodyMesh mesh;
            body->ops->mesh(body->impl, &mesh);
            status = c->index == 0 ? take_mesh(solver, k, &mesh) : FIL_OK;
        } else if (c->collider.kind == FIL_COLLIDER_ROW) {
            status = take_row(solver, k);
        } else {
            status = take_shape(solver, k);
        }
    }
    status = status == FIL_OK ? take_rims(solver) : status;
    status = status == FIL_OK ? find_nodes(solver) : status;
    status = status == FIL_OK ? find_fans(s) : status;
    s->sides_meet = s->triangle_count > 0 || edges_may_meet(s);
    s->shapes_meet_meshes = false;
    for (int t = 0; t < s->triangle_count && status == FIL_OK; t++) {
        s->shapes_meet_meshes = s->shapes_meet_meshes || (s->first_shape < s->point_count && s->node_q[s->triangles[t].point[0]] >= 0);
    }
    s->ready = status == FIL_OK;
    s->body_count = solver->system->body_count;
    return status;
}
