/* Shares of a chain's edges in one contact.
 *
 * Where something touches a chain near a node, both edges that meet there are near it. A potential of each edge's distance counts such
 * a contact twice, and an edge that comes in end first pushes back along the slip: a bump at every node, which no smooth rod has. So a
 * contact is shared. At a node n, with the other side's closest point y and the directions u and w from n along the two edges,
 *     s_u = S((y - n).u / width),  S(x) = (2 + 3 x - x^3)/4 between -1 and 1, which has S(x) + S(-x) = 1;
 * a straight chain has w = -u, and both add up to 1. Where the chain bends towards the contact both edges have a closest point of
 * their own, and both count; where it bends away and the node itself is closest, each takes half of what is missing. An edge's
 * share is that of both its ends, s_0 + s_1 - 1: along a straight chain all add up to 1, however short its edges. */
#ifndef FILUM_GEOMETRY_EDGE_SHARE_H
#define FILUM_GEOMETRY_EDGE_SHARE_H

/* Of the edge a b with the chain's nodes before a and after b (NULL: the chain ends there, or what goes on does not touch), in a contact
 * with `point`, the closest one of the other side. `radius`: the chain's, m. Between 0 and 1. */
double fil_edge_share(const double* before, const double* a, const double* b, const double* after, const double* point, double radius);

/* How that changes where the same five, in that order, go as dx says. */
double fil_edge_share_slope(const double* const x[5], const double* const dx[5], double radius);

#endif
