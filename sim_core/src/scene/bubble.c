/* An octahedron, each face in divisions^2 triangles, blown up to a sphere: rings of 4 k vertices k = 0 ... n below the upper pole and
 * the same again towards the lower one, at latitudes that are even steps. */
#include "scene/bubble.h"

#include <math.h>

#include "base/vec3.h"

static int ring_size(const FilBubble* bubble, int ring)
{
    const int k = ring <= bubble->divisions ? ring : 2 * bubble->divisions - ring;
    return k == 0 ? 1 : 4 * k;
}

int fil_bubble_vertices(const FilBubble* bubble)
{
    return 4 * bubble->divisions * bubble->divisions + 2;
}

int fil_bubble_triangles(const FilBubble* bubble)
{
    return 8 * bubble->divisions * bubble->divisions;
}

/* Vertex k of a ring on the unit sphere about z; `flat`: the lower half pressed into the plane z = 0. */
static void place_on_sphere(const FilBubble* bubble, int ring, int k, double* x)
{
    const int size = ring_size(bubble, ring);
    const double below = 0.5 * M_PI * ring / bubble->divisions, around = 2.0 * M_PI * k / size;
    const bool pressed = bubble->flat > 0 && ring > bubble->divisions;
    const double radius = pressed ? 2.0 - (double)ring / bubble->divisions : sin(below);
    fil_v3_set(x, radius * cos(around), radius * sin(around), pressed || ring == bubble->divisions ? 0.0 : cos(below));
}

static int put(int* triangles, int count, int a, int b, int c)
{
    triangles[3 * count] = a;
    triangles[3 * count + 1] = b;
    triangles[3 * count + 2] = c;
    return count + 1;
}

/* Between the ring of k and the one of k + 1 vertices a quarter; `turned` where the smaller one is below. */
static int fill_band(int small, int small_size, int large, int large_size, bool turned, int* triangles, int count)
{
    const int k = small_size == 1 ? 0 : small_size / 4;
    for (int quarter = 0; quarter < 4; quarter++) {
        for (int i = 0; i <= k; i++) {
            const int a = small + (small_size == 1 ? 0 : (quarter * k + i) % small_size);
            const int b = large + (quarter * (k + 1) + i) % large_size, c = large + (quarter * (k + 1) + i + 1) % large_size;
            count = turned ? put(triangles, count, a, c, b) : put(triangles, count, a, b, c);
            if (i < k) {
                const int d = small + (quarter * k + i + 1) % small_size;
                count = turned ? put(triangles, count, a, d, c) : put(triangles, count, a, c, d);
            }
        }
    }
    return count;
}

void fil_bubble_build(const FilBubble* bubble, double* vertices, int* triangles)
{
    const int axis = bubble->flat > 0 ? bubble->flat - 1 : 2;  // the sphere's z
    int at = 0, count = 0;
    for (int ring = 0; ring <= 2 * bubble->divisions; ring++) {
        const int size = ring_size(bubble, ring);
        for (int k = 0; k < size; k++) {
            double x[3];
            place_on_sphere(bubble, ring, k, x);
            for (int j = 0; j < 3; j++) {  // turned, not mirrored
                const int to = (axis + 1 + j) % 3;
                vertices[3 * (at + k) + to] = bubble->half[to] * x[j];
            }
        }
        if (ring < 2 * bubble->divisions) {
            const int next = at + size, next_size = ring_size(bubble, ring + 1);
            const bool lower = ring >= bubble->divisions;
            count =
                lower ? fill_band(next, next_size, at, size, true, triangles, count) : fill_band(at, size, next, next_size, false, triangles, count);
        }
        at += size;
    }
}
