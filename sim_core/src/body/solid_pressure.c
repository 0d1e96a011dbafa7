/* Nodal pressure in a body (solid_nodal.c has the equations): pressures of all elements from all dilations, and the part of the
 * stiffness that couples the vertices around each vertex, d2E = sum_a (k/V_a) w_a w_a'. */
#include <string.h>

#include "base/memory.h"
#include "base/vec3.h"
#include "body/solid.h"

static FilSolidNodal nodal_of(const FilSolidBody* body)
{
    return (FilSolidNodal){.element_count = body->mesh.tet_count,
                           .vertex_count = body->mesh.vertex_count,
                           .tets = body->mesh.tets,
                           .elements = body->elements,
                           .volumes = body->pressure.volumes,
                           .stiffness = (1.0 - body->pressure.kept) * body->material.stiffness};
}

/* ---- the star of a vertex: itself, and those that share an edge with it, rising ---- */

static int star_size(const FilSolidBody* body, int a)
{
    return 1 + body->mesh.link_start[a + 1] - body->mesh.link_start[a];
}

static int star_start(const FilSolidBody* body, int a)
{
    return a + body->mesh.link_start[a];
}

static void build_star(FilSolidBody* body, int a)
{
    int* star = body->pressure.stars + star_start(body, a);
    int count = 0;
    bool in = false;
    for (int k = body->mesh.link_start[a]; k < body->mesh.link_start[a + 1]; k++) {
        if (!in && body->mesh.links[k] > a) {
            star[count++] = a;
            in = true;
        }
        star[count++] = body->mesh.links[k];
    }
    if (!in) {
        star[count] = a;
    }
}

bool fil_solid_build_pressure(FilSolidBody* body)
{
    FilSolidPressure* p = &body->pressure;
    const size_t vertices = (size_t)body->mesh.vertex_count, members = vertices + (size_t)body->mesh.link_start[vertices],
                 elements = FIL_SOLID_LANES * (size_t)body->batch_count;
    size_t pairs = 0;
    p->kept = body->nodal ? fil_solid_nodal_kept(&body->material) : 1.0;
    if (!body->nodal) {
        return true;
    }
    for (int a = 0; a < body->mesh.vertex_count; a++) {
        const size_t size = (size_t)star_size(body, a);
        pairs += size * (size + 1) / 2;
    }
    p->volumes = fil_alloc(vertices, sizeof(double));
    p->dilations = fil_alloc(elements, sizeof(double));
    p->of_vertices = fil_alloc(vertices, sizeof(double));
    p->of_elements = fil_alloc(elements, sizeof(double));
    p->stars = fil_alloc(members, sizeof(int));
    p->gradients = fil_alloc(3 * members, sizeof(double));
    p->slots = fil_alloc(pairs, sizeof(int));
    if (p->volumes == NULL || p->dilations == NULL || p->of_vertices == NULL || p->of_elements == NULL || p->stars == NULL || p->gradients == NULL ||
        p->slots == NULL) {
        return false;
    }
    const FilSolidNodal nodal = nodal_of(body);
    fil_solid_nodal_volumes(&nodal, p->volumes);
    for (int a = 0; a < body->mesh.vertex_count; a++) {
        build_star(body, a);
    }
    return true;
}

void fil_solid_place_pressure(FilSolidBody* body, const FilBlockPattern* pattern)
{
    int at = 0;
    for (int a = 0; a < body->mesh.vertex_count && body->nodal; a++) {
        const int *star = body->pressure.stars + star_start(body, a), size = star_size(body, a);
        for (int i = 0; i < size; i++) {
            for (int j = 0; j <= i; j++) {
                body->pressure.slots[at++] = fil_block_find(pattern, star[j], star[i]);
            }
        }
    }
}

void fil_solid_free_pressure(FilSolidPressure* p)
{
    void* blocks[] = {p->volumes, p->dilations, p->of_vertices, p->of_elements, p->stars, p->gradients, p->slots};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) {
        fil_free(blocks[k]);
    }
}

/* ---- pressures ---- */

double fil_solid_find_pressure(const FilSolidBody* body, const double* q, bool lagged)
{
    const FilSolidPressure* p = &body->pressure;
    if (!body->nodal) {
        return 0.0;
    }
    for (int b = 0; b < body->batch_count; b++) {
        FilDouble4 theta, present[9] = {{0}};
        if (body->rotations != NULL && !lagged) {
            fil_solid_batch_rotation(&body->batches[b], q, 4, present);
        }
        fil_solid_batch_dilation(&body->batches[b], &body->material, q, 4, lagged && body->rotations != NULL ? body->rotations + 9 * b : present,
                                 &theta);
        fil_double4_store(p->dilations + FIL_SOLID_LANES * b, theta);
    }
    const FilSolidNodal nodal = nodal_of(body);
    return fil_solid_nodal_pressures(&nodal, p->dilations, p->of_vertices, p->of_elements);
}

/* Adds w_a of all vertices from one element: (V/4) dtheta/dx = (V/4) (dtheta/dF) grad N_i, to the stars of its four vertices. */
static void add_gradients(const FilSolidBody* body, const double* q, int e)
{
    const FilSolidElement* element = &body->elements[e];
    const int* tet = body->mesh.tets + 4 * e;
    FilSolidStrain strain = fil_solid_strain_rest();
    const double* corners[4];
    double by_f[9], by_x[4][3];
    for (int k = 0; k < 4; k++) {
        corners[k] = q + 4 * tet[k];
    }
    fil_solid_element_deformation(element, corners, strain.f);
    for (int k = 0; k < 9 && body->rotations != NULL; k++) {
        strain.rotation[k] = fil_double4_get(&body->rotations[9 * (e / FIL_SOLID_LANES) + k], e % FIL_SOLID_LANES);
    }
    fil_solid_law_dilation(&body->material, &strain, by_f);
    for (int i = 0; i < 4; i++) {
        fil_m3_apply(by_x[i], by_f, element->gradient + 3 * i);
    }
    for (int k = 0; k < 4; k++) {
        const int *star = body->pressure.stars + star_start(body, tet[k]), size = star_size(body, tet[k]);
        double* w = body->pressure.gradients + 3 * star_start(body, tet[k]);
        for (int i = 0; i < 4; i++) {
            int at = 0;
            while (at < size && star[at] != tet[i]) {
                at++;
            }
            fil_v3_axpy(w + 3 * at, 0.25 * element->volume, by_x[i]);
        }
    }
}

void fil_solid_add_pressure_stiffness(const FilSolidBody* body, const double* q, double scale, double* values)
{
    const FilSolidPressure* p = &body->pressure;
    if (!body->nodal) {
        return;
    }
    const double stiffness = scale * (1.0 - p->kept) * body->material.stiffness;
    memset(p->gradients, 0, sizeof(double) * 3 * (size_t)star_start(body, body->mesh.vertex_count));
    for (int e = 0; e < body->mesh.tet_count; e++) {
        add_gradients(body, q, e);
    }
    int at = 0;
    for (int a = 0; a < body->mesh.vertex_count; a++) {
        const double *w = p->gradients + 3 * star_start(body, a), factor = stiffness / p->volumes[a];
        const int size = star_size(body, a);
        for (int i = 0; i < size; i++) {
            for (int j = 0; j <= i; j++) {  // the star rises: i is the row
                double* block = values + FIL_BLOCK_SIZE * (size_t)p->slots[at++];
                for (int c = 0; c < 3; c++) {
                    for (int r = 0; r < 3; r++) {
                        block[4 * c + r] += factor * w[3 * j + c] * w[3 * i + r];
                    }
                }
            }
        }
    }
}
