#include "sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dds/dds.h"
#include "dds/ddsi/ddsi_serdata.h"
#include "dds/ddsi/ddsi_sertype.h"
#include "dds/ddsi/q_radmin.h"

typedef struct Sample {
    struct ddsi_serdata base;
    size_t size; /* a multiple of four: Cyclone copies whole words to the network */
    uint8_t* bytes;
} Sample;

static const struct ddsi_serdata_ops sample_ops;

static Sample* sample_new(const struct ddsi_sertype* type, enum ddsi_serdata_kind kind, size_t size)
{
    if (size > INT32_MAX - 4) {
        return NULL;
    }
    const size_t padded = (size + 3) / 4 * 4;
    Sample* sample = malloc(sizeof *sample);
    uint8_t* bytes = padded > 0 ? malloc(padded) : NULL;
    if (sample == NULL || (padded > 0 && bytes == NULL)) {
        free(sample);
        free(bytes);
        return NULL;
    }
    ddsi_serdata_init(&sample->base, type, kind);
    sample->size = padded;
    sample->bytes = bytes;
    if (padded > size) {
        memset(bytes + size, 0, padded - size);
    }
    return sample;
}

/* ---- what Cyclone asks of a sample ---- */

static bool sample_equal_key(const struct ddsi_serdata* a, const struct ddsi_serdata* b)
{
    (void)a;
    (void)b;
    return true;  // one instance only: there is no key
}

static uint32_t sample_size(const struct ddsi_serdata* base)
{
    return (uint32_t)((const Sample*)base)->size;
}

static void sample_free(struct ddsi_serdata* base)
{
    Sample* sample = (Sample*)base;
    free(sample->bytes);
    free(sample);
}

/* joins the fragments in which a sample arrived; they are in order, but may overlap */
static struct ddsi_serdata* sample_from_fragments(const struct ddsi_sertype* type, enum ddsi_serdata_kind kind, const struct nn_rdata* fragment,
                                                  size_t size)
{
    Sample* sample = sample_new(type, kind, size);
    size_t at = 0;
    for (; sample != NULL && fragment != NULL; fragment = fragment->nextfrag) {
        if (fragment->min > at || fragment->maxp1 > size) {
            sample_free(&sample->base);
            return NULL;
        }
        if (fragment->maxp1 > at) {
            const uint8_t* payload = NN_RMSG_PAYLOADOFF(fragment->rmsg, NN_RDATA_PAYLOAD_OFF(fragment));
            memcpy(sample->bytes + at, payload + (at - fragment->min), fragment->maxp1 - at);
            at = fragment->maxp1;
        }
    }
    if (sample != NULL && at < size) {
        sample_free(&sample->base);
        return NULL;
    }
    return sample != NULL ? &sample->base : NULL;
}

static struct ddsi_serdata* sample_from_pieces(const struct ddsi_sertype* type, enum ddsi_serdata_kind kind, ddsrt_msg_iovlen_t count,
                                               const ddsrt_iovec_t* pieces, size_t size)
{
    Sample* sample = sample_new(type, kind, size);
    size_t at = 0;
    for (ddsrt_msg_iovlen_t i = 0; sample != NULL && i < count && at < size; i++) {
        const size_t length = pieces[i].iov_len < size - at ? pieces[i].iov_len : size - at;
        memcpy(sample->bytes + at, pieces[i].iov_base, length);
        at += length;
    }
    return sample != NULL ? &sample->base : NULL;
}

static struct ddsi_serdata* sample_from_keyhash(const struct ddsi_sertype* type, const struct ddsi_keyhash* hash)
{
    (void)hash;
    Sample* sample = sample_new(type, SDK_KEY, 0);
    return sample != NULL ? &sample->base : NULL;
}

/* dispose and unregister build an empty key sample; data never comes this way */
static struct ddsi_serdata* sample_from_memory(const struct ddsi_sertype* type, enum ddsi_serdata_kind kind, const void* memory)
{
    (void)memory;
    return kind == SDK_KEY ? sample_from_keyhash(type, NULL) : NULL;
}

static void sample_copy_out(const struct ddsi_serdata* base, size_t offset, size_t size, void* buffer)
{
    memcpy(buffer, ((const Sample*)base)->bytes + offset, size);
}

static struct ddsi_serdata* sample_lend(const struct ddsi_serdata* base, size_t offset, size_t size, ddsrt_iovec_t* piece)
{
    piece->iov_base = ((const Sample*)base)->bytes + offset;
    piece->iov_len = size;
    return ddsi_serdata_ref(base);
}

static void sample_return(struct ddsi_serdata* base, const ddsrt_iovec_t* piece)
{
    (void)piece;
    ddsi_serdata_unref(base);
}

static bool sample_to_memory(const struct ddsi_serdata* base, void* memory, void** buffer, void* limit)
{
    (void)base;
    (void)memory;
    (void)buffer;
    (void)limit;
    return false;  // samples are taken as bytes
}

static struct ddsi_serdata* sample_to_untyped(const struct ddsi_serdata* base)
{
    struct ddsi_serdata* untyped = sample_from_keyhash(base->type, NULL);
    if (untyped != NULL) {
        untyped->type = NULL;
    }
    return untyped;
}

static bool sample_untyped_to_memory(const struct ddsi_sertype* type, const struct ddsi_serdata* base, void* memory, void** buffer, void* limit)
{
    (void)type;
    return sample_to_memory(base, memory, buffer, limit);
}

static size_t sample_print(const struct ddsi_sertype* type, const struct ddsi_serdata* base, char* text, size_t size)
{
    (void)type;
    return (size_t)snprintf(text, size, "(%zu bytes)", ((const Sample*)base)->size);
}

static void sample_keyhash(const struct ddsi_serdata* base, struct ddsi_keyhash* hash, bool force_md5)
{
    (void)base;
    (void)force_md5;
    memset(hash, 0, sizeof *hash);
}

static const struct ddsi_serdata_ops sample_ops = {
    .eqkey = sample_equal_key,
    .get_size = sample_size,
    .from_ser = sample_from_fragments,
    .from_ser_iov = sample_from_pieces,
    .from_keyhash = sample_from_keyhash,
    .from_sample = sample_from_memory,
    .to_ser = sample_copy_out,
    .to_ser_ref = sample_lend,
    .to_ser_unref = sample_return,
    .to_sample = sample_to_memory,
    .to_untyped = sample_to_untyped,
    .untyped_to_sample = sample_untyped_to_memory,
    .free = sample_free,
    .print = sample_print,
    .get_keyhash = sample_keyhash,
};

/* ---- what Cyclone asks of a type ---- */

static void type_free(struct ddsi_sertype* type)
{
    ddsi_sertype_fini(type);
    free(type);
}

static bool type_equal(const struct ddsi_sertype* a, const struct ddsi_sertype* b)
{
    (void)a;
    (void)b;
    return true;  // Cyclone has compared the names
}

static uint32_t type_hash(const struct ddsi_sertype* type)
{
    (void)type;
    return 0;
}

/* samples in memory do not exist for this type; Cyclone zeroes and frees none */
static void type_zero_samples(const struct ddsi_sertype* type, void* samples, size_t count)
{
    (void)type;
    (void)samples;
    (void)count;
}

static void type_free_samples(const struct ddsi_sertype* type, void** samples, size_t count, dds_free_op_t op)
{
    (void)type;
    (void)samples;
    (void)count;
    (void)op;
}

static const struct ddsi_sertype_ops type_ops = {
    .version = ddsi_sertype_v0,
    .free = type_free,
    .zero_samples = type_zero_samples,
    .free_samples = type_free_samples,
    .equal = type_equal,
    .hash = type_hash,
};

struct ddsi_sertype* fil_sample_type_create(const char* type_name)
{
    struct ddsi_sertype* type = calloc(1, sizeof *type);
    if (type != NULL) {
        ddsi_sertype_init_flags(type, type_name, &type_ops, &sample_ops, DDSI_SERTYPE_FLAG_TOPICKIND_NO_KEY);
        type->allowed_data_representation = DDS_DATA_REPRESENTATION_FLAG_XCDR1;
    }
    return type;
}

struct ddsi_serdata* fil_sample_create(const struct ddsi_sertype* type, size_t size, uint8_t** bytes)
{
    Sample* sample = sample_new(type, SDK_DATA, size);
    if (sample == NULL) {
        return NULL;
    }
    *bytes = sample->bytes;
    return &sample->base;
}

const uint8_t* fil_sample_bytes(const struct ddsi_serdata* sample, size_t* size)
{
    *size = ((const Sample*)sample)->size;
    return ((const Sample*)sample)->bytes;
}
