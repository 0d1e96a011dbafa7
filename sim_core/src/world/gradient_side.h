/* The sides of a contact in gradients. With u = F (V_1 - V_0) the velocity of side 1 against side 0 at the contact's point x, in its frame F, and
 * m(v) = J' gamma, gamma of u and of what the start makes of the contact, all that is wanted is made of numbers f . u(z), z fixed: J' gamma of
 * gamma . u(e_k). By the motion of the sides, x by dx and F by the turn theta,
 *     d(f . u) = theta . (g x (V_1 - V_0)) + dx . (g x (W_1 - W_0)) + g . (dV_1 - dV_0),  g = F' f. */
#ifndef FILUM_WORLD_GRADIENT_SIDE_H
#define FILUM_WORLD_GRADIENT_SIDE_H

#include "collision/contact_variation.h"
#include "world/gradient.h"

/* A part that touches, its motion about the contact's point by its unknowns: all of its body, or, of one that deforms, those that move the part. */
typedef struct FilGradientSide {
    const FilBody* body;
    int index, part; /* of its collider */
    int which;       /* of the contact's two sides */
    double share;    /* of its velocity in that side's, with the sign: of side 0 it is negative */
    int size, at;    /* of unknowns, and where they begin among the maker's */
    int shared;      /* so many of them at the beginning are the last ones of the side before, too */
    bool is_end;     /* a rod's edge that touches with a node of its alone: its twist has three rows, of which sweep() knows the rest */
    bool is_node;    /* of a cord: a node alone, which turns with nothing */
    int block[FIL_JACOBIAN_BLOCKS]; /* of a body that deforms: its blocks, in the order of the unknowns */
    FilShape shape;                 /* of a body that deforms: what the part is */
    FilPose pose;
    double axis[3];              /* that it stretches along */
    double* twist;               /* of 7 rows: velocity at the point (3), spin (3), stretch */
    double velocity[3], spin[3]; /* of what has no unknowns */
} FilGradientSide;

/* Parts of both sides: of a node of a rod two, whose edges share it. */
enum { FIL_GRADIENT_SIDES = 4 };

/* An edge of a cord that rubs: which side it is, where its unknowns begin. */
typedef struct FilGradientLeverEdge {
    int side, at;
    double t[3], over;  /* its direction, and 1 / length */
    double out, by_gap; /* m, from its axis to the contact's point, and how that follows the distance; ... */
    double sign;        /* ... along the normal or against it */
} FilGradientLeverEdge;

/* What such edges change of the slip (world/gradient_cord.c): there is one, or there are two, `apart`. `moves`: what it rubs on moves and takes
 * moments, too. */
typedef struct FilGradientLever {
    int count;
    bool moves;
    FilGradientLeverEdge edges[2];
    double normal[3], apart, share[4]; /* the last as fil_ipc_share_moment() has it */
} FilGradientLever;

/* What collision makes of the velocity at a contact where a side is a cord (world/gradient_couple.c). */
typedef struct FilGradientCouple {
    bool any, cord[2];
    int at[2];               /* where unknowns of the cord's edge begin */
    double t[2][3], over[2]; /* its direction, and 1 / length */
    double arm[2][3];        /* from its first node to the contact's point, and ... */
    double u[2][3];          /* ... t x arm */
    double cosine, across;   /* of two cords: c and 1 - c^2; else, or if they are nearly parallel, 0 */
    double moves[2][3];      /* of each side, where the other is a cord: U */
} FilGradientCouple;

typedef struct FilGradientMaker {
    double point[3];
    const double* frame; /* rows t1, t2, n */
    FilGradientSide sides[FIL_GRADIENT_SIDES];
    int count;
    int size;                      /* unknowns of all */
    int node_side, node_at;        /* which side touches with a node alone, whose edges it moves with, and which unknown that begins at; -1: none */
    bool node_twice;               /* that node's unknowns stand there twice, with each edge */
    bool later;                    /* twists of its edges are not made yet: J says how they move, which nothing else here does */
    double* moves;                 /* 7 rows: the contact's point, turn and distance by the unknowns */
    const FilGradientLever* lever; /* NULL: none */
    FilGradientCouple couple;
} FilGradientMaker;

/* How gamma follows from u and from the start. */
typedef struct FilGradientLaw {
    double impulse[3], hessian[9]; /* gamma; by u it is -hessian */
    double by_distance[3], by_velocity[3];
} FilGradientLaw;

/* A side's motion at the maker's point, where the state is `at`; `twist` has room for 7 rows of its unknowns. FIL_BAD_INPUT where it is not known. */
FIL_MUST_CHECK FilStatus fil_gradient_side_take(const FilGradient* gradient, const FilState* at, FilGradientMaker* maker, int collider, int part,
                                                int which, double share, double* twist);
/* The same of an end of a rod's edge. */
FIL_MUST_CHECK FilStatus fil_gradient_side_take_end(const FilGradient* gradient, FilGradientMaker* maker, int collider, int part, int which,
                                                    double share, double* twist);
/* Of a node that turns with nothing, a block of its body. */
void fil_gradient_side_take_node(const FilGradient* gradient, FilGradientMaker* maker, int collider, int block, int which, double share,
                                 double* twist);
/* The block of the body that block k of a side is, and which of the world's unknowns an unknown is. */
int fil_gradient_side_block(const FilGradientSide* side, int k);
/* Which of the world's unknowns the maker's are. */
void fil_gradient_maker_name(const FilGradientMaker* maker, int* unknown);

/* The contact's variation by the unknowns of all sides. */
void fil_gradient_maker_move(FilGradientMaker* maker, const FilTouching* touching);
/* J = F (twist_1 - twist_0), and u(v). */
void fil_gradient_maker_jacobian(const FilGradientMaker* maker, const double* v, const int* unknown, double* jacobian, double* u);
/* place += share * the derivative of f . u(z) by the place of all sides; `whole`: with what moves them from outside. */
void fil_gradient_maker_vary(const FilGradientMaker* maker, double share, const double* f, const double* z, bool whole, double* place);
/* change = gamma by the place, 3 rows, but for the compliance; `work` has room for 3 rows. */
void fil_gradient_maker_law(const FilGradient* gradient, const FilGradientMaker* maker, const FilGradientLaw* law, const int* unknown, double* work,
                            double* change);
/* by_place = J' gamma by the place, row by row of the unknowns: its own change, and that of gamma. `work` has room for a row. */
void fil_gradient_maker_rows(const FilGradientMaker* maker, const double* impulse, const double* change, double* work, FilGradientContact* out);

/* ---- gradient_cord.c: edges of cords ---- */

/* One more edge: a side, `other` and by_gap distances farther from the contact's point than its surface. */
void fil_gradient_lever_take(FilGradientLever* lever, const FilGradientMaker* maker, const FilTouching* touching, int side, double other,
                             double by_gap);
/* Adds what the lever adds to V_1 - V_0 with z; and to `weight` of the contact's variation and to `place` the derivative of g times that, but for
 * the frame's turn. */
void fil_gradient_lever_add(const FilGradientMaker* maker, const double* z, double* out);
void fil_gradient_lever_vary(const FilGradientMaker* maker, const double* g, const double* z, double* weight, double* place);
/* Adds to J and u(v) what it does there; `z` has room for a row. */
void fil_gradient_lever_jacobian(const FilGradientMaker* maker, const double* v, const int* unknown, double* z, double* jacobian, double* u);

/* ---- gradient_couple.c: couples that cords leave to what they touch ---- */

/* After the maker's sides. */
void fil_gradient_couple_take(const FilGradient* gradient, const FilContact* contact, FilGradientMaker* maker);
/* Adds what it adds to V_1 - V_0 with z (NULL: none; `whole`: how much of what moves sides from outside is in it), to J and u(v), and to weights of
 * the contact's point and to `place` the derivative of g times the first. */
void fil_gradient_couple_add(const FilGradientMaker* maker, const double* z, double whole, double* apart);
void fil_gradient_couple_jacobian(const FilGradientMaker* maker, const double* v, const int* unknown, double* jacobian, double* u);
void fil_gradient_couple_vary(const FilGradientMaker* maker, const double* g, const double* z, double whole, double* point, double* place);

/* ---- contacts that collision found ---- */

/* A contact under SAP or IMC, as its products need it. */
typedef struct FilGradientTouch {
    FilGradientMaker maker;
    FilTouching touching;
    FilGradientLaw law;
    double by_compliance[3];
    int rows;  /* of J that are not zero, where the compliance counts */
    double* z; /* 3 rows: D^-1 J', D the diagonal blocks of the tangents */
} FilGradientTouch;

/* Unknowns of both sides at most. */
int fil_gradient_contact_size(const FilWorld* world, const FilContact* contact);
/* Adds to `place` share times the sum over rows and diagonal blocks of z' M z's derivative, of sides whose tangent M varies with the place itself.
 * `own` has room for a row. */
void fil_gradient_touch_tangents(const FilGradientTouch* touch, double share, double* own, double* place);
/* Adds to `place` what weights of J' gamma do, by the places of both sides: by_place' times them, without that matrix. u = J weight; `work`
 * has room for five rows. */
void fil_gradient_touch_back(const FilGradient* gradient, const FilGradientContact* contact, const double* weight, const double* u, double* work,
                             double* place);
/* Makes slopes of what a contact is, by the place, whose maker has its moves; `work` has room for a row. gradient_imc_lag.c */
void fil_gradient_lag_slopes(const FilGradient* gradient, FilGradientLag* lag, const FilGradientMaker* maker, double* work);
/* The maker's sides, at the step's start, and what `out` says of them; `work` has room for 7 rows. `later`: where a node touches what nothing moves,
 * twists of its edges need not be made, */
FIL_MUST_CHECK FilStatus fil_gradient_contact_sides(const FilGradient* gradient, const FilContact* contact, bool later, double* work,
                                                    FilGradientMaker* maker, FilGradientContact* out);
/* but here. */
void fil_gradient_maker_twists(const FilGradient* gradient, FilGradientMaker* maker);
/* What touches there. FIL_BAD_INPUT where that is not known. */
FIL_MUST_CHECK FilStatus fil_gradient_contact_touching(const FilGradient* gradient, const FilContact* contact, const FilGradientMaker* maker,
                                                       FilTouching* touching);

#endif
