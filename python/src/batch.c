/* Batches: many worlds of one scene, stepped together. */
#include <string.h>

#include "module.h"

typedef struct Batch {
    FilPyBatch common;
    FilBatch* batch; /* NULL: closed */
    FilSceneInfo info;
    FilStatus* statuses; /* one per world, of the last rollout */
} Batch;

#define SELF ((Batch*)object)
#define STATE (fil_py_state(Py_TYPE(object)))

/* After steps. */
static void settle(Batch* self)
{
    for (int k = 0; k < fil_batch_count(self->batch); k++) {
        if (self->common.worlds[k] != NULL) {
            fil_py_settle(self->common.worlds[k]);
        }
    }
}

static FilBatch* batch_of(PyObject* object)
{
    if (SELF->batch == NULL) {
        PyErr_SetString(STATE->error, "this batch is closed");
        return NULL;
    }
    if (SELF->common.busy) {
        PyErr_SetString(STATE->error, "this batch is at work in another thread");
        return NULL;
    }
    return SELF->batch;
}

static PyObject* answer(PyObject* object, FilStatus status)
{
    if (status != FIL_OK) {
        return fil_py_fail(STATE, status, fil_batch_error(SELF->batch));
    }
    Py_RETURN_NONE;
}

/* ---- making ---- */

/* What each world has of its own: a dict of paths, each with a value per world. */
static FilSetting* read_vary(FilPyState* state, PyObject* vary, int count, int* size, PyObject* texts)
{
    *size = 0;
    if (!PyDict_Check(vary)) {
        return PyErr_Format(PyExc_TypeError, "vary: a dict of paths and sequences is needed, not %R", vary), NULL;
    }
    const Py_ssize_t keys = PyDict_Size(vary);
    FilSetting* settings = PyMem_Calloc((size_t)keys * (size_t)count + 1, sizeof *settings);
    bool good = settings != NULL;
    for (int w = 0; w < count && good; w++) {
        PyObject *key, *values, *own = PyDict_New();
        Py_ssize_t at = 0;
        good = own != NULL;
        while (good && PyDict_Next(vary, &at, &key, &values)) {
            if (PyUnicode_Check(values) || PySequence_Size(values) != count) {
                PyErr_Clear();
                PyErr_Format(state->input_error, "vary: %R needs a value for each of %d worlds", key, count);
                good = false;
                break;
            }
            PyObject* value = PySequence_GetItem(values, w);
            good = value != NULL && PyDict_SetItem(own, key, value) == 0;
            Py_XDECREF(value);
        }
        good = good && fil_py_read_settings(own, settings + w * keys, texts);
        Py_XDECREF(own);
    }
    if (!good) {
        PyMem_Free(settings);
        return PyErr_Occurred() ? NULL : (FilSetting*)(void*)PyErr_NoMemory();
    }
    *size = (int)keys;
    return settings;
}

static uint64_t* read_seeds(FilPyState* state, PyObject* seeds, int count)
{
    PyObject* list = PySequence_Fast(seeds, "seeds: a sequence of numbers is needed");
    uint64_t* numbers = list != NULL ? PyMem_Calloc((size_t)count, sizeof *numbers) : NULL;
    if (numbers != NULL && PySequence_Fast_GET_SIZE(list) != count) {
        PyErr_Format(state->input_error, "seeds: one for each of %d worlds is needed, not %zd", count, PySequence_Fast_GET_SIZE(list));
    }
    for (int k = 0; numbers != NULL && !PyErr_Occurred() && k < count; k++) {
        numbers[k] = PyLong_AsUnsignedLongLong(PySequence_Fast_GET_ITEM(list, k));
    }
    Py_XDECREF(list);
    if (PyErr_Occurred()) {
        PyMem_Free(numbers);
        return NULL;
    }
    return numbers;
}

static FilStatus load(Batch* self, FilSceneBatchDef* def, FilError* error)
{
    FilStatus status;
    Py_BEGIN_ALLOW_THREADS;
    status = fil_scene_load_batch(def, &self->batch, &self->info, error);
    Py_END_ALLOW_THREADS;
    return status;
}

static PyObject* create(PyTypeObject* type, FilSceneBatchDef* def)
{
    FilPyState* state = fil_py_state(type);
    Batch* self = (Batch*)type->tp_alloc(type, 0);
    FilError error = {""};
    if (self == NULL) {
        return NULL;
    }
    const FilStatus status = load(self, def, &error);
    if (status != FIL_OK) {
        Py_DECREF(self);
        return fil_py_fail(state, status, error.text);
    }
    self->statuses = PyMem_Calloc((size_t)def->count, sizeof *self->statuses);
    self->common.worlds = PyMem_Calloc((size_t)def->count, sizeof *self->common.worlds);
    if (self->statuses == NULL || self->common.worlds == NULL) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    return (PyObject*)self;
}

static PyObject* make_batch(PyTypeObject* type, PyObject* arguments, PyObject* keywords)
{
    static char* names[] = {"scene", "count", "threads", "text", "set", "vary", "seed", "seeds", "dt", "contact", NULL};
    PyObject *scene = NULL, *text = NULL, *set = NULL, *vary = NULL, *seed = NULL, *seeds = NULL, *dt = NULL, *contact = NULL;
    FilPyState* state = fil_py_state(type);
    FilSceneBatchDef def = fil_scene_batch_def_default();
    if (state == NULL || !PyArg_ParseTupleAndKeywords(arguments, keywords, "Oi|$iOOOOOOO:Batch", names, &scene, &def.count, &def.threads, &text, &set,
                                                      &vary, &seed, &seeds, &dt, &contact)) {
        return NULL;
    }
    if (def.count < 1 || def.count > 1000000) {
        return PyErr_Format(state->input_error, "a batch has 1 to 1000000 worlds, not %d", def.count);
    }
    FilPyScene given;
    FilPyOptions options = {.texts = NULL};
    FilSetting* settings = NULL;
    uint64_t* numbers = NULL;
    PyObject* self = NULL;
    if (fil_py_read_scene(state, scene, text, &given) && fil_py_read_options(state, set, seed, dt, contact, &options)) {
        const bool varied = vary != NULL && vary != Py_None, seeded = seeds != NULL && seeds != Py_None;
        settings = varied ? read_vary(state, vary, def.count, &def.setting_count, options.texts) : NULL;
        numbers = seeded && !PyErr_Occurred() ? read_seeds(state, seeds, def.count) : NULL;
        def.path = given.path;
        def.text = given.text != NULL ? PyBytes_AS_STRING(given.text) : NULL;
        def.size = given.text != NULL ? (size_t)PyBytes_GET_SIZE(given.text) : 0;
        def.options = options.options;
        def.settings = settings;
        def.seeds = numbers;
        self = PyErr_Occurred() ? NULL : create(type, &def);
    }
    Py_XDECREF(given.text);
    fil_py_free_options(&options);
    PyMem_Free(settings);
    PyMem_Free(numbers);
    return self;
}

static void destroy(PyObject* object)
{
    PyTypeObject* type = Py_TYPE(object);
    fil_batch_destroy(SELF->batch);
    PyMem_Free(SELF->statuses);
    PyMem_Free(SELF->common.worlds);
    type->tp_free(object);
    Py_DECREF(type);
}

/* Worlds that are given out keep their batch. */
static PyObject* world(PyObject* object, PyObject* index)
{
    FilBatch* batch = batch_of(object);
    const long number = batch != NULL ? PyLong_AsLong(index) : -1;
    if (batch == NULL || PyErr_Occurred()) {
        return NULL;
    }
    if (number < 0 || number >= fil_batch_count(batch)) {
        return PyErr_Format(PyExc_IndexError, "there is no world %ld, only 0 to %d", number, fil_batch_count(batch) - 1);
    }
    if (SELF->common.worlds[number] != NULL) {
        return Py_NewRef((PyObject*)SELF->common.worlds[number]);
    }
    PyObject* type = PyObject_GetAttrString(object, "world_type");  // of a derived class; else the plain one
    if (type == NULL || !PyType_Check(type) || !PyType_IsSubtype((PyTypeObject*)type, STATE->world)) {
        PyErr_Clear();
        Py_XSETREF(type, Py_NewRef((PyObject*)STATE->world));
    }
    PyObject* result = fil_py_wrap_world((PyTypeObject*)type, object, (int)number, fil_batch_world(batch, (int)number));
    SELF->common.worlds[number] = (FilPyWorld*)result;
    Py_DECREF(type);
    return result;
}

/* ---- inputs ---- */

static PyObject* add_drive(PyObject* object, PyObject* arguments)
{
    FilInputDef def = fil_input_def_default();
    def.kind = FIL_INPUT_DRIVE;
    return PyArg_ParseTuple(arguments, "s:add_drive", &def.name) && batch_of(object) != NULL ? answer(object, fil_batch_add_input(SELF->batch, &def))
                                                                                             : NULL;
}

static PyObject* add_joint(PyObject* object, PyObject* arguments)
{
    static const struct {
        const char* name;
        FilJointMode mode;
    } modes[] = {{"position", FIL_JOINT_POSITION}, {"velocity", FIL_JOINT_VELOCITY}, {"effort", FIL_JOINT_EFFORT}};
    FilInputDef def = fil_input_def_default();
    const char* mode = "position";
    def.kind = FIL_INPUT_JOINT;
    if (!PyArg_ParseTuple(arguments, "ss|s:add_joint", &def.name, &def.joint, &mode) || batch_of(object) == NULL) {
        return NULL;
    }
    for (int k = 0; k < 3; k++) {
        if (strcmp(mode, modes[k].name) == 0) {
            def.mode = modes[k].mode;
            return answer(object, fil_batch_add_input(SELF->batch, &def));
        }
    }
    return PyErr_Format(STATE->input_error, "add_joint: position, velocity or effort, not '%s'", mode);
}

static PyObject* add_chamber(PyObject* object, PyObject* arguments)
{
    FilInputDef def = fil_input_def_default();
    def.kind = FIL_INPUT_CHAMBER;
    return PyArg_ParseTuple(arguments, "si:add_chamber", &def.name, &def.chamber) && batch_of(object) != NULL
               ? answer(object, fil_batch_add_input(SELF->batch, &def))
               : NULL;
}

/* ---- running ---- */

/* Flags of anything that numpy takes for an array of numbers; NULL without an exception: all are. */
static bool* read_active(PyObject* object, PyObject* given)
{
    const int count = fil_batch_count(SELF->batch);
    Py_buffer buffer;
    if (given == NULL || given == Py_None || !fil_py_read_array(STATE, given, "active", 1, &(Py_ssize_t){count}, &buffer)) {
        return NULL;
    }
    bool* active = PyMem_Malloc((size_t)count * sizeof *active);
    for (int k = 0; k < count && active != NULL; k++) {
        active[k] = ((const double*)buffer.buf)[k] != 0.0;
    }
    PyBuffer_Release(&buffer);
    if (active == NULL) {
        PyErr_NoMemory();
    }
    return active;
}

static FilStatus run(Batch* self, const FilRolloutDef* def)
{
    FilStatus status;
    self->common.busy = true;
    Py_BEGIN_ALLOW_THREADS;
    status = fil_batch_rollout(self->batch, def);
    Py_END_ALLOW_THREADS;
    self->common.busy = false;
    settle(self);
    return status;
}

enum { OUTPUTS, POSITIONS, VELOCITIES, ARRAYS };

/* The arrays that a rollout writes; the last two only if states are asked for. */
static bool make_arrays(PyObject* object, const FilRolloutDef* def, bool states, PyObject** arrays, Py_buffer* buffers)
{
    FilBatch* batch = SELF->batch;
    int sizes[ARRAYS] = {fil_batch_output_size(batch)};
    (void)fil_world_positions(fil_batch_world(batch, 0), &sizes[POSITIONS]);
    (void)fil_world_velocities(fil_batch_world(batch, 0), &sizes[VELOCITIES]);
    for (int a = 0; a < (states ? ARRAYS : 1); a++) {
        const Py_ssize_t shape[] = {fil_batch_count(batch), (Py_ssize_t)def->periods + 1, sizes[a]};
        arrays[a] = fil_py_new_array(STATE, 3, shape, &buffers[a]);
        if (arrays[a] == NULL) {
            return false;
        }
    }
    return true;
}

/* Runs it, and gives what was asked for: outputs, or outputs, positions and velocities. */
static PyObject* run_into(PyObject* object, FilRolloutDef* def, bool states, bool strict)
{
    PyObject *arrays[ARRAYS] = {NULL, NULL, NULL}, *result = NULL;
    Py_buffer buffers[ARRAYS] = {{.obj = NULL}, {.obj = NULL}, {.obj = NULL}};
    if (make_arrays(object, def, states, arrays, buffers)) {
        def->outputs = buffers[OUTPUTS].buf;
        def->positions = buffers[POSITIONS].buf;
        def->velocities = buffers[VELOCITIES].buf;
        def->statuses = SELF->statuses;
        const FilStatus status = run(SELF, def);
        bool refused = status != FIL_OK;  // as a whole: no world has said anything
        for (int k = 0; k < fil_batch_count(SELF->batch); k++) {
            refused = refused && SELF->statuses[k] == FIL_OK;
        }
        if (status != FIL_OK && (strict || refused)) {
            fil_py_fail(STATE, status, fil_batch_error(SELF->batch));
        } else {
            result = states ? PyTuple_Pack(3, arrays[0], arrays[1], arrays[2]) : Py_NewRef(arrays[0]);
        }
    }
    for (int a = 0; a < ARRAYS; a++) {
        if (buffers[a].obj != NULL) {
            PyBuffer_Release(&buffers[a]);
        }
        Py_XDECREF(arrays[a]);
    }
    return result;
}

static PyObject* rollout(PyObject* object, PyObject* arguments, PyObject* keywords)
{
    static char* names[] = {"periods", "steps", "commands", "active", "states", "strict", NULL};
    FilRolloutDef def = fil_rollout_def_default();
    PyObject *commands = Py_None, *active = Py_None;
    int states = 0, strict = 1;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "i|iOOpp:rollout", names, &def.periods, &def.steps, &commands, &active, &states, &strict) ||
        batch_of(object) == NULL) {
        return NULL;
    }
    if (def.periods < 0 || def.steps < 1) {
        return PyErr_Format(STATE->input_error, "rollout: no fewer than 0 periods of 1 step, not %d of %d", def.periods, def.steps);
    }
    Py_buffer buffer = {.obj = NULL};
    const Py_ssize_t shape[] = {fil_batch_count(SELF->batch), def.periods, fil_batch_input_size(SELF->batch)};
    if (commands != Py_None && !fil_py_read_array(STATE, commands, "commands", 3, shape, &buffer)) {
        return NULL;
    }
    bool* flags = read_active(object, active);
    PyObject* result = NULL;
    if (!PyErr_Occurred()) {
        def.commands = buffer.buf;
        def.active = flags;
        memset(SELF->statuses, 0, sizeof *SELF->statuses * (size_t)shape[0]);
        result = run_into(object, &def, states, strict);
    }
    PyMem_Free(flags);
    if (buffer.obj != NULL) {
        PyBuffer_Release(&buffer);
    }
    return result;
}

/* ---- states ---- */

static PyObject* save(PyObject* object, PyObject* unused)
{
    (void)unused;
    FilBatch* batch = batch_of(object);
    if (batch == NULL) {
        return NULL;
    }
    PyObject* bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)fil_batch_snapshot_size(batch) * fil_batch_count(batch));
    const FilStatus status = bytes != NULL ? fil_batch_save(batch, PyBytes_AS_STRING(bytes)) : FIL_OK;
    if (status != FIL_OK) {
        Py_DECREF(bytes);
        return answer(object, status);
    }
    return bytes;
}

static PyObject* restore(PyObject* object, PyObject* arguments)
{
    PyObject *snapshots, *active = Py_None;
    Py_buffer buffer;
    if (!PyArg_ParseTuple(arguments, "O|O:restore", &snapshots, &active) || batch_of(object) == NULL ||
        PyObject_GetBuffer(snapshots, &buffer, PyBUF_SIMPLE) != 0) {
        return NULL;
    }
    const size_t size = fil_batch_snapshot_size(SELF->batch), all = size * (size_t)fil_batch_count(SELF->batch);
    PyObject* result = NULL;
    bool* flags = read_active(object, active);
    if (PyErr_Occurred()) {
        result = NULL;
    } else if (size > 0 && (size_t)buffer.len != size && (size_t)buffer.len != all) {
        PyErr_Format(STATE->input_error, "restore: %zu bytes of one snapshot or %zu of all are needed, not %zd", size, all, buffer.len);
    } else {
        result = answer(object, fil_batch_restore(SELF->batch, buffer.buf, (size_t)buffer.len == size ? 0 : size, flags));
    }
    PyMem_Free(flags);
    PyBuffer_Release(&buffer);
    return result;
}

static PyObject* reset(PyObject* object, PyObject* arguments)
{
    PyObject* active = Py_None;
    if (!PyArg_ParseTuple(arguments, "|O:reset", &active) || batch_of(object) == NULL) {
        return NULL;
    }
    bool* flags = read_active(object, active);
    PyObject* result = PyErr_Occurred() ? NULL : answer(object, fil_batch_reset(SELF->batch, flags));
    PyMem_Free(flags);
    return result;
}

/* ---- looking ---- */

#define GETTER(name, expression)                                \
    static PyObject* get_##name(PyObject* object, void* unused) \
    {                                                           \
        (void)unused;                                           \
        FilBatch* batch = batch_of(object);                     \
        return batch != NULL ? (expression) : NULL;             \
    }

GETTER(threads, PyLong_FromLong(fil_batch_threads(batch)))
GETTER(input_size, PyLong_FromLong(fil_batch_input_size(batch)))
GETTER(output_size, PyLong_FromLong(fil_batch_output_size(batch)))
GETTER(duration, PyFloat_FromDouble(SELF->info.duration))
GETTER(dt, PyFloat_FromDouble(fil_world_dt(fil_batch_world(batch, 0))))

/* A list of texts, one per world or probe. */
static PyObject* list_texts(PyObject* object, int count, PyObject* (*text)(const Batch* self, int index))
{
    PyObject* list = PyList_New(count);
    for (int k = 0; k < count && list != NULL; k++) {
        PyObject* item = text(SELF, k);
        if (item == NULL) {
            Py_CLEAR(list);
        } else {
            PyList_SET_ITEM(list, k, item);
        }
    }
    return list;
}

static PyObject* hash_text(const Batch* self, int index)
{
    return fil_py_hash_text(fil_world_hash(fil_batch_world(self->batch, index)));
}

static PyObject* status_text(const Batch* self, int index)
{
    return PyUnicode_FromString(self->statuses[index] == FIL_OK ? "ok" : fil_status_name(self->statuses[index]));
}

static PyObject* probe_text(const Batch* self, int index)
{
    return PyUnicode_FromString(fil_world_probe_name(fil_batch_world(self->batch, 0), index));
}

GETTER(hashes, list_texts(object, fil_batch_count(batch), hash_text))
GETTER(statuses, list_texts(object, fil_batch_count(batch), status_text))
GETTER(probe_names, list_texts(object, fil_batch_output_size(batch), probe_text))

static Py_ssize_t length(PyObject* object)
{
    FilBatch* batch = batch_of(object);
    return batch != NULL ? fil_batch_count(batch) : -1;
}

static PyMethodDef methods[] = {
    {"world", world, METH_O, "world(k): World k, to be looked at, commanded and given parameters between rollouts."},
    {"add_drive", add_drive, METH_VARARGS, "add_drive(name): its numbers become the next inputs."},
    {"add_joint", add_joint, METH_VARARGS, "add_joint(robot, joint, mode='position'): position, velocity or effort becomes the next input."},
    {"add_chamber", add_chamber, METH_VARARGS, "add_chamber(arm, chamber): its pressure (Pa) becomes the next input."},
    {"_rollout", (PyCFunction)(void (*)(void))rollout, METH_VARARGS | METH_KEYWORDS, NULL},
    {"save", save, METH_NOARGS, "save(): all states as bytes."},
    {"restore", restore, METH_VARARGS, "restore(snapshots, active=None): the states of save(), or one world's for all."},
    {"reset", reset, METH_VARARGS, "reset(active=None): to the states before the first steps."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef getters[] = {
    {"threads", get_threads, NULL, "that share the work", NULL},
    {"input_size", get_input_size, NULL, "numbers of a command", NULL},
    {"output_size", get_output_size, NULL, "numbers of an output: the probes", NULL},
    {"probe_names", get_probe_names, NULL, "of the outputs, in their order", NULL},
    {"hashes", get_hashes, NULL, "of the states", NULL},
    {"statuses", get_statuses, NULL, "of the worlds, after the last rollout: 'ok', or why it ended", NULL},
    {"duration", get_duration, NULL, "s, as the scene says", NULL},
    {"dt", get_dt, NULL, "s, of world 0", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

bool fil_py_add_batch(PyObject* module, FilPyState* state)
{
    PyType_Slot slots[] = {
        {Py_tp_new, make_batch},
        {Py_tp_dealloc, destroy},
        {Py_tp_methods, methods},
        {Py_tp_getset, getters},
        {Py_sq_length, length},
        {Py_tp_doc, "Many worlds of one scene; see filum.Batch."},
        {0, NULL},
    };
    PyType_Spec spec = {.name = "filum._filum.Batch", .basicsize = sizeof(Batch), .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, .slots = slots};
    state->batch = (PyTypeObject*)PyType_FromModuleAndSpec(module, &spec, NULL);
    return state->batch != NULL && PyModule_AddType(module, state->batch) == 0;
}
