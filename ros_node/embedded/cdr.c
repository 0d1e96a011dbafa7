#include "cdr.h"

#include <string.h>

#include "rosidl_runtime_c/string.h"
#include "rosidl_runtime_c/string_functions.h"
#include "rosidl_typesupport_introspection_c/field_types.h"

typedef rosidl_typesupport_introspection_c__MessageMember Member;

/* every rosidl sequence has this layout, whatever its elements are */
typedef struct Sequence {
    void* data;
    size_t size;
    size_t capacity;
} Sequence;

#define FIELD(name) rosidl_typesupport_introspection_c__ROS_TYPE_##name

/* bytes of a number on the wire and in memory; 0 for what is not a number */
static size_t number_size(uint8_t type_id)
{
    switch (type_id) {
        case FIELD(BOOLEAN):
        case FIELD(OCTET):
        case FIELD(CHAR):
        case FIELD(UINT8):
        case FIELD(INT8):
            return 1;
        case FIELD(UINT16):
        case FIELD(INT16):
            return 2;
        case FIELD(UINT32):
        case FIELD(INT32):
        case FIELD(FLOAT):
            return 4;
        case FIELD(UINT64):
        case FIELD(INT64):
        case FIELD(DOUBLE):
            return 8;
        default:
            return 0;
    }
}

static const FilMessageMembers* nested_type(const Member* member)
{
    return member->members_->data;
}

static bool is_fixed_array(const Member* member)
{
    return member->is_array_ && member->array_size_ > 0 && !member->is_upper_bound_;
}

bool fil_cdr_supports(const FilMessageMembers* type, const char** field)
{
    for (uint32_t i = 0; i < type->member_count_; i++) {
        const Member* member = &type->members_[i];
        if (member->type_id_ == FIELD(MESSAGE)) {
            if (!fil_cdr_supports(nested_type(member), field)) {
                return false;
            }
        } else if (member->type_id_ != FIELD(STRING) && number_size(member->type_id_) == 0) {
            if (field != NULL) {
                *field = member->name_;
            }
            return false;
        }
    }
    return true;
}

/* ---- writing ---- */

void fil_cdr_write_header(uint8_t* bytes)
{
    const uint16_t probe = 1;
    uint8_t little_endian;
    memcpy(&little_endian, &probe, 1);
    bytes[0] = 0;
    bytes[1] = little_endian;
    bytes[2] = 0;
    bytes[3] = 0;
}

static size_t padding(size_t at, size_t alignment)
{
    return (alignment - at % alignment) % alignment;
}

/* numbers of one size, one after another */
static void write_numbers(FilCdrWriter* writer, const void* numbers, size_t size, size_t count)
{
    const size_t pad = padding(writer->at, size);
    if (writer->body != NULL && count > 0) {
        memset(writer->body + writer->at, 0, pad);
        memcpy(writer->body + writer->at + pad, numbers, size * count);
    }
    writer->at += count > 0 ? pad + size * count : 0;
}

void fil_cdr_write_number(FilCdrWriter* writer, const void* number, size_t size)
{
    write_numbers(writer, number, size, 1);
}

void fil_cdr_write_bytes(FilCdrWriter* writer, const uint8_t* bytes, size_t count)
{
    write_numbers(writer, bytes, 1, count);
}

static void write_count(FilCdrWriter* writer, size_t count)
{
    const uint32_t narrow = (uint32_t)count;
    writer->failed |= count > UINT32_MAX;
    write_numbers(writer, &narrow, sizeof narrow, 1);
}

void fil_cdr_write_string(FilCdrWriter* writer, const char* text, size_t length)
{
    write_count(writer, length + 1);
    write_numbers(writer, text, 1, length);
    write_numbers(writer, "", 1, 1);
}

/* one element of a member that is a string or a message */
static void write_element(FilCdrWriter* writer, const Member* member, const void* element)
{
    if (member->type_id_ == FIELD(STRING)) {
        const rosidl_runtime_c__String* string = element;
        writer->failed |= member->string_upper_bound_ > 0 && string->size > member->string_upper_bound_;
        fil_cdr_write_string(writer, string->data, string->size);
    } else {
        fil_cdr_write_message(writer, nested_type(member), element);
    }
}

/* A message that is made of numbers of one size and nothing else (a point, a pose, a colour) is encoded as it lies in
 * memory: the size of a number, and how many there are; 0 for any other message. */
static size_t uniform_size(const FilMessageMembers* type, size_t* count)
{
    size_t size = 0;
    *count = 0;
    for (uint32_t i = 0; i < type->member_count_; i++) {
        const Member* member = &type->members_[i];
        size_t numbers = 1;
        const size_t each = member->type_id_ == FIELD(MESSAGE) ? uniform_size(nested_type(member), &numbers) : number_size(member->type_id_);
        if (each == 0 || (size > 0 && each != size) || (member->is_array_ && !is_fixed_array(member)) || member->offset_ != *count * each) {
            return 0;
        }
        size = each;
        *count += numbers * (member->is_array_ ? member->array_size_ : 1);
    }
    return type->size_of_ == *count * size ? size : 0;
}

static void write_member(FilCdrWriter* writer, const Member* member, const void* field)
{
    const size_t size = number_size(member->type_id_);
    const void* first = field;
    size_t count = 1;
    if (is_fixed_array(member)) {
        count = member->array_size_;
    } else if (member->is_array_) {
        const Sequence* sequence = field;
        first = sequence->data;
        count = sequence->size;
        writer->failed |= member->is_upper_bound_ && count > member->array_size_;
        write_count(writer, count);
    }
    if (size > 0) {
        write_numbers(writer, first, size, count);
        return;
    }
    size_t numbers = 0;
    const size_t uniform = member->is_array_ && member->type_id_ == FIELD(MESSAGE) ? uniform_size(nested_type(member), &numbers) : 0;
    if (uniform > 0) {
        write_numbers(writer, first, uniform, count * numbers);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        write_element(writer, member, member->is_array_ ? member->get_const_function(field, i) : field);
    }
}

void fil_cdr_write_message(FilCdrWriter* writer, const FilMessageMembers* type, const void* message)
{
    for (uint32_t i = 0; i < type->member_count_; i++) {
        const Member* member = &type->members_[i];
        write_member(writer, member, (const uint8_t*)message + member->offset_);
    }
}

/* ---- reading ---- */

bool fil_cdr_reader_open(FilCdrReader* reader, const uint8_t* bytes, size_t size)
{
    uint8_t native[FIL_CDR_HEADER];
    fil_cdr_write_header(native);
    if (size < FIL_CDR_HEADER || bytes[0] != 0 || bytes[1] > 1) {
        return false;
    }
    *reader = (FilCdrReader){.body = bytes + FIL_CDR_HEADER, .size = size - FIL_CDR_HEADER, .swap = bytes[1] != native[1]};
    return true;
}

static void reverse_bytes(uint8_t* number, size_t size)
{
    for (size_t i = 0; i < size / 2; i++) {
        const uint8_t byte = number[i];
        number[i] = number[size - 1 - i];
        number[size - 1 - i] = byte;
    }
}

/* true if `count` elements of at least `size` bytes may follow at `alignment`; skips the padding */
static bool align_for(FilCdrReader* reader, size_t alignment, size_t size, size_t count)
{
    const size_t pad = padding(reader->at, alignment);
    const size_t left = reader->size - reader->at;
    if (pad > left || count > (left - pad) / size) {
        return false;
    }
    reader->at += pad;
    return true;
}

static bool read_numbers(FilCdrReader* reader, void* numbers, size_t size, size_t count)
{
    if (count == 0) {
        return true;
    }
    if (!align_for(reader, size, size, count)) {
        return false;
    }
    memcpy(numbers, reader->body + reader->at, size * count);
    reader->at += size * count;
    for (size_t i = 0; reader->swap && size > 1 && i < count; i++) {
        reverse_bytes((uint8_t*)numbers + i * size, size);
    }
    return true;
}

bool fil_cdr_read_number(FilCdrReader* reader, void* number, size_t size)
{
    return read_numbers(reader, number, size, 1);
}

bool fil_cdr_read_bytes(FilCdrReader* reader, size_t count, const uint8_t** bytes)
{
    if (count > reader->size - reader->at) {
        return false;
    }
    *bytes = reader->body + reader->at;
    reader->at += count;
    return true;
}

bool fil_cdr_read_string(FilCdrReader* reader, const char** text, size_t* length)
{
    uint32_t size;
    const uint8_t* bytes;
    if (!fil_cdr_read_number(reader, &size, sizeof size) || !fil_cdr_read_bytes(reader, size, &bytes)) {
        return false;
    }
    // some writers send an empty string as length 0, without the NUL
    if (size == 0) {
        *text = "";
        *length = 0;
        return true;
    }
    *text = (const char*)bytes;
    *length = size - 1;
    return bytes[size - 1] == '\0';
}

/* the fewest bytes that one element can take on the wire, without padding: what bounds a count that was sent */
static size_t smallest_element(const Member* member);

static size_t smallest_message(const FilMessageMembers* type)
{
    size_t size = 0;
    for (uint32_t i = 0; i < type->member_count_; i++) {
        const Member* member = &type->members_[i];
        if (is_fixed_array(member)) {
            size += member->array_size_ * smallest_element(member);
        } else {
            size += member->is_array_ ? sizeof(uint32_t) : smallest_element(member);
        }
    }
    return size;
}

static size_t smallest_element(const Member* member)
{
    switch (member->type_id_) {
        case FIELD(STRING):
            return sizeof(uint32_t);
        case FIELD(MESSAGE):
            return smallest_message(nested_type(member));
        default:
            return number_size(member->type_id_);
    }
}

/* makes room for `count` elements; elements beyond the size stay initialised up to the capacity, as rosidl expects */
static bool resize_sequence(const Member* member, void* field, size_t count)
{
    Sequence* sequence = field;
    if (count > sequence->capacity) {
        return member->resize_function(field, count);
    }
    sequence->size = count;
    return true;
}

static bool read_element(FilCdrReader* reader, const Member* member, void* element)
{
    if (member->type_id_ == FIELD(MESSAGE)) {
        return fil_cdr_read_message(reader, nested_type(member), element);
    }
    const char* text;
    size_t length;
    return fil_cdr_read_string(reader, &text, &length) && (member->string_upper_bound_ == 0 || length <= member->string_upper_bound_) &&
           rosidl_runtime_c__String__assignn(element, text, length);
}

static bool read_member(FilCdrReader* reader, const Member* member, void* field)
{
    const size_t size = number_size(member->type_id_);
    void* first = field;
    size_t count = 1;
    if (is_fixed_array(member)) {
        count = member->array_size_;
    } else if (member->is_array_) {
        uint32_t sent;
        if (!fil_cdr_read_number(reader, &sent, sizeof sent) || (member->is_upper_bound_ && sent > member->array_size_) ||
            !align_for(reader, 1, smallest_element(member), sent) || !resize_sequence(member, field, sent)) {
            return false;
        }
        first = ((Sequence*)field)->data;
        count = sent;
    }
    if (size > 0) {
        const bool read = read_numbers(reader, first, size, count);
        // any byte but 0 is true; a bool must not hold anything but 0 and 1
        for (size_t i = 0; read && member->type_id_ == FIELD(BOOLEAN) && i < count; i++) {
            uint8_t* byte = (uint8_t*)first + i;
            *byte = *byte != 0;
        }
        return read;
    }
    for (size_t i = 0; i < count; i++) {
        if (!read_element(reader, member, member->is_array_ ? member->get_function(field, i) : field)) {
            return false;
        }
    }
    return true;
}

bool fil_cdr_read_message(FilCdrReader* reader, const FilMessageMembers* type, void* message)
{
    for (uint32_t i = 0; i < type->member_count_; i++) {
        const Member* member = &type->members_[i];
        if (!read_member(reader, member, (uint8_t*)message + member->offset_)) {
            return false;
        }
    }
    return true;
}
