/* Objects of a world, and what commands them: rods, bodies, arms, robots, links, cloth, solids, attachments, drives, joints. */
#include <string.h>

#include "api/kinds.h"
#include "api/state.h"
#include "module.h"

#define SELF ((FilPyObject*)object)
#define STATE (fil_py_state(Py_TYPE(object)))

static FilWorld* world_of(PyObject* object)
{
    return fil_py_world(SELF->world);
}

/* None, or an exception of the world's last call. */
static PyObject* answer(PyObject* object, FilStatus status)
{
    if (status != FIL_OK) {
        return fil_py_fail(STATE, status, fil_world_error(SELF->world->world));
    }
    Py_RETURN_NONE;
}

static PyObject* refuse(PyObject* object, const char* what)
{
    return PyErr_Format(STATE->input_error, "%s: a %s cannot do that", what, SELF->kind);
}

/* ---- finding ---- */

const char* fil_py_kind_of(const FilWorld* world, FilId object)
{
    for (int r = 0; r < fil_kind_row_count; r++) {
        const FilKindRow* row = fil_kind_rows[r];
        if (row != &fil_object_row && row->name != NULL && row->name(world, object) != NULL) {
            return row->word;
        }
    }
    return fil_object_row.word;
}

PyObject* fil_py_wrap_object(FilPyState* state, FilPyWorld* world, const char* kind, FilId id)
{
    FilPyObject* self = (FilPyObject*)state->object->tp_alloc(state->object, 0);
    if (self != NULL) {
        self->world = (FilPyWorld*)Py_NewRef((PyObject*)world);
        self->id = id;
        self->kind = kind;
    }
    return (PyObject*)self;
}

PyObject* fil_py_find(FilPyState* state, FilPyWorld* world, const char* kind, const char* name)
{
    for (int r = 0; r < fil_kind_row_count; r++) {
        const FilKindRow* row = fil_kind_rows[r];
        if (row->find != NULL && strcmp(row->word, kind) == 0) {
            const FilId id = row->find(world->world, name);
            if (id.index == 0) {
                return PyErr_Format(PyExc_LookupError, "there is no %s '%s' in this world", kind, name);
            }
            return fil_py_wrap_object(state, world, row->word, id);
        }
    }
    return PyErr_Format(PyExc_LookupError,
                        "there is no kind '%s': it is one of rod, body, arm, robot, link, shell, solid, ring, attachment, "
                        "drive, joint",
                        kind);
}

static void destroy_object(PyObject* object)
{
    PyTypeObject* type = Py_TYPE(object);
    Py_XDECREF(SELF->world);
    type->tp_free(object);
    Py_DECREF(type);
}

static const char* name_of(PyObject* object)
{
    for (int r = 0; r < fil_kind_row_count; r++) {
        if (fil_kind_rows[r]->word == SELF->kind && fil_kind_rows[r]->name != NULL) {
            return fil_kind_rows[r]->name(SELF->world->world, SELF->id);
        }
    }
    return NULL;
}

static PyObject* represent(PyObject* object)
{
    const char* name = SELF->world->world != NULL ? name_of(object) : NULL;
    return PyUnicode_FromFormat("<filum.Object %s '%s'>", SELF->kind, name != NULL ? name : "of a closed world");
}

static PyObject* get_name(PyObject* object, void* unused)
{
    (void)unused;
    const char* name = world_of(object) != NULL ? name_of(object) : NULL;
    return PyErr_Occurred() ? NULL : PyUnicode_FromString(name != NULL ? name : "");
}

static PyObject* get_kind(PyObject* object, void* unused)
{
    (void)unused;
    return PyUnicode_FromString(SELF->kind);
}

static PyObject* get_world(PyObject* object, void* unused)
{
    (void)unused;
    return Py_NewRef((PyObject*)SELF->world);
}

static PyObject* get_index(PyObject* object, void* unused)
{
    (void)unused;
    return PyLong_FromUnsignedLong(SELF->id.index);
}

static PyObject* get_id(PyObject* object, void* unused)
{
    (void)unused;
    return Py_BuildValue("(II)", (unsigned)SELF->id.index, (unsigned)SELF->id.generation);
}

static PyObject* get_mass(PyObject* object, void* unused)
{
    (void)unused;
    FilWorld* world = world_of(object);
    return world != NULL ? PyFloat_FromDouble(fil_object_mass(world, SELF->id)) : NULL;
}

/* ---- looking ---- */

static PyObject* view_points(PyObject* object, bool rates)
{
    FilWorld* world = world_of(object);
    if (world == NULL) {
        return NULL;
    }
    int at[2] = {0, 0};
    const int count = fil_object_points(world, SELF->id, &at[0], &at[1]);
    if (count == 0) {
        return refuse(object, rates ? "velocities" : "positions");
    }
    if (SELF->world->views == 0) {
        SELF->world->home = fil_world_positions(world, NULL);
    }
    const double* data = rates ? fil_world_velocities(world, NULL) + at[1] : fil_world_positions(world, NULL) + at[0];
    return fil_py_view_array(STATE, SELF->world, data, 2, (const Py_ssize_t[]){count, 3}, (const Py_ssize_t[]){FIL_POINT_STRIDE, 1});
}

static PyObject* get_positions(PyObject* object, void* unused)
{
    (void)unused;
    return view_points(object, false);
}

static PyObject* get_velocities(PyObject* object, void* unused)
{
    (void)unused;
    return view_points(object, true);
}

static PyObject* measure(PyObject* object, PyObject* arguments)
{
    const char* quantity;
    int index = 0;
    if (!PyArg_ParseTuple(arguments, "s|i:measure", &quantity, &index)) {
        return NULL;
    }
    return PyObject_CallMethod((PyObject*)SELF->world, "measure", "sOi", quantity, object, index);
}

static PyObject* count(PyObject* object, PyObject* part)
{
    FilWorld* world = world_of(object);
    const char* word = world != NULL ? PyUnicode_AsUTF8(part) : NULL;
    return word != NULL ? PyLong_FromLong(fil_part_count(world, SELF->id, word)) : NULL;
}

/* ---- what can be set of a kind: a row each ---- */

typedef struct Deeds {
    const char* kind;
    FilStatus (*set_points)(FilWorld* world, FilId id, const double* points, const double* rates);
    FilStatus (*set_pose)(FilWorld* world, FilId id, FilVec3 position, FilQuat orientation, FilVec3 velocity, FilVec3 angular);
    FilStatus (*set_pressure)(FilWorld* world, FilId id, int chamber, double pressure);
    FilStatus (*release_pressure)(FilWorld* world, FilId id, int chamber);
} Deeds;

static FilStatus set_rod_points(FilWorld* world, FilId id, const double* points, const double* rates)
{
    return fil_rod_set_state(world, id, points, rates, NULL, NULL);
}

static const Deeds deeds[] = {
    {"rod", set_rod_points, NULL, NULL, NULL},
    {"shell", fil_shell_set_state, NULL, fil_shell_set_pressure, fil_shell_release_pressure},
    {"solid", fil_solid_set_state, NULL, fil_solid_set_pressure, fil_solid_release_pressure},
    {"body", NULL, fil_rigid_set_state, NULL, NULL},
    {"robot", NULL, fil_robot_set_base, NULL, NULL},
    {"arm", NULL, NULL, fil_arm_set_pressure, fil_arm_release_pressure},
};

static Deeds deeds_of(PyObject* object)
{
    for (size_t k = 0; k < sizeof deeds / sizeof *deeds; k++) {
        if (strcmp(deeds[k].kind, SELF->kind) == 0) {
            return deeds[k];
        }
    }
    return (Deeds){.kind = SELF->kind};
}

static PyObject* set_points(PyObject* object, PyObject* arguments, PyObject* keywords)
{
    static char* names[] = {"positions", "velocities", NULL};
    PyObject* given[2] = {Py_None, Py_None};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|OO:set_points", names, &given[0], &given[1]) || world_of(object) == NULL) {
        return NULL;
    }
    FilWorld* world = SELF->world->world;
    const Deeds can = deeds_of(object);
    if (can.set_points == NULL) {
        return refuse(object, "set_points");
    }
    int unused[2];
    const Py_ssize_t shape[] = {fil_object_points(world, SELF->id, &unused[0], &unused[1]), 3};
    Py_buffer buffers[2] = {{.obj = NULL}, {.obj = NULL}};
    const double* data[2] = {NULL, NULL};
    bool good = true;
    for (int k = 0; k < 2 && good; k++) {
        if (given[k] != Py_None) {
            good = fil_py_read_array(STATE, given[k], names[k], 2, shape, &buffers[k]);
            data[k] = buffers[k].buf;
        }
    }
    PyObject* result = good ? answer(object, can.set_points(world, SELF->id, data[0], data[1])) : NULL;
    for (int k = 0; k < 2; k++) {
        if (buffers[k].obj != NULL) {
            PyBuffer_Release(&buffers[k]);
        }
    }
    return result;
}

static PyObject* set_pose(PyObject* object, PyObject* arguments, PyObject* keywords)
{
    static char* names[] = {"position", "orientation", "velocity", "angular", NULL};
    FilVec3 p, v = {0.0, 0.0, 0.0}, w = {0.0, 0.0, 0.0};
    FilQuat q = {0.0, 0.0, 0.0, 1.0};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "(ddd)|(dddd)(ddd)(ddd):set_pose", names, &p.x, &p.y, &p.z, &q.x, &q.y, &q.z, &q.w, &v.x,
                                     &v.y, &v.z, &w.x, &w.y, &w.z) ||
        world_of(object) == NULL) {
        return NULL;
    }
    const Deeds can = deeds_of(object);
    return can.set_pose != NULL ? answer(object, can.set_pose(SELF->world->world, SELF->id, p, q, v, w)) : refuse(object, "set_pose");
}

static PyObject* set_pressure(PyObject* object, PyObject* arguments)
{
    int chamber;
    double pressure;
    if (!PyArg_ParseTuple(arguments, "id:set_pressure", &chamber, &pressure) || world_of(object) == NULL) {
        return NULL;
    }
    const Deeds can = deeds_of(object);
    return can.set_pressure != NULL ? answer(object, can.set_pressure(SELF->world->world, SELF->id, chamber, pressure))
                                    : refuse(object, "set_pressure");
}

static PyObject* release_pressure(PyObject* object, PyObject* arguments)
{
    int chamber;
    if (!PyArg_ParseTuple(arguments, "i:release_pressure", &chamber) || world_of(object) == NULL) {
        return NULL;
    }
    const Deeds can = deeds_of(object);
    return can.release_pressure != NULL ? answer(object, can.release_pressure(SELF->world->world, SELF->id, chamber))
                                        : refuse(object, "release_pressure");
}

/* ---- drives and attachments ---- */

static PyObject* set(PyObject* object, PyObject* value)
{
    FilWorld* world = world_of(object);
    if (world == NULL) {
        return NULL;
    }
    const int size = fil_quantity_components(world, fil_find_quantity("drive"), SELF->id);
    Py_buffer buffer;
    if (size == 0) {
        return refuse(object, "set");
    }
    if (!fil_py_read_array(STATE, value, "set", 1, &(Py_ssize_t){size}, &buffer)) {
        return NULL;
    }
    PyObject* result = answer(object, fil_drive_set(world, SELF->id, buffer.buf, size));
    PyBuffer_Release(&buffer);
    return result;
}

static PyObject* release(PyObject* object, PyObject* unused)
{
    (void)unused;
    FilWorld* world = world_of(object);
    return world != NULL ? answer(object, fil_drive_release(world, SELF->id)) : NULL;
}

static PyObject* set_active(PyObject* object, PyObject* value)
{
    FilWorld* world = world_of(object);
    const int active = world != NULL ? PyObject_IsTrue(value) : -1;
    return active >= 0 ? answer(object, fil_attachment_set_active(world, SELF->id, active != 0)) : NULL;
}

/* ---- robots ---- */

static PyObject* get_joints(PyObject* object, void* unused)
{
    (void)unused;
    FilWorld* world = world_of(object);
    const int size = world != NULL && strcmp(SELF->kind, "robot") == 0 ? fil_robot_joint_count(world, SELF->id) : 0;
    PyObject* names = world != NULL ? PyTuple_New(size) : NULL;
    for (int k = 0; names != NULL && k < size; k++) {
        PyObject* name = PyUnicode_FromString(fil_robot_joint_name(world, SELF->id, k));
        if (name == NULL) {
            Py_CLEAR(names);
        } else {
            PyTuple_SET_ITEM(names, k, name);
        }
    }
    return names;
}

/* The number of a joint given by its number or name; -1 and an exception. */
static int joint_of(PyObject* object, PyObject* joint)
{
    FilWorld* world = world_of(object);
    if (world == NULL) {
        return -1;
    }
    if (PyLong_Check(joint)) {
        const long number = PyLong_AsLong(joint);
        if (number >= 0 && number < fil_robot_joint_count(world, SELF->id)) {
            return (int)number;
        }
    } else if (PyUnicode_Check(joint)) {
        const int found = fil_robot_find_joint(world, SELF->id, PyUnicode_AsUTF8(joint));
        if (found >= 0) {
            return found;
        }
    }
    PyErr_Format(PyExc_LookupError, "%s has no joint %R", SELF->kind, joint);
    return -1;
}

static PyObject* set_joint(PyObject* object, PyObject* arguments, PyObject* keywords)
{
    static char* names[] = {"joint", "position", "velocity", "effort", NULL};
    PyObject *joint, *given[3] = {Py_None, Py_None, Py_None};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|$OOO:set_joint", names, &joint, &given[0], &given[1], &given[2])) {
        return NULL;
    }
    const int number = joint_of(object, joint);
    double values[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3 && number >= 0; k++) {
        values[k] = given[k] != Py_None ? PyFloat_AsDouble(given[k]) : 0.0;
    }
    if (number < 0 || PyErr_Occurred()) {
        return NULL;
    }
    const FilJointCommand command = {.mode = given[0] != Py_None   ? FIL_JOINT_POSITION
                                             : given[1] != Py_None ? FIL_JOINT_VELOCITY
                                             : given[2] != Py_None ? FIL_JOINT_EFFORT
                                                                   : FIL_JOINT_PASSIVE,
                                     .position = values[0],
                                     .velocity = values[1],
                                     .effort = values[2]};
    return answer(object, fil_robot_set_joint_command(SELF->world->world, SELF->id, number, &command));
}

static PyObject* joint_state(PyObject* object, PyObject* joint)
{
    const int number = joint_of(object, joint);
    if (number < 0) {
        return NULL;
    }
    const FilJointState now = fil_robot_joint_state(SELF->world->world, SELF->id, number);
    return Py_BuildValue("(ddd)", now.position, now.velocity, now.effort);
}

static PyObject* set_joint_state(PyObject* object, PyObject* arguments)
{
    PyObject* joint;
    double position, velocity = 0.0;
    if (!PyArg_ParseTuple(arguments, "Od|d:set_joint_state", &joint, &position, &velocity)) {
        return NULL;
    }
    const int number = joint_of(object, joint);
    return number >= 0 ? answer(object, fil_robot_set_joint_state(SELF->world->world, SELF->id, number, position, velocity)) : NULL;
}

/* ---- the type ---- */

static PyMethodDef methods[] = {
    {"measure", measure, METH_VARARGS, "measure(quantity, index=0): any quantity that probes know, all components."},
    {"count", count, METH_O, "count(part): how many parts of this name it has: 'node', 'edge', 'disk', ..."},
    {"set_points", (PyCFunction)(void (*)(void))set_points, METH_VARARGS | METH_KEYWORDS,
     "set_points(positions=None, velocities=None): moves the points of a rod, cloth or solid; None keeps them."},
    {"set_pose", (PyCFunction)(void (*)(void))set_pose, METH_VARARGS | METH_KEYWORDS,
     "set_pose(position, orientation=(0, 0, 0, 1), velocity=(0, 0, 0), angular=(0, 0, 0)): of a body, or a robot's floating root."},
    {"set_pressure", set_pressure, METH_VARARGS, "set_pressure(chamber, pressure): commands a chamber of an arm, cloth or solid, Pa."},
    {"release_pressure", release_pressure, METH_VARARGS, "release_pressure(chamber): gives it back to the scene's drives."},
    {"set", set, METH_O, "set(value): a drive's value from the next step on, instead of its script."},
    {"release", release, METH_NOARGS, "release(): gives a drive back to its script."},
    {"set_active", set_active, METH_O, "set_active(flag): whether an attachment holds."},
    {"set_joint", (PyCFunction)(void (*)(void))set_joint, METH_VARARGS | METH_KEYWORDS,
     "set_joint(joint, *, position=None, velocity=None, effort=None): commands a robot's joint by the first that is given."},
    {"joint_state", joint_state, METH_O, "joint_state(joint): position, velocity, effort."},
    {"set_joint_state", set_joint_state, METH_VARARGS, "set_joint_state(joint, position, velocity=0)"},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef getters[] = {
    {"name", get_name, NULL, NULL, NULL},
    {"kind", get_kind, NULL, NULL, NULL},
    {"world", get_world, NULL, NULL, NULL},
    {"index", get_index, NULL, "as contacts have it", NULL},
    {"id", get_id, NULL, "as filum.calls has it: index and the world's generation", NULL},
    {"mass", get_mass, NULL, "kg that a push anywhere moves; 0 where that depends on where", NULL},
    {"positions", get_positions, NULL, "points of a rod, cloth or solid where they lie: (n, 3), m, read-only, follows every step", NULL},
    {"velocities", get_velocities, NULL, "likewise, m/s", NULL},
    {"joints", get_joints, NULL, "names of a robot's joints", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

bool fil_py_add_object(PyObject* module, FilPyState* state)
{
    PyType_Slot slots[] = {
        {Py_tp_dealloc, destroy_object},
        {Py_tp_repr, represent},
        {Py_tp_methods, methods},
        {Py_tp_getset, getters},
        {Py_tp_doc, "Something of a world, found by World.find()."},
        {0, NULL},
    };
    PyType_Spec spec = {
        .name = "filum.Object", .basicsize = sizeof(FilPyObject), .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, .slots = slots};
    state->object = (PyTypeObject*)PyType_FromModuleAndSpec(module, &spec, NULL);
    return state->object != NULL && PyModule_AddType(module, state->object) == 0;
}
