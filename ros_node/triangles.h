/* What shells and solids share: entities seen by the first triangle of their surface (origin at its first corner, x along its first
 * edge, z along its normal), and the surface as one marker. */
#ifndef FILUM_NODE_TRIANGLES_H
#define FILUM_NODE_TRIANGLES_H

#include "kinds.h"

/* The public calls of a kind whose surface is made of triangles. */
typedef struct FilTriangleAccess {
    const char* (*name)(const FilWorld* world, FilId id);
    int (*vertex_count)(const FilWorld* world, FilId id);
    int (*triangle_count)(const FilWorld* world, FilId id);
    void (*get_triangle)(const FilWorld* world, FilId id, int triangle, int* vertices);
    void (*get_positions)(const FilWorld* world, FilId id, double* vertices);
    void (*get_velocities)(const FilWorld* world, FilId id, double* vertices);
    FilStatus (*set_state)(FilWorld* world, FilId id, const double* vertices, const double* velocities);
} FilTriangleAccess;

/* As FilNodeKind has them. */
size_t fil_triangles_scratch(const FilTriangleAccess* of, const FilWorld* world, FilId id);
void fil_triangles_get_state(const FilTriangleAccess* of, const FilWorld* world, FilId id, FilEntityState* state);
FilStatus fil_triangles_set_state(const FilTriangleAccess* of, FilWorld* world, FilId id, const FilEntityState* pose,
                                  const FilEntityState* twist);
bool fil_triangles_size_markers(const FilTriangleAccess* of, FilMarker* marker, const FilWorld* world, FilId id,
                                std_msgs__msg__ColorRGBA colour);
void fil_triangles_fill_markers(const FilTriangleAccess* of, FilMarker* marker, const FilWorld* world, FilId id,
                                double* positions);

#endif
