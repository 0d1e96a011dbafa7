/* The module filum._filum: what it is made of. */
#include "module.h"

/* ---- functions ---- */

static PyObject* contact_models(PyObject* module, PyObject* unused)
{
    (void)module, (void)unused;
    PyObject* names = PyTuple_New(fil_contact_model_count());
    for (int k = 0; k < fil_contact_model_count() && names != NULL; k++) {
        PyObject* name = PyUnicode_FromString(fil_contact_model_name(k));
        if (name == NULL) {
            Py_CLEAR(names);
        } else {
            PyTuple_SET_ITEM(names, k, name);
        }
    }
    return names;
}

static void add_scene(void* context, const char* name, const char* path)
{
    PyObject* scenes = context;
    PyObject* text = PyErr_Occurred() ? NULL : PyUnicode_DecodeFSDefault(path);
    if (text != NULL && PyDict_GetItemString(scenes, name) == NULL) {
        PyDict_SetItemString(scenes, name, text);
    }
    Py_XDECREF(text);
}

static PyObject* scenes(PyObject* module, PyObject* unused)
{
    (void)module, (void)unused;
    PyObject* found = PyDict_New();
    if (found != NULL) {
        fil_scene_each(add_scene, found);
    }
    if (PyErr_Occurred()) {
        Py_CLEAR(found);
    }
    return found;
}

static PyObject* quantities(PyObject* module, PyObject* unused)
{
    (void)module, (void)unused;
    PyObject* rows = PyDict_New();
    for (int k = 0; k < fil_quantity_count() && rows != NULL; k++) {
        const FilQuantityInfo info = fil_quantity_info(k);
        PyObject* row = Py_BuildValue("{szszszsi}", "of", info.subject, "part", info.part, "unit", info.unit, "components", info.components);
        if (row == NULL || PyDict_SetItemString(rows, info.name, row) != 0) {
            Py_CLEAR(rows);
        }
        Py_XDECREF(row);
    }
    return rows;
}

static PyMethodDef methods[] = {
    {"contact_models", contact_models, METH_NOARGS, "contact_models(): their names."},
    {"scenes", scenes, METH_NOARGS, "scenes(): names of scenes and where they are."},
    {"quantities", quantities, METH_NOARGS, "quantities(): what probes and measure() know."},
    {NULL, NULL, 0, NULL},
};

/* ---- the module ---- */

static int fill(PyObject* module)
{
    FilPyState* state = PyModule_GetState(module);
    const bool good = fil_py_add_errors(module, state) && fil_py_add_arrays(module, state) && fil_py_add_looks(module, state) &&
                      fil_py_add_world(module, state) && fil_py_add_object(module, state) && fil_py_add_batch(module, state) &&
                      fil_py_add_picture(module, state) && fil_py_add_gradient(module, state) &&
                      PyModule_AddFunctions(module, fil_py_call_functions) == 0 &&
                      PyModule_AddStringConstant(module, "__version__", FIL_VERSION) == 0;
    return good ? 0 : -1;
}

/* All that the state holds. */
static int traverse(PyObject* module, visitproc visit, void* arg)
{
    FilPyState* state = PyModule_GetState(module);
    PyObject** const held = (PyObject**)(void*)state;
    for (size_t k = 0; state != NULL && k < sizeof *state / sizeof(PyObject*); k++) {
        Py_VISIT(held[k]);
    }
    return 0;
}

static int clear(PyObject* module)
{
    FilPyState* state = PyModule_GetState(module);
    PyObject** const held = (PyObject**)(void*)state;
    for (size_t k = 0; state != NULL && k < sizeof *state / sizeof(PyObject*); k++) {
        Py_CLEAR(held[k]);
    }
    return 0;
}

static void free_module(void* module)
{
    clear(module);
}

_Static_assert(sizeof(FilPyState) % sizeof(PyObject*) == 0, "the state is pointers to objects");

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, fill},
    {0, NULL},
};

static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = FIL_PY_MODULE,
    .m_doc = "Filum in C; import filum instead.",
    .m_size = sizeof(FilPyState),
    .m_methods = methods,
    .m_slots = slots,
    .m_traverse = traverse,
    .m_clear = clear,
    .m_free = free_module,
};

PyMODINIT_FUNC PyInit__filum(void);

PyMODINIT_FUNC PyInit__filum(void)
{
    return PyModuleDef_Init(&definition);
}
