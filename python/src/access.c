/* The state of the module, and worlds that may be used. */
#include <string.h>

#include "api/state.h"
#include "module.h"

FilPyState* fil_py_state(PyTypeObject* type)
{
    // those that are derived in Python belong to no module; an exception may be on its way, and stays
    for (PyTypeObject* t = type; t != NULL; t = t->tp_base) {
        PyObject* module = PyType_HasFeature(t, Py_TPFLAGS_HEAPTYPE) ? ((PyHeapTypeObject*)t)->ht_module : NULL;
        const PyModuleDef* definition = module != NULL ? PyModule_GetDef(module) : NULL;
        if (definition != NULL && strcmp(definition->m_name, FIL_PY_MODULE) == 0) {
            return PyModule_GetState(module);
        }
    }
    PyErr_SetString(PyExc_SystemError, "a type of no module");
    return NULL;
}

FilWorld* fil_py_world(FilPyWorld* self)
{
    FilPyState* state = fil_py_state(Py_TYPE(self));
    if (state == NULL) {
        return NULL;
    }
    if (self->world == NULL) {
        PyErr_SetString(state->error, "this world is closed");
        return NULL;
    }
    if (self->busy || (self->batch != NULL && self->batch->busy)) {
        PyErr_SetString(state->error, "this world is at work in another thread");
        return NULL;
    }
    return self->world;
}

void fil_py_settle(FilPyWorld* self)
{
    if (self->views > 0) {
        (void)fil_world_move_state(self->world, self->home);
    }
}
