/* Surfaces: what they must hold to. */
#ifndef FILUM_CONTACT_SURFACE_H
#define FILUM_CONTACT_SURFACE_H

#include "filum/contact.h"

/* FIL_BAD_INPUT if a number is negative or not finite. */
FIL_MUST_CHECK FilStatus fil_surface_check(const FilSurface* surface, FilError* error);

#endif
