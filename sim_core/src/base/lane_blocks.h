/* The words of kernels that are generic over lanes (*.inc), for the halves of one rod; base/lane_pairs.h has them for two rods at once.
 *
 *     LANES             one number of each lane
 *     OF                 the variant of a type or function for these lanes
 *     BLOCKS, IN_BLOCKS  numbers in memory, to write or to read
 *     AT, PUT, FROM      one of them; where those from the k-th on begin
 *     VIEW               defines a pointer to a record of numbers in memory
 *     SPLAT, MIN         a number for all lanes; the smaller of two */
#ifndef FILUM_BASE_LANE_BLOCKS_H
#define FILUM_BASE_LANE_BLOCKS_H

#include "base/lanes.h"

#define LANES FilLanes
#define OF(Name) Name##2
#define BLOCKS FilLanes* restrict
#define IN_BLOCKS const FilLanes* restrict
#define AT(blocks, k) ((blocks)[k])
#define PUT(blocks, k, value) ((blocks)[k] = (value))
#define FROM(blocks, k) ((blocks) + (k))
#define VIEW(Type, name, blocks) const OF(Type)* const name = (const OF(Type)*)(blocks)
#define SPLAT fil_lanes_splat
#define MIN fil_lanes_min

#endif
