/* The textbook derivatives: strains of one hinge with their 3 x 3 blocks, scattered to the chain. */
#include "rod_reference.h"

#include <math.h>
#include <string.h>

/* unknowns of a hinge: node before, edge before, node, edge after, node after */
enum { LOCAL_DOFS = 11, EDGE_BEFORE = 3, EDGE_AFTER = 7 };

typedef struct Edge {
    double length;
    double t[3], m1[3], m2[3];
} Edge;

/* one strain with its derivatives by the two edge vectors and the two angles */
typedef struct Strain {
    double value;
    double by_edge[2][3];
    double by_angle[2];
    double edge_edge[2][2][3][3];
    double edge_angle[2][2][3];
    double angle_angle[2]; /* mixed ones vanish */
} Strain;

/* ---- small vectors ---- */

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* out += s a b' */
static void add_outer(double s, const double a[3], const double b[3], double out[3][3])
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            out[i][j] += s * a[i] * b[j];
        }
    }
}

/* out += s (a b' + b a') */
static void add_symmetric(double s, const double a[3], const double b[3], double out[3][3])
{
    add_outer(s, a, b, out);
    add_outer(s, b, a, out);
}

static void add_identity(double s, double out[3][3])
{
    for (int i = 0; i < 3; ++i) {
        out[i][i] += s;
    }
}

/* out += s [a]x, the matrix of b -> a x b */
static void add_cross_matrix(double s, const double a[3], double out[3][3])
{
    out[0][1] -= s * a[2];
    out[0][2] += s * a[1];
    out[1][0] += s * a[2];
    out[1][2] -= s * a[0];
    out[2][0] -= s * a[1];
    out[2][1] += s * a[0];
}

/* ---- kinematics ---- */

int reference_edge_count(const ReferenceRod* rod)
{
    return rod->closed ? rod->node_count : rod->node_count - 1;
}

int reference_dof_count(const ReferenceRod* rod)
{
    return 4 * rod->node_count - (rod->closed ? 0 : 1);
}

static int next_node(const ReferenceRod* rod, int node)
{
    return (node + 1) % rod->node_count;
}

static int edge_before(const ReferenceRod* rod, int node)
{
    return node > 0 ? node - 1 : rod->node_count - 1;
}

static bool has_hinge(const ReferenceRod* rod, int node)
{
    return rod->closed || (node > 0 && node < rod->node_count - 1);
}

/* shortest rotation from the unit vector a to b, applied to a vector d normal to a */
static void transport(const double a[3], const double b[3], const double d[3], double out[3])
{
    double s = dot(d, b) / (1.0 + dot(a, b));
    for (int k = 0; k < 3; ++k) {
        out[k] = d[k] - s * (a[k] + b[k]);
    }
}

static Edge edge_at(const ReferenceRod* rod, const double* q, int i)
{
    Edge edge;
    const double* x0 = q + 4 * i;
    const double* x1 = q + 4 * next_node(rod, i);
    for (int k = 0; k < 3; ++k) {
        edge.t[k] = x1[k] - x0[k];
    }
    edge.length = sqrt(dot(edge.t, edge.t));
    for (int k = 0; k < 3; ++k) {
        edge.t[k] /= edge.length;
    }

    double u1[3], u2[3];
    transport(rod->base_tangent[i], edge.t, rod->base_director[i], u1);
    cross(edge.t, u1, u2);
    double angle = q[4 * i + 3] - rod->base_angle[i];
    for (int k = 0; k < 3; ++k) {
        edge.m1[k] = cos(angle) * u1[k] + sin(angle) * u2[k];
        edge.m2[k] = cos(angle) * u2[k] - sin(angle) * u1[k];
    }
    return edge;
}

void reference_frame(const ReferenceRod* rod, const double* q, int edge, double frame[9])
{
    Edge e = edge_at(rod, q, edge);
    memcpy(frame, e.m1, sizeof e.m1);
    memcpy(frame + 3, e.m2, sizeof e.m2);
    memcpy(frame + 6, e.t, sizeof e.t);
}

void reference_rebase(ReferenceRod* rod, const double* q)
{
    for (int i = 0; i < reference_edge_count(rod); ++i) {
        Edge e = edge_at(rod, q, i);
        memcpy(rod->base_tangent[i], e.t, sizeof e.t);
        memcpy(rod->base_director[i], e.m1, sizeof e.m1);
        rod->base_angle[i] = q[4 * i + 3];
    }
}

/* ---- strains ---- */

/* a curvature k = kb . (d^e + d^f) / 2, kb = 2 t^e x t^f / (1 + t^e . t^f), for directors d whose derivatives by the
 * angles are d_turned: (m2, -m1) gives kappa1, (-m1, -m2) gives kappa2 */
static Strain curvature(const Edge* e, const Edge* f, const double d[2][3], const double d_turned[2][3])
{
    Strain strain = {0};
    const double* t[2] = {e->t, f->t};
    const double length[2] = {e->length, f->length};
    double chi = 1.0 + dot(e->t, f->t);
    double kb[3], t_tilde[3], d_tilde[3];
    cross(e->t, f->t, kb);
    for (int k = 0; k < 3; ++k) {
        kb[k] *= 2.0 / chi;
        t_tilde[k] = (e->t[k] + f->t[k]) / chi;
        d_tilde[k] = (d[0][k] + d[1][k]) / chi;
    }
    double value = 0.5 * (dot(kb, d[0]) + dot(kb, d[1]));
    strain.value = value;

    /* w[0] = t^f x d~, w[1] = -t^e x d~: by_edge = (w - k t~) / length */
    double w[2][3];
    cross(f->t, d_tilde, w[0]);
    cross(d_tilde, e->t, w[1]);
    for (int a = 0; a < 2; ++a) {
        for (int k = 0; k < 3; ++k) {
            strain.by_edge[a][k] = (w[a][k] - value * t_tilde[k]) / length[a];
        }
        strain.by_angle[a] = 0.5 * dot(kb, d_turned[a]);
        strain.angle_angle[a] = -0.5 * dot(kb, d[a]);
    }

    /* same edge: 2 k t~ t~' - w t~' - t~ w' - k/chi (I - t t') + (kb d' + d kb')/4 */
    for (int a = 0; a < 2; ++a) {
        double(*block)[3] = strain.edge_edge[a][a];
        double s = 1.0 / (length[a] * length[a]);
        add_outer(2.0 * value * s, t_tilde, t_tilde, block);
        add_symmetric(-s, w[a], t_tilde, block);
        add_identity(-s * value / chi, block);
        add_outer(s * value / chi, t[a], t[a], block);
        add_symmetric(0.25 * s, kb, d[a], block);
    }

    /* the two edges: 2 k t~ t~' - w_e t~' - t~ w_f' - k/chi (I + t^e t^f') - [d~]x */
    double s = 1.0 / (length[0] * length[1]);
    double(*mixed)[3] = strain.edge_edge[0][1];
    add_outer(2.0 * value * s, t_tilde, t_tilde, mixed);
    add_outer(-s, w[0], t_tilde, mixed);
    add_outer(-s, t_tilde, w[1], mixed);
    add_identity(-s * value / chi, mixed);
    add_outer(-s * value / chi, e->t, f->t, mixed);
    add_cross_matrix(-s, d_tilde, mixed);

    /* edge and angle: by_edge with d turned */
    for (int b = 0; b < 2; ++b) {
        double turned[2][3];
        cross(f->t, d_turned[b], turned[0]);
        cross(d_turned[b], e->t, turned[1]);
        for (int a = 0; a < 2; ++a) {
            for (int k = 0; k < 3; ++k) {
                strain.edge_angle[a][b][k] = (turned[a][k] / chi - strain.by_angle[b] * t_tilde[k]) / length[a];
            }
        }
    }
    return strain;
}

/* twist: signed angle about t^f of m1^f against the transported m1^e */
static Strain twist(const Edge* e, const Edge* f, double previous)
{
    Strain strain = {0};
    double u1[3], u2[3];
    transport(e->t, f->t, e->m1, u1);
    cross(f->t, u1, u2);
    double wrapped = atan2(dot(f->m1, u2), dot(f->m1, u1));
    strain.value = wrapped + 2.0 * M_PI * round((previous - wrapped) / (2.0 * M_PI));
    strain.by_angle[0] = -1.0;
    strain.by_angle[1] = 1.0;

    double chi = 1.0 + dot(e->t, f->t);
    double kb[3], t_tilde[3];
    cross(e->t, f->t, kb);
    for (int k = 0; k < 3; ++k) {
        kb[k] *= 2.0 / chi;
        t_tilde[k] = (e->t[k] + f->t[k]) / chi;
        strain.by_edge[0][k] = 0.5 * kb[k] / e->length;
        strain.by_edge[1][k] = 0.5 * kb[k] / f->length;
    }

    const Edge* edges[2] = {e, f};
    for (int a = 0; a < 2; ++a) {
        double s = -0.25 / (edges[a]->length * edges[a]->length);
        double sum[3];
        for (int k = 0; k < 3; ++k) {
            sum[k] = edges[a]->t[k] + t_tilde[k];
        }
        add_symmetric(s, kb, sum, strain.edge_edge[a][a]);
    }
    double s = 0.5 / (e->length * f->length);
    add_cross_matrix(2.0 * s / chi, e->t, strain.edge_edge[0][1]);
    add_outer(-s, kb, t_tilde, strain.edge_edge[0][1]);
    return strain;
}

static void negate(const double a[3], double out[3])
{
    for (int k = 0; k < 3; ++k) {
        out[k] = -a[k];
    }
}

static void hinge_strains(const ReferenceRod* rod, const double* q, int node, Strain strains[3])
{
    Edge e = edge_at(rod, q, edge_before(rod, node));
    Edge f = edge_at(rod, q, node);
    double m1_negative[2][3], m2[2][3], m2_negative[2][3];
    memcpy(m2[0], e.m2, sizeof e.m2);
    memcpy(m2[1], f.m2, sizeof f.m2);
    negate(e.m1, m1_negative[0]);
    negate(f.m1, m1_negative[1]);
    negate(e.m2, m2_negative[0]);
    negate(f.m2, m2_negative[1]);
    strains[0] = curvature(&e, &f, (const double(*)[3])m2, (const double(*)[3])m1_negative);
    strains[1] = curvature(&e, &f, (const double(*)[3])m1_negative, (const double(*)[3])m2_negative);
    strains[2] = twist(&e, &f, rod->previous_twist[node]);
}

void reference_strains(const ReferenceRod* rod, const double* q, int node, double strains[3])
{
    Strain s[3];
    hinge_strains(rod, q, node, s);
    for (int k = 0; k < 3; ++k) {
        strains[k] = s[k].value;
    }
}

/* ---- assembly ---- */

/* derivatives by edge vectors become derivatives by nodes: e = x - x_before, f = x_after - x */
static void localise(const Strain* s, double gradient[LOCAL_DOFS], double hessian[LOCAL_DOFS][LOCAL_DOFS])
{
    static const int node_at[3] = {0, 4, 8};
    static const double sign[3][2] = {{-1.0, 0.0}, {1.0, -1.0}, {0.0, 1.0}};
    static const int angle_at[2] = {EDGE_BEFORE, EDGE_AFTER};
    memset(gradient, 0, LOCAL_DOFS * sizeof(double));
    memset(hessian, 0, LOCAL_DOFS * sizeof hessian[0]);

    for (int p = 0; p < 3; ++p) {
        for (int a = 0; a < 2; ++a) {
            for (int k = 0; k < 3; ++k) {
                gradient[node_at[p] + k] += sign[p][a] * s->by_edge[a][k];
            }
            for (int b = 0; b < 2; ++b) {
                for (int k = 0; k < 3; ++k) {
                    double mixed = sign[p][a] * s->edge_angle[a][b][k];
                    hessian[node_at[p] + k][angle_at[b]] += mixed;
                    hessian[angle_at[b]][node_at[p] + k] += mixed;
                }
            }
        }
    }
    for (int a = 0; a < 2; ++a) {
        gradient[angle_at[a]] = s->by_angle[a];
        hessian[angle_at[a]][angle_at[a]] = s->angle_angle[a];
    }

    for (int p = 0; p < 3; ++p) {
        for (int r = 0; r < 3; ++r) {
            for (int i = 0; i < 3; ++i) {
                for (int j = 0; j < 3; ++j) {
                    double sum = sign[p][0] * sign[r][0] * s->edge_edge[0][0][i][j];
                    sum += sign[p][1] * sign[r][1] * s->edge_edge[1][1][i][j];
                    sum += sign[p][0] * sign[r][1] * s->edge_edge[0][1][i][j];
                    sum += sign[p][1] * sign[r][0] * s->edge_edge[0][1][j][i];
                    hessian[node_at[p] + i][node_at[r] + j] += sum;
                }
            }
        }
    }
}

static void add_hinge(const ReferenceRod* rod, const double* q, int node, double* gradient, double* hessian)
{
    Strain strains[3];
    hinge_strains(rod, q, node, strains);
    const double stiffness[3] = {rod->bend1[node], rod->bend2[node], rod->torsion[node]};
    const double rest[3] = {rod->rest_kappa1[node], rod->rest_kappa2[node], rod->rest_twist[node]};

    int n = reference_dof_count(rod);
    int dof[LOCAL_DOFS];
    for (int k = 0; k < 4; ++k) {
        dof[k] = 4 * edge_before(rod, node) + k;
        dof[4 + k] = 4 * node + k;
        if (k < 3) {
            dof[8 + k] = 4 * next_node(rod, node) + k;
        }
    }
    for (int s = 0; s < 3; ++s) {
        /* E = K (s - s0)^2 / 2: gradient K (s - s0) s', Hessian K (s' s'^T + (s - s0) s'') */
        double g[LOCAL_DOFS], h[LOCAL_DOFS][LOCAL_DOFS];
        localise(&strains[s], g, h);
        double moment = stiffness[s] * (strains[s].value - rest[s]);
        for (int i = 0; i < LOCAL_DOFS; ++i) {
            gradient[dof[i]] += moment * g[i];
            for (int j = 0; j < LOCAL_DOFS; ++j) {
                hessian[dof[i] * n + dof[j]] += stiffness[s] * g[i] * g[j] + moment * h[i][j];
            }
        }
    }
}

static void add_stretch(const ReferenceRod* rod, const double* q, int i, double* gradient, double* hessian)
{
    int n = reference_dof_count(rod);
    int start[2] = {4 * i, 4 * next_node(rod, i)};
    Edge e = edge_at(rod, q, i);
    double tension = rod->ea[i] * (e.length / rod->rest_length[i] - 1.0);
    double block[3][3] = {{0}};
    add_identity(tension / e.length, block);
    add_outer(rod->ea[i] / rod->rest_length[i] - tension / e.length, e.t, e.t, block);
    for (int a = 0; a < 2; ++a) {
        for (int k = 0; k < 3; ++k) {
            gradient[start[a] + k] += (a == 0 ? -tension : tension) * e.t[k];
        }
        for (int b = 0; b < 2; ++b) {
            for (int k = 0; k < 3; ++k) {
                for (int l = 0; l < 3; ++l) {
                    hessian[(start[a] + k) * n + start[b] + l] += (a == b ? 1.0 : -1.0) * block[k][l];
                }
            }
        }
    }
}

void reference_derivatives(const ReferenceRod* rod, const double* q, double* gradient, double* hessian)
{
    int n = reference_dof_count(rod);
    memset(gradient, 0, (size_t)n * sizeof(double));
    memset(hessian, 0, (size_t)n * (size_t)n * sizeof(double));
    for (int i = 0; i < reference_edge_count(rod); ++i) {
        add_stretch(rod, q, i, gradient, hessian);
    }
    for (int i = 0; i < rod->node_count; ++i) {
        if (has_hinge(rod, i)) {
            add_hinge(rod, q, i, gradient, hessian);
        }
    }
}
