/* What a soft arm shows to collision: its disks, capped cylinders along the backbone. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/vec3.h"
#include "body/soft_arm.h"

int fil_soft_arm_collider_count(const void* pointer)
{
    return ((const FilSoftArm*)pointer)->disk_count;
}

static FilShape shape_of(const FilArmDisk* disk)
{
    return fil_shape_cylinder(disk->radius, 0.5 * disk->thickness);
}

void fil_soft_arm_collider(const void* pointer, int index, FilCollider* out)
{
    const FilSoftArm* arm = pointer;
    *out = (FilCollider){.kind = FIL_COLLIDER_SHAPE,
                         .part = index,
                         .movable = index > 0 || arm->free_base,  // the first is the base
                         .collision = arm->collision,
                         .shape = shape_of(&arm->disks[index])};
}

void fil_soft_arm_place(const void* pointer, int index, const double* q, const double* v, FilPlacement* out)
{
    const FilSoftArm* arm = pointer;
    const FilArmDisk* disk = &arm->disks[index];
    const FilArmLink* links = fil_soft_arm_see(arm, q);
    FilArmFrame frame;
    double velocity[3] = {0.0}, spin[3] = {0.0};
    fil_soft_arm_frame(arm, links, q, NULL, disk->place, &frame);
    for (int b = 0; b < frame.block_count; b++) {
        const int j = frame.block[b];
        double part[3];
        fil_m3_apply(part, frame.move[j], v + 4 * j);
        fil_v3_add(velocity, velocity, part);
        fil_m3_apply(part, frame.turn[j], v + 4 * j);
        fil_v3_add(spin, spin, part);
    }
    const double reach = hypot(disk->radius, 0.5 * disk->thickness);
    *out = (FilPlacement){.pose = frame.pose, .speed = fil_v3_norm(velocity) + reach * fil_v3_norm(spin)};
}

void fil_soft_arm_part(const void* pointer, int index, int part, const double* q, const double* h, FilShape* shape, FilPose* pose)
{
    const FilSoftArm* arm = pointer;
    *shape = shape_of(&arm->disks[index]);
    fil_soft_arm_disk_frame(arm, index, part, q, h, pose);
}

void fil_soft_arm_disk_frame(const void* pointer, int index, int part, const double* q, const double* h, FilPose* pose)
{
    (void)part, (void)h;
    const FilSoftArm* arm = pointer;
    fil_soft_arm_pose(arm, fil_soft_arm_see(arm, q), q, arm->disks[index].place, pose);
}

/* How far along the backbone at rest a place is from the base. */
static double distance_along(const FilSoftArm* arm, FilArmPlace place)
{
    double length = place.s * arm->sections[place.section].length;
    for (int k = 0; k < place.section; k++) {
        length += arm->sections[k].length;
    }
    return length;
}

/* As of a rod: an arm bends no tighter than its radius, so that disks half a turn apart are the first that could meet.
 */
bool fil_soft_arm_joined(const void* pointer, int index_a, int part_a, int index_b, int part_b)
{
    (void)part_a, (void)part_b;
    const FilSoftArm* arm = pointer;
    const FilArmDisk *a = &arm->disks[index_a], *b = &arm->disks[index_b];
    const double between = fabs(distance_along(arm, a->place) - distance_along(arm, b->place));
    return !arm->collision.self || between < FIL_PI * fmax(a->radius, b->radius);
}

/* Writes a 3 x 3 block as three rows of four. */
static void spread(double* out, const double* block)
{
    for (int r = 0; r < 3; r++) {
        fil_v3_copy(out + 4 * r, block + 3 * r);
        out[4 * r + 3] = 0.0;
    }
}

/* A point of a disk moves with move + turn x r, r from the disk's centre. */
int fil_soft_arm_point_jacobian(const void* pointer, int index, int part, const double* point, const double* q, int* blocks, double* jacobian,
                                double* bias)
{
    (void)part;
    const FilSoftArm* arm = pointer;
    fil_v3_set(bias, 0.0, 0.0, 0.0);
    if (index == 0 && !arm->free_base) {
        return 0;
    }
    FilArmFrame frame;
    double r[3];
    fil_soft_arm_frame(arm, fil_soft_arm_see(arm, q), q, NULL, arm->disks[index].place, &frame);
    fil_v3_sub(r, point, frame.pose.p);
    for (int b = 0; b < frame.block_count; b++) {
        const int j = frame.block[b];
        const double* t = frame.turn[j];
        double moved[9];
        for (int c = 0; c < 3; c++) {
            moved[c] = frame.move[j][c] + t[3 + c] * r[2] - t[6 + c] * r[1];
            moved[3 + c] = frame.move[j][3 + c] + t[6 + c] * r[0] - t[c] * r[2];
            moved[6 + c] = frame.move[j][6 + c] + t[c] * r[1] - t[3 + c] * r[0];
        }
        spread(jacobian + 12 * b, moved);
        blocks[b] = j;
    }
    return frame.block_count;
}

int fil_soft_arm_turn_jacobian(const void* pointer, int index, int part, const double* q, int* blocks, double* jacobian, double* bias)
{
    (void)part;
    const FilSoftArm* arm = pointer;
    fil_v3_set(bias, 0.0, 0.0, 0.0);
    if (index == 0 && !arm->free_base) {
        return 0;
    }
    FilArmFrame frame;
    fil_soft_arm_frame(arm, fil_soft_arm_see(arm, q), q, NULL, arm->disks[index].place, &frame);
    for (int b = 0; b < frame.block_count; b++) {
        spread(jacobian + 12 * b, frame.turn[frame.block[b]]);
        blocks[b] = frame.block[b];
    }
    return frame.block_count;
}

/* ---- disks as places ---- */

int fil_soft_arm_place_count(const void* pointer)
{
    return ((const FilSoftArm*)pointer)->disk_count;
}

void fil_soft_arm_place_velocity(const void* pointer, int place, const double* q, const double* v, double* velocity)
{
    const FilSoftArm* arm = pointer;
    FilArmLink links[FIL_ARM_SECTIONS + 1];
    FilArmFrame frame;
    fil_soft_arm_links(arm, q, v, links);
    fil_soft_arm_frame(arm, links, q, v, arm->disks[place].place, &frame);
    fil_v3_copy(velocity, frame.velocity);
}

FilStatus fil_soft_arm_side(const void* pointer, int object, int node, const double* q, FilBodySide* side, FilError* error)
{
    (void)object, (void)q;
    const FilSoftArm* arm = pointer;
    const int first = arm->free_base ? 0 : 1;  // what stands fixed needs no joint
    side->index = fil_counted(node, arm->disk_count);
    side->carrier = 0;
    return side->index >= first ? FIL_OK : fil_error(error, FIL_BAD_INPUT, "has disks %d to %d, no disk %d", first, arm->disk_count - 1, node);
}
