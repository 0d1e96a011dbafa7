/* What the files of the Python module share: its state, its types, and how arrays and failures cross over.
 *
 * A world or batch that is at work without the interpreter's lock is busy, and refuses other threads. Arrays go in and out by the
 * buffer protocol; numpy makes arrays of buffers, so the module is not bound to a version of its C interface. */
#ifndef FILUM_PYTHON_MODULE_H
#define FILUM_PYTHON_MODULE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "filum/filum.h"

/* Python's tables of slots keep functions in void*, which ISO C does not know. */
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpedantic"
#endif

#define FIL_PY_MODULE "filum._filum"

typedef struct FilPyState {
    PyObject *error, *input_error, *scene_error, *not_converged, *interrupted; /* exceptions */
    PyTypeObject *world, *object, *batch, *buffer, *view, *gradient;
    PyTypeObject *step_info, *energy;
    PyObject *asarray, *ascontiguousarray, *empty, *frombuffer; /* of numpy */
    PyObject *float64, *contact_type, *patch_type;              /* dtypes; the last two are made when first used */
} FilPyState;

FilPyState* fil_py_state(PyTypeObject* type); /* of a type of the module, or of one derived from it */

/* ---- failures: they return NULL, for `return fil_py_fail(...)` ---- */

/* An exception by the status; of a scene, with file, line and key if the message has them. */
PyObject* fil_py_fail(FilPyState* state, FilStatus status, const char* message);
bool fil_py_add_errors(PyObject* module, FilPyState* state);

/* ---- arrays ---- */

/* A read-only numpy array of numbers that lie in a world; the world stays as long as the array. Strides in numbers. */
typedef struct FilPyWorld FilPyWorld;
PyObject* fil_py_view_array(FilPyState* state, FilPyWorld* owner, const double* data, int dimensions, const Py_ssize_t* shape,
                            const Py_ssize_t* strides);
/* A new array of numbers, and where they are: `buffer` is to be released. */
PyObject* fil_py_new_array(FilPyState* state, int dimensions, const Py_ssize_t* shape, Py_buffer* buffer);
/* The numbers of anything that numpy takes for an array of this shape; `what` names it in the message. */
bool fil_py_read_array(FilPyState* state, PyObject* given, const char* what, int dimensions, const Py_ssize_t* shape, Py_buffer* buffer);
/* An array of structures; `type` is made of the rows when it is NULL. */
typedef struct FilPyField {
    const char *name, *format;
    size_t offset;
} FilPyField;
PyObject* fil_py_struct_array(FilPyState* state, PyObject** type, const FilPyField* fields, int count, size_t item, PyObject* bytes);
bool fil_py_add_arrays(PyObject* module, FilPyState* state);

/* ---- worlds ---- */

/* What a batch and the objects of its worlds know of each other. */
typedef struct FilPyBatch {
    PyObject_HEAD
    bool busy;           /* it is at work without the lock, or one of its worlds is */
    FilPyWorld** worlds; /* their objects, NULL where there is none. Borrowed: these know their batch */
} FilPyBatch;

struct FilPyWorld {
    PyObject_HEAD
    FilWorld* world;    /* NULL: closed */
    FilPyBatch* batch;  /* whose world it is; NULL: its own */
    int number;         /* in the batch */
    FilSceneInfo info;  /* its name is empty if it came of no scene */
    const double* home; /* where views look */
    int views;          /* arrays that look at its state */
    bool busy;          /* at work without the lock */
    FilStepInfo last;
    PyObject* view; /* of a page; NULL: none. Borrowed: a view knows its world */
};

/* The world, if it is there and nobody is at work on it; else NULL and an exception. */
FilWorld* fil_py_world(FilPyWorld* self);
bool fil_py_add_world(PyObject* module, FilPyState* state);
/* World `number` of a batch, as an object of this type. */
PyObject* fil_py_wrap_world(PyTypeObject* type, PyObject* batch, int number, FilWorld* world);
/* After steps: the state goes where arrays look. */
void fil_py_settle(FilPyWorld* self);
/* Scene options of keywords: set (a mapping), seed, dt, contact. `settings` is to be freed by fil_py_free_settings(). */
typedef struct FilPyOptions {
    FilSceneOptions options;
    PyObject* texts; /* that the settings borrow */
    FilSetting* settings;
} FilPyOptions;
bool fil_py_read_options(FilPyState* state, PyObject* set, PyObject* seed, PyObject* dt, PyObject* contact, FilPyOptions* options);
void fil_py_free_options(FilPyOptions* options);
/* A mapping of paths to values as settings, texts kept in a list. */
bool fil_py_read_settings(PyObject* set, FilSetting* settings, PyObject* texts);
/* Texts of a scene argument: a path or name (found), or a scene as text or as a mapping (JSON). */
typedef struct FilPyScene {
    char path[4096];
    PyObject* text; /* bytes; NULL: the file at path */
} FilPyScene;
bool fil_py_read_scene(FilPyState* state, PyObject* scene, PyObject* text, FilPyScene* out);
PyObject* fil_py_hash_text(uint64_t hash); /* as the command line prints it */
PyObject* fil_py_vector(FilVec3 vector);   /* a tuple */
bool fil_py_read_vector(PyObject* given, const char* what, FilVec3* vector);

/* world_look.c: methods and attributes that only look, in tables that world.c joins */
extern PyMethodDef fil_py_world_look_methods[];
extern PyGetSetDef fil_py_world_getters[];
bool fil_py_add_looks(PyObject* module, FilPyState* state);
PyObject* fil_py_step_info(FilPyState* state, const FilStepInfo* info);

/* ---- objects, batches, pictures ---- */

typedef struct FilPyObject {
    PyObject_HEAD
    FilPyWorld* world;
    FilId id;
    const char* kind; /* the word of its row */
} FilPyObject;

bool fil_py_add_object(PyObject* module, FilPyState* state);
/* Something of a world by the word of its kind and its name; LookupError if there is none. */
PyObject* fil_py_find(FilPyState* state, FilPyWorld* world, const char* kind, const char* name);
PyObject* fil_py_wrap_object(FilPyState* state, FilPyWorld* world, const char* kind, FilId id);
const char* fil_py_kind_of(const FilWorld* world, FilId object); /* word of an object's kind */

bool fil_py_add_batch(PyObject* module, FilPyState* state);

bool fil_py_add_picture(PyObject* module, FilPyState* state);
extern PyMethodDef fil_py_picture_methods[];
bool fil_py_view_show(PyObject* view); /* after steps */

bool fil_py_add_gradient(PyObject* module, FilPyState* state);
extern PyMethodDef fil_py_gradient_methods[];

/* calls.c: of worlds, and of the module */
extern PyMethodDef fil_py_call_methods[], fil_py_call_functions[];

#endif
