/* Scenes and their options as Python gives them. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "module.h"

/* A value as scenes write it: texts as they are, anything else as JSON, which YAML includes. */
static PyObject* value_text(PyObject* value)
{
    if (PyUnicode_Check(value)) {
        return Py_NewRef(value);
    }
    PyObject* json = PyImport_ImportModule("json");
    PyObject* plain = PyObject_HasAttrString(value, "tolist") ? PyObject_CallMethod(value, "tolist", NULL) : Py_NewRef(value);
    PyObject* text = json != NULL && plain != NULL ? PyObject_CallMethod(json, "dumps", "O", plain) : NULL;
    Py_XDECREF(json);
    Py_XDECREF(plain);
    return text;
}

bool fil_py_read_settings(PyObject* set, FilSetting* settings, PyObject* texts)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    for (int k = 0; PyDict_Next(set, &at, &key, &value); k++) {
        if (!PyUnicode_Check(key)) {
            PyErr_Format(PyExc_TypeError, "a setting's path is a text, not %R", key);
            return false;
        }
        PyObject* text = value_text(value);
        const bool kept = text != NULL && PyList_Append(texts, text) == 0 && PyList_Append(texts, key) == 0;
        Py_XDECREF(text);  // the list has it
        if (!kept || (settings[k].value = PyUnicode_AsUTF8(text)) == NULL || (settings[k].path = PyUnicode_AsUTF8(key)) == NULL) {
            return false;
        }
    }
    return true;
}

bool fil_py_read_options(FilPyState* state, PyObject* set, PyObject* seed, PyObject* dt, PyObject* contact, FilPyOptions* options)
{
    *options = (FilPyOptions){.texts = PyList_New(0)};
    if (options->texts == NULL) {
        return false;
    }
    if (set != NULL && set != Py_None) {
        if (!PyDict_Check(set)) {
            PyErr_Format(PyExc_TypeError, "set: a dict of paths and values is needed, not %R", set);
            goto failed;
        }
        const Py_ssize_t count = PyDict_Size(set);
        options->settings = PyMem_Calloc((size_t)count + 1, sizeof(FilSetting));
        if (options->settings == NULL) {
            PyErr_NoMemory();
            goto failed;
        }
        if (!fil_py_read_settings(set, options->settings, options->texts)) {
            goto failed;
        }
        options->options.settings = options->settings;
        options->options.setting_count = (int)count;
    }
    if (seed != NULL && seed != Py_None) {
        options->options.seed = PyLong_AsUnsignedLongLong(seed);
        options->options.seed_given = true;
        if (PyErr_Occurred()) {
            goto failed;
        }
    }
    if (dt != NULL && dt != Py_None) {
        options->options.dt = PyFloat_AsDouble(dt);
        if (PyErr_Occurred()) {
            goto failed;
        }
        if (!(options->options.dt > 0.0) || !isfinite(options->options.dt)) {
            PyErr_Format(state->input_error, "dt: a positive number of seconds is needed, not %R", dt);
            goto failed;
        }
    }
    if (contact != NULL && contact != Py_None) {
        options->options.contact_model = PyUnicode_AsUTF8(contact);
        if (options->options.contact_model == NULL) {
            goto failed;
        }
    }
    return true;
failed:
    fil_py_free_options(options);
    return false;
}

void fil_py_free_options(FilPyOptions* options)
{
    Py_CLEAR(options->texts);
    PyMem_Free(options->settings);
    options->settings = NULL;
}

/* A scene that is a mapping, or something that can say so: filum.Scene. */
static PyObject* json_of(PyObject* scene)
{
    PyObject* mapping = PyObject_HasAttrString(scene, "as_dict") ? PyObject_CallMethod(scene, "as_dict", NULL) : Py_NewRef(scene);
    PyObject* json = PyImport_ImportModule("json");
    PyObject* text = mapping != NULL && json != NULL ? PyObject_CallMethod(json, "dumps", "O", mapping) : NULL;
    PyObject* bytes = text != NULL ? PyUnicode_AsUTF8String(text) : NULL;
    Py_XDECREF(mapping);
    Py_XDECREF(json);
    Py_XDECREF(text);
    return bytes;
}

bool fil_py_read_scene(FilPyState* state, PyObject* scene, PyObject* text, FilPyScene* out)
{
    *out = (FilPyScene){.path = "scene.yaml"};
    const bool named = scene != NULL && scene != Py_None, given = text != NULL && text != Py_None;
    if (!named && !given) {
        PyErr_SetString(PyExc_TypeError, "a scene is needed: its path or name, a mapping, or text=");
        return false;
    }
    if (named && (PyDict_Check(scene) || PyObject_HasAttrString(scene, "as_dict"))) {
        out->text = json_of(scene);
        return out->text != NULL;
    }
    if (named) {
        PyObject* bytes = NULL;
        if (!PyUnicode_FSConverter(scene, &bytes)) {
            return false;
        }
        FilError error = {""};
        const char* name = PyBytes_AS_STRING(bytes);
        const bool found = given ? PyOS_snprintf(out->path, sizeof out->path, "%s", name) < (int)sizeof out->path
                                 : fil_scene_find(name, out->path, sizeof out->path, &error);
        Py_DECREF(bytes);
        if (!found) {
            fil_py_fail(state, FIL_BAD_INPUT, error.text[0] != '\0' ? error.text : "the scene's path is too long");
            return false;
        }
    }
    if (given) {
        out->text = PyUnicode_AsUTF8String(text);
        return out->text != NULL;
    }
    return true;
}

PyObject* fil_py_hash_text(uint64_t hash)
{
    char text[17];
    PyOS_snprintf(text, sizeof text, "%016" PRIx64, hash);
    return PyUnicode_FromString(text);
}

PyObject* fil_py_vector(FilVec3 vector)
{
    return Py_BuildValue("(ddd)", vector.x, vector.y, vector.z);
}

bool fil_py_read_vector(PyObject* given, const char* what, FilVec3* vector)
{
    PyObject* tuple = PySequence_Tuple(given);
    const bool good = tuple != NULL && PyTuple_GET_SIZE(tuple) == 3 && PyArg_ParseTuple(tuple, "ddd", &vector->x, &vector->y, &vector->z);
    if (!good && !PyErr_Occurred()) {
        PyErr_Format(PyExc_ValueError, "%s: three numbers are needed", what);
    }
    Py_XDECREF(tuple);
    return good;
}
