/* What can be seen of a world, and its settings. */
#include <stddef.h>
#include <string.h>

#include "module.h"

#define SELF ((FilPyWorld*)object)
#define STATE (fil_py_state(Py_TYPE(object)))

static int fail(PyObject* object, FilStatus status)
{
    if (status != FIL_OK) {
        fil_py_fail(STATE, status, fil_world_error(SELF->world));
    }
    return status == FIL_OK ? 0 : -1;
}

/* ---- what a step says of itself ---- */

typedef struct Field {
    const char* name;
    char type; /* i: int, u: uint64_t, d: double */
    size_t offset;
} Field;

#define FIELD(type, name)                        \
    {                                            \
#name, type, offsetof(FilStepInfo, name) \
    }

static const Field fields[] = {
    FIELD('u', step),
    FIELD('d', time),
    FIELD('d', dt),
    FIELD('i', newton_iterations),
    FIELD('i', halvings),
    FIELD('i', regularised),
    FIELD('d', residual),
    FIELD('d', local_error),
    FIELD('i', contacts),
    FIELD('d', max_penetration),
    FIELD('i', deep_contacts),
    FIELD('d', min_distance),
    FIELD('i', contact_iterations),
    FIELD('i', contact_solves),
    FIELD('i', contact_fallbacks),
    FIELD('i', contact_failures),
    FIELD('i', friction_iterations),
    FIELD('d', friction_change),
    FIELD('i', analyses),
    FIELD('d', contact_residual),
    FIELD('d', nonlinear_residual),
    FIELD('i', patch_polygons),
    FIELD('d', patch_change),
    FIELD('i', crossings),
};
enum { FIELD_COUNT = sizeof fields / sizeof *fields };

PyObject* fil_py_step_info(FilPyState* state, const FilStepInfo* info)
{
    PyObject* tuple = PyStructSequence_New(state->step_info);
    for (int f = 0; f < FIELD_COUNT && tuple != NULL; f++) {
        const char* at = (const char*)info + fields[f].offset;
        PyObject* value = fields[f].type == 'd'   ? PyFloat_FromDouble(*(const double*)(const void*)at)
                          : fields[f].type == 'i' ? PyLong_FromLong(*(const int*)(const void*)at)
                                                  : PyLong_FromUnsignedLongLong(*(const uint64_t*)(const void*)at);
        if (value == NULL) {
            Py_CLEAR(tuple);
            break;
        }
        PyStructSequence_SetItem(tuple, f, value);
    }
    return tuple;
}

bool fil_py_add_looks(PyObject* module, FilPyState* state)
{
    PyStructSequence_Field names[FIELD_COUNT + 1] = {{NULL, NULL}};
    for (int f = 0; f < FIELD_COUNT; f++) {
        names[f].name = fields[f].name;
    }
    PyStructSequence_Desc info = {"filum.StepInfo", "What a step says of itself; see FilStepInfo in filum/world.h.", names, FIELD_COUNT};
    PyStructSequence_Field parts[] = {{"kinetic", "J"}, {"elastic", "J"}, {"gravity", "J"}, {NULL, NULL}};
    PyStructSequence_Desc energy = {"filum.Energy", "J", parts, 3};
    state->step_info = PyStructSequence_NewType(&info);
    state->energy = PyStructSequence_NewType(&energy);
    return state->step_info != NULL && state->energy != NULL && PyModule_AddObjectRef(module, "StepInfo", (PyObject*)state->step_info) == 0 &&
           PyModule_AddObjectRef(module, "Energy", (PyObject*)state->energy) == 0;
}

/* ---- numbers of the world ---- */

#define GETTER(name, expression)                                \
    static PyObject* get_##name(PyObject* object, void* unused) \
    {                                                           \
        (void)unused;                                           \
        FilWorld* world = fil_py_world(SELF);                   \
        return world != NULL ? (expression) : NULL;             \
    }

GETTER(time, PyFloat_FromDouble(fil_world_time(world)))
GETTER(step_count, PyLong_FromUnsignedLongLong(fil_world_step_count(world)))
GETTER(dt, PyFloat_FromDouble(fil_world_dt(world)))
GETTER(gravity, fil_py_vector(fil_world_gravity(world)))
GETTER(friction, PyFloat_FromDouble(fil_world_friction(world)))
GETTER(threads, PyLong_FromLong(fil_world_threads(world)))
GETTER(time_limit, PyFloat_FromDouble(fil_world_time_limit(world)))
GETTER(contact_model, PyUnicode_FromString(fil_world_contact_model(world)))
GETTER(dofs, PyLong_FromLong(fil_world_dofs(world)))
GETTER(hash, fil_py_hash_text(fil_world_hash(world)))
GETTER(momentum, fil_py_vector(fil_world_momentum(world)))
GETTER(angular_momentum, fil_py_vector(fil_world_angular_momentum(world)))
GETTER(name, PyUnicode_FromString(SELF->info.name))
GETTER(title, PyUnicode_FromString(SELF->info.title))
GETTER(duration, PyFloat_FromDouble(SELF->info.duration))
GETTER(output_period, PyFloat_FromDouble(SELF->info.output_period))
GETTER(seed, PyLong_FromUnsignedLongLong(SELF->info.seed))
GETTER(last_step, fil_py_step_info(STATE, &SELF->last))

static PyObject* get_closed(PyObject* object, void* unused)
{
    (void)unused;
    return PyBool_FromLong(SELF->world == NULL);
}

static PyObject* get_energy(PyObject* object, void* unused)
{
    (void)unused;
    FilWorld* world = fil_py_world(SELF);
    PyObject* tuple = world != NULL ? PyStructSequence_New(STATE->energy) : NULL;
    if (tuple != NULL) {
        const FilEnergy energy = fil_world_energy(world);
        const double parts[] = {energy.kinetic, energy.elastic, energy.gravity};
        for (int k = 0; k < 3; k++) {
            PyStructSequence_SetItem(tuple, k, PyFloat_FromDouble(parts[k]));
        }
    }
    return tuple;
}

static const char* const integrators[] = {"backward_euler", "midpoint", "symplectic_euler", "sdirk2"};
enum { INTEGRATOR_COUNT = sizeof integrators / sizeof *integrators };

GETTER(integrator, PyUnicode_FromString(integrators[fil_world_integrator(world)]))

/* ---- settings ---- */

/* Settings of one number. */
static int set_number(PyObject* object, PyObject* value, const char* name, FilStatus (*set)(FilWorld* world, double number))
{
    if (value == NULL) {
        PyErr_Format(PyExc_AttributeError, "%s cannot be deleted", name);
        return -1;
    }
    const double number = PyFloat_AsDouble(value);
    FilWorld* world = PyErr_Occurred() ? NULL : fil_py_world(SELF);
    return world != NULL ? fail(object, set(world, number)) : -1;
}

static int set_dt(PyObject* object, PyObject* value, void* unused)
{
    (void)unused;
    return set_number(object, value, "dt", fil_world_set_dt);
}

static int set_friction(PyObject* object, PyObject* value, void* unused)
{
    (void)unused;
    return set_number(object, value, "friction", fil_world_set_friction);
}

static int set_time_limit(PyObject* object, PyObject* value, void* unused)
{
    (void)unused;
    return set_number(object, value, "time_limit", fil_world_set_time_limit);
}

static int set_gravity(PyObject* object, PyObject* value, void* unused)
{
    (void)unused;
    FilVec3 gravity;
    FilWorld* world = fil_py_world(SELF);
    return world != NULL && value != NULL && fil_py_read_vector(value, "gravity", &gravity) ? fail(object, fil_world_set_gravity(world, gravity))
                                                                                            : -1;
}

static int set_threads(PyObject* object, PyObject* value, void* unused)
{
    (void)unused;
    const long threads = value != NULL ? PyLong_AsLong(value) : -1;
    FilWorld* world = PyErr_Occurred() ? NULL : fil_py_world(SELF);
    return world != NULL ? fail(object, fil_world_set_threads(world, threads < 0 || threads > 100000 ? -1 : (int)threads)) : -1;
}

static int set_contact_model(PyObject* object, PyObject* value, void* unused)
{
    (void)unused;
    const char* name = value != NULL ? PyUnicode_AsUTF8(value) : NULL;
    FilWorld* world = name != NULL ? fil_py_world(SELF) : NULL;
    return world != NULL ? fail(object, fil_world_set_contact_model(world, name)) : -1;
}

static int set_integrator(PyObject* object, PyObject* value, void* unused)
{
    (void)unused;
    const char* name = value != NULL ? PyUnicode_AsUTF8(value) : NULL;
    FilWorld* world = name != NULL ? fil_py_world(SELF) : NULL;
    for (int k = 0; k < INTEGRATOR_COUNT && world != NULL; k++) {
        if (strcmp(name, integrators[k]) == 0) {
            return fail(object, fil_world_set_integrator(world, (FilIntegrator)k));
        }
    }
    if (world != NULL) {
        PyErr_Format(STATE->input_error, "there is no integrator '%s'", name);
    }
    return -1;
}

/* ---- the state, where it lies ---- */

static PyObject* view_all(PyObject* object, const double* (*ask)(const FilWorld* world, int* count))
{
    FilWorld* world = fil_py_world(SELF);
    if (world == NULL) {
        return NULL;
    }
    if (SELF->views == 0) {
        SELF->home = fil_world_positions(world, NULL);
    }
    int count;
    const double* data = ask(world, &count);
    return fil_py_view_array(STATE, SELF, data, 1, &(Py_ssize_t){count}, &(Py_ssize_t){1});
}

static PyObject* get_positions(PyObject* object, void* unused)
{
    (void)unused;
    return view_all(object, fil_world_positions);
}

static PyObject* get_velocities(PyObject* object, void* unused)
{
    (void)unused;
    return view_all(object, fil_world_velocities);
}

/* ---- probes ---- */

static PyObject* get_probes(PyObject* object, void* unused)
{
    (void)unused;
    FilWorld* world = fil_py_world(SELF);
    PyObject* probes = world != NULL ? PyDict_New() : NULL;
    for (int k = 0; probes != NULL && k < fil_world_probe_count(world); k++) {
        PyObject* value = PyFloat_FromDouble(fil_world_probe_value(world, k));
        if (value == NULL || PyDict_SetItemString(probes, fil_world_probe_name(world, k), value) != 0) {
            Py_CLEAR(probes);
        }
        Py_XDECREF(value);
    }
    return probes;
}

/* ---- contacts ---- */

#define CONTACT(name, format)                         \
    {                                                 \
#name, format, offsetof(FilContactInfo, name) \
    }
static const FilPyField contact_fields[] = {
    {"a", "u4", offsetof(FilContactInfo, a) + offsetof(FilId, index)},
    {"b", "u4", offsetof(FilContactInfo, b) + offsetof(FilId, index)},
    CONTACT(part_a, "i4"),
    CONTACT(part_b, "i4"),
    CONTACT(point, "3f8"),
    CONTACT(normal, "3f8"),
    CONTACT(distance, "f8"),
    CONTACT(force, "3f8"),
    CONTACT(slip, "3f8"),
    CONTACT(area, "f8"),
};

#define PATCH(name, format)                         \
    {                                               \
#name, format, offsetof(FilPatchInfo, name) \
    }
static const FilPyField patch_fields[] = {
    {"a", "u4", offsetof(FilPatchInfo, a) + offsetof(FilId, index)},
    {"b", "u4", offsetof(FilPatchInfo, b) + offsetof(FilId, index)},
    PATCH(part_a, "i4"),
    PATCH(part_b, "i4"),
    PATCH(first_contact, "i4"),
    PATCH(contacts, "i4"),
    PATCH(polygons, "i4"),
    PATCH(center, "3f8"),
    PATCH(normal, "3f8"),
    PATCH(force, "3f8"),
    PATCH(torque, "3f8"),
    PATCH(area, "f8"),
    PATCH(mean_pressure, "f8"),
    PATCH(highest_pressure, "f8"),
};

static PyObject* get_contacts(PyObject* object, void* unused)
{
    (void)unused;
    FilWorld* world = fil_py_world(SELF);
    const int count = world != NULL ? fil_world_contact_count(world) : 0;
    PyObject* bytes = world != NULL ? PyBytes_FromStringAndSize(NULL, (Py_ssize_t)sizeof(FilContactInfo) * count) : NULL;
    for (int k = 0; bytes != NULL && k < count; k++) {
        const FilContactInfo contact = fil_world_contact(world, k);
        memcpy(PyBytes_AS_STRING(bytes) + sizeof contact * (size_t)k, &contact, sizeof contact);
    }
    PyObject* array = fil_py_struct_array(STATE, &STATE->contact_type, contact_fields, (int)(sizeof contact_fields / sizeof *contact_fields),
                                          sizeof(FilContactInfo), bytes);
    Py_XDECREF(bytes);
    return array;
}

static PyObject* get_patches(PyObject* object, void* unused)
{
    (void)unused;
    FilWorld* world = fil_py_world(SELF);
    const int count = world != NULL ? fil_world_patch_count(world) : 0;
    PyObject* bytes = world != NULL ? PyBytes_FromStringAndSize(NULL, (Py_ssize_t)sizeof(FilPatchInfo) * count) : NULL;
    for (int k = 0; bytes != NULL && k < count; k++) {
        const FilPatchInfo patch = fil_world_patch(world, k);
        memcpy(PyBytes_AS_STRING(bytes) + sizeof patch * (size_t)k, &patch, sizeof patch);
    }
    PyObject* array =
        fil_py_struct_array(STATE, &STATE->patch_type, patch_fields, (int)(sizeof patch_fields / sizeof *patch_fields), sizeof(FilPatchInfo), bytes);
    Py_XDECREF(bytes);
    return array;
}

/* ---- objects ---- */

static PyObject* get_objects(PyObject* object, void* unused)
{
    (void)unused;
    FilWorld* world = fil_py_world(SELF);
    PyObject* list = world != NULL ? PyList_New(0) : NULL;
    for (int k = 0; list != NULL && k < fil_world_object_count(world); k++) {
        const FilId id = fil_world_object_at(world, k);
        PyObject* item = fil_py_wrap_object(STATE, SELF, fil_py_kind_of(world, id), id);
        if (item == NULL || PyList_Append(list, item) != 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(item);
    }
    return list;
}

static PyObject* find(PyObject* object, PyObject* arguments)
{
    const char *kind, *name;
    if (!PyArg_ParseTuple(arguments, "ss:find", &kind, &name) || fil_py_world(SELF) == NULL) {
        return NULL;
    }
    return fil_py_find(STATE, SELF, kind, name);
}

static PyObject* measure(PyObject* object, PyObject* arguments, PyObject* keywords)
{
    static char* names[] = {"quantity", "of", "index", NULL};
    const char* quantity;
    PyObject* of = Py_None;
    int index = 0, count = 0;
    double numbers[3];
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "s|Oi:measure", names, &quantity, &of, &index) || fil_py_world(SELF) == NULL) {
        return NULL;
    }
    if (of != Py_None && !PyObject_TypeCheck(of, STATE->object)) {
        return PyErr_Format(PyExc_TypeError, "of: an object of this world is needed, not %R", of);
    }
    const FilId id = of != Py_None ? ((FilPyObject*)of)->id : (FilId){0, 0};
    if (fail(object, fil_world_measure(SELF->world, quantity, id, index, numbers, &count)) != 0) {
        return NULL;
    }
    return count == 1   ? PyFloat_FromDouble(numbers[0])
           : count == 2 ? Py_BuildValue("(dd)", numbers[0], numbers[1])
                        : Py_BuildValue("(ddd)", numbers[0], numbers[1], numbers[2]);
}

static PyObject* contact_wrench(PyObject* object, PyObject* of)
{
    FilWorld* world = fil_py_world(SELF);
    if (world == NULL || !PyObject_TypeCheck(of, STATE->object)) {
        return world != NULL ? PyErr_Format(PyExc_TypeError, "an object of this world is needed, not %R", of) : NULL;
    }
    FilVec3 force, torque;
    const FilId id = ((FilPyObject*)of)->id;
    if (fil_object_name(world, id) == NULL) {
        PyErr_SetString(STATE->input_error, "contact_wrench: this is no rod or body of this world");
        return NULL;
    }
    fil_world_contact_wrench(world, id, &force, &torque);
    return Py_BuildValue("NN", fil_py_vector(force), fil_py_vector(torque));
}

PyMethodDef fil_py_world_look_methods[] = {
    {"find", find, METH_VARARGS,
     "find(kind, name): an Object: a 'rod', 'body', 'arm', 'robot', 'link', 'shell', 'solid', 'ring', 'attachment', "
     "'drive' or 'joint' by its name."},
    {"measure", (PyCFunction)(void (*)(void))measure, METH_VARARGS | METH_KEYWORDS,
     "measure(quantity, of=None, index=0): what a probe of that quantity would measure, all components."},
    {"contact_wrench", contact_wrench, METH_O, "contact_wrench(object): force (N), and torque (N m) about the origin, of all contacts on it."},
    {NULL, NULL, 0, NULL},
};

PyGetSetDef fil_py_world_getters[] = {
    {"time", get_time, NULL, "s", NULL},
    {"step_count", get_step_count, NULL, "steps so far", NULL},
    {"dt", get_dt, set_dt, "s, of a step", NULL},
    {"gravity", get_gravity, set_gravity, "m/s^2", NULL},
    {"friction", get_friction, set_friction, "Coulomb coefficient of all contacts; negative: the surfaces' own", NULL},
    {"integrator", get_integrator, set_integrator, "backward_euler, midpoint, symplectic_euler or sdirk2", NULL},
    {"contact_model", get_contact_model, set_contact_model, "none, sap, ...: see filum.contact_models()", NULL},
    {"threads", get_threads, set_threads, "that share a step", NULL},
    {"time_limit", get_time_limit, set_time_limit, "s of wall time that a step may take; 0: any", NULL},
    {"dofs", get_dofs, NULL, "degrees of freedom", NULL},
    {"hash", get_hash, NULL, "of the state, bit for bit, as `filum run --hash` prints it", NULL},
    {"energy", get_energy, NULL, "J: kinetic, elastic, gravity", NULL},
    {"momentum", get_momentum, NULL, "kg m/s", NULL},
    {"angular_momentum", get_angular_momentum, NULL, "kg m^2/s about the origin", NULL},
    {"positions", get_positions, NULL, "the state's positions where they lie: a read-only array that follows every step", NULL},
    {"velocities", get_velocities, NULL, "the state's velocities, likewise", NULL},
    {"probes", get_probes, NULL, "what the scene measures: a dict of names and numbers", NULL},
    {"contacts", get_contacts, NULL, "of the last step: a structured array", NULL},
    {"patches", get_patches, NULL, "pressure patches of the last step: a structured array", NULL},
    {"objects", get_objects, NULL, "all objects, in the order that contacts number them from 1 on", NULL},
    {"last_step", get_last_step, NULL, "StepInfo of the last step() of this object", NULL},
    {"name", get_name, NULL, "of the scene", NULL},
    {"title", get_title, NULL, "of the scene", NULL},
    {"duration", get_duration, NULL, "s, as the scene says", NULL},
    {"output_period", get_output_period, NULL, "s, as the scene says", NULL},
    {"seed", get_seed, NULL, "of the scene's random numbers", NULL},
    {"closed", get_closed, NULL, "whether close() has been called", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
