/* Surfaces: how two of them combine in a contact. */
#ifndef FILUM_CONTACT_SURFACE_H
#define FILUM_CONTACT_SURFACE_H

#include "filum/contact.h"

/* FIL_BAD_INPUT if a number is negative or not finite. */
FIL_MUST_CHECK FilStatus fil_surface_check(const FilSurface* surface, FilError* error);

/* Friction by its harmonic mean, stiffness in series, dissipation times added, Hunt and Crossley's dissipation shared by
 * compliance. A stiffness of 0 stands for rigid. */
FilSurface fil_surface_combine(const FilSurface* a, const FilSurface* b);

#endif
