#include "scene/urdf_link.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/quat.h"
#include "base/svd3.h"
#include "base/vec3.h"
#include "filum/mesh.h"
#include "scene/collada.h"

/* ---- inertia ---- */

/* Turned from the axes of its <origin> to those of the link. */
static void turn_inertia(FilQuat orientation, double* inertia)
{
    const double* i = inertia;
    const double full[9] = {i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2]};
    double r[9], left[9], out[9];
    fil_m3_from_quat(r, orientation);
    // r I r'
    for (int k = 0; k < 3; k++) {
        fil_m3_apply_transposed(left + 3 * k, full, r + 3 * k);
    }
    for (int k = 0; k < 3; k++) {
        fil_m3_apply(out + 3 * k, r, left + 3 * k);
    }
    const double turned[6] = {out[0], out[4], out[8], out[1], out[2], out[5]};
    memcpy(inertia, turned, sizeof turned);
}

/* Moments about principal axes that are negative, which nothing has, become zero. */
static void mend_inertia(FilUrdfReader* reader, double* i)
{
    double moments[3], axes[9], mended[9] = {0};
    fil_eigen3(i, moments, axes);
    if (fmin(fmin(moments[0], moments[1]), moments[2]) >= 0.0) {
        return;
    }
    for (int k = 0; k < 9; k++) {
        for (int m = 0; m < 3; m++) {
            mended[k] += axes[3 * (k / 3) + m] * fmax(moments[m], 0.0) * axes[3 * (k % 3) + m];
        }
    }
    const double kept[6] = {mended[0], mended[4], mended[8], mended[1], mended[2], mended[5]};
    memcpy(i, kept, sizeof kept);
    fil_xml_ignore(reader, "negative moments of inertia");
}

static void read_inertial(FilUrdfReader* reader, const xmlNode* node, FilLinkDef* link)
{
    static const char* const known[] = {"origin", "mass", "inertia", NULL};
    static const char* const names[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    FilQuat orientation;
    fil_xml_origin(reader, node, &link->center_of_mass, &orientation);
    const xmlNode *mass = fil_xml_child(reader, node, "mass"), *inertia = fil_xml_child(reader, node, "inertia");
    if (mass == NULL || inertia == NULL) {
        fil_xml_fail(reader, node, "<%s> is missing", mass == NULL ? "mass" : "inertia");
        return;
    }
    fil_xml_numbers(reader, mass, "value", true, 1, &link->mass);
    for (int k = 0; k < 6; k++) {
        fil_xml_numbers(reader, inertia, names[k], k < 3, 1, &link->inertia[k]);
    }
    if (reader->status == FIL_OK && link->mass < 0.0) {
        fil_xml_fail(reader, mass, "a mass of %g kg is negative", link->mass);
    }
    if (link->mass == 0.0) {
        for (int k = 0; k < 6; k++) {
            if (link->inertia[k] != 0.0) {
                fil_xml_ignore(reader, "inertia of links without mass");
            }
            link->inertia[k] = 0.0;
        }
    }
    mend_inertia(reader, link->inertia);
    turn_inertia(orientation, link->inertia);
    fil_xml_ignore_others(reader, node, known);
}

/* ---- meshes ---- */

static bool is_file(const char* path)
{
    return fil_file_check(path, NULL, NULL);
}

/* folder/package/rest, or folder/rest where the folder itself is called so; NULL if there is no such file. */
static char* try_folder(FilUrdfReader* reader, const char* folder, size_t length, const char* package, size_t package_length, const char* rest)
{
    const size_t size = length + package_length + strlen(rest) + 3;
    char* path = fil_xml_alloc(reader, size, 1);
    if (path == NULL) {
        return NULL;
    }
    snprintf(path, size, "%.*s/%.*s/%s", (int)length, folder, (int)package_length, package, rest);
    if (is_file(path)) {
        return path;
    }
    size_t name = length;
    while (name > 0 && folder[name - 1] != '/') {
        name--;
    }
    if (length - name == package_length && strncmp(folder + name, package, package_length) == 0) {
        snprintf(path, size, "%.*s/%s", (int)length, folder, rest);
        return is_file(path) ? path : NULL;
    }
    return NULL;
}

/* package://name/rest: in the folders above the URDF, then in the workspaces that are sourced. */
static char* find_in_package(FilUrdfReader* reader, const char* name)
{
    const char* slash = strchr(name, '/');
    if (slash == NULL) {
        return NULL;
    }
    const size_t package = (size_t)(slash - name);
    for (size_t length = strlen(reader->path); length > 0 && reader->status == FIL_OK; length--) {
        if (reader->path[length - 1] == '/') {
            char* found = try_folder(reader, reader->path, length - 1, name, package, slash + 1);
            if (found != NULL) {
                return found;
            }
        }
    }
    char* found = strchr(reader->path, '/') == NULL || reader->path[0] != '/' ? try_folder(reader, ".", 1, name, package, slash + 1) : NULL;
    const char* prefixes = getenv("AMENT_PREFIX_PATH");
    while (found == NULL && prefixes != NULL && *prefixes != '\0' && reader->status == FIL_OK) {
        const size_t length = strcspn(prefixes, ":"), size = length + 7;
        char* share = fil_xml_alloc(reader, size, 1);
        if (share != NULL) {
            snprintf(share, size, "%.*s/share", (int)length, prefixes);
            found = try_folder(reader, share, size - 1, name, package, slash + 1);
        }
        prefixes += length + (prefixes[length] == ':');
    }
    return found;
}

static char* find_mesh(FilUrdfReader* reader, const char* name)
{
    if (strncmp(name, "package://", 10) == 0) {
        return find_in_package(reader, name + 10);
    }
    const char* plain = strncmp(name, "file://", 7) == 0 ? name + 7 : name;
    const char* slash = strrchr(reader->path, '/');
    const size_t folder = plain[0] == '/' || slash == NULL ? 0 : (size_t)(slash - reader->path) + 1;
    const size_t size = folder + strlen(plain) + 1;
    char* path = fil_xml_alloc(reader, size, 1);
    if (path != NULL) {
        snprintf(path, size, "%.*s%s", (int)folder, reader->path, plain);
    }
    return path != NULL && is_file(path) ? path : NULL;
}

/* A mesh that collides, or one that is seen. */
static void take_mesh(FilUrdfReader* reader, const FilMesh* mesh, const double* scale, bool seen, FilShapeDef* shape)
{
    double* points = fil_xml_alloc(reader, (size_t)mesh->vertex_count, 3 * sizeof(double));
    int* triangles = seen ? fil_xml_alloc(reader, (size_t)mesh->triangle_count, 3 * sizeof(int)) : NULL;
    for (int k = 0; k < 3 * mesh->vertex_count && points != NULL; k++) {
        points[k] = scale[k % 3] * mesh->vertices[k];
    }
    for (int k = 0; k < 3 * mesh->triangle_count && triangles != NULL; k++) {
        triangles[k] = mesh->triangles[k];
    }
    shape->type = seen ? FIL_SHAPE_MESH : FIL_SHAPE_HULL;
    shape->points = points;
    shape->point_count = mesh->vertex_count;
    shape->triangles = triangles;
    shape->triangle_count = triangles != NULL ? mesh->triangle_count : 0;
}

static bool is_collada(const char* path)
{
    const size_t length = strlen(path);
    return length > 4 && strcasecmp(path + length - 4, ".dae") == 0;
}

static void read_mesh(FilUrdfReader* reader, const xmlNode* node, FilShapeDef* shape, bool* seen)
{
    double scale[3] = {1.0, 1.0, 1.0};
    const char* name = fil_xml_text(reader, node, "filename", true);
    fil_xml_numbers(reader, node, "scale", false, 3, scale);
    if (name == NULL || reader->status != FIL_OK) {
        return;
    }
    const char* path = find_mesh(reader, name);
    FilMesh mesh = {0};
    FilError inner;
    const bool found = path != NULL,
               read = found && (is_collada(path) ? fil_collada_read(path, &mesh, &inner) : fil_mesh_read(path, 1.0, &mesh, &inner)) == FIL_OK;
    if (read) {
        take_mesh(reader, &mesh, scale, seen != NULL, shape);
    } else if (seen != NULL) {
        *seen = false;
    } else if (found) {
        fil_xml_fail(reader, node, "%s", inner.text);
    } else {
        fil_xml_fail(reader, node, "there is no file '%.200s'", name);
    }
    fil_mesh_free(&mesh);
}

/* ---- shapes ---- */

static void read_round(FilUrdfReader* reader, const xmlNode* node, FilShapeType type, FilShapeDef* shape)
{
    shape->type = type;
    fil_xml_numbers(reader, node, "radius", true, 1, &shape->radius);
    if (type != FIL_SHAPE_SPHERE) {
        fil_xml_numbers(reader, node, "length", true, 1, &shape->length);
    }
    if (reader->status == FIL_OK && (!(shape->radius > 0.0) || (type != FIL_SHAPE_SPHERE && !(shape->length > 0.0)))) {
        fil_xml_fail(reader, node, "its sizes must be positive");
    }
}

void fil_urdf_read_geometry(FilUrdfReader* reader, const xmlNode* geometry, FilShapeDef* shape, bool* seen)
{
    const xmlNode* node = fil_xml_first(geometry);
    double size[3] = {0.0};
    if (node == NULL || fil_xml_next(node) != NULL) {
        fil_xml_fail(reader, geometry, "needs exactly one shape");
    } else if (fil_xml_is(node, "box")) {
        shape->type = FIL_SHAPE_BOX;
        fil_xml_numbers(reader, node, "size", true, 3, size);
        shape->size = (FilVec3){size[0], size[1], size[2]};
        if (reader->status == FIL_OK && !(size[0] > 0.0 && size[1] > 0.0 && size[2] > 0.0)) {
            fil_xml_fail(reader, node, "its sizes must be positive");
        }
    } else if (fil_xml_is(node, "sphere")) {
        read_round(reader, node, FIL_SHAPE_SPHERE, shape);
    } else if (fil_xml_is(node, "cylinder")) {
        read_round(reader, node, FIL_SHAPE_CYLINDER, shape);
    } else if (fil_xml_is(node, "capsule")) {
        read_round(reader, node, FIL_SHAPE_CAPSULE, shape);
    } else if (fil_xml_is(node, "mesh")) {
        read_mesh(reader, node, shape, seen);
    } else {
        fil_xml_fail(reader, node, "no known shape: box, sphere, cylinder, capsule or mesh");
    }
}

static void read_collision(FilUrdfReader* reader, const xmlNode* node, FilShapeDef* shape)
{
    static const char* const known[] = {"origin", "geometry", NULL};
    *shape = fil_shape_def_default();
    fil_xml_origin(reader, node, &shape->position, &shape->orientation);
    const xmlNode* geometry = fil_xml_child(reader, node, "geometry");
    if (geometry == NULL) {
        fil_xml_fail(reader, node, "<geometry> is missing");
    } else {
        fil_urdf_read_geometry(reader, geometry, shape, NULL);
    }
    fil_xml_ignore_others(reader, node, known);
}

void fil_urdf_read_link(FilUrdfReader* reader, const xmlNode* node, FilLinkDef* link)
{
    static const char* const known[] = {"inertial", "collision", "visual", NULL};
    *link = fil_link_def_default();
    link->name = fil_xml_text(reader, node, "name", true);
    const xmlNode* inertial = fil_xml_child(reader, node, "inertial");
    if (inertial != NULL) {
        read_inertial(reader, inertial, link);
    }
    size_t count = 0;
    for (const xmlNode* child = fil_xml_first(node); child != NULL; child = fil_xml_next(child)) {
        count += fil_xml_is(child, "collision");
    }
    FilShapeDef* shapes = fil_xml_alloc(reader, count, sizeof *shapes);
    for (const xmlNode* child = fil_xml_first(node); child != NULL && reader->status == FIL_OK; child = fil_xml_next(child)) {
        if (fil_xml_is(child, "collision")) {
            read_collision(reader, child, &shapes[link->shape_count++]);
        }
    }
    link->shapes = shapes;
    fil_xml_ignore_others(reader, node, known);
}
