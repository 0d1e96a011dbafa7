#include "random_message.h"

#include <stdlib.h>
#include <string.h>

#include "rosidl_runtime_c/string.h"
#include "rosidl_runtime_c/string_functions.h"
#include "rosidl_typesupport_introspection_c/field_types.h"

typedef rosidl_typesupport_introspection_c__MessageMember Member;

#define FIELD(name) rosidl_typesupport_introspection_c__ROS_TYPE_##name

/* splitmix64 */
uint64_t random_bits(uint64_t* seed)
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void* message_new(const FilMessageMembers* type)
{
    void* message = calloc(1, type->size_of_);
    if (message == NULL) {
        abort();
    }
    type->init_function(message, ROSIDL_RUNTIME_C_MSG_INIT_ALL);
    return message;
}

void message_free(const FilMessageMembers* type, void* message)
{
    type->fini_function(message);
    free(message);
}

static size_t size_in_memory(const Member* member)
{
    switch (member->type_id_) {
        case FIELD(FLOAT):
        case FIELD(INT32):
        case FIELD(UINT32):
            return 4;
        case FIELD(DOUBLE):
        case FIELD(INT64):
        case FIELD(UINT64):
            return 8;
        case FIELD(INT16):
        case FIELD(UINT16):
            return 2;
        default:
            return 1;
    }
}

static void randomise_element(const Member* member, void* element, size_t longest, uint64_t* seed)
{
    if (member->type_id_ == FIELD(MESSAGE)) {
        message_randomise(member->members_->data, element, longest, seed);
    } else if (member->type_id_ == FIELD(STRING)) {
        char text[16];
        const size_t length = random_bits(seed) % sizeof text;
        for (size_t i = 0; i < length; i++) {
            text[i] = (char)(1 + random_bits(seed) % 127);
        }
        if (!rosidl_runtime_c__String__assignn(element, text, length)) {
            abort();
        }
    } else if (member->type_id_ == FIELD(DOUBLE)) {
        const double value = (double)(int64_t)random_bits(seed) * 1e-6;
        memcpy(element, &value, sizeof value);
    } else if (member->type_id_ == FIELD(FLOAT)) {
        const float value = (float)(int64_t)random_bits(seed) * 1e-6f;
        memcpy(element, &value, sizeof value);
    } else if (member->type_id_ == FIELD(BOOLEAN)) {
        *(bool*)element = random_bits(seed) % 2 == 1;
    } else {
        const uint64_t bits = random_bits(seed);
        memcpy(element, &bits, size_in_memory(member));
    }
}

static bool is_sequence(const Member* member)
{
    return member->is_array_ && (member->array_size_ == 0 || member->is_upper_bound_);
}

void message_randomise(const FilMessageMembers* type, void* message, size_t longest, uint64_t* seed)
{
    for (uint32_t i = 0; i < type->member_count_; i++) {
        const Member* member = &type->members_[i];
        void* field = (uint8_t*)message + member->offset_;
        if (!member->is_array_) {
            randomise_element(member, field, longest, seed);
            continue;
        }
        if (is_sequence(member)) {
            const size_t bound = member->is_upper_bound_ ? member->array_size_ : longest;
            if (!member->resize_function(field, random_bits(seed) % (bound + 1))) {
                abort();
            }
        }
        const size_t count = member->size_function(field);
        for (size_t k = 0; k < count; k++) {
            randomise_element(member, member->get_function(field, k), longest, seed);
        }
    }
}

static bool equal_element(const Member* member, const void* a, const void* b)
{
    if (member->type_id_ == FIELD(MESSAGE)) {
        return message_equal(member->members_->data, a, b);
    }
    if (member->type_id_ == FIELD(STRING)) {
        return rosidl_runtime_c__String__are_equal(a, b);
    }
    return memcmp(a, b, size_in_memory(member)) == 0;
}

bool message_equal(const FilMessageMembers* type, const void* a, const void* b)
{
    for (uint32_t i = 0; i < type->member_count_; i++) {
        const Member* member = &type->members_[i];
        const void* field_a = (const uint8_t*)a + member->offset_;
        const void* field_b = (const uint8_t*)b + member->offset_;
        if (!member->is_array_) {
            if (!equal_element(member, field_a, field_b)) {
                return false;
            }
            continue;
        }
        const size_t count = member->size_function(field_a);
        if (count != member->size_function(field_b)) {
            return false;
        }
        for (size_t k = 0; k < count; k++) {
            if (!equal_element(member, member->get_const_function(field_a, k), member->get_const_function(field_b, k))) {
                return false;
            }
        }
    }
    return true;
}
