#include "draw_patches.h"

#include <math.h>

#include "base/vec3.h"

/* px, of a disc's half axes: chosen so that what is seen from the side stays a line. */
static const double MIN_SIZE = 0.8;

static double project(const double* axis, FilVec3 v)
{
    return axis[0] * v.x + axis[1] * v.y + axis[2] * v.z;
}

void fil_draw_patches(FILE* out, const FilView* view, double scale, double left, double top, const FilWorld* world)
{
    double highest = 0.0;
    for (int k = 0; k < fil_world_patch_count(world); k++) {
        highest = fmax(highest, fil_world_patch(world, k).highest_pressure);
    }
    if (!(highest > 0.0)) {
        return;
    }
    fputs("<g class=\"patches\" stroke=\"#7a1010\" stroke-width=\"0.4\" fill-opacity=\"0.85\">\n", out);
    for (int k = 0; k < fil_world_patch_count(world); k++) {
        const FilPatchInfo patch = fil_world_patch(world, k);
        if (!(patch.area > 0.0)) {
            continue;
        }
        // a disc seen along its normal is round; its short axis shrinks by |n . view| and points where the normal does
        const double radius = fmax(scale * sqrt(patch.area / M_PI), MIN_SIZE);
        const double x = scale * (project(view->right, patch.center) - left), y = scale * (top - project(view->up, patch.center));
        const double right = project(view->right, patch.normal), up = project(view->up, patch.normal);
        const double narrow = fmax(radius * fabs(project(view->toward, patch.normal)), MIN_SIZE);
        // from yellow (#ffd220) to red by pressure, as the node's markers: chosen by eye
        const unsigned yellow = (unsigned)lround(210.0 * (1.0 - fmin(patch.highest_pressure / highest, 1.0)));
        fprintf(out, "<ellipse rx=\"%.2f\" ry=\"%.2f\" transform=\"translate(%.1f %.1f) rotate(%.1f)\" fill=\"#ff%02x20\"/>\n", narrow, radius, x, y,
                -180.0 / M_PI * atan2(up, right), yellow);
    }
    fputs("</g>\n", out);
}
