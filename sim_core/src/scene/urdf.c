#include "scene/urdf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "scene/names.h"
#include "scene/urdf_link.h"
#include "scene/urdf_visual.h"
#include "scene/urdf_xml.h"

/* ---- names ---- */

static int find_link(const FilUrdf* urdf, const char* name)
{
    for (int l = 0; l < urdf->link_count && name != NULL; l++) {
        if (strcmp(urdf->links[l].name, name) == 0) {
            return l;
        }
    }
    return -1;
}

static int find_joint(const FilUrdf* urdf, const char* name)
{
    for (int j = 0; j < urdf->joint_count && name != NULL; j++) {
        if (strcmp(urdf->joints[j].name, name) == 0) {
            return j;
        }
    }
    return -1;
}

/* The link that the attribute of a <parent> or <child> names. */
static int read_end(FilUrdfReader* reader, const xmlNode* joint, const char* end, const FilUrdf* urdf)
{
    const xmlNode* node = fil_xml_child(reader, joint, end);
    if (node == NULL) {
        fil_xml_fail(reader, joint, "<%s> is missing", end);
        return -1;
    }
    const char* name = fil_xml_text(reader, node, "link", true);
    const int link = find_link(urdf, name);
    if (link < 0 && name != NULL) {
        FilGuess guess = fil_guess_start(name);
        for (int l = 0; l < urdf->link_count; l++) {
            fil_guess_try(&guess, urdf->links[l].name);
        }
        fil_xml_fail(reader, node, "there is no link '%.80s'%s%.80s%s", name, guess.best != NULL ? "; did you mean '" : "",
                     guess.best != NULL ? guess.best : "", guess.best != NULL ? "'?" : "");
    }
    return link;
}

/* ---- joints ---- */

static void read_type(FilUrdfReader* reader, const xmlNode* node, FilRobotJointDef* joint)
{
    static const struct {
        const char* name;
        FilRobotJointType type;
    } types[] = {{"fixed", FIL_ROBOT_FIXED},         {"revolute", FIL_ROBOT_REVOLUTE}, {"continuous", FIL_ROBOT_CONTINUOUS},
                 {"prismatic", FIL_ROBOT_PRISMATIC}, {"ball", FIL_ROBOT_BALL},         {"spherical", FIL_ROBOT_BALL},
                 {"floating", FIL_ROBOT_FLOATING}};
    const char* name = fil_xml_text(reader, node, "type", true);
    for (size_t k = 0; k < sizeof types / sizeof types[0] && name != NULL; k++) {
        if (strcmp(types[k].name, name) == 0) {
            joint->type = types[k].type;
            return;
        }
    }
    if (name != NULL && strcmp(name, "planar") == 0) {
        fil_xml_fail(reader, node, "planar joints are not supported: use two prismatic ones and a revolute one");
    } else if (name != NULL) {
        fil_xml_fail(reader, node, "unknown type '%.60s': fixed, revolute, continuous, prismatic, ball or floating", name);
    }
}

static void read_limit(FilUrdfReader* reader, const xmlNode* node, FilRobotJointDef* joint)
{
    const xmlNode* limit = fil_xml_child(reader, node, "limit");
    const bool bounded = joint->type == FIL_ROBOT_REVOLUTE || joint->type == FIL_ROBOT_PRISMATIC;
    if (limit == NULL && bounded) {
        fil_xml_fail(reader, node, "a %s joint needs a <limit>", joint->type == FIL_ROBOT_REVOLUTE ? "revolute" : "prismatic");
    }
    if (limit == NULL) {
        return;
    }
    if (!bounded && joint->type != FIL_ROBOT_CONTINUOUS) {
        fil_xml_ignore(reader, "limit of joints without an axis");
        return;
    }
    double lower = 0.0, upper = 0.0;
    fil_xml_numbers(reader, limit, "lower", false, 1, &lower);
    fil_xml_numbers(reader, limit, "upper", false, 1, &upper);
    fil_xml_numbers(reader, limit, "effort", bounded, 1, &joint->max_effort);
    fil_xml_numbers(reader, limit, "velocity", bounded, 1, &joint->max_velocity);
    if (bounded) {
        joint->lower = lower;
        joint->upper = upper;
    }
    if (reader->status == FIL_OK && (lower > upper || joint->max_effort < 0.0 || joint->max_velocity < 0.0)) {
        fil_xml_fail(reader, limit, "lower %g must not exceed upper %g, and effort and velocity must not be negative", lower, upper);
    }
}

static void read_joint(FilUrdfReader* reader, const xmlNode* node, const FilUrdf* urdf, FilRobotJointDef* joint)
{
    static const char* const known[] = {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic", NULL};
    read_type(reader, node, joint);
    joint->parent = read_end(reader, node, "parent", urdf);
    joint->child = read_end(reader, node, "child", urdf);
    fil_xml_origin(reader, node, &joint->position, &joint->orientation);
    double axis[3] = {1.0, 0.0, 0.0};
    const xmlNode *axis_node = fil_xml_child(reader, node, "axis"), *dynamics = fil_xml_child(reader, node, "dynamics");
    if (axis_node != NULL) {
        fil_xml_numbers(reader, axis_node, "xyz", true, 3, axis);
        const bool none = axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2] < 1e-18;  // shorter than 1e-9: no axis
        const bool useful = joint->type != FIL_ROBOT_FIXED && joint->type != FIL_ROBOT_FLOATING && joint->type != FIL_ROBOT_BALL;
        if (reader->status == FIL_OK && none && useful) {
            fil_xml_fail(reader, axis_node, "it has no direction");
        } else if (none) {
            axis[0] = 1.0;  // the joint has no use for it
        }
    }
    joint->axis = (FilVec3){axis[0], axis[1], axis[2]};
    if (dynamics != NULL) {
        fil_xml_numbers(reader, dynamics, "damping", false, 1, &joint->damping);
        const bool rubs = fil_xml_numbers(reader, dynamics, "friction", false, 1, &joint->friction);
        const bool floats = joint->type == FIL_ROBOT_FLOATING;
        if ((rubs && joint->friction != 0.0 && (floats || joint->type == FIL_ROBOT_BALL)) || floats) {
            fil_xml_ignore(reader, floats ? "dynamics of floating joints" : "friction of ball joints");
        }
        if (reader->status == FIL_OK && (joint->damping < 0.0 || joint->friction < 0.0)) {
            fil_xml_fail(reader, dynamics, "damping and friction must not be negative");
        }
    }
    read_limit(reader, node, joint);
    fil_xml_ignore_others(reader, node, known);
}

/* Joints by name come after all joints have one. */
static void read_mimic(FilUrdfReader* reader, const xmlNode* node, const FilUrdf* urdf, FilRobotJointDef* joint)
{
    const xmlNode* mimic = fil_xml_child(reader, node, "mimic");
    if (mimic == NULL || joint->type == FIL_ROBOT_FIXED) {
        return;  // what is fixed follows nothing
    }
    const char* name = fil_xml_text(reader, mimic, "joint", true);
    joint->mimic = find_joint(urdf, name);
    if (joint->mimic < 0 && name != NULL) {
        fil_xml_ignore(reader, "mimic of a joint that is not there");
        return;
    }
    fil_xml_numbers(reader, mimic, "multiplier", false, 1, &joint->multiplier);
    fil_xml_numbers(reader, mimic, "offset", false, 1, &joint->offset);
}

/* A joint that follows one that follows another follows that other one. */
static void shorten_mimics(FilUrdfReader* reader, const FilUrdf* urdf)
{
    for (int j = 0; j < urdf->joint_count && reader->status == FIL_OK; j++) {
        FilRobotJointDef* joint = &urdf->joints[j];
        for (int hops = 0; joint->mimic >= 0 && urdf->joints[joint->mimic].mimic >= 0; hops++) {
            const FilRobotJointDef* leader = &urdf->joints[joint->mimic];
            if (hops > urdf->joint_count || leader == joint) {
                reader->status = fil_error(reader->error, FIL_BAD_INPUT, "%.200s:%d: joint '%.80s': it mimics itself in a circle", reader->path,
                                           urdf->joint_lines[j], joint->name);
                return;
            }
            joint->offset += joint->multiplier * leader->offset;
            joint->multiplier *= leader->multiplier;
            joint->mimic = leader->mimic;
        }
        const bool stands = joint->mimic >= 0 && urdf->joints[joint->mimic].type == FIL_ROBOT_FIXED;
        if (stands) {
            fil_xml_ignore(reader, "motion of joints that follow a fixed one");
            joint->type = FIL_ROBOT_FIXED;
            joint->mimic = -1;
        }
    }
}

/* A joint that moves nothing with mass cannot be moved by forces: it is held where it is. */
static void hold_massless(FilUrdfReader* reader, const FilUrdf* urdf)
{
    bool* heavy = fil_xml_alloc(reader, (size_t)urdf->link_count, sizeof *heavy);  // by link: it, or what hangs on it, has mass
    for (int l = 0; l < urdf->link_count && heavy != NULL; l++) {
        heavy[l] = urdf->links[l].mass > 0.0;
    }
    for (bool changed = heavy != NULL && reader->status == FIL_OK; changed;) {
        changed = false;
        for (int j = 0; j < urdf->joint_count; j++) {
            const FilRobotJointDef* joint = &urdf->joints[j];
            if (heavy[joint->child] && !heavy[joint->parent]) {
                heavy[joint->parent] = changed = true;
            }
        }
    }
    for (int j = 0; j < urdf->joint_count && heavy != NULL && reader->status == FIL_OK; j++) {
        FilRobotJointDef* joint = &urdf->joints[j];
        if (joint->type != FIL_ROBOT_FIXED && !heavy[joint->child]) {
            fil_xml_ignore(reader, "motion of joints that move no mass");
            joint->type = FIL_ROBOT_FIXED;
            joint->mimic = -1;
            for (int k = 0; k < urdf->joint_count; k++) {  // what followed it stands on its own
                urdf->joints[k].mimic = urdf->joints[k].mimic == j ? -1 : urdf->joints[k].mimic;
            }
        }
    }
}

/* ---- ros2_control: what commands a joint takes, and where it starts ---- */

static void read_interface(FilUrdfReader* reader, const xmlNode* node, FilRobotJointDef* joint)
{
    static const char* const names[] = {"position", "velocity", "effort"};
    static const unsigned bits[] = {FIL_JOINT_POSITION, FIL_JOINT_VELOCITY, FIL_JOINT_EFFORT};
    const char* name = fil_xml_text(reader, node, "name", true);
    const bool commands = fil_xml_is(node, "command_interface");
    for (int k = 0; k < 3 && name != NULL; k++) {
        if (commands && strcmp(name, names[k]) == 0) {
            joint->modes |= bits[k];
        }
    }
    for (const xmlNode* param = fil_xml_first(node); param != NULL && reader->status == FIL_OK; param = fil_xml_next(param)) {
        const char* what = fil_xml_is(param, "param") ? fil_xml_text(reader, param, "name", true) : NULL;
        if (what == NULL || name == NULL || commands || strcmp(what, "initial_value") != 0 || strcmp(name, "effort") == 0) {
            fil_xml_ignore(reader, what != NULL ? what : (const char*)param->name);
            continue;
        }
        xmlChar* text = xmlNodeGetContent(param);
        double value;
        if (text == NULL || !fil_xml_parse_numbers((const char*)text, 1, &value)) {
            fil_xml_fail(reader, param, "is not a number");
        } else if (strcmp(name, "position") == 0) {
            joint->start_position = value;
        } else {
            joint->start_velocity = value;
        }
        xmlFree(text);
    }
}

static void read_control(FilUrdfReader* reader, const xmlNode* control, const FilUrdf* urdf)
{
    for (const xmlNode* node = fil_xml_first(control); node != NULL && reader->status == FIL_OK; node = fil_xml_next(node)) {
        if (!fil_xml_is(node, "joint")) {
            fil_xml_ignore(reader, (const char*)node->name);
            continue;
        }
        const char* name = fil_xml_text(reader, node, "name", true);
        const int joint = find_joint(urdf, name);
        if (joint < 0 && name != NULL) {
            fil_xml_fail(reader, node, "there is no such joint");
        }
        for (const xmlNode* child = fil_xml_first(node); child != NULL && joint >= 0; child = fil_xml_next(child)) {
            if (fil_xml_is(child, "command_interface") || fil_xml_is(child, "state_interface")) {
                read_interface(reader, child, &urdf->joints[joint]);
            } else {
                fil_xml_ignore(reader, (const char*)child->name);
            }
        }
    }
}

/* ---- all together ---- */

static void read_links(FilUrdfReader* reader, const xmlNode* root, FilUrdf* urdf)
{
    for (const xmlNode* node = fil_xml_first(root); node != NULL && reader->status == FIL_OK; node = fil_xml_next(node)) {
        if (!fil_xml_is(node, "link")) {
            continue;
        }
        FilLinkDef link;
        fil_urdf_read_link(reader, node, &link);
        if (reader->status == FIL_OK && find_link(urdf, link.name) >= 0) {
            fil_xml_fail(reader, node, "there is one already, on line %d", urdf->link_lines[find_link(urdf, link.name)]);
        }
        urdf->link_lines[urdf->link_count] = (int)xmlGetLineNo((xmlNode*)node);
        urdf->links[urdf->link_count++] = link;
    }
    if (urdf->link_count == 0) {
        fil_xml_fail(reader, root, "has no <link>");
    }
}

static void read_joints(FilUrdfReader* reader, const xmlNode* root, FilUrdf* urdf)
{
    for (const xmlNode* node = fil_xml_first(root); node != NULL && reader->status == FIL_OK; node = fil_xml_next(node)) {
        if (!fil_xml_is(node, "joint")) {
            continue;
        }
        FilRobotJointDef joint = fil_robot_joint_def_default();
        joint.name = fil_xml_text(reader, node, "name", true);
        if (find_joint(urdf, joint.name) >= 0) {
            fil_xml_fail(reader, node, "there is one already, on line %d", urdf->joint_lines[find_joint(urdf, joint.name)]);
        }
        read_joint(reader, node, urdf, &joint);
        urdf->joint_lines[urdf->joint_count] = (int)xmlGetLineNo((xmlNode*)node);
        urdf->joints[urdf->joint_count++] = joint;
    }
    int j = 0;
    for (const xmlNode* node = fil_xml_first(root); node != NULL && reader->status == FIL_OK; node = fil_xml_next(node)) {
        if (fil_xml_is(node, "joint")) {
            read_mimic(reader, node, urdf, &urdf->joints[j++]);
        } else if (fil_xml_is(node, "ros2_control")) {
            read_control(reader, node, urdf);
        }
    }
    shorten_mimics(reader, urdf);
    hold_massless(reader, urdf);
}

static void read_robot(FilUrdfReader* reader, const xmlNode* root, FilUrdf* urdf)
{
    static const char* const known[] = {"link", "joint", "ros2_control", "material", NULL};
    if (!fil_xml_is(root, "robot")) {
        fil_xml_fail(reader, root, "the outermost element of a URDF is <robot>");
        return;
    }
    size_t links = 0, joints = 0;
    for (const xmlNode* node = fil_xml_first(root); node != NULL; node = fil_xml_next(node)) {
        if (node->ns != NULL && node->ns->prefix != NULL && strcmp((const char*)node->ns->prefix, "xacro") == 0) {
            fil_xml_fail(reader, node, "this is xacro: expand it first (xacro FILE > robot.urdf)");
        }
        links += fil_xml_is(node, "link");
        joints += fil_xml_is(node, "joint");
    }
    urdf->links = fil_xml_alloc(reader, links, sizeof *urdf->links);
    urdf->link_lines = fil_xml_alloc(reader, links, sizeof(int));
    urdf->joints = fil_xml_alloc(reader, joints, sizeof *urdf->joints);
    urdf->joint_lines = fil_xml_alloc(reader, joints, sizeof(int));
    read_links(reader, root, urdf);
    read_joints(reader, root, urdf);
    fil_urdf_read_visuals(reader, root, urdf);
    fil_xml_ignore_others(reader, root, known);
}

/* ---- the description for others ---- */

static void put_prefix(xmlNode* node, const char* attribute, const char* prefix, FilPool* pool)
{
    xmlChar* old = xmlGetNoNsProp(node, BAD_CAST attribute);
    if (old == NULL) {
        return;
    }
    const size_t size = strlen(prefix) + strlen((const char*)old) + 1;
    char* text = fil_pool_alloc(pool, size, 1);
    if (text != NULL) {
        snprintf(text, size, "%s%s", prefix, (const char*)old);
        xmlSetProp(node, BAD_CAST attribute, BAD_CAST text);
    }
    xmlFree(old);
}

/* Everywhere that names a link or joint. */
static void put_prefixes(xmlNode* parent, const char* prefix, FilPool* pool)
{
    static const struct {
        const char *element, *attribute;
    } places[] = {{"link", "name"}, {"joint", "name"}, {"parent", "link"}, {"child", "link"}, {"mimic", "joint"}, {"gazebo", "reference"}};
    for (xmlNode* node = parent->children; node != NULL; node = node->next) {
        for (size_t k = 0; k < sizeof places / sizeof places[0]; k++) {
            if (fil_xml_is(node, places[k].element)) {
                put_prefix(node, places[k].attribute, prefix, pool);
            }
        }
        if (node->type == XML_ELEMENT_NODE) {
            put_prefixes(node, prefix, pool);
        }
    }
}

static void describe(FilUrdfReader* reader, xmlDoc* document, const FilSource* source, const char* prefix, FilUrdf* urdf)
{
    if (prefix == NULL || prefix[0] == '\0') {
        urdf->description = fil_pool_text(reader->pool, source->text, source->size);
        return;
    }
    put_prefixes(xmlDocGetRootElement(document), prefix, reader->pool);
    xmlChar* text = NULL;
    int size = 0;
    xmlDocDumpMemory(document, &text, &size);
    urdf->description = text != NULL ? fil_pool_text(reader->pool, (const char*)text, (size_t)size) : NULL;
    xmlFree(text);
}

static void list_ignored(FilUrdfReader* reader, FilUrdf* urdf)
{
    size_t size = 1;
    for (int k = 0; k < reader->ignored_count; k++) {
        size += strlen(reader->ignored[k]) + 2;
    }
    char* text = fil_xml_alloc(reader, size, 1);
    for (int k = 0; k < reader->ignored_count && text != NULL; k++) {
        const size_t at = strlen(text);
        snprintf(text + at, size - at, "%s%s", k > 0 ? ", " : "", reader->ignored[k]);
    }
    urdf->ignored = text;
}

FilStatus fil_urdf_read(const FilSource* given, const char* prefix, FilPool* pool, FilUrdf* urdf, FilError* error)
{
    FilUrdfReader reader = {.error = error, .pool = pool, .path = given->path};
    FilSource source = *given;
    *urdf = (FilUrdf){0};
    if (source.text == NULL) {
        source.text = fil_xml_load(&reader, source.path, &source.size);
    }
    xmlDoc* document = source.text != NULL && reader.status == FIL_OK ? fil_xml_parse(&reader, &source) : NULL;
    const xmlNode* root = document != NULL ? xmlDocGetRootElement(document) : NULL;
    if (root != NULL && reader.status == FIL_OK) {
        read_robot(&reader, root, urdf);
    } else if (reader.status == FIL_OK) {
        fil_xml_fail(&reader, NULL, "is empty");
    }
    if (reader.status == FIL_OK) {
        describe(&reader, document, &source, prefix, urdf);
        list_ignored(&reader, urdf);
    }
    xmlFreeDoc(document);
    return reader.status;
}

void fil_urdf_locate(const FilUrdf* urdf, const FilSource* source, const char* message, FilError* error)
{
    int line = 0;
    const char* best = NULL;  // the name that stands first in the message
    for (int k = 0; k < urdf->link_count + urdf->joint_count; k++) {
        const bool is_link = k < urdf->link_count;
        const int own = is_link ? k : k - urdf->link_count;
        char quoted[128];
        snprintf(quoted, sizeof quoted, "%s '%.100s'", is_link ? "link" : "joint", is_link ? urdf->links[own].name : urdf->joints[own].name);
        const char* found = strstr(message, quoted);
        if (found != NULL && (best == NULL || found < best)) {
            best = found;
            line = is_link ? urdf->link_lines[own] : urdf->joint_lines[own];
        }
    }
    if (line > 0) {
        (void)fil_error(error, FIL_BAD_INPUT, "%.200s:%d: %s", source->path, line, message);
    } else {
        (void)fil_error(error, FIL_BAD_INPUT, "%.200s: %s", source->path, message);
    }
}
