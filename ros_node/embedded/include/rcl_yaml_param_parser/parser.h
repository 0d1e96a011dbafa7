/* Reads parameter values from YAML. */
#ifndef RCL_YAML_PARAM_PARSER__PARSER_H_
#define RCL_YAML_PARAM_PARSER__PARSER_H_

#include "rcl_yaml_param_parser/types.h"

rcl_params_t* rcl_yaml_node_struct_init(const rcutils_allocator_t allocator);
rcl_params_t* rcl_yaml_node_struct_copy(const rcl_params_t* params_st);
void rcl_yaml_node_struct_fini(rcl_params_t* params_st); /* frees params_st too */

/* Adds what the file or the value says to `params_st`; a value that is there already is replaced. False, with the
 * error message set, if the text is not understood. */
bool rcl_parse_yaml_file(const char* file_path, rcl_params_t* params_st);
bool rcl_parse_yaml_value(const char* node_name, const char* param_name, const char* yaml_value, rcl_params_t* params_st);

#endif
