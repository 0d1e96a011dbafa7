#include "geometry/polytope.h"

// a horizon edge: from, to, and three times the face beyond plus its edge
#define EDGE_INTS 3

static void set_plane(const FilPolytope* polytope, FilPolytopeFace* face)
{
    const double* a = polytope->points + 3 * face->vertex[0];
    const double* b = polytope->points + 3 * face->vertex[1];
    const double* c = polytope->points + 3 * face->vertex[2];
    double ab[3], ac[3];
    fil_v3_sub(ab, b, a);
    fil_v3_sub(ac, c, a);
    fil_v3_cross(face->normal, ab, ac);
    fil_v3_normalise(face->normal);
    face->offset = fil_v3_dot(face->normal, a);
}

void fil_polytope_start(FilPolytope* polytope, const double* points, const int corner[4], double thickness, FilPolytopeFace* faces, int face_capacity,
                        int* scratch)
{
    polytope->points = points;
    polytope->thickness = thickness;
    polytope->faces = faces;
    polytope->face_capacity = face_capacity;
    polytope->face_count = 4;
    polytope->gone = scratch;
    polytope->fresh = scratch + face_capacity;
    polytope->free_slots = scratch + 2 * face_capacity;
    polytope->horizon = scratch + 3 * face_capacity;
    polytope->edge_from = scratch + 6 * face_capacity;
    polytope->gone_count = polytope->fresh_count = polytope->free_count = 0;
    polytope->stamp = 0;

    // face k leaves out corner k; these orders face outwards when the corners are positively oriented
    static const int layout[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    const double* p = points + 3 * corner[0];
    double u[3], v[3], w[3], n[3];
    fil_v3_sub(u, points + 3 * corner[1], p);
    fil_v3_sub(v, points + 3 * corner[2], p);
    fil_v3_sub(w, points + 3 * corner[3], p);
    fil_v3_cross(n, u, v);
    const int swap = fil_v3_dot(n, w) < 0.0;
    const int order[4] = {corner[swap], corner[!swap], corner[2], corner[3]};
    for (int f = 0; f < 4; f++) {
        faces[f].stamp = 0;
        for (int k = 0; k < 3; k++) {
            faces[f].vertex[k] = order[layout[f][k]];
            // across an edge lies the face that leaves out the remaining corner
            faces[f].neighbour[k] = layout[f][(k + 2) % 3];
        }
        set_plane(polytope, &faces[f]);
    }
}

// lists the faces that p sees, from `seen` outwards
static void find_seen(FilPolytope* polytope, const double* p, int seen)
{
    FilPolytopeFace* faces = polytope->faces;
    polytope->stamp++;
    polytope->gone[0] = seen;
    polytope->gone_count = 1;
    faces[seen].stamp = polytope->stamp;
    for (int i = 0; i < polytope->gone_count; i++) {
        for (int k = 0; k < 3; k++) {
            const int next = faces[polytope->gone[i]].neighbour[k];
            if (faces[next].stamp != polytope->stamp && fil_polytope_height(&faces[next], p) > polytope->thickness) {
                faces[next].stamp = polytope->stamp;
                polytope->gone[polytope->gone_count++] = next;
            }
        }
    }
}

// lists the edges around the seen faces; returns their number, or 0 unless they form one simple loop
static int find_horizon(FilPolytope* polytope)
{
    const FilPolytopeFace* faces = polytope->faces;
    int count = 0;
    for (int i = 0; i < polytope->gone_count; i++) {
        const FilPolytopeFace* face = &faces[polytope->gone[i]];
        for (int k = 0; k < 3; k++) {
            const int beyond = face->neighbour[k];
            if (faces[beyond].stamp == polytope->stamp) {
                continue;
            }
            // a patch of g triangles has at most g + 2 edges around it
            if (count == polytope->gone_count + 2) {
                return 0;
            }
            const int from = face->vertex[k], to = face->vertex[(k + 1) % 3];
            int edge = 0;
            while (edge < 2 && faces[beyond].vertex[edge] != to) {
                edge++;
            }
            int* out = polytope->horizon + EDGE_INTS * count++;
            out[0] = from;
            out[1] = to;
            out[2] = 3 * beyond + edge;
            polytope->edge_from[from] = -1;
        }
    }
    for (int i = 0; i < count; i++) {
        int* slot = &polytope->edge_from[polytope->horizon[EDGE_INTS * i]];
        if (*slot >= 0) {
            return 0;
        }
        *slot = i;
    }
    // one loop through all edges
    int steps = 0, at = 0;
    do {
        at = polytope->edge_from[polytope->horizon[EDGE_INTS * at + 1]];
        steps++;
    } while (at > 0 && steps <= count);
    return steps == count && at == 0 ? count : 0;
}

int fil_polytope_grow(FilPolytope* polytope, int index, int seen)
{
    FilPolytopeFace* faces = polytope->faces;
    find_seen(polytope, polytope->points + 3 * index, seen);
    const int count = find_horizon(polytope);
    const int room = polytope->face_capacity - polytope->face_count + polytope->free_count;
    if (count < 3 || count > room + polytope->gone_count) {
        return 0;
    }
    // give back the seen slots, take one per horizon edge
    for (int i = 0; i < polytope->gone_count; i++) {
        faces[polytope->gone[i]].vertex[0] = -1;
        polytope->free_slots[polytope->free_count++] = polytope->gone[i];
    }
    for (int i = 0; i < count; i++) {
        polytope->fresh[i] = polytope->free_count > 0 ? polytope->free_slots[--polytope->free_count] : polytope->face_count++;
    }
    polytope->fresh_count = count;
    // one face from each edge to the new point
    for (int i = 0; i < count; i++) {
        const int* edge = polytope->horizon + EDGE_INTS * i;
        const int next = polytope->fresh[polytope->edge_from[edge[1]]];
        FilPolytopeFace* face = &faces[polytope->fresh[i]];
        face->vertex[0] = edge[0];
        face->vertex[1] = edge[1];
        face->vertex[2] = index;
        face->stamp = 0;
        face->neighbour[0] = edge[2] / 3;
        face->neighbour[1] = next;
        faces[next].neighbour[2] = polytope->fresh[i];
        faces[edge[2] / 3].neighbour[edge[2] % 3] = polytope->fresh[i];
        set_plane(polytope, face);
    }
    return count;
}

bool fil_polytope_seed(const double* points, int count, double thickness, int corner[4])
{
    if (count < 4) {
        return false;
    }
    // the longest of the three axis extents
    double length = -1.0;
    for (int k = 0; k < 3; k++) {
        int lo = 0, hi = 0;
        for (int i = 1; i < count; i++) {
            lo = points[3 * i + k] < points[3 * lo + k] ? i : lo;
            hi = points[3 * i + k] > points[3 * hi + k] ? i : hi;
        }
        if (points[3 * hi + k] - points[3 * lo + k] > length) {
            length = points[3 * hi + k] - points[3 * lo + k];
            corner[0] = lo;
            corner[1] = hi;
        }
    }
    // the point farthest from that line, then the one farthest from the plane
    const double* p = points + 3 * corner[0];
    double u[3], w[3], n[3], normal[3] = {0.0, 0.0, 0.0}, best = 0.0;
    fil_v3_sub(u, points + 3 * corner[1], p);
    if (fil_v3_normalise(u) <= thickness) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        fil_v3_sub(w, points + 3 * i, p);
        fil_v3_cross(n, u, w);
        const double far = fil_v3_dot(n, n);
        if (far > best) {
            best = far;
            corner[2] = i;
            fil_v3_copy(normal, n);
        }
    }
    if (sqrt(best) <= thickness) {
        return false;
    }
    fil_v3_normalise(normal);
    best = 0.0;
    for (int i = 0; i < count; i++) {
        fil_v3_sub(w, points + 3 * i, p);
        const double far = fabs(fil_v3_dot(normal, w));
        if (far > best) {
            best = far;
            corner[3] = i;
        }
    }
    return best > thickness;
}
