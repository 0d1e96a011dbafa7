/* Scripts, which are values at knots in time, and commands that take over from them. */
#ifndef FILUM_BASE_SCRIPT_H
#define FILUM_BASE_SCRIPT_H

/* The knot at or before a time; the first one before all of them. */
static inline int fil_script_knot(const double* times, int count, double time)
{
    int k = 0;
    for (int high = count - 1; k < high;) {
        const int middle = k + (high - k + 1) / 2;
        if (times[middle] <= time) {
            k = middle;
        } else {
            high = middle - 1;
        }
    }
    return k;
}

/* Hermite's cubic from y0 to y1 with slopes s0 and s1, at the share u of its length: place and slope. */
static inline void fil_script_cubic(double length, double u, double y0, double y1, double s0, double s1, double* place, double* slope)
{
    const double rise = y1 - y0, mean = rise / length, a = length * (s0 - mean), b = length * (mean - s1);
    *place = y0 + (u * rise + u * (1.0 - u) * ((1.0 - u) * a + u * b));
    *slope = mean + ((1.0 - 2.0 * u) * ((1.0 - u) * a + u * b) + u * (1.0 - u) * (b - a)) / length;
}

/* What holds of a command and a script: the command from the moment that it is given until it is taken back. `taken` is kept in
 * the state, not zero in between. */
static inline const double* fil_script_or_command(double taken, const double* script, const double* command)
{
    return taken != 0.0 ? command : script;
}

#endif
