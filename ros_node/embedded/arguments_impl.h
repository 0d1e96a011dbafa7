/* What the command line said: remap rules, log levels, parameter values. */
#ifndef FILUM_EMBEDDED_ARGUMENTS_IMPL_H
#define FILUM_EMBEDDED_ARGUMENTS_IMPL_H

#include "rcl/arguments.h"

typedef enum FilRemapKind {
    FIL_REMAP_TOPIC = 1,
    FIL_REMAP_SERVICE = 2,
    FIL_REMAP_NODE_NAME = 4, /* __node:=to */
    FIL_REMAP_NAMESPACE = 8, /* __ns:=to */
} FilRemapKind;

typedef struct FilRemap {
    unsigned kinds; /* of FilRemapKind, or-ed */
    char* node;     /* the rule applies to nodes of this name only; NULL: to all */
    char* from;     /* NULL for node names and namespaces */
    char* to;
} FilRemap;

typedef struct FilLogLevel {
    char* logger; /* NULL: the default of all */
    int level;
} FilLogLevel;

struct rcl_arguments_impl_s {
    FilRemap* remaps;
    size_t remap_count;
    FilLogLevel* levels;
    size_t level_count;
    rcl_params_t* params; /* NULL when there are none */
    int* unparsed;        /* indices into argv */
    int unparsed_count;
    bool rosout_disabled;
    bool stdout_disabled;
};

#endif
