#include "contact/contact_set.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/vec3.h"

/* Normal and two tangents by four unknowns; room for contacts at first (it doubles, so that little hangs on it). */
enum { JACOBIAN_SIZE = 12, FIRST_CAPACITY = 64 };

void fil_contact_set_free(FilContactSet* set)
{
    fil_free(set->contacts);
    fil_free(set->variable);
    fil_free(set->jacobian);
    *set = (FilContactSet){0};
}

void fil_contact_set_clear(FilContactSet* set)
{
    set->count = set->block_count = 0;
}

/* The next one by doubling that is no less than what is wanted. */
static size_t next_capacity(int capacity, int wanted)
{
    size_t next = capacity == 0 ? FIRST_CAPACITY : 2 * (size_t)capacity;
    while (next < (size_t)wanted) {
        next *= 2;
    }
    return next;
}

/* fil_grow() behind a pointer of any type */
static bool grow(void** block, int old_count, size_t new_count, size_t size)
{
    return fil_grow(block, (size_t)old_count, new_count, size) != 0;
}

static bool reserve_contacts(FilContactSet* set, int count)
{
    if (set->count + count <= set->capacity) {
        return true;
    }
    const size_t capacity = next_capacity(set->capacity, set->count + count);
    void* contacts = set->contacts;
    if (!grow(&contacts, set->count, capacity, sizeof *set->contacts)) {
        return false;
    }
    set->contacts = contacts;
    set->capacity = (int)capacity;
    return true;
}

FilContact* fil_contact_set_new(FilContactSet* set)
{
    if (!reserve_contacts(set, 1)) {
        return NULL;
    }
    FilContact* added = &set->contacts[set->count++];
    memset(added, 0, sizeof *added);
    added->first_block = set->block_count;
    return added;
}

FilStatus fil_contact_set_add(FilContactSet* set, const FilContact* contact)
{
    if (!reserve_contacts(set, 1)) {
        return FIL_OUT_OF_MEMORY;
    }
    FilContact* added = &set->contacts[set->count++];
    *added = *contact;
    added->first_block = set->block_count;
    added->block_count = 0;
    return FIL_OK;
}

static bool reserve_blocks(FilContactSet* set, int count)
{
    if (set->block_count + count <= set->block_capacity) {
        return true;
    }
    const size_t capacity = next_capacity(set->block_capacity, set->block_count + count);
    void* variables = set->variable;
    void* jacobians = set->jacobian;
    const bool first = grow(&variables, set->block_count, capacity, sizeof *set->variable);
    set->variable = variables;
    const bool second = first && grow(&jacobians, set->block_count, capacity, JACOBIAN_SIZE * sizeof(double));
    set->jacobian = jacobians;
    set->block_capacity = second ? (int)capacity : set->block_capacity;
    return second;
}

bool fil_contact_set_extend(FilContactSet* set, int count, int block_count)
{
    if (!reserve_contacts(set, count - set->count) || !reserve_blocks(set, block_count - set->block_count)) {
        return false;
    }
    set->count = count;
    set->block_count = block_count;
    return true;
}

FilStatus fil_contact_set_push_block(FilContactSet* set, int variable, const double* jacobian)
{
    if (!reserve_blocks(set, 1)) {
        return FIL_OUT_OF_MEMORY;
    }
    set->variable[set->block_count] = variable;
    memcpy(set->jacobian + JACOBIAN_SIZE * (size_t)set->block_count++, jacobian, JACOBIAN_SIZE * sizeof *jacobian);
    return FIL_OK;
}

FilStatus fil_contact_set_add_block(FilContactSet* set, int variable, const double* jacobian)
{
    FIL_ASSERT(set->count > 0);
    const FilStatus status = fil_contact_set_push_block(set, variable, jacobian);
    if (status == FIL_OK) {
        set->contacts[set->count - 1].block_count++;
    }
    return status;
}

FilStatus fil_contact_set_add_ends(FilContactSet* set, const int variable[4])
{
    FIL_ASSERT(set->count > 0);
    FilContact* contact = &set->contacts[set->count - 1];
    if (!reserve_blocks(set, 4)) {
        return FIL_OUT_OF_MEMORY;
    }
    memcpy(set->variable + set->block_count, variable, 4 * sizeof *variable);
    set->block_count += 4;
    contact->block_count = 4;
    contact->plain = true;
    return FIL_OK;
}

void fil_contact_velocity(const FilContactSet* set, const FilContact* contact, const double* v, double* u)
{
    fil_v3_copy(u, contact->bias);
    for (int b = contact->first_block; b < contact->first_block + contact->block_count; b++) {
        const double *j = set->jacobian + JACOBIAN_SIZE * (size_t)b, *x = v + 4 * (size_t)set->variable[b];
        for (int row = 0; row < 3; row++) {
            u[row] += j[4 * row] * x[0] + j[4 * row + 1] * x[1] + j[4 * row + 2] * x[2] + j[4 * row + 3] * x[3];
        }
    }
}

void fil_contact_wrench(const FilContact* contact, int side, const double* about, double dt, double* force, double* torque)
{
    double arm[3], impulse[3];
    fil_m3_apply_transposed(impulse, contact->frame, contact->impulse);
    fil_v3_scale(force, (side == 1 ? 1.0 : -1.0) / dt, impulse);
    fil_v3_sub(arm, contact->point, about);
    fil_v3_cross(torque, arm, force);
}
