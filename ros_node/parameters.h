/* The node's parameters: declared types, ranges and descriptions, values, and how they are set. No ROS.
 *
 * A parameter is of type bool, integer, double or string for good; a double accepts an integer. The numbers of the
 * types are those of rcl_interfaces/msg/ParameterType.
 */
#ifndef FILUM_NODE_PARAMETERS_H
#define FILUM_NODE_PARAMETERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum FilParameterType {
    FIL_PARAMETER_NONE = 0,
    FIL_PARAMETER_BOOL = 1,
    FIL_PARAMETER_INTEGER = 2,
    FIL_PARAMETER_DOUBLE = 3,
    FIL_PARAMETER_STRING = 4,
} FilParameterType;

/* "qos_overrides./" + a topic of up to 255 characters + a policy; texts and reasons: bounds of ours. */
enum { FIL_PARAMETER_NAME = 320, FIL_PARAMETER_TEXT = 512, FIL_REASON_TEXT = 512 };

typedef struct FilParameterValue {
    FilParameterType type;
    bool boolean;
    int64_t integer;
    double real;
    char text[FIL_PARAMETER_TEXT];
} FilParameterValue;

FilParameterValue fil_parameter_bool(bool value);
FilParameterValue fil_parameter_integer(int64_t value);
FilParameterValue fil_parameter_double(double value);
FilParameterValue fil_parameter_string(const char* value);

typedef struct FilParameter {
    char name[FIL_PARAMETER_NAME];
    const char* description;
    FilParameterValue value;
    double lowest, highest; /* enforced for numbers when lowest < highest */
    bool read_only;         /* can be set before the node runs only; later to what it is */
    bool given;             /* somebody has set it, be it by the command line or a parameter file */
} FilParameter;

/* Room for those of all topics; an assertion holds it. */
enum { FIL_PARAMETER_MAX = 256 };

typedef struct FilParameters {
    FilParameter items[FIL_PARAMETER_MAX];
    size_t count;
    bool running; /* read-only parameters are fixed from now on */

    /* Makes a new value count; false with a reason if it cannot. Called before the value is stored. May be NULL. */
    bool (*apply)(void* context, const FilParameter* parameter, const FilParameterValue* value, char reason[FIL_REASON_TEXT]);
    void* context;
} FilParameters;

/* Adds a parameter with its default; the caller sees to it that there is room and the name is new. */
FilParameter* fil_parameters_declare(FilParameters* parameters, const char* name, FilParameterValue value, const char* description);

FilParameter* fil_parameters_find(FilParameters* parameters, const char* name);

/* Sets one parameter. On refusal nothing has changed and `reason` says why. */
bool fil_parameters_set(FilParameters* parameters, const char* name, const FilParameterValue* value, char reason[FIL_REASON_TEXT]);

/* Sets all or none. */
bool fil_parameters_set_all(FilParameters* parameters, const char* const* names, const FilParameterValue* values, size_t count,
                            char reason[FIL_REASON_TEXT]);

#endif
