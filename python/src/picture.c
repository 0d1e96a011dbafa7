/* Pictures of a world, and pages that look at it. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "draw.h"
#include "module.h"
#include "view/session.h"

/* ---- a picture ---- */

static PyObject* read_file(const char* path)
{
    FILE* file = fopen(path, "rb");
    if (file == NULL) {
        return PyErr_SetFromErrnoWithFilename(PyExc_OSError, path);
    }
    PyObject* text = NULL;
    long size = -1;
    if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 && fseek(file, 0, SEEK_SET) == 0) {
        char* bytes = PyMem_Malloc((size_t)size + 1);
        if (bytes == NULL) {
            PyErr_NoMemory();
        } else if (fread(bytes, 1, (size_t)size, file) == (size_t)size) {
            text = PyUnicode_DecodeUTF8(bytes, size, "strict");
        } else {
            PyErr_SetFromErrnoWithFilename(PyExc_OSError, path);
        }
        PyMem_Free(bytes);
    }
    fclose(file);
    return text;
}

/* svg(view=None): the drawing's file, as text. */
static PyObject* svg(PyObject* object, PyObject* arguments)
{
    FilPyWorld* self = (FilPyWorld*)object;
    FilPyState* state = fil_py_state(Py_TYPE(object));
    PyObject* direction = Py_None;
    FilVec3 view = {0.0, 0.0, 0.0};
    if (!PyArg_ParseTuple(arguments, "|O:_svg", &direction) || fil_py_world(self) == NULL ||
        (direction != Py_None && !fil_py_read_vector(direction, "view", &view))) {
        return NULL;
    }
    const char* folder = getenv("TMPDIR");
    char path[4096];
    PyOS_snprintf(path, sizeof path, "%s/filum-XXXXXX", folder != NULL && folder[0] != '\0' ? folder : "/tmp");
    const int file = mkstemp(path);
    if (file < 0) {
        return PyErr_SetFromErrnoWithFilename(PyExc_OSError, path);
    }
    close(file);
    FilDrawing* drawing = NULL;
    FilError error = {"out of memory"};
    const char* title = self->info.title[0] != '\0' ? self->info.title : self->info.name;
    FilStatus status = fil_drawing_create(self->world, view, &drawing);
    status = status == FIL_OK ? fil_drawing_write(drawing, self->world, title, path, &error) : status;
    PyObject* text = status == FIL_OK ? read_file(path) : fil_py_fail(state, status, error.text);
    fil_drawing_destroy(drawing);
    unlink(path);
    return text;
}

/* ---- a page ---- */

typedef struct View {
    PyObject_HEAD
    FilPyWorld* world;
    FilSimulation simulation; /* whose world is borrowed */
    FilViewSession* session;  /* NULL: closed */
    char address[64];
} View;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void end(View* self)
{
    if (self->session != NULL) {
        Py_BEGIN_ALLOW_THREADS;
        fil_view_session_close(self->session);
        Py_END_ALLOW_THREADS;
        self->session = NULL;
        self->simulation.world = NULL;
        fil_simulation_fini(&self->simulation);
    }
    if (self->world != NULL) {
        self->world->view = NULL;
        Py_CLEAR(self->world);
    }
}

bool fil_py_view_show(PyObject* view)
{
    View* self = (View*)view;
    self->simulation.last_step = self->world->last;
    const FilStatus status = fil_view_session_show(self->session, now());
    if (status != FIL_OK) {
        PyErr_NoMemory();
    }
    return status == FIL_OK;
}

static PyObject* open_view(PyObject* object, PyObject* arguments, PyObject* keywords)
{
    static char* names[] = {"port", "address", NULL};
    FilPyWorld* world = (FilPyWorld*)object;
    FilPyState* state = fil_py_state(Py_TYPE(object));
    int port = 0;
    const char* address = "127.0.0.1";
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|is:view", names, &port, &address) || fil_py_world(world) == NULL) {
        return NULL;
    }
    if (world->view != NULL) {
        return Py_NewRef(world->view);
    }
    if (port < 0 || port > 65535 || strlen(address) >= sizeof((View*)NULL)->address) {
        PyErr_SetString(state->input_error, "view: a port from 0 to 65535 and an address are needed");
        return NULL;
    }
    View* self = (View*)state->view->tp_alloc(state->view, 0);
    if (self == NULL) {
        return NULL;
    }
    fil_simulation_init(&self->simulation);
    self->simulation.world = world->world;
    self->simulation.scene = world->info;
    self->simulation.load_count = 1;
    self->simulation.paused = true;  // steps are the program's
    PyOS_snprintf(self->address, sizeof self->address, "%s", address);
    const FilViewSessionDef def = {.simulation = &self->simulation, .address = self->address, .port = port, .read_only = true};
    FilError error = {""};
    FilStatus status;
    Py_BEGIN_ALLOW_THREADS;
    status = fil_view_session_open(&def, &self->session, &error);
    Py_END_ALLOW_THREADS;
    if (status != FIL_OK) {
        self->session = NULL;
        self->simulation.world = NULL;
        fil_simulation_fini(&self->simulation);
        Py_DECREF(self);
        return fil_py_fail(state, status == FIL_BAD_INPUT ? FIL_IO : status, error.text);
    }
    self->world = (FilPyWorld*)Py_NewRef(object);
    world->view = (PyObject*)self;
    if (!fil_py_view_show((PyObject*)self)) {
        Py_CLEAR(self);
    }
    return (PyObject*)self;
}

static void destroy_view(PyObject* object)
{
    PyTypeObject* type = Py_TYPE(object);
    end((View*)object);
    type->tp_free(object);
    Py_DECREF(type);
}

static PyObject* close_view(PyObject* object, PyObject* unused)
{
    (void)unused;
    end((View*)object);
    Py_RETURN_NONE;
}

static PyObject* get_url(PyObject* object, void* unused)
{
    View* self = (View*)object;
    (void)unused;
    if (self->session == NULL) {
        PyErr_SetString(fil_py_state(Py_TYPE(object))->error, "this view is closed");
        return NULL;
    }
    return PyUnicode_FromFormat("http://%s:%d/", self->address, fil_view_session_port(self->session));
}

static PyObject* html(PyObject* object, PyObject* unused)
{
    (void)unused;
    PyObject* url = get_url(object, NULL);
    PyObject* text = url != NULL ? PyUnicode_FromFormat("<iframe src=\"%U\" width=\"100%%\" height=\"480\"></iframe>", url) : NULL;
    Py_XDECREF(url);
    return text;
}

static PyMethodDef view_methods[] = {
    {"close", close_view, METH_NOARGS, "close(): ends the page."},
    {"_repr_html_", html, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef view_getters[] = {
    {"url", get_url, NULL, "of the page", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyMethodDef fil_py_picture_methods[] = {
    {"_svg", svg, METH_VARARGS, NULL},
    {"view", (PyCFunction)(void (*)(void))open_view, METH_VARARGS | METH_KEYWORDS,
     "view(port=0, address='127.0.0.1'): a page that shows the world after each step(), for as long as the View lives."},
    {NULL, NULL, 0, NULL},
};

bool fil_py_add_picture(PyObject* module, FilPyState* state)
{
    PyType_Slot slots[] = {
        {Py_tp_dealloc, destroy_view},
        {Py_tp_methods, view_methods},
        {Py_tp_getset, view_getters},
        {Py_tp_doc, "A page that looks at a world."},
        {0, NULL},
    };
    PyType_Spec spec = {
        .name = "filum.View", .basicsize = sizeof(View), .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, .slots = slots};
    state->view = (PyTypeObject*)PyType_FromModuleAndSpec(module, &spec, NULL);
    return state->view != NULL && PyModule_AddType(module, state->view) == 0;
}
