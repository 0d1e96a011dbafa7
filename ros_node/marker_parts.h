/* What kinds make their markers of: named markers of a type, shapes, colours. */
#ifndef FILUM_NODE_MARKER_PARTS_H
#define FILUM_NODE_MARKER_PARTS_H

#include "filum/filum.h"
#include "geometry_msgs/msg/point.h"
#include "visualization_msgs/msg/marker.h"

typedef visualization_msgs__msg__Marker FilMarker;

#define FIL_MARKER(name) visualization_msgs__msg__Marker__##name
#define FIL_MARKER_THIN 0.002 /* m, of lines and planes that have no thickness: a pixel or two where a metre fills a window */

/* Names a marker of the namespace `space` and makes room for its points. False: out of memory. */
bool fil_marker_size(FilMarker* marker, const char* space, int id, int type, int points);

/* A shape of a body or link: meshes are shown by their triangles, hulls by their corners, capsules by a line with round ends. */
bool fil_marker_size_shape(FilMarker* marker, const char* space, int id, const FilShapeDef* shape);

/* Where a shape is: in the frame (position, orientation) of what it belongs to. */
void fil_marker_fill_shape(FilMarker* marker, FilVec3 position, FilQuat orientation, const FilShapeDef* shape);

geometry_msgs__msg__Point fil_marker_point(const double* numbers);

#endif
