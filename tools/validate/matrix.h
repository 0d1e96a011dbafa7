/* The matrix: every kind of body on the ground and against every other, under every contact model.
 *
 * A cell holds, fails, or is refused by a sentence that says what to use instead. What is known to fail stands in a list,
 * with the reason; anything else that fails fails the check.
 */
#ifndef FILUM_TOOLS_VALIDATE_MATRIX_H
#define FILUM_TOOLS_VALIDATE_MATRIX_H

#include "validate/check.h"

/* ---- kinds ---- */

/* Where one of a kind begins. */
typedef struct FilMatrixPlace {
    const char* name; /* its objects' names begin with it */
    FilVec3 position; /* m, of its centre */
    bool across;      /* turned by 90 degrees about z: along x instead of y */
    FilVec3 velocity; /* m/s */
    bool flies;       /* nothing damps it */
} FilMatrixPlace;

typedef struct FilMatrixCell FilMatrixCell;

typedef struct FilMatrixKind {
    const char* name;
    const char* letters; /* two, heading a column */
    const char* section; /* of a scene, that `write` adds an element to */
    double below, above; /* m, from its centre down to where it stands, and up to its top */
    double lever;        /* I / (m r^2) about the axis that it rolls about, along y; 0: it does not roll */
    int axis;            /* that it slides along: 0 for x, 1 for y */
    double steepness;    /* tangent of a slope on which it slides, over mu */
    double aside;      /* m, that one lies on another of its kind off the middle: meshes on each other, vertex on vertex, list each closeness 48 times
                          under ipc */
    bool reduced;      /* its coordinates are those of joints or sections: momentum is off by first order of dt */
    const char* shape; /* of a rigid body, for `write` */
    /* Its element of the section; NULL: `add` makes it. */
    void (*write)(const struct FilMatrixKind* kind, const FilMatrixPlace* place, char* text, size_t size);
    /* Adds it to a world, or, where it has been read, gives it its velocity; NULL: nothing to do. */
    FilStatus (*add)(FilWorld* world, const struct FilMatrixKind* kind, const FilMatrixPlace* place);
    /* Its cell on the ground, where that is not as of others; NULL: as of others. */
    void (*ground)(const char* model, const struct FilMatrixKind* kind, FilMatrixCell* cell);
} FilMatrixKind;

const FilMatrixKind* fil_matrix_kinds(int* count);

/* ---- cells ---- */

typedef enum FilMatrixSign {
    FIL_MATRIX_NONE, /* has no meaning: a box does not roll */
    FIL_MATRIX_HOLDS,
    FIL_MATRIX_REFUSED, /* with a sentence that says what to use instead */
    FIL_MATRIX_KNOWN,   /* fails, as listed */
    FIL_MATRIX_FAILS,
} FilMatrixSign;

typedef struct FilMatrixOutcome {
    FilMatrixSign sign;
    double measured, expected; /* of what was judged last; for people */
    char text[320];            /* what failed, or the refusal */
} FilMatrixOutcome;

/* What is asked of a cell. */
typedef enum FilMatrixProperty {
    FIL_MATRIX_RESTS,     /* force = weight, no drift */
    FIL_MATRIX_STICKS,    /* on a slope below mu */
    FIL_MATRIX_SLIDES,    /* on a slope above mu, then slows down by mu g */
    FIL_MATRIX_ROLLS,     /* down a slope at g sin / (1 + k) */
    FIL_MATRIX_CONVERGES, /* in dt */
    FIL_MATRIX_COLLIDES,  /* meets the other, which does not let it through */
    FIL_MATRIX_KEEPS,     /* momenta in free collision */
    FIL_MATRIX_RUBS,      /* friction is mu N where surfaces slip on each other */
    FIL_MATRIX_PROPERTIES
} FilMatrixProperty;

struct FilMatrixCell {
    FilMatrixOutcome outcomes[FIL_MATRIX_PROPERTIES];
};

extern const char* const fil_matrix_property_names[FIL_MATRIX_PROPERTIES];

/* A ring, and a hoop, on its rod. */
void fil_matrix_ring(const char* model, const FilMatrixKind* kind, FilMatrixCell* cell);
void fil_matrix_hoop(const char* model, const FilMatrixKind* kind, FilMatrixCell* cell);

/* One of a kind on the ground. */
void fil_matrix_ground(const char* model, const FilMatrixKind* kind, FilMatrixCell* cell);

/* One flies at the other, and lies on it. */
void fil_matrix_pair(const char* model, const FilMatrixKind* upper, const FilMatrixKind* lower, FilMatrixCell* cell);

/* Why a property is known to fail; NULL: it is not. `b` is "ground" or a kind. Exact: the list names just this. */
const char* fil_matrix_known(const char* model, const char* a, const char* b, FilMatrixProperty property, bool* exact);

/* ---- a cell's world ---- */

/* Failure is sticky: the first call that fails says why, and every later one does nothing. */
typedef struct FilMatrixBench {
    FilWorld* world;
    bool failed, refused;
    double weight;  /* N, of all that moves */
    double mass;    /* kg */
    double cpu;     /* s, when it began */
    FilVec3 path;   /* m, that the centre of mass has moved: sum of dt P/m */
    char text[320]; /* why it failed */
} FilMatrixBench;

/* What is in it: one or two of a kind, and ground below z = 0 if asked for. */
FilMatrixBench fil_matrix_begin(const char* model, double dt, double friction, bool ground, const FilMatrixKind* const* kinds,
                                const FilMatrixPlace* places, int count);
/* A scene of its own; its mass is not measured. */
FilMatrixBench fil_matrix_load(const char* text);
void fil_matrix_end(FilMatrixBench* bench);
void fil_matrix_run(FilMatrixBench* bench, double duration);
/* Gravity of a slope that falls along an axis: (sin, 0, -cos) g or (0, sin, -cos) g. */
void fil_matrix_tilt(FilMatrixBench* bench, int axis, double tangent);
FilVec3 fil_matrix_velocity(const FilMatrixBench* bench); /* of the centre of mass */

/* An outcome of a bench that failed: refused or not. */
FilMatrixOutcome fil_matrix_failed(const FilMatrixBench* bench);
/* Judges |measured - expected| <= tolerance |scale|; "what: measured instead of expected" if it fails. */
FilMatrixOutcome fil_matrix_judge(const char* what, double measured, double expected, double allowed);

/* ---- checks: one for each model, and a share of all for every day ---- */
void fil_check_matrix_sap(FilCheck* check);
void fil_check_matrix_sap_lagged(FilCheck* check);
void fil_check_matrix_lcp(FilCheck* check);
void fil_check_matrix_imc(FilCheck* check);
void fil_check_matrix_spt(FilCheck* check);
void fil_check_matrix_ipc(FilCheck* check);
void fil_check_matrix_fast(FilCheck* check);

#endif
