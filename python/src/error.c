/* Failures as exceptions. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "module.h"

static bool add(PyObject* module, PyObject** out, const char* name, const char* doc, PyObject* bases)
{
    char full[64];
    PyOS_snprintf(full, sizeof full, "filum.%s", name);
    *out = PyErr_NewExceptionWithDoc(full, doc, bases, NULL);
    return *out != NULL && PyModule_AddObjectRef(module, name, *out) == 0;
}

static bool add_two(PyObject* module, PyObject** out, const char* name, const char* doc, PyObject* first, PyObject* second)
{
    PyObject* bases = PyTuple_Pack(2, first, second);
    const bool good = bases != NULL && add(module, out, name, doc, bases);
    Py_XDECREF(bases);
    return good;
}

bool fil_py_add_errors(PyObject* module, FilPyState* state)
{
    return add(module, &state->error, "Error", "Anything that Filum refuses or fails at.", NULL) &&
           add_two(module, &state->input_error, "InputError", "A value, name or state that cannot be used.", state->error, PyExc_ValueError) &&
           add(module, &state->scene_error, "SceneError",
               "What is wrong in a scene: file, line and key, each None where it is not known; world, the number in a batch.", state->input_error) &&
           add_two(module, &state->not_converged, "NotConverged", "A step failed; the state is that of the last good step.", state->error,
                   PyExc_ArithmeticError) &&
           add(module, &state->interrupted, "Interrupted", "A step was ended from outside, or by its time limit.", state->error);
}

static bool set_text(PyObject* exception, const char* name, const char* text, size_t size)
{
    PyObject* value = text != NULL ? PyUnicode_DecodeUTF8(text, (Py_ssize_t)size, "replace") : Py_NewRef(Py_None);
    const bool good = value != NULL && PyObject_SetAttrString(exception, name, value) == 0;
    Py_XDECREF(value);
    return good;
}

static bool set_number(PyObject* exception, const char* name, long number)
{
    PyObject* value = number >= 0 ? PyLong_FromLong(number) : Py_NewRef(Py_None);
    const bool good = value != NULL && PyObject_SetAttrString(exception, name, value) == 0;
    Py_XDECREF(value);
    return good;
}

/* "[world 3: ]file:line: [key: ]what is wrong". False if it has no line. */
static bool dissect(const char* message, long* world, const char** file, size_t* file_size, long* line, const char** key, size_t* key_size)
{
    *world = -1;
    if (strncmp(message, "world ", 6) == 0 && isdigit((unsigned char)message[6])) {
        *world = strtol(message + 6, NULL, 10);
        const char* after = strstr(message, ": ");
        message = after != NULL ? after + 2 : message;
    }
    for (const char* at = strchr(message, ':'); at != NULL; at = strchr(at + 1, ':')) {
        char* end = NULL;
        *line = isdigit((unsigned char)at[1]) ? strtol(at + 1, &end, 10) : 0;
        if (end != NULL && *end == ':') {
            *file = message;
            *file_size = (size_t)(at - message);
            *key = end + 1 + strspn(end + 1, " ");
            *key_size = strcspn(*key, ": ");
            if (*key_size == 0 || (*key)[*key_size] != ':') {
                *key = NULL;  // a sentence follows
            }
            return true;
        }
    }
    return false;
}

static void raise_scene_error(FilPyState* state, const char* message)
{
    long world = -1, line = -1;
    const char *file = NULL, *key = NULL;
    size_t file_size = 0, key_size = 0;
    if (!dissect(message, &world, &file, &file_size, &line, &key, &key_size)) {
        line = -1;
    }
    PyObject* exception = PyObject_CallFunction(state->scene_error, "s", message);
    if (exception != NULL && set_text(exception, "file", file, file_size) && set_number(exception, "line", line) &&
        set_text(exception, "key", key, key_size) && set_number(exception, "world", world)) {
        PyErr_SetObject(state->scene_error, exception);
    }
    Py_XDECREF(exception);
}

PyObject* fil_py_fail(FilPyState* state, FilStatus status, const char* message)
{
    char text[sizeof(FilError)];
    long line, world;
    const char *file, *key;
    size_t file_size, key_size;
    PyOS_snprintf(text, sizeof text, "%s", message);  // it may stand in what the exception frees
    switch (status) {
        case FIL_OUT_OF_MEMORY:
            PyErr_SetString(PyExc_MemoryError, text);
            break;
        case FIL_IO:
            PyErr_SetString(PyExc_OSError, text);
            break;
        case FIL_NOT_CONVERGED:
            PyErr_SetString(state->not_converged, text);
            break;
        case FIL_INTERRUPTED:
            PyErr_SetString(state->interrupted, text);
            break;
        default:
            if (dissect(text, &world, &file, &file_size, &line, &key, &key_size)) {
                raise_scene_error(state, text);
            } else {
                PyErr_SetString(state->input_error, text);
            }
    }
    return NULL;
}
