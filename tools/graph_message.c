/* Owns messages of any type as YAML, by their introspection. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph_tools.h"
#include "rosidl_runtime_c/string_functions.h"
#include "rosidl_typesupport_introspection_c/field_types.h"
#include "scene/yaml_tree.h"

typedef rosidl_typesupport_introspection_c__MessageMember Member;

#define FIELD(name) rosidl_typesupport_introspection_c__ROS_TYPE_##name

const FilMembers* fil_members_of(const rosidl_message_type_support_t* type)
{
    return type->data;
}

void* fil_message_new(const FilMembers* type)
{
    void* message = calloc(1, type->size_of_);
    if (message != NULL) {
        type->init_function(message, ROSIDL_RUNTIME_C_MSG_INIT_ALL);
    }
    return message;
}

void fil_message_free(const FilMembers* type, void* message)
{
    if (message != NULL) {
        type->fini_function(message);
        free(message);
    }
}

/* ---- integers: how wide, and signed or not ---- */

typedef struct Width {
    size_t bytes; /* 0: no integer */
    bool is_signed;
} Width;

static Width width_of(const Member* member)
{
    switch (member->type_id_) {
        case FIELD(INT8):
            return (Width){1, true};
        case FIELD(CHAR):
        case FIELD(OCTET):
        case FIELD(UINT8):
            return (Width){1, false};
        case FIELD(INT16):
            return (Width){2, true};
        case FIELD(UINT16):
            return (Width){2, false};
        case FIELD(INT32):
            return (Width){4, true};
        case FIELD(UINT32):
            return (Width){4, false};
        case FIELD(INT64):
            return (Width){8, true};
        case FIELD(UINT64):
            return (Width){8, false};
        default:
            return (Width){0, false};
    }
}

static int64_t read_signed(const void* at, size_t bytes)
{
    int8_t a;
    int16_t b;
    int32_t c;
    int64_t d;
    switch (bytes) {
        case 1:
            memcpy(&a, at, sizeof a);
            return a;
        case 2:
            memcpy(&b, at, sizeof b);
            return b;
        case 4:
            memcpy(&c, at, sizeof c);
            return c;
        default:
            memcpy(&d, at, sizeof d);
            return d;
    }
}

static uint64_t read_unsigned(const void* at, size_t bytes)
{
    const uint64_t bits = (uint64_t)read_signed(at, bytes);
    return bytes == 8 ? bits : bits & ((UINT64_C(1) << (8 * bytes)) - 1);
}

/* ---- to YAML ---- */

static void print_text(const char* text, FILE* out)
{
    static const char* const words[] = {"true", "false", "null", "yes", "no", "on", "off", NULL};
    bool plain = isalpha((unsigned char)text[0]) || text[0] == '_' || text[0] == '/';
    for (const char* c = text; *c != '\0' && plain; c++) {
        plain = isalnum((unsigned char)*c) || strchr("_/.-", *c) != NULL;
    }
    for (int i = 0; words[i] != NULL && plain; i++) {
        plain = strcmp(words[i], text) != 0;
    }
    if (plain) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (const char* c = text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\') {
            fprintf(out, "\\%c", *c);
        } else if (*c == '\n') {
            fputs("\\n", out);
        } else if ((unsigned char)*c < 0x20) {
            fprintf(out, "\\x%02x", (unsigned)(unsigned char)*c);
        } else {
            fputc(*c, out);
        }
    }
    fputc('"', out);
}

/* the fewest digits that read back as the same number */
static void print_number(double number, bool is_float, FILE* out)
{
    char text[40];
    if (!isfinite(number)) {
        fputs(isnan(number) ? ".nan" : number > 0.0 ? ".inf" : "-.inf", out);
        return;
    }
    // the fewest digits that give the number back: 6 to 9 of a float, 15 to 17 of a double (FLT_DIG, DBL_DIG, DBL_DECIMAL_DIG)
    for (int digits = is_float ? 6 : 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        const double back = strtod(text, NULL);
        if (back == number || (is_float && (float)back == (float)number)) {
            break;
        }
    }
    fprintf(out, "%s%s", text, strpbrk(text, ".e") == NULL ? ".0" : "");
}

static void print_scalar(const Member* member, const void* field, FILE* out)
{
    const Width width = width_of(member);
    float single;
    double number;
    switch (member->type_id_) {
        case FIELD(STRING):
            print_text(((const rosidl_runtime_c__String*)field)->data, out);
            break;
        case FIELD(BOOLEAN):
            fputs(*(const bool*)field ? "true" : "false", out);
            break;
        case FIELD(FLOAT):
            memcpy(&single, field, sizeof single);
            print_number(single, true, out);
            break;
        case FIELD(DOUBLE):
            memcpy(&number, field, sizeof number);
            print_number(number, false, out);
            break;
        default:
            if (width.is_signed) {
                fprintf(out, "%" PRId64, read_signed(field, width.bytes));
            } else {
                fprintf(out, "%" PRIu64, read_unsigned(field, width.bytes));
            }
            break;
    }
}

static void print_members(const FilMembers* type, const void* message, int indent, bool in_list, FILE* out);

static void print_list(const Member* member, const void* field, int indent, FILE* out)
{
    const size_t count = member->size_function(field);
    const bool nested = member->type_id_ == FIELD(MESSAGE);
    if (nested && count > 0) {
        fputc('\n', out);
        for (size_t i = 0; i < count; i++) {
            fprintf(out, "%*s- ", indent, "");
            print_members(member->members_->data, member->get_const_function(field, i), indent + 2, true, out);
        }
        return;
    }
    fputs(" [", out);
    for (size_t i = 0; i < count; i++) {
        fputs(i > 0 ? ", " : "", out);
        print_scalar(member, member->get_const_function(field, i), out);
    }
    fputs("]\n", out);
}

/* the first line of a list's element stands behind its dash */
static void print_members(const FilMembers* type, const void* message, int indent, bool in_list, FILE* out)
{
    for (uint32_t i = 0; i < type->member_count_; i++) {
        const Member* member = &type->members_[i];
        const void* field = (const uint8_t*)message + member->offset_;
        fprintf(out, "%*s%s:", in_list && i == 0 ? 0 : indent, "", member->name_);
        if (member->is_array_) {
            print_list(member, field, indent, out);
        } else if (member->type_id_ == FIELD(MESSAGE)) {
            fputc('\n', out);
            print_members(member->members_->data, field, indent + 2, false, out);
        } else {
            fputc(' ', out);
            print_scalar(member, field, out);
            fputc('\n', out);
        }
    }
}

void fil_message_print(const FilMembers* type, const void* message, int indent, FILE* out)
{
    print_members(type, message, indent, false, out);
}

/* ---- from YAML ---- */

static bool refuse(FilError* error, const FilYaml* at, const char* what)
{
    char path[256];
    fil_yaml_path(at, path, sizeof path);
    snprintf(error->text, sizeof error->text, "%.200s: %.200s", path, what);
    return false;
}

static bool parse_double(const FilYaml* node, double* number)
{
    const char* text = node->text;
    const char* bare = text[0] == '-' || text[0] == '+' ? text + 1 : text;
    if (strcmp(bare, ".inf") == 0 || strcmp(bare, "inf") == 0 || strcmp(bare, ".nan") == 0 || strcmp(bare, "nan") == 0) {
        *number = bare[bare[0] == '.'] == 'i' ? (text[0] == '-' ? -INFINITY : INFINITY) : NAN;
        return true;
    }
    char* end;
    *number = strtod(text, &end);
    return text[0] != '\0' && *end == '\0' && isfinite(*number);
}

static bool parse_integer(const FilYaml* node, Width width, void* field)
{
    char* end;
    errno = 0;
    if (width.is_signed) {
        const int64_t number = strtoll(node->text, &end, 0);
        const int64_t max = (int64_t)(UINT64_MAX >> (65 - 8 * width.bytes));
        if (end == node->text || *end != '\0' || errno != 0 || number > max || number < -max - 1) {
            return false;
        }
        memcpy(field, &number, width.bytes);  // little endian: the low bytes come first
        return true;
    }
    const uint64_t number = strtoull(node->text, &end, 0);
    if (end == node->text || *end != '\0' || errno != 0 || strchr(node->text, '-') != NULL || number > UINT64_MAX >> (64 - 8 * width.bytes)) {
        return false;
    }
    memcpy(field, &number, width.bytes);
    return true;
}

static bool parse_members(const FilMembers* type, const FilYaml* node, void* message, FilError* error);

static bool parse_element(const Member* member, const FilYaml* node, void* field, FilError* error)
{
    if (member->type_id_ == FIELD(MESSAGE)) {
        return parse_members(member->members_->data, node, field, error);
    }
    if (node->kind != FIL_YAML_SCALAR) {
        return refuse(error, node, "is not a single value");
    }
    double number;
    float single;
    switch (member->type_id_) {
        case FIELD(STRING):
            return rosidl_runtime_c__String__assign(field, node->text) || refuse(error, node, "out of memory");
        case FIELD(BOOLEAN):
            if (strcmp(node->text, "true") != 0 && strcmp(node->text, "false") != 0) {
                return refuse(error, node, "expected true or false");
            }
            *(bool*)field = node->text[0] == 't';
            return true;
        case FIELD(FLOAT):
        case FIELD(DOUBLE):
            if (!parse_double(node, &number)) {
                return refuse(error, node, "is not a number");
            }
            single = (float)number;
            memcpy(field, member->type_id_ == FIELD(FLOAT) ? (const void*)&single : (const void*)&number,
                   member->type_id_ == FIELD(FLOAT) ? sizeof single : sizeof number);
            return true;
        default:
            return (width_of(member).bytes > 0 && parse_integer(node, width_of(member), field)) || refuse(error, node, "is not an integer that fits");
    }
}

static bool parse_list(const Member* member, const FilYaml* node, void* field, FilError* error)
{
    if (node->kind != FIL_YAML_LIST) {
        return refuse(error, node, "is not a list");
    }
    const size_t count = (size_t)node->count;
    const bool fixed = member->array_size_ > 0 && !member->is_upper_bound_;
    if ((fixed && count != member->array_size_) || (member->is_upper_bound_ && count > member->array_size_)) {
        return refuse(error, node, fixed ? "has the wrong length" : "is too long");
    }
    if (!fixed && !member->resize_function(field, count)) {
        return refuse(error, node, "out of memory");
    }
    size_t i = 0;
    for (const FilYaml* child = node->first; child != NULL; child = child->next) {
        if (!parse_element(member, child, member->get_function(field, i++), error)) {
            return false;
        }
    }
    return true;
}

static bool parse_members(const FilMembers* type, const FilYaml* node, void* message, FilError* error)
{
    if (node->kind != FIL_YAML_MAPPING) {
        return refuse(error, node, "is not a mapping of fields");
    }
    for (const FilYaml* child = node->first; child != NULL; child = child->next) {
        const Member* member = NULL;
        FilGuess guess = fil_guess_start(child->key);
        for (uint32_t i = 0; i < type->member_count_ && member == NULL; i++) {
            member = strcmp(type->members_[i].name_, child->key) == 0 ? &type->members_[i] : NULL;
            fil_guess_try(&guess, type->members_[i].name_);
        }
        if (member == NULL) {
            snprintf(error->text, sizeof error->text, "%s has no field '%.100s'%s", type->message_name_, child->key, fil_hint(&guess).text);
            return false;
        }
        void* field = (uint8_t*)message + member->offset_;
        if (!(member->is_array_ ? parse_list(member, child, field, error) : parse_element(member, child, field, error))) {
            return false;
        }
    }
    return true;
}

bool fil_message_parse(const FilMembers* type, const char* yaml, void* message, FilError* error)
{
    if (yaml[strspn(yaml, " \t\n")] == '\0') {
        return true;
    }
    FilPool pool = {0};
    FilYaml* root = NULL;
    int values = 0;
    const FilSceneLimits limits = fil_scene_limits_default();
    const bool done =
        fil_yaml_parse("message", yaml, strlen(yaml), &limits, &values, &pool, &root, error) == FIL_OK && parse_members(type, root, message, error);
    fil_pool_free(&pool);
    return done;
}
