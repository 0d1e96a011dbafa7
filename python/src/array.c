/* Arrays across the border: views of a world's numbers, and arrays that come and go. */
#include <string.h>

#include "module.h"

/* World, step, number: no array of ours has more. */
enum { DIMENSIONS = 3 };

/* What stands between a numpy array and the world that it looks into. */
typedef struct Buffer {
    PyObject_HEAD
    FilPyWorld* owner;
    const double* data;
    int dimensions;
    Py_ssize_t shape[DIMENSIONS], strides[DIMENSIONS];
} Buffer;

static int get_buffer(PyObject* object, Py_buffer* view, int flags)
{
    Buffer* self = (Buffer*)object;
    if (flags & PyBUF_WRITABLE) {
        PyErr_SetString(PyExc_BufferError, "the state is read-only: set it by set_state() or restore()");
        view->obj = NULL;
        return -1;
    }
    Py_ssize_t count = 1;
    for (int d = 0; d < self->dimensions; d++) {
        count *= self->shape[d];
    }
    *view = (Py_buffer){.buf = (void*)self->data,
                        .obj = Py_NewRef(object),
                        .len = count * (Py_ssize_t)sizeof(double),
                        .itemsize = sizeof(double),
                        .readonly = 1,
                        .ndim = self->dimensions,
                        .format = "d",
                        .shape = self->shape,
                        .strides = self->strides};
    return 0;
}

static void destroy_buffer(PyObject* object)
{
    Buffer* self = (Buffer*)object;
    PyTypeObject* type = Py_TYPE(object);
    if (self->owner != NULL) {
        self->owner->views--;
        Py_DECREF(self->owner);
    }
    type->tp_free(object);
    Py_DECREF(type);
}

static PyType_Slot buffer_slots[] = {
    {Py_tp_dealloc, destroy_buffer},
    {Py_bf_getbuffer, get_buffer},
    {Py_tp_doc, "Numbers of a world, for numpy."},
    {0, NULL},
};

static PyType_Spec buffer_spec = {
    .name = "filum._Buffer", .basicsize = sizeof(Buffer), .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, .slots = buffer_slots};

bool fil_py_add_arrays(PyObject* module, FilPyState* state)
{
    PyObject* numpy = PyImport_ImportModule("numpy");
    if (numpy == NULL) {
        return false;
    }
    state->asarray = PyObject_GetAttrString(numpy, "asarray");
    state->ascontiguousarray = PyObject_GetAttrString(numpy, "ascontiguousarray");
    state->empty = PyObject_GetAttrString(numpy, "empty");
    state->frombuffer = PyObject_GetAttrString(numpy, "frombuffer");
    state->float64 = PyObject_GetAttrString(numpy, "float64");
    Py_DECREF(numpy);
    state->buffer = (PyTypeObject*)PyType_FromModuleAndSpec(module, &buffer_spec, NULL);
    return state->asarray != NULL && state->ascontiguousarray != NULL && state->empty != NULL && state->frombuffer != NULL &&
           state->float64 != NULL && state->buffer != NULL;
}

PyObject* fil_py_view_array(FilPyState* state, FilPyWorld* owner, const double* data, int dimensions, const Py_ssize_t* shape,
                            const Py_ssize_t* strides)
{
    Buffer* buffer = (Buffer*)state->buffer->tp_alloc(state->buffer, 0);
    if (buffer == NULL) {
        return NULL;
    }
    buffer->owner = (FilPyWorld*)Py_NewRef((PyObject*)owner);
    owner->views++;
    buffer->data = data;
    buffer->dimensions = dimensions;
    for (int d = 0; d < dimensions; d++) {
        buffer->shape[d] = shape[d];
        buffer->strides[d] = strides[d] * (Py_ssize_t)sizeof(double);
    }
    PyObject* array = PyObject_CallOneArg(state->asarray, (PyObject*)buffer);
    Py_DECREF(buffer);
    return array;
}

static PyObject* shape_tuple(int dimensions, const Py_ssize_t* shape)
{
    PyObject* tuple = PyTuple_New(dimensions);
    for (int d = 0; d < dimensions && tuple != NULL; d++) {
        PyObject* size = PyLong_FromSsize_t(shape[d]);
        if (size == NULL) {
            Py_CLEAR(tuple);
        } else {
            PyTuple_SET_ITEM(tuple, d, size);
        }
    }
    return tuple;
}

PyObject* fil_py_new_array(FilPyState* state, int dimensions, const Py_ssize_t* shape, Py_buffer* buffer)
{
    PyObject* size = shape_tuple(dimensions, shape);
    PyObject* array = size != NULL ? PyObject_CallOneArg(state->empty, size) : NULL;
    Py_XDECREF(size);
    if (array != NULL && PyObject_GetBuffer(array, buffer, PyBUF_CONTIG) != 0) {
        Py_CLEAR(array);
    }
    return array;
}

bool fil_py_read_array(FilPyState* state, PyObject* given, const char* what, int dimensions, const Py_ssize_t* shape, Py_buffer* buffer)
{
    PyObject* array = PyObject_CallFunctionObjArgs(state->ascontiguousarray, given, state->float64, NULL);
    if (array == NULL || PyObject_GetBuffer(array, buffer, PyBUF_ND) != 0) {
        Py_XDECREF(array);
        return false;
    }
    bool fits = buffer->ndim == dimensions || (dimensions == 1 && shape[0] == 1 && buffer->len == (Py_ssize_t)sizeof(double));
    for (int d = 0; d < dimensions && fits && buffer->ndim == dimensions; d++) {
        fits = buffer->shape[d] == shape[d];
    }
    if (!fits) {
        PyObject* wanted = shape_tuple(dimensions, shape);
        PyObject* had = shape_tuple(buffer->ndim, buffer->shape);
        if (wanted != NULL && had != NULL) {
            PyErr_Format(state->input_error, "%s: an array of shape %R is needed, not %R", what, wanted, had);
        }
        Py_XDECREF(wanted);
        Py_XDECREF(had);
        PyBuffer_Release(buffer);
    }
    Py_DECREF(array);  // the buffer keeps it
    return fits;
}

static PyObject* make_struct_type(const FilPyField* fields, int count, size_t item)
{
    PyObject *names = PyList_New(0), *formats = PyList_New(0), *offsets = PyList_New(0), *type = NULL;
    bool good = names != NULL && formats != NULL && offsets != NULL;
    for (int f = 0; f < count && good; f++) {
        PyObject *name = PyUnicode_FromString(fields[f].name), *format = PyUnicode_FromString(fields[f].format),
                 *offset = PyLong_FromSize_t(fields[f].offset);
        good = name != NULL && format != NULL && offset != NULL && PyList_Append(names, name) == 0 && PyList_Append(formats, format) == 0 &&
               PyList_Append(offsets, offset) == 0;
        Py_XDECREF(name);
        Py_XDECREF(format);
        Py_XDECREF(offset);
    }
    PyObject* numpy = good ? PyImport_ImportModule("numpy") : NULL;
    if (numpy != NULL) {
        PyObject* rows = Py_BuildValue("{sOsOsOsn}", "names", names, "formats", formats, "offsets", offsets, "itemsize", (Py_ssize_t)item);
        type = rows != NULL ? PyObject_CallMethod(numpy, "dtype", "O", rows) : NULL;
        Py_XDECREF(rows);
    }
    Py_XDECREF(numpy);
    Py_XDECREF(names);
    Py_XDECREF(formats);
    Py_XDECREF(offsets);
    return type;
}

PyObject* fil_py_struct_array(FilPyState* state, PyObject** type, const FilPyField* fields, int count, size_t item, PyObject* bytes)
{
    if (*type == NULL) {
        *type = make_struct_type(fields, count, item);
    }
    // numpy makes no array of an empty buffer
    if (*type == NULL || bytes == NULL) {
        return NULL;
    }
    if (PyBytes_GET_SIZE(bytes) == 0) {
        return PyObject_CallFunction(state->empty, "iO", 0, *type);
    }
    return PyObject_CallFunctionObjArgs(state->frombuffer, bytes, *type, NULL);
}
