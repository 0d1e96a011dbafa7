/* The table of bench rows. */
#include "batch.h"
#include "bench.h"
#include "factor.h"
#include "gradient.h"
#include "knot_imc.h"
#include "pile.h"
#include "ring_scaling.h"
#include "rod_newton.h"

static const FilBenchRow rows[] = {
    {.name = "cantilever", .title = "a clamped rod comes to rest under its weight", .refined = {"nodes", "201"}},
    {.name = "hanging_rod", .title = "a soft cable of 100 nodes swings and lashes, 1 ms", .refined = {"nodes", "199"}},
    {.name = "rope_on_plane", .title = "a rope of 100 segments falls on a plane, 1 ms"},
    {.name = "capstan", .title = "P0 V-A: a rope pulled around a post"},
    {.name = "knot_tightening", .title = "P0 V-B: a knot of unknotting number 4, drawn tight at 0.8 m/s"},
    {.name = "knot_imc", .title = "P2: a knot drawn tight by IMC, 6 mm/s per end", .measure = fil_bench_knot_imc},
    {.name = "crowned_pulley",
     .title = "P0 V-C: a belt on a crowned pulley by patches, 10 s, 3 ms",
     .refined = {"belt.nodes", "100"},
     .duration = 10.0},
    {.name = "shoelace", .title = "P0 V-E: two arms tie a shoelace by patches, grasp and cross (10 s), 2 ms", .duration = 10.0},
    {.name = "entangling_gripper", .title = "P0 V-D: twelve filaments curl around a branched object"},
    {.name = "ring_chain", .title = "P0 V-F: 100 interlocked rings"},
    {.name = "arm_box", .title = "P1 A: a soft arm of 22 disks on an inclined box, lcp, 0.1 ms"},
    {.name = "arm_spheres", .title = "P1 B: a soft arm of 13 disks on two spheres, lcp, 0.1 ms"},
    {.name = "ring_catenary", .title = "P4 3.3: a ring on a flexible cable of 100 nodes, ipc, 1 ms"},
    {.name = "two_arms_knot", .title = "two arms of six axes draw a knot tight, 1 ms"},
    {.name = "gripper_pinch", .title = "two grippers pick up a box and a rod, 2 ms"},
    {.name = "ring_scaling", .title = "P0 Fig. 9b: chains of 25 to 400 rings", .measure = fil_bench_ring_scaling},
    {.name = "box_pile", .title = "piles of 216 to 4,096 boxes come to rest, sap, 2 ms", .measure = fil_bench_pile},
    {.name = "batch", .title = "64 worlds stepped together on one thread and on two", .measure = fil_bench_batch},
    {.name = "factor", .title = "supernodal factors of cubes of tetrahedra and of piles", .measure = fil_bench_factor},
    {.name = "gradient", .title = "what a gradient costs beside its step, in contact, in steps", .measure = fil_bench_gradient},
    {.name = "rod_newton", .title = "one Newton iteration of a rod, open and closed", .measure = fil_bench_rod_newton},
};

const FilBenchRow* fil_bench_table(int* count)
{
    *count = (int)(sizeof rows / sizeof rows[0]);
    return rows;
}
