/* A program to run by hand: robots of others, in MuJoCo and here.
 *
 *     foreign_robots FILE.urdf...
 *
 * Loads each URDF in both (without visuals and collisions, which dynamics do not need), puts it into random states and compares the mass
 * matrix and the bias, column by column, in public functions here. Then it loads the whole file, with its meshes, and lets the robot fall for a
 * second under `sap`, links against links. Prints one line a file; exits 1 if one that both load differs by more than 1e-8 of its largest number, or
 * does not come through that second. */
#include <ctype.h>
#include <libxml/parser.h>
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "filum/filum.h"

enum { STATES = 5, JOINTS = 200 };
static const double TOLERANCE = 1e-8; /* relative to the largest number of the matrix or the bias */

static uint64_t seed = 1;

static double uniform(double range)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return range * (2.0 * ((double)(seed >> 11) / 9007199254740992.0) - 1.0);
}

static char* read_text(const char* path)
{
    FILE* file = fopen(path, "r");
    if (file == NULL) {
        return NULL;
    }
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    rewind(file);
    char* text = calloc((size_t)size + 1, 1);
    const size_t read = text != NULL ? fread(text, 1, (size_t)size, file) : 0;
    fclose(file);
    if (text != NULL) {
        text[read] = '\0';
    }
    return text;
}

/* blanks everything from `open` to `close`, each time it occurs */
static void blank(char* text, const char* open, const char* close)
{
    for (char* at = text; (at = strstr(at, open)) != NULL; at++) {
        char* end = strstr(at, close);
        if (end == NULL) {
            return;
        }
        if (isalpha((unsigned char)at[strlen(open)])) {
            continue;  // a longer name
        }
        memset(at, ' ', (size_t)(end + strlen(close) - at));
    }
}

/* ---- inertias ----
 *
 * MuJoCo keeps principal axes, and stops to turn them when the next turn is below about 1e-6 rad (2.2.2: cosine above 1 - 1e-12), which
 * shows as 1e-8 of a robot's mass matrix; and it refuses inertias that no body has. So its inertias are replaced, after loading, by
 * those of the file, diagonalised here to rounding. What is compared are its recursions with these. */

/* A = V diag(d) V', by turns about one axis after the other; columns of V are the principal axes. */
static void diagonalise(double a[9], double v[9])
{
    memcpy(v, (double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}, 9 * sizeof(double));
    for (int round = 0; round < 60; round++) {
        const int p = round % 3 == 2 ? 1 : 0, q = round % 3 == 0 ? 1 : 2;
        if (a[3 * p + q] == 0.0) {
            continue;
        }
        const double angle = 0.5 * atan2(2.0 * a[3 * p + q], a[4 * q] - a[4 * p]), c = cos(angle), s = sin(angle);
        for (int k = 0; k < 3; k++) {  // columns of A and V
            const double x = a[3 * k + p], y = a[3 * k + q], e = v[3 * k + p], f = v[3 * k + q];
            a[3 * k + p] = c * x - s * y, a[3 * k + q] = s * x + c * y;
            v[3 * k + p] = c * e - s * f, v[3 * k + q] = s * e + c * f;
        }
        for (int k = 0; k < 3; k++) {  // rows of A
            const double x = a[3 * p + k], y = a[3 * q + k];
            a[3 * p + k] = c * x - s * y, a[3 * q + k] = s * x + c * y;
        }
        a[3 * p + q] = a[3 * q + p] = 0.0;
    }
    if (v[0] * (v[4] * v[8] - v[5] * v[7]) - v[1] * (v[3] * v[8] - v[5] * v[6]) + v[2] * (v[3] * v[7] - v[4] * v[6]) < 0.0) {
        v[0] = -v[0], v[3] = -v[3], v[6] = -v[6];
    }
}

static const xmlNode* child_of(const xmlNode* node, const char* name)
{
    const xmlNode* child = node != NULL ? node->children : NULL;
    while (child != NULL && (child->type != XML_ELEMENT_NODE || strcmp((const char*)child->name, name) != 0)) {
        child = child->next;
    }
    return child;
}

static double number(const xmlNode* node, const char* attribute)
{
    xmlChar* text = node != NULL ? xmlGetProp(node, (const xmlChar*)attribute) : NULL;
    const double value = text != NULL ? atof((const char*)text) : 0.0;
    xmlFree(text);
    return value;
}

static void give_inertia(mjModel* model, const xmlNode* link)
{
    xmlChar* name = xmlGetProp(link, (const xmlChar*)"name");
    const int body = name != NULL ? mj_name2id(model, mjOBJ_BODY, (const char*)name) : -1;
    const xmlNode *inertial = child_of(link, "inertial"), *inertia = child_of(inertial, "inertia"), *origin = child_of(inertial, "origin");
    xmlFree(name);
    if (body <= 0) {
        return;
    }
    if (inertia == NULL) {  // what the bounds of the settings gave it
        model->body_mass[body] = 0.0;
        mju_zero3(model->body_inertia + 3 * body);
        return;
    }
    const double xx = number(inertia, "ixx"), yy = number(inertia, "iyy"), zz = number(inertia, "izz");
    const double xy = number(inertia, "ixy"), xz = number(inertia, "ixz"), yz = number(inertia, "iyz");
    double a[9] = {xx, xy, xz, xy, yy, yz, xz, yz, zz}, axes[9], rpy[3] = {0.0, 0.0, 0.0}, turn[4] = {1.0, 0.0, 0.0, 0.0}, own[4];
    xmlChar* text = origin != NULL ? xmlGetProp(origin, (const xmlChar*)"rpy") : NULL;
    if (text != NULL && sscanf((const char*)text, "%lf %lf %lf", &rpy[0], &rpy[1], &rpy[2]) != 3) {
        rpy[0] = rpy[1] = rpy[2] = 0.0;
    }
    xmlFree(text);
    for (int k = 2; k >= 0; k--) {  // R = Rz Ry Rx
        double part[4] = {cos(0.5 * rpy[k]), 0.0, 0.0, 0.0}, before[4];
        part[1 + k] = sin(0.5 * rpy[k]);
        memcpy(before, turn, sizeof before);
        mju_mulQuat(turn, before, part);
    }
    diagonalise(a, axes);
    mju_mat2Quat(own, axes);
    mju_mulQuat(model->body_iquat + 4 * body, turn, own);
    mju_normalize4(model->body_iquat + 4 * body);
    const double mass = number(child_of(inertial, "mass"), "value");
    for (int k = 0; k < 3; k++) {
        model->body_inertia[3 * body + k] = mass > 0.0 ? fmax(a[4 * k], 0.0) : 0.0;  // neither side counts inertia without mass, nor negative moments
    }
    model->body_mass[body] = mass;
}

static void give_inertias(mjModel* model, const char* text)
{
    xmlDoc* document = xmlReadMemory(text, (int)strlen(text), "robot", NULL, XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    const xmlNode* robot = document != NULL ? xmlDocGetRootElement(document) : NULL;
    for (const xmlNode* link = robot != NULL ? robot->children : NULL; link != NULL; link = link->next) {
        if (link->type == XML_ELEMENT_NODE && strcmp((const char*)link->name, "link") == 0) {
            give_inertia(model, link);
        }
    }
    xmlFreeDoc(document);
}

/* ---- both sides ---- */

/* The text with settings for MuJoCo at its end: every link a body of its own, impossible inertias let pass, and none. */
static char* add_settings(const char* text)
{
    static const char settings[] =
        "<mujoco><compiler fusestatic=\"false\" balanceinertia=\"true\" boundmass=\"1e-6\" "
        "boundinertia=\"1e-9\" strippath=\"false\"/></mujoco></robot>";
    const size_t size = strlen(text) + sizeof settings;
    char* more = calloc(size + 1, 1);
    if (more != NULL) {
        strcpy(more, text);
        char* end = strstr(more, "</robot>");
        if (end != NULL) {
            strcpy(end, settings);
        }
    }
    return more;
}

static mjModel* load_theirs(const char* text, char problem[500])
{
    char path[] = "/tmp/filum_robot_XXXXXX";
    const int file = mkstemp(path);
    char* more = add_settings(text);
    const bool written = file >= 0 && more != NULL && write(file, more, strlen(more)) == (ssize_t)strlen(more);
    close(file);
    free(more);
    mjModel* model = written ? mj_loadXML(path, NULL, problem, 500) : NULL;  // it knows a URDF by its root element
    unlink(path);
    if (model != NULL) {
        give_inertias(model, text);
    }
    return model;
}

typedef struct Pair {
    mjModel* model;
    mjData* data;
    FilWorld* world;
    FilId robot;
    int joints;
    int q_at[JOINTS], v_at[JOINTS]; /* where the other side keeps each joint */
} Pair;

/* Whether the joints here are there, too; NULL, or what differs. (Those that move no mass at all are fixed here, and stay at zero there.) */
static const char* match(Pair* pair)
{
    static char text[300];
    pair->joints = fil_robot_joint_count(pair->world, pair->robot);
    if (pair->model->nv > JOINTS || pair->joints > pair->model->nv) {
        snprintf(text, sizeof text, "%d joints here, %d there", pair->joints, pair->model->nv);
        return text;
    }
    for (int j = 0; j < pair->joints; j++) {
        const char* name = fil_robot_joint_name(pair->world, pair->robot, j);
        const int joint = mj_name2id(pair->model, mjOBJ_JOINT, name);
        if (joint < 0) {
            snprintf(text, sizeof text, "joint '%s' is not there", name);
            return text;
        }
        pair->q_at[j] = pair->model->jnt_qposadr[joint];
        pair->v_at[j] = pair->model->jnt_dofadr[joint];
    }
    return NULL;
}

/* A number that is none stays. */
static void raise_to(double* largest, double value)
{
    if (!(value <= *largest)) {
        *largest = value;
    }
}

/* The largest difference of mass matrix and of bias, each relative to its largest number. */
static bool compare(Pair* pair, double* mass, double* bias)
{
    static double full[JOINTS * JOINTS];
    double q[JOINTS], v[JOINTS], unit[JOINTS] = {0.0}, column[JOINTS];
    for (int j = 0; j < pair->joints; j++) {
        q[j] = uniform(1.5);
        v[j] = uniform(2.0);
        pair->data->qpos[pair->q_at[j]] = q[j];
        pair->data->qvel[pair->v_at[j]] = v[j];
    }
    mj_forward(pair->model, pair->data);
    mj_fullM(pair->model, full, pair->data->qM);
    double size = 0.0, off = 0.0, force = 0.0, force_off = 0.0;
    for (int c = 0; c < pair->joints; c++) {
        unit[c] = 1.0;
        if (fil_robot_inverse_dynamics(pair->world, pair->robot, q, NULL, unit, false, column) != FIL_OK) {
            return false;
        }
        unit[c] = 0.0;
        for (int r = 0; r < pair->joints; r++) {
            const double theirs = full[pair->v_at[r] * pair->model->nv + pair->v_at[c]];
            raise_to(&size, fabs(theirs));
            raise_to(&off, fabs(theirs - column[r]));
        }
    }
    if (fil_robot_inverse_dynamics(pair->world, pair->robot, q, v, NULL, true, column) != FIL_OK) {
        return false;
    }
    for (int r = 0; r < pair->joints; r++) {
        const double theirs = pair->data->qfrc_bias[pair->v_at[r]];
        raise_to(&force, fabs(theirs));
        raise_to(&force_off, fabs(theirs - column[r]));
    }
    *mass = fmax(*mass, off / fmax(size, 1e-300));
    *bias = fmax(*bias, force_off / fmax(fmax(force, size), 1e-300));  // without gravity and speed there is none
    return true;
}

/* ---- a second ---- */

/* Lets it fall from where the file puts it. NULL, or what went wrong: a step that failed, numbers that are none, energy from nowhere, a joint far
 * beyond its limits. */
static const char* fall(const char* path)
{
    static char text[700];
    FilWorldDef def = fil_world_def_default();
    FilRobotDef robot = fil_robot_def_default();
    FilWorld* world;
    FilId id;
    def.dt = 0.001;
    def.contact_model = "sap";
    robot.collision.self = true;
    if (fil_world_create(&def, &world, NULL) != FIL_OK) {
        return "out of memory";
    }
    text[0] = '\0';
    if (fil_world_add_robot_urdf(world, &robot, path, NULL, 0, NULL, 0, &id) != FIL_OK) {
        snprintf(text, sizeof text, "not loaded: %s", fil_world_error(world));
    }
    const FilEnergy start = fil_world_energy(world);
    for (int k = 0; k < 1000 && text[0] == '\0'; k++) {
        if (fil_world_step(world, NULL) != FIL_OK) {
            snprintf(text, sizeof text, "step %d: %s", k, fil_world_error(world));
        }
    }
    const FilEnergy end = fil_world_energy(world);
    const double before = start.kinetic + start.gravity, after = end.kinetic + end.gravity,
                 size = fmax(end.kinetic, fabs(end.gravity - start.gravity));
    if (text[0] == '\0' && !(after <= before + 0.01 * size + 1e-9)) {
        snprintf(text, sizeof text, "energy %g J after %g J", after, before);
    }
    for (int j = 0; j < (text[0] == '\0' ? fil_robot_joint_count(world, id) : 0); j++) {
        double lower, upper;
        const double q = fil_robot_joint_state(world, id, j).position;
        fil_robot_joint_limits(world, id, j, &lower, &upper);
        if (!isfinite(q) || q < lower - 0.05 || q > upper + 0.05) {
            snprintf(text, sizeof text, "joint '%s' is at %g, not within %g and %g", fil_robot_joint_name(world, id, j), q, lower, upper);
        }
    }
    fil_world_destroy(world);
    return text[0] != '\0' ? text : NULL;
}

/* 0: agree; 1: differ; 2: cannot be compared */
static int judge(const char* path)
{
    char problem[500] = "";
    const char* name = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
    char* text = read_text(path);
    if (text == NULL) {
        printf("%-36s cannot be read\n", name);
        return 2;
    }
    blank(text, "<!--", "-->");
    blank(text, "<visual", "</visual>");
    blank(text, "<collision", "</collision>");
    blank(text, "<mimic", "/>");  // couples coordinates here, is left out there
    Pair pair = {.model = load_theirs(text, problem)};
    FilWorldDef def = fil_world_def_default();
    const FilRobotDef robot = fil_robot_def_default();
    int verdict = 2;
    if (fil_world_create(&def, &pair.world, NULL) != FIL_OK) {
        return 2;
    }
    const bool ours = fil_world_add_robot_urdf(pair.world, &robot, path, text, strlen(text), NULL, 0, &pair.robot) == FIL_OK;
    const char* other = ours && pair.model != NULL ? match(&pair) : NULL;
    if (!ours || pair.model == NULL || other != NULL) {
        problem[strcspn(problem, "\n")] = '\0';
        printf("%-36s not compared: %s%s\n", name,
               !ours           ? "not loaded here: "
               : other != NULL ? ""
                               : "not loaded there: ",
               !ours           ? fil_world_error(pair.world)
               : other != NULL ? other
                               : problem);
    } else {
        double mass = 0.0, bias = 0.0;
        pair.data = mj_makeData(pair.model);
        bool good = fil_world_set_gravity(pair.world,
                                          (FilVec3){pair.model->opt.gravity[0], pair.model->opt.gravity[1], pair.model->opt.gravity[2]}) == FIL_OK;
        for (int k = 0; k < STATES && good; k++) {
            good = compare(&pair, &mass, &bias);
        }
        verdict = good && mass <= TOLERANCE && bias <= TOLERANCE ? 0 : 1;
        printf("%-36s %3d joints, mass %.1e, bias %.1e%s\n", name, pair.joints, mass, bias, verdict == 0 ? "" : "   DIFFERS");
        mj_deleteData(pair.data);
    }
    if (pair.model != NULL) {
        mj_deleteModel(pair.model);
    }
    fil_world_destroy(pair.world);
    free(text);
    return verdict;
}

int main(int argc, char** argv)
{
    int counts[3] = {0}, fallen = 0;
    for (int i = 1; i < argc; i++) {
        counts[judge(argv[i])]++;
        const char* fault = fall(argv[i]);
        fallen += fault == NULL;
        printf("    %s\n", fault != NULL ? fault : "1 s under sap");
        fflush(stdout);
    }
    printf("%d agree to %g, %d differ, %d not compared; %d of %d came through a second\n", counts[0], TOLERANCE, counts[1], counts[2], fallen,
           argc - 1);
    return counts[1] > 0 || fallen < argc - 1;
}
