#include "scene/urdf_visual.h"

#include <string.h>

#include "scene/urdf_link.h"

/* <color rgba="..."/> inside of a material. */
static bool read_color(FilUrdfReader* reader, const xmlNode* material, FilColor* color)
{
    static const char* const known[] = {"color", NULL};
    const xmlNode* node = fil_xml_child(reader, material, "color");
    double rgba[4];
    fil_xml_ignore_others(reader, material, known);
    if (node == NULL || !fil_xml_numbers(reader, node, "rgba", true, 4, rgba)) {
        return false;
    }
    for (int k = 0; k < 4; k++) {
        if (!(rgba[k] >= 0.0 && rgba[k] <= 1.0)) {
            fil_xml_fail(reader, node, "a colour has four numbers from 0 to 1, got %g", rgba[k]);
        }
    }
    *color = (FilColor){rgba[0], rgba[1], rgba[2], rgba[3]};
    return reader->status == FIL_OK;
}

/* A material has its colour itself, or is the name of one that has: of the robot, or of another visual. */
static bool find_color(FilUrdfReader* reader, const xmlNode* parent, const char* name, FilColor* color)
{
    for (const xmlNode* node = fil_xml_first(parent); node != NULL && reader->status == FIL_OK; node = fil_xml_next(node)) {
        if (fil_xml_is(node, "material")) {
            const char* own = fil_xml_text(reader, node, "name", false);
            if (own != NULL && strcmp(own, name) == 0 && read_color(reader, node, color)) {
                return true;
            }
        } else if ((fil_xml_is(node, "link") || fil_xml_is(node, "visual")) && find_color(reader, node, name, color)) {
            return true;
        }
    }
    return false;
}

/* False: there is nothing to be seen. */
static bool read_visual(FilUrdfReader* reader, const xmlNode* root, const xmlNode* node, FilVisual* visual)
{
    static const char* const known[] = {"origin", "geometry", "material", NULL};
    bool seen = true;
    *visual = (FilVisual){.shape = fil_shape_def_default()};
    fil_xml_origin(reader, node, &visual->shape.position, &visual->shape.orientation);
    const xmlNode *geometry = fil_xml_child(reader, node, "geometry"), *material = fil_xml_child(reader, node, "material");
    if (geometry == NULL) {
        fil_xml_fail(reader, node, "<geometry> is missing");
        return false;
    }
    fil_urdf_read_geometry(reader, geometry, &visual->shape, &seen);
    if (!seen) {
        fil_xml_ignore(reader, "mesh of a visual");
    }
    if (material != NULL) {
        const char* name = fil_xml_text(reader, material, "name", false);
        visual->colored = read_color(reader, material, &visual->color) || (name != NULL && find_color(reader, root, name, &visual->color));
    }
    fil_xml_ignore_others(reader, node, known);
    return seen && reader->status == FIL_OK;
}

void fil_urdf_read_visuals(FilUrdfReader* reader, const xmlNode* root, FilUrdf* urdf)
{
    size_t count = 0;
    for (const xmlNode* link = fil_xml_first(root); link != NULL; link = fil_xml_next(link)) {
        for (const xmlNode* node = fil_xml_is(link, "link") ? fil_xml_first(link) : NULL; node != NULL; node = fil_xml_next(node)) {
            count += fil_xml_is(node, "visual");
        }
    }
    urdf->visuals = fil_xml_alloc(reader, count, sizeof *urdf->visuals);
    urdf->visual_links = fil_xml_alloc(reader, count, sizeof *urdf->visual_links);
    int index = -1;
    for (const xmlNode* link = fil_xml_first(root); link != NULL && reader->status == FIL_OK; link = fil_xml_next(link)) {
        index += fil_xml_is(link, "link");
        for (const xmlNode* node = fil_xml_is(link, "link") ? fil_xml_first(link) : NULL; node != NULL && reader->status == FIL_OK;
             node = fil_xml_next(node)) {
            if (fil_xml_is(node, "visual") && read_visual(reader, root, node, &urdf->visuals[urdf->visual_count])) {
                urdf->visual_links[urdf->visual_count++] = index;
            }
        }
    }
}
