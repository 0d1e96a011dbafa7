/* The planar elastica: a clamped inextensible beam under its own weight and a tip load, by integrating its equation. */
#ifndef FILUM_TOOLS_VALIDATE_ELASTICA_H
#define FILUM_TOOLS_VALIDATE_ELASTICA_H

/* Tip of a beam of unit length and unit bending stiffness, clamped at the origin along +x and loaded along -z by
 * `weight` per length and `tip_load` at the end (so rho g A L^3/EI and P L^2/EI). */
typedef struct FilElasticaTip {
    double x, z;
    double angle; /* rad, below the horizontal */
} FilElasticaTip;

FilElasticaTip fil_elastica_cantilever(double weight, double tip_load);

#endif
