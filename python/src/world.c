/* Worlds: made of scenes, stepped, saved and restored. */
#include <string.h>
#include <time.h>

#include "module.h"

/* An exception of a world's last call. */
static PyObject* fail(FilPyWorld* self, FilStatus status)
{
    return fil_py_fail(fil_py_state(Py_TYPE(self)), status, fil_world_error(self->world));
}

/* ---- making ---- */

static FilStatus load(FilPyWorld* self, const FilPyScene* scene, const FilPyOptions* options, FilError* error)
{
    FilStatus status;
    FilWorld* world = NULL;
    const char* text = scene->text != NULL ? PyBytes_AS_STRING(scene->text) : NULL;
    const size_t size = scene->text != NULL ? (size_t)PyBytes_GET_SIZE(scene->text) : 0;
    Py_BEGIN_ALLOW_THREADS;
    status = text != NULL ? fil_scene_load_text(scene->path, text, size, &options->options, &world, &self->info, error)
                          : fil_scene_load(scene->path, &options->options, &world, &self->info, error);
    Py_END_ALLOW_THREADS;
    self->world = world;
    return status;
}

static PyObject* make_world(PyTypeObject* type, PyObject* arguments, PyObject* keywords)
{
    static char* names[] = {"scene", "text", "set", "seed", "dt", "contact", NULL};
    PyObject *scene = NULL, *text = NULL, *set = NULL, *seed = NULL, *dt = NULL, *contact = NULL;
    FilPyState* state = fil_py_state(type);
    FilPyScene given = {.text = NULL};
    FilPyOptions options;
    if (state == NULL || !PyArg_ParseTupleAndKeywords(arguments, keywords, "|O$OOOOO:World", names, &scene, &text, &set, &seed, &dt, &contact) ||
        !fil_py_read_scene(state, scene, text, &given)) {
        Py_XDECREF(given.text);
        return NULL;
    }
    FilPyWorld* self = NULL;
    if (fil_py_read_options(state, set, seed, dt, contact, &options)) {
        self = (FilPyWorld*)type->tp_alloc(type, 0);
        FilError error = {""};
        const FilStatus status = self != NULL ? load(self, &given, &options, &error) : FIL_OK;
        if (status != FIL_OK) {
            fil_py_fail(state, status, error.text);
            Py_CLEAR(self);
        }
        fil_py_free_options(&options);
    }
    Py_XDECREF(given.text);
    return (PyObject*)self;
}

PyObject* fil_py_wrap_world(PyTypeObject* type, PyObject* batch, int number, FilWorld* world)
{
    FilPyWorld* self = (FilPyWorld*)type->tp_alloc(type, 0);
    if (self != NULL) {
        self->world = world;
        self->batch = (FilPyBatch*)Py_NewRef(batch);
        self->number = number;
    }
    return (PyObject*)self;
}

static void release(FilPyWorld* self)
{
    if (self->batch == NULL) {
        fil_world_destroy(self->world);
    }
    self->world = NULL;
    if (self->batch != NULL) {
        self->batch->worlds[self->number] = NULL;
        Py_CLEAR(self->batch);
    }
}

static void destroy_world(PyObject* object)
{
    PyTypeObject* type = Py_TYPE(object);
    release((FilPyWorld*)object);
    type->tp_free(object);
    Py_DECREF(type);
}

static PyObject* close_world(PyObject* object, PyObject* unused)
{
    FilPyWorld* self = (FilPyWorld*)object;
    (void)unused;
    if (self->world == NULL) {
        Py_RETURN_NONE;
    }
    if (fil_py_world(self) == NULL) {
        return NULL;
    }
    if (self->views > 0) {
        return PyErr_Format(PyExc_BufferError, "%d arrays or gradients look at this world; it can be closed when they are gone", self->views);
    }
    if (self->view != NULL) {
        PyErr_SetString(PyExc_BufferError, "a page looks at this world; close the view first");
        return NULL;
    }
    release(self);
    Py_RETURN_NONE;
}

static PyObject* enter(PyObject* self, PyObject* unused)
{
    (void)unused;
    return Py_NewRef(self);
}

static PyObject* leave(PyObject* self, PyObject* unused)
{
    (void)unused;
    return close_world(self, NULL);
}

/* ---- stepping ---- */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void set_busy(FilPyWorld* self, bool busy)
{
    self->busy = busy;
    if (self->batch != NULL) {
        self->batch->busy = busy;
    }
}

/* Steps without the lock for a moment: some 50 ms, after which signals are looked for. */
static FilStatus step_for_a_while(FilPyWorld* self, Py_ssize_t* left)
{
    FilStatus status = FIL_OK;
    set_busy(self, true);
    Py_BEGIN_ALLOW_THREADS;
    for (const double end = now() + 0.05; *left > 0 && status == FIL_OK;) {
        status = fil_world_step(self->world, &self->last);
        *left -= 1;
        if (now() > end) {
            break;
        }
    }
    Py_END_ALLOW_THREADS;
    set_busy(self, false);
    fil_py_settle(self);
    return status;
}

static PyObject* step(PyObject* object, PyObject* arguments)
{
    FilPyWorld* self = (FilPyWorld*)object;
    Py_ssize_t count = 1;
    if (!PyArg_ParseTuple(arguments, "|n:step", &count) || fil_py_world(self) == NULL) {
        return NULL;
    }
    FilPyState* state = fil_py_state(Py_TYPE(self));
    if (count < 1) {
        return PyErr_Format(state->input_error, "step: 1 step or more, not %zd", count);
    }
    while (count > 0) {
        const FilStatus status = step_for_a_while(self, &count);
        if (status != FIL_OK) {
            return fail(self, status);
        }
        if (PyErr_CheckSignals() != 0 || (self->view != NULL && !fil_py_view_show(self->view))) {
            return NULL;
        }
    }
    return fil_py_step_info(state, &self->last);
}

/* ---- states ---- */

static PyObject* save(PyObject* object, PyObject* unused)
{
    FilWorld* world = fil_py_world((FilPyWorld*)object);
    (void)unused;
    PyObject* bytes = world != NULL ? PyBytes_FromStringAndSize(NULL, (Py_ssize_t)fil_world_snapshot_size(world)) : NULL;
    if (bytes != NULL) {
        fil_world_save(world, PyBytes_AS_STRING(bytes));
    }
    return bytes;
}

static PyObject* restore(PyObject* object, PyObject* snapshot)
{
    FilPyWorld* self = (FilPyWorld*)object;
    Py_buffer buffer;
    if (fil_py_world(self) == NULL || PyObject_GetBuffer(snapshot, &buffer, PyBUF_SIMPLE) != 0) {
        return NULL;
    }
    const FilStatus status = fil_world_restore(self->world, buffer.buf, (size_t)buffer.len);
    PyBuffer_Release(&buffer);
    if (status != FIL_OK) {
        return fail(self, status);
    }
    Py_RETURN_NONE;
}

static PyObject* reset(PyObject* object, PyObject* unused)
{
    FilPyWorld* self = (FilPyWorld*)object;
    (void)unused;
    if (fil_py_world(self) == NULL) {
        return NULL;
    }
    const FilStatus status = fil_world_reset(self->world);
    if (status != FIL_OK) {
        return fail(self, status);
    }
    Py_RETURN_NONE;
}

static PyObject* add_probe(PyObject* object, PyObject* arguments, PyObject* keywords)
{
    static char* names[] = {"name", "quantity", "of", "index", "component", NULL};
    FilPyWorld* self = (FilPyWorld*)object;
    FilPyState* state = fil_py_state(Py_TYPE(self));
    FilProbeDef def = fil_probe_def_default();
    PyObject* of = Py_None;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "ss|Oii:add_probe", names, &def.name, &def.quantity, &of, &def.index, &def.component) ||
        fil_py_world(self) == NULL) {
        return NULL;
    }
    if (of != Py_None && !PyObject_TypeCheck(of, state->object)) {
        return PyErr_Format(PyExc_TypeError, "of: an object of this world is needed, not %R", of);
    }
    if (self->batch != NULL) {
        PyErr_SetString(state->error, "a batch's worlds take no probes: give them to the scene");
        return NULL;
    }
    def.of = of != Py_None ? ((FilPyObject*)of)->id : (FilId){0, 0};
    const FilStatus status = fil_world_add_probe(self->world, &def, NULL);
    if (status != FIL_OK) {
        return fail(self, status);
    }
    Py_RETURN_NONE;
}

static PyMethodDef own_methods[] = {
    {"step", step, METH_VARARGS, "step(count=1): advances by count time steps and returns the last one's StepInfo. Other threads run meanwhile."},
    {"save", save, METH_NOARGS, "save(): the state as bytes."},
    {"restore", restore, METH_O, "restore(snapshot): the state that save() gave, in this world or one made the same way."},
    {"reset", reset, METH_NOARGS, "reset(): back to the state before the first step."},
    {"close", close_world, METH_NOARGS, "close(): frees the world; arrays that look at its state must be gone."},
    {"add_probe", (PyCFunction)(void (*)(void))add_probe, METH_VARARGS | METH_KEYWORDS,
     "add_probe(name, quantity, of=None, index=0, component=-1): another number to be measured; -1 is the norm."},
    {"__enter__", enter, METH_NOARGS, NULL},
    {"__exit__", leave, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

/* ---- the type ---- */

/* Room for the tables below and the empty row at the end: they have some thirty rows, and what does not fit fails the import. */
enum { METHODS_MAX = 48 };

/* Copies rows behind those that are there, and the empty one; false: no room for them. */
static bool copy_methods(PyMethodDef* to, int* count, const PyMethodDef* from)
{
    for (; from->ml_name != NULL; from++) {
        if (*count + 1 >= METHODS_MAX) {
            PyErr_SetString(PyExc_SystemError, "filum: METHODS_MAX is too small");
            return false;
        }
        to[(*count)++] = *from;
    }
    return true;
}

bool fil_py_add_world(PyObject* module, FilPyState* state)
{
    static PyMethodDef methods[METHODS_MAX];
    int count = 0;
    if (!copy_methods(methods, &count, own_methods) || !copy_methods(methods, &count, fil_py_world_look_methods) ||
        !copy_methods(methods, &count, fil_py_picture_methods) || !copy_methods(methods, &count, fil_py_gradient_methods) ||
        !copy_methods(methods, &count, fil_py_call_methods)) {
        return false;
    }
    PyType_Slot slots[] = {
        {Py_tp_new, make_world},
        {Py_tp_dealloc, destroy_world},
        {Py_tp_methods, methods},
        {Py_tp_getset, fil_py_world_getters},
        {Py_tp_doc,
         "World(scene=None, *, text=None, set=None, seed=None, dt=None, contact=None)\n\nA simulated world, made of a scene: a "
         "path, a name of config/scenes, a mapping, a filum.Scene, or YAML text."},
        {0, NULL},
    };
    PyType_Spec spec = {.name = "filum.World", .basicsize = sizeof(FilPyWorld), .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, .slots = slots};
    state->world = (PyTypeObject*)PyType_FromModuleAndSpec(module, &spec, NULL);
    return state->world != NULL && PyModule_AddType(module, state->world) == 0;
}
