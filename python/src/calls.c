/* What filum.calls is made on: where the library's functions are, and worlds that a call may work on. */
#include "calls.h"

#include "module.h"

static PyObject* calls(PyObject* module, PyObject* unused)
{
    (void)module, (void)unused;
    PyObject* found = PyDict_New();
    for (const FilPyCall* call = fil_py_calls; call->name != NULL && found != NULL; call++) {
        PyObject* address = PyLong_FromSize_t((size_t)(uintptr_t)call->function);
        if (address == NULL || PyDict_SetItemString(found, call->name, address) != 0) {
            Py_CLEAR(found);
        }
        Py_XDECREF(address);
    }
    return found;
}

static PyObject* sizes(PyObject* module, PyObject* unused)
{
    (void)module, (void)unused;
    PyObject* found = PyDict_New();
    for (const FilPySize* row = fil_py_sizes; row->name != NULL && found != NULL; row++) {
        PyObject* size = PyLong_FromSize_t(row->size);
        if (size == NULL || PyDict_SetItemString(found, row->name, size) != 0) {
            Py_CLEAR(found);
        }
        Py_XDECREF(size);
    }
    return found;
}

static PyObject* fail(PyObject* module, PyObject* arguments)
{
    int status;
    const char* message;
    if (!PyArg_ParseTuple(arguments, "iy", &status, &message)) {
        return NULL;
    }
    return fil_py_fail(PyModule_GetState(module), (FilStatus)status, message);
}

PyMethodDef fil_py_call_functions[] = {
    {"_calls", calls, METH_NOARGS, "Addresses of the public functions by their names."},
    {"_sizes", sizes, METH_NOARGS, "Sizes of the public structs by their names."},
    {"_fail", fail, METH_VARARGS, "Raises what a status and its message stand for."},
    {NULL, NULL, 0, NULL},
};

/* ---- worlds ---- */

static PyObject* claim(PyObject* object, PyObject* adds)
{
    FilPyWorld* self = (FilPyWorld*)object;
    const int grows = PyObject_IsTrue(adds);
    FilWorld* world = grows >= 0 ? fil_py_world(self) : NULL;
    if (world == NULL) {
        return NULL;
    }
    if (grows && (self->views > 0 || self->view != NULL || self->batch != NULL)) {
        PyErr_SetString(PyExc_BufferError, "nothing can be added to a world that arrays, gradients or pages look at, or of a batch");
        return NULL;
    }
    self->busy = true;
    return PyLong_FromVoidPtr(world);
}

static PyObject* yield_world(PyObject* object, PyObject* unused)
{
    FilPyWorld* self = (FilPyWorld*)object;
    (void)unused;
    self->busy = false;
    fil_py_settle(self);
    Py_RETURN_NONE;
}

static PyObject* adopt(PyObject* type, PyObject* address)
{
    FilWorld* world = PyLong_AsVoidPtr(address);
    FilPyWorld* self = world != NULL ? (FilPyWorld*)((PyTypeObject*)type)->tp_alloc((PyTypeObject*)type, 0) : NULL;
    if (self != NULL) {
        self->world = world;
    }
    return (PyObject*)self;
}

PyMethodDef fil_py_call_methods[] = {
    {"_claim", claim, METH_O, "The world's address, for one call, which may add to it; others are refused until _yield()."},
    {"_yield", yield_world, METH_NOARGS, "The call is over."},
    {"_adopt", adopt, METH_O | METH_CLASS, "A world made by a call, by its address."},
    {NULL, NULL, 0, NULL},
};
