/* A kind of object, or the handles that hold objects, as it is shown: in `filum info`, and in drawings, on the page of `filum view` and in the node's
 * markers as a curve, as shapes or as a surface of triangles. One file show_<kind>.c holds a kind's row, the list below names them. */
#ifndef FILUM_VIEW_SHOW_H
#define FILUM_VIEW_SHOW_H

#include "filum/filum.h"
#include "geometry/pose.h"

/* A line of nodes with a tube around it. */
typedef struct FilCurve {
    int node_count, edge_count;
    bool closed;
    double width, height; /* m, of a flat section along m1 and m2; 0: it is round */
    bool plain;           /* it cannot twist: no stripe */
} FilCurve;

/* A shape and where it is: the frame that the shape's own pose is relative to. */
typedef struct FilShownShape {
    FilShapeDef def;
    FilVec3 position;    /* m */
    FilQuat orientation; /* unit */
    bool moves;          /* is not static */
    bool hidden;         /* is not there now, such as a handle that has let go */
    const char* part;    /* name of the part that it is of, such as a link; NULL: of the object */
    bool colored;        /* has a colour of its own */
    FilColor color;
} FilShownShape;

/* Where the shape itself is. */
FilPose fil_shown_pose(const FilShownShape* shape);

/* What a load on a shape, or on a curve that is not pulled by its nodes, acts on: a force at `center`, and a torque. */
typedef struct FilShownGrip {
    FilId object;
    int part;
    FilVec3 center; /* m */
    bool turns;     /* takes torques */
} FilShownGrip;

/* Something of an object that a slider can set. */
typedef struct FilShownControl {
    const char* name;
    const char* unit;
    double lower, upper, value;
    bool pressure; /* of a chamber; else the place of a joint */
} FilShownControl;

typedef struct FilShowKind {
    const char* heading; /* of the kind's part of `filum info` */
    int (*count)(const FilWorld* world);
    FilId (*at)(const FilWorld* world, int index);
    const char* (*name)(const FilWorld* world, FilId id);
    void (*print)(const FilWorld* world, FilId id);   /* lines for `filum info` */
    FilLook (*look)(const FilWorld* world, FilId id); /* NULL: its parts have looks of their own */

    /* As a curve; NULL: the kind has none. */
    FilCurve (*curve)(const FilWorld* world, FilId id);
    double (*curve_radius)(const FilWorld* world, FilId id, int edge);   /* m */
    void (*curve_nodes)(const FilWorld* world, FilId id, double* nodes); /* 3 per node, m */
    void (*curve_node)(const FilWorld* world, FilId id, int node, double* position);
    double (*curve_length)(const FilWorld* world, FilId id);              /* m */
    void (*curve_frames)(const FilWorld* world, FilId id, double* edges); /* 9 per edge: m1, m2, t */

    /* As shapes; NULL: the kind has none. */
    int (*shape_count)(const FilWorld* world, FilId id);
    void (*shape)(const FilWorld* world, FilId id, int index, FilShownShape* out);
    bool sleeve; /* the shapes are disks of one smooth body */

    /* Of a shape, or of a curve, which is pulled by its nodes without this; false: it takes no loads. */
    bool (*grip)(const FilWorld* world, FilId id, int index, FilShownGrip* grip);

    /* What can be set of it; NULL: nothing. */
    int (*control_count)(const FilWorld* world, FilId id);
    bool (*control)(const FilWorld* world, FilId id, int index, FilShownControl* out); /* false: this one takes no commands */
    FilStatus (*set_control)(FilWorld* world, FilId id, int index, double value);

    /* As a surface; NULL: the kind has none. */
    int (*vertex_count)(const FilWorld* world, FilId id);
    int (*triangle_count)(const FilWorld* world, FilId id);
    void (*triangle)(const FilWorld* world, FilId id, int index, int vertices[3]);
    void (*vertex)(const FilWorld* world, FilId id, int index, double position[3]); /* m */
    bool closed;                                                                    /* it is the skin of a body, seen from outside only */
} FilShowKind;

/* One row per kind, in the order of `filum info`. */
#define FIL_SHOW_KINDS(ROW) \
    ROW(rod)                \
    ROW(rigid)              \
    ROW(arm)                \
    ROW(robot)              \
    ROW(shell)              \
    ROW(ring)               \
    ROW(solid)              \
    ROW(handle)

#define FIL_SHOW_ID(kind) FIL_SHOW_OF_##kind,
enum { FIL_SHOW_KINDS(FIL_SHOW_ID) FIL_SHOW_COUNT };
#undef FIL_SHOW_ID

#define FIL_SHOW_DECLARATION(kind) extern const FilShowKind fil_show_##kind;
FIL_SHOW_KINDS(FIL_SHOW_DECLARATION)
#undef FIL_SHOW_DECLARATION

const FilShowKind* fil_show_kind(int index);

/* An object by its number, counted through all kinds as in the description; false: there are not so many. */
bool fil_show_at(const FilWorld* world, int number, const FilShowKind** kind, FilId* id);
/* Its number by its name; -1: there is none. */
int fil_show_find(const FilWorld* world, const char* name);

/* Whether it is to be seen. */
bool fil_show_visible(const FilShowKind* kind, const FilWorld* world, FilId id);

/* Its own colour, or that of a palette for the object with this number among all that are shown. */
FilColor fil_show_color(const FilShowKind* kind, const FilWorld* world, FilId id, int number);

/* That of a shape: its own, its object's, grey if it never moves, else `color`. */
FilColor fil_show_shape_color(const FilShowKind* kind, const FilWorld* world, FilId id, const FilShownShape* shape, FilColor color);

/* A chamber's pressure as a slider that reaches at least to `usual`, Pa. */
FilShownControl fil_show_chamber(double pressure, double usual);

/* Calls `see` for everything that can be set, in the order of the objects, which are counted through all kinds. */
typedef struct FilControlPlace {
    int object, part;
    const char* of; /* name of the object */
} FilControlPlace;

void fil_show_controls(const FilWorld* world, void (*see)(void* context, FilControlPlace place, const FilShownControl* control), void* context);

/* A smooth body as rings of corners around a line that goes smoothly through its disks, from the first to the last: `edges` from disk to
 * disk, `sides` of a ring (at most FIL_SLEEVE_SIDES), counterclockwise as seen from the end. */
enum { FIL_SLEEVE_SIDES = 20 };
typedef void (*FilSleeveRing)(void* context, int ring, const double (*corners)[3]);
int fil_show_sleeve_rings(const FilShowKind* kind, const FilWorld* world, FilId id, int edges); /* 0: it is none */
void fil_show_sleeve(const FilShowKind* kind, const FilWorld* world, FilId id, int edges, int sides, FilSleeveRing see, void* context);

#endif
