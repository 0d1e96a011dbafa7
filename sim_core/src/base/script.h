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

/* What holds of a command and a script: the command from the moment that it is given until it is taken back. `taken` is kept in
 * the state, not zero in between. */
static inline const double* fil_script_or_command(double taken, const double* script, const double* command)
{
    return taken != 0.0 ? command : script;
}

#endif
