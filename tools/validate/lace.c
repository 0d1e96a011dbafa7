#include "validate/lace.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "validate/knots.h"

enum { MAX_NODES = 512, MAX_CROSSINGS = 64 };

static const char* const laces[] = {"left_lace", "right_lace"};

static FilId find_link(const FilWorld* world, const FilGrasp* grasp, const char* link)
{
    char name[64];
    snprintf(name, sizeof name, "%s_%s", grasp->hand, link);
    return fil_world_find_link(world, name);
}

/* v in the frame that `turn` turns into the world's. */
static FilVec3 turn_back(FilQuat turn, FilVec3 v)
{
    // q^-1 v q = v + 2 q x (q x v - w v), with the quaternion's vector q
    const FilVec3 c = {turn.y * v.z - turn.z * v.y - turn.w * v.x, turn.z * v.x - turn.x * v.z - turn.w * v.y,
                       turn.x * v.y - turn.y * v.x - turn.w * v.z};
    return (FilVec3){v.x + 2.0 * (turn.y * c.z - turn.z * c.y), v.y + 2.0 * (turn.z * c.x - turn.x * c.z), v.z + 2.0 * (turn.x * c.y - turn.y * c.x)};
}

/* Where the grasp's node is in the hand's frame; at its beginning it is the nearest. */
static void see_in_hand(const FilWorld* world, FilGrasp* grasp, double* place)
{
    double nodes[3 * MAX_NODES], best = INFINITY;
    char rod[64];
    FilVec3 hand;
    FilQuat turn;
    snprintf(rod, sizeof rod, "%s_lace", grasp->lace);
    const FilId id = fil_world_find_rod(world, rod);
    fil_rod_get_positions(world, id, nodes);
    fil_link_pose(world, find_link(world, grasp, "pinch"), &hand, &turn);
    for (int i = 0; i < fil_rod_node_count(world, id) && !grasp->begun; i++) {
        const double away = hypot(hypot(nodes[3 * i] - hand.x, nodes[3 * i + 1] - hand.y), nodes[3 * i + 2] - hand.z);
        grasp->node = away < best ? i : grasp->node;
        best = fmin(best, away);
    }
    const double* x = nodes + 3 * grasp->node;
    const FilVec3 d = turn_back(turn, (FilVec3){x[0] - hand.x, x[1] - hand.y, x[2] - hand.z});
    place[0] = d.x, place[1] = d.y, place[2] = d.z;
}

void fil_grasp_watch(const FilWorld* world, FilGrasp* grasp)
{
    const double time = fil_world_time(world);
    if (time < grasp->from || time > grasp->to) {
        return;
    }
    double place[3];
    see_in_hand(world, grasp, place);
    if (!grasp->begun) {
        memcpy(grasp->rest, place, sizeof place);
        grasp->begun = true;
    }
    grasp->slip = fmax(grasp->slip, hypot(hypot(place[0] - grasp->rest[0], place[1] - grasp->rest[1]), place[2] - grasp->rest[2]));
    // fingers close along x of their hand
    FilVec3 force[2], torque, hand;
    FilQuat turn;
    fil_world_contact_wrench(world, find_link(world, grasp, "left_finger"), &force[0], &torque);
    fil_world_contact_wrench(world, find_link(world, grasp, "right_finger"), &force[1], &torque);
    fil_link_pose(world, find_link(world, grasp, "pinch"), &hand, &turn);
    const FilVec3 apart = {force[0].x - force[1].x, force[0].y - force[1].y, force[0].z - force[1].z};
    const double squeeze = 0.5 * fabs(turn_back(turn, apart).x);
    grasp->sum += squeeze;
    grasp->squares += squeeze * squeeze;
    grasp->count++;
}

double fil_grasp_force(const FilGrasp* grasp)
{
    return grasp->sum / grasp->count;
}

double fil_grasp_spread(const FilGrasp* grasp)
{
    const double mean = fil_grasp_force(grasp);
    return sqrt(fmax(grasp->squares / grasp->count - mean * mean, 0.0)) / mean;
}

double fil_grasp_pull(const FilWorld* world, const FilGrasp* grasp)
{
    FilVec3 force[2], torque;
    fil_world_contact_wrench(world, find_link(world, grasp, "left_finger"), &force[0], &torque);
    fil_world_contact_wrench(world, find_link(world, grasp, "right_finger"), &force[1], &torque);
    return hypot(hypot(force[0].x + force[1].x, force[0].y + force[1].y), force[0].z + force[1].z);
}

/* Nodes of a lace with their coordinates in the order z, x, y: crossings are seen along the first one, which is then from
 * below, and open curves are drawn on along the second. The handedness stays. */
static int see_lace(const FilWorld* world, int lace, double* nodes)
{
    const FilId rod = fil_world_find_rod(world, laces[lace]);
    const int count = fil_rod_node_count(world, rod);
    fil_rod_get_positions(world, rod, nodes);
    for (int i = 0; i < count; i++) {
        double* x = nodes + 3 * i;
        const double old[3] = {x[0], x[1], x[2]};
        x[0] = old[2], x[1] = old[0], x[2] = old[1];
    }
    return count;
}

int fil_lace_half_turns(const FilWorld* world)
{
    double own[2][3 * MAX_NODES];
    FilCrossing crossings[MAX_CROSSINGS];
    int n[2], sum = 0;
    for (int r = 0; r < 2; r++) {
        n[r] = see_lace(world, r, own[r]);
    }
    const int count = fil_knots_crossings(own[0], n[0], false, own[1], n[1], false, crossings, MAX_CROSSINGS);
    for (int k = 0; k < count && k < MAX_CROSSINGS; k++) {
        sum += crossings[k].sign;
    }
    return sum;
}

double fil_lace_determinant(const FilWorld* world, int left, int right, double side)
{
    static const double DEEP = 0.2; /* m from the eyelets into the shoe, where nothing of the knot is */
    double own[2][3 * MAX_NODES], all[3 * (2 * MAX_NODES + 2)];
    const int n[2] = {see_lace(world, 0, own[0]), see_lace(world, 1, own[1])};
    const int last[2] = {left < 0 ? n[0] - 1 : left, right < 0 ? n[1] - 1 : right};
    int count = 0;
    for (int r = 0; r < 2; r++) {
        const double way = r == 0 ? -1.0 : 1.0;
        double inside[3];
        memcpy(inside, own[r], sizeof inside);
        inside[2] -= DEEP;
        if (r == 1) {
            memcpy(all + 3 * count++, inside, sizeof inside);
        }
        for (int k = 0; k <= last[r]; k++) {
            memcpy(all + 3 * count++, own[r] + 3 * (way < 0.0 ? last[r] - k : k), sizeof inside);
        }
        if (r == 0) {
            memcpy(all + 3 * count++, inside, sizeof inside);
        }
    }
    // the first end, of the left lace, is drawn on along -: turn about the line of sight if it points the other way
    for (int i = 0; i < count && side > 0.0; i++) {
        all[3 * i + 1] = -all[3 * i + 1];
        all[3 * i + 2] = -all[3 * i + 2];
    }
    return fil_knots_determinant(all, count);
}
