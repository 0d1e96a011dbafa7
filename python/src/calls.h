/* The public calls of the library by name, for filum.calls: the tables are made of the headers by declare.py. */
#ifndef FILUM_PYTHON_CALLS_H
#define FILUM_PYTHON_CALLS_H

#include <stddef.h>

typedef void FilPyFunction(void);

typedef struct FilPyCall {
    const char* name;
    FilPyFunction* function;
} FilPyCall;

typedef struct FilPySize {
    const char* name; /* of a struct */
    size_t size;
} FilPySize;

/* Both end with a row of zeros. */
extern const FilPyCall fil_py_calls[];
extern const FilPySize fil_py_sizes[];

#endif
