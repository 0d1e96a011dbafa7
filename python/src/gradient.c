/* Gradients of a world's steps: docs/gradients.md. */
#include "module.h"

typedef struct Gradient {
    PyObject_HEAD
    FilPyWorld* world;
    FilGradient* gradient;
} Gradient;

#define STATE fil_py_state(Py_TYPE(object))

/* The gradient's world, if it is there and nobody is at work on it. */
static FilWorld* world_of(PyObject* object)
{
    return fil_py_world(((Gradient*)object)->world);
}

static PyObject* make_gradient(PyObject* object, PyObject* unused)
{
    FilPyWorld* world = (FilPyWorld*)object;
    FilPyState* state = STATE;
    (void)unused;
    if (fil_py_world(world) == NULL) {
        return NULL;
    }
    FilGradient* gradient;
    const FilStatus status = fil_gradient_create(world->world, &gradient);
    if (status != FIL_OK) {
        return fil_py_fail(state, status, fil_world_error(world->world));
    }
    Gradient* self = (Gradient*)state->gradient->tp_alloc(state->gradient, 0);
    if (self == NULL) {
        fil_gradient_destroy(gradient);
        return NULL;
    }
    self->world = (FilPyWorld*)Py_NewRef(object);
    self->gradient = gradient;
    world->views++;  // it looks into the world, which stays
    return (PyObject*)self;
}

static void destroy(PyObject* object)
{
    Gradient* self = (Gradient*)object;
    PyTypeObject* type = Py_TYPE(object);
    fil_gradient_destroy(self->gradient);
    self->world->views--;
    Py_DECREF(self->world);
    type->tp_free(object);
    Py_DECREF(type);
}

static PyObject* step(PyObject* object, PyObject* unused)
{
    Gradient* self = (Gradient*)object;
    (void)unused;
    if (world_of(object) == NULL) {
        return NULL;
    }
    FilStatus status;
    self->world->busy = true;
    Py_BEGIN_ALLOW_THREADS;
    status = fil_gradient_step(self->gradient, &self->world->last);
    Py_END_ALLOW_THREADS;
    self->world->busy = false;
    fil_py_settle(self->world);
    return status == FIL_OK ? fil_py_step_info(STATE, &self->world->last) : fil_py_fail(STATE, status, fil_world_error(self->world->world));
}

static PyObject* forward(PyObject* object, PyObject* arguments, PyObject* keywords)
{
    static char* names[] = {"start", "force", NULL};
    Gradient* self = (Gradient*)object;
    PyObject *start, *force = Py_None;
    Py_buffer in = {0}, push = {0}, out = {0};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|O:forward", names, &start, &force) || world_of(object) == NULL) {
        return NULL;
    }
    const Py_ssize_t n = fil_gradient_size(self->gradient), numbers = fil_gradient_variation_size(self->gradient);
    PyObject* end = NULL;
    if (fil_py_read_array(STATE, start, "start", 1, &numbers, &in) && (force == Py_None || fil_py_read_array(STATE, force, "force", 1, &n, &push)) &&
        (end = fil_py_new_array(STATE, 1, &numbers, &out)) != NULL) {
        const FilStatus status = fil_gradient_forward(self->gradient, in.buf, push.buf, out.buf);
        if (status != FIL_OK) {
            Py_CLEAR(end);
            fil_py_fail(STATE, status, fil_world_error(self->world->world));
        }
    }
    Py_buffer* const buffers[] = {&in, &push, &out};
    for (int k = 0; k < 3; k++) {
        if (buffers[k]->obj != NULL) {
            PyBuffer_Release(buffers[k]);
        }
    }
    return end;
}

static PyObject* backward(PyObject* object, PyObject* end)
{
    Gradient* self = (Gradient*)object;
    Py_buffer in = {0}, out[2] = {{0}, {0}};
    if (world_of(object) == NULL) {
        return NULL;
    }
    const Py_ssize_t n = fil_gradient_size(self->gradient), numbers = fil_gradient_variation_size(self->gradient);
    PyObject *start = NULL, *force = NULL, *pair = NULL;
    if (fil_py_read_array(STATE, end, "end", 1, &numbers, &in) && (start = fil_py_new_array(STATE, 1, &numbers, &out[0])) != NULL &&
        (force = fil_py_new_array(STATE, 1, &n, &out[1])) != NULL) {
        const FilStatus status = fil_gradient_backward(self->gradient, in.buf, out[0].buf, out[1].buf);
        pair = status == FIL_OK ? PyTuple_Pack(2, start, force) : fil_py_fail(STATE, status, fil_world_error(self->world->world));
    }
    Py_buffer* const buffers[] = {&in, &out[0], &out[1]};
    for (int k = 0; k < 3; k++) {
        if (buffers[k]->obj != NULL) {
            PyBuffer_Release(buffers[k]);
        }
    }
    Py_XDECREF(start);
    Py_XDECREF(force);
    return pair;
}

static PyObject* parameter(PyObject* object, PyObject* arguments)
{
    Gradient* self = (Gradient*)object;
    FilPyState* state = STATE;
    PyObject *more, *less;
    double difference;
    Py_buffer out = {0};
    if (!PyArg_ParseTuple(arguments, "O!O!d:parameter", state->world, &more, state->world, &less, &difference) || world_of(object) == NULL) {
        return NULL;
    }
    FilWorld *first = fil_py_world((FilPyWorld*)more), *second = first != NULL ? fil_py_world((FilPyWorld*)less) : NULL;
    const Py_ssize_t numbers = fil_gradient_variation_size(self->gradient);
    PyObject* end = second != NULL ? fil_py_new_array(state, 1, &numbers, &out) : NULL;
    if (end == NULL) {
        return NULL;
    }
    const FilStatus status = fil_gradient_parameter(self->gradient, first, second, difference, out.buf);
    PyBuffer_Release(&out);
    if (status != FIL_OK) {
        Py_DECREF(end);
        return fil_py_fail(state, status, fil_world_error(self->world->world));
    }
    return end;
}

static PyObject* get_size(PyObject* object, void* unused)
{
    (void)unused;
    return PyLong_FromLong(fil_gradient_size(((Gradient*)object)->gradient));
}

static PyObject* get_variation_size(PyObject* object, void* unused)
{
    (void)unused;
    return PyLong_FromLong(fil_gradient_variation_size(((Gradient*)object)->gradient));
}

static PyObject* get_world(PyObject* object, void* unused)
{
    (void)unused;
    return Py_NewRef((PyObject*)((Gradient*)object)->world);
}

/* Of worlds. */
static PyObject* vary(PyObject* object, PyObject* variation)
{
    FilPyWorld* self = (FilPyWorld*)object;
    FilWorld* world = fil_py_world(self);
    Py_buffer buffer;
    int n = 0;
    if (world == NULL) {
        return NULL;
    }
    (void)fil_world_velocities(world, &n);
    if (!fil_py_read_array(STATE, variation, "variation", 1, &(Py_ssize_t){2 * (Py_ssize_t)n}, &buffer)) {
        return NULL;
    }
    const FilStatus status = fil_world_vary(world, buffer.buf);
    PyBuffer_Release(&buffer);
    fil_py_settle(self);
    if (status != FIL_OK) {
        return fil_py_fail(STATE, status, fil_world_error(world));
    }
    Py_RETURN_NONE;
}

PyMethodDef fil_py_gradient_methods[] = {
    {"gradient", make_gradient, METH_NOARGS, "gradient(): a Gradient of this world: its steps with their derivatives."},
    {"vary", vary, METH_O, "vary(variation): moves the state by a variation, places for a unit of time with its first half as velocities."},
    {NULL, NULL, 0, NULL},
};

static PyMethodDef own_methods[] = {
    {"step", step, METH_NOARGS, "step(): a step of the world that can be differentiated; its StepInfo."},
    {"forward", (PyCFunction)(void (*)(void))forward, METH_VARARGS | METH_KEYWORDS,
     "forward(start, force=None): how the last step's end varies with its start (variations) and with generalised forces over it (n)."},
    {"backward", backward, METH_O,
     "backward(end): the same transposed: derivatives by the end to those by the start (variations) and by the forces (n), as a pair."},
    {"parameter", parameter, METH_VARARGS,
     "parameter(more, less, difference): how the last step's end varies with a parameter that is `difference` apart in two worlds made like "
     "this one."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef getters[] = {
    {"size", get_size, NULL, "n: numbers of a velocity", NULL},
    {"variation_size", get_variation_size, NULL, "numbers of a variation: 2 n, or 3 n where contacts remember those of the last step", NULL},
    {"world", get_world, NULL, "whose steps these are", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

bool fil_py_add_gradient(PyObject* module, FilPyState* state)
{
    PyType_Slot slots[] = {{Py_tp_dealloc, destroy},
                           {Py_tp_methods, own_methods},
                           {Py_tp_getset, getters},
                           {Py_tp_doc, "How steps of a world vary with their start and with forces: World.gradient()."},
                           {0, NULL}};
    PyType_Spec spec = {.name = FIL_PY_MODULE ".Gradient",
                        .basicsize = sizeof(Gradient),
                        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_BASETYPE,
                        .slots = slots};
    state->gradient = (PyTypeObject*)PyType_FromModuleAndSpec(module, &spec, NULL);
    return state->gradient != NULL && PyModule_AddType(module, state->gradient) == 0;
}
