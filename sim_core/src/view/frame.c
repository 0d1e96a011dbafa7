#include "view/frame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec3.h"
#include "geometry/pose.h"
#include "view/show.h"

/* Bytes of a frame's head and numbers of what follows, as page/stream.js reads them. */
enum { HEADER = 48, HAND_NUMBERS = 6, POSE_NUMBERS = 7, CONTACT_NUMBERS = 6, PATCH_NUMBERS = 8 };

/* ---- how much there is ---- */

static size_t count_numbers(const FilShowKind* kind, const FilWorld* world, FilId id, size_t* scratch)
{
    size_t numbers = 0;
    if (kind->curve != NULL) {
        const FilCurve curve = kind->curve(world, id);
        const size_t nodes = 3 * (size_t)curve.node_count, frames = 9 * (size_t)curve.edge_count;
        numbers += nodes + 3 * (size_t)curve.edge_count;
        *scratch = nodes + frames > *scratch ? nodes + frames : *scratch;
    }
    numbers += kind->shape_count != NULL ? POSE_NUMBERS * (size_t)kind->shape_count(world, id) : 0;
    numbers += kind->triangle_count != NULL ? 3 * (size_t)kind->vertex_count(world, id) : 0;
    return numbers;
}

static size_t count_all(const FilWorld* world, size_t* scratch)
{
    size_t numbers = HAND_NUMBERS;
    *scratch = 0;
    for (int k = 0; k < FIL_SHOW_COUNT; ++k) {
        const FilShowKind* kind = fil_show_kind(k);
        for (int i = 0; i < kind->count(world); ++i) {
            numbers += count_numbers(kind, world, kind->at(world, i), scratch);
        }
    }
    return numbers;
}

static bool make_room(FilViewFrame* frame, size_t size, size_t scratch)
{
    if (size > frame->capacity) {
        unsigned char* bytes = realloc(frame->bytes, size + size / 4);
        if (bytes == NULL) {
            return false;
        }
        frame->bytes = bytes;
        frame->capacity = size + size / 4;
    }
    if (scratch > frame->scratch_count) {
        double* numbers = realloc(frame->scratch, scratch * sizeof *numbers);
        if (numbers == NULL) {
            return false;
        }
        frame->scratch = numbers;
        frame->scratch_count = scratch;
    }
    return true;
}

/* ---- what there is ---- */

static float* put(float* out, const double* numbers, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        out[i] = (float)numbers[i];
    }
    return out + count;
}

static float* put_vector(float* out, FilVec3 v)
{
    return put(out, (double[]){v.x, v.y, v.z}, 3);
}

static float* put_curve(float* out, const FilShowKind* kind, const FilWorld* world, FilId id, double* scratch)
{
    const FilCurve curve = kind->curve(world, id);
    double* frames = scratch + 3 * curve.node_count;
    kind->curve_nodes(world, id, scratch);
    kind->curve_frames(world, id, frames);
    out = put(out, scratch, 3 * (size_t)curve.node_count);
    for (int e = 0; e < curve.edge_count; ++e) {
        out = put(out, frames + 9 * e, 3);
    }
    return out;
}

static float* put_shape(float* out, const FilShownShape* shape)
{
    const FilPose pose = fil_shown_pose(shape);
    const FilQuat q = fil_quat_from_m3(pose.r);
    return put(put(out, shape->hidden ? (double[]){NAN, NAN, NAN} : pose.p, 3), (double[]){q.x, q.y, q.z, q.w}, 4);
}

static float* put_object(float* out, const FilShowKind* kind, const FilWorld* world, FilId id, double* scratch)
{
    if (kind->curve != NULL) {
        out = put_curve(out, kind, world, id, scratch);
    }
    for (int s = 0; kind->shape_count != NULL && s < kind->shape_count(world, id); ++s) {
        FilShownShape shape;
        kind->shape(world, id, s, &shape);
        out = put_shape(out, &shape);
    }
    for (int v = 0; kind->triangle_count != NULL && v < kind->vertex_count(world, id); ++v) {
        double position[3];
        kind->vertex(world, id, v, position);
        out = put(out, position, 3);
    }
    return out;
}

static void count_control(void* context, FilControlPlace place, const FilShownControl* control)
{
    (void)place;
    (void)control;
    *(size_t*)context += 1;
}

static void put_control(void* context, FilControlPlace place, const FilShownControl* control)
{
    (void)place;
    *(*(double**)context)++ = control->value;
}

static void write_header(unsigned char* at, const FilWorld* world, const FilViewState* state, size_t plotted, size_t numbers)
{
    // "FIL1" in little-endian bytes
    const uint32_t start[2] = {0x314c4946u, (state->runs ? 1u : 0u) | (state->failed ? 2u : 0u)};
    const double times[2] = {fil_world_time(world), state->rate};
    const uint32_t counts[4] = {(uint32_t)plotted, (uint32_t)numbers, (uint32_t)fil_world_contact_count(world),
                                (uint32_t)fil_world_patch_count(world)};
    // eight bytes, two doubles, four counts and a double that fil_view_frame_amend() fills: 48 in all
    memcpy(at, start, 8);
    memcpy(at + 8, times, 16);
    memcpy(at + 24, counts, 16);
    memset(at + 40, 0, 8);
}

void fil_view_frame_amend(unsigned char* frame, bool runs, double rate, double end)
{
    uint32_t bits;
    memcpy(&bits, frame + 4, sizeof bits);
    bits = (bits & ~1u) | (runs ? 1u : 0u);
    memcpy(frame + 4, &bits, sizeof bits);
    memcpy(frame + 16, &rate, sizeof rate);
    memcpy(frame + 40, &end, sizeof end);
}

FilStatus fil_view_frame_take(FilViewFrame* frame, const FilWorld* world, const FilViewState* state)
{
    size_t scratch;
    const size_t numbers = count_all(world, &scratch), probes = (size_t)fil_world_probe_count(world);
    size_t plotted = probes;
    fil_show_controls(world, count_control, &plotted);
    const size_t contacts = (size_t)fil_world_contact_count(world), patches = (size_t)fil_world_patch_count(world);
    const size_t size = HEADER + sizeof(double) * plotted + sizeof(float) * (numbers + CONTACT_NUMBERS * contacts + PATCH_NUMBERS * patches);
    frame->size = 0;
    if (!make_room(frame, size, scratch)) {
        return FIL_OUT_OF_MEMORY;
    }
    write_header(frame->bytes, world, state, plotted, numbers);
    double* value = (double*)(void*)(frame->bytes + HEADER);
    for (size_t i = 0; i < probes; ++i) {
        value[i] = fil_world_probe_value(world, (int)i);
    }
    double* set = value + probes;
    fil_show_controls(world, put_control, &set);
    float* out = (float*)(void*)set;
    out = put_vector(put_vector(out, state->hand), state->pull);
    for (int k = 0; k < FIL_SHOW_COUNT; ++k) {
        const FilShowKind* kind = fil_show_kind(k);
        for (int i = 0; i < kind->count(world); ++i) {
            out = put_object(out, kind, world, kind->at(world, i), frame->scratch);
        }
    }
    for (size_t i = 0; i < contacts; ++i) {
        const FilContactInfo contact = fil_world_contact(world, (int)i);
        out = put_vector(put_vector(out, contact.point), contact.force);
    }
    for (size_t i = 0; i < patches; ++i) {
        const FilPatchInfo patch = fil_world_patch(world, (int)i);
        out = put(put_vector(put_vector(out, patch.center), patch.normal), (double[]){patch.area, patch.highest_pressure}, 2);
    }
    frame->size = size;
    return FIL_OK;
}

void fil_view_frame_free(FilViewFrame* frame)
{
    free(frame->bytes);
    free(frame->scratch);
    *frame = (FilViewFrame){0};
}
