#include "track.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/script.h"

/* Cubics with these many pieces stand for a quintic: of a motion that starts and ends at rest they miss 1.4e-5 at most, by
 * max |x''''| (T/16)^4 / 384 with x'''' = 360 d/T^4. */
enum { PIECES = 16 };

/* ---- one track ---- */

bool fil_track_init(FilTrack* track, int joints, int points, bool velocities, bool accelerations, bool efforts)
{
    const size_t numbers = (size_t)joints * (size_t)points + 1;
    *track = (FilTrack){.joint_count = joints, .point_count = points};
    track->joints = calloc((size_t)joints + 1, sizeof *track->joints);
    track->times = calloc((size_t)points + 1, sizeof *track->times);
    track->positions = calloc(numbers, sizeof(double));
    track->velocities = velocities ? calloc(numbers, sizeof(double)) : NULL;
    track->accelerations = accelerations ? calloc(numbers, sizeof(double)) : NULL;
    track->efforts = efforts ? calloc(numbers, sizeof(double)) : NULL;
    const bool made = track->joints != NULL && track->times != NULL && track->positions != NULL && (track->velocities != NULL || !velocities) &&
                      (track->accelerations != NULL || !accelerations) && (track->efforts != NULL || !efforts);
    if (!made) {
        fil_track_fini(track);
    }
    return made;
}

void fil_track_fini(FilTrack* track)
{
    free(track->joints);
    free(track->times);
    free(track->positions);
    free(track->velocities);
    free(track->accelerations);
    free(track->efforts);
    *track = (FilTrack){.joint_count = 0};
}

/* the quintic between two values with their first two derivatives, at the share u of its length */
static void quintic(double length, double u, const double y0[3], const double y1[3], double out[3])
{
    const double l = length, rise = y1[0] - y0[0];
    // x = c0 + c1 u + ... + c5 u^5, in units of the length
    const double c1 = l * y0[1], c2 = 0.5 * l * l * y0[2], d1 = l * y1[1], d2 = l * l * y1[2];
    // from x(1), x'(1), x''(1): three equations for c3, c4, c5
    const double c3 = 10.0 * rise - 6.0 * c1 - 3.0 * c2 - 4.0 * d1 + 0.5 * d2;
    const double c4 = -15.0 * rise + 8.0 * c1 + 3.0 * c2 + 7.0 * d1 - d2;
    const double c5 = 6.0 * rise - 3.0 * c1 - c2 - 3.0 * d1 + 0.5 * d2;
    out[0] = y0[0] + u * (c1 + u * (c2 + u * (c3 + u * (c4 + u * c5))));
    out[1] = (c1 + u * (2.0 * c2 + u * (3.0 * c3 + u * (4.0 * c4 + u * 5.0 * c5)))) / l;
    out[2] = (2.0 * c2 + u * (6.0 * c3 + u * (12.0 * c4 + u * 20.0 * c5))) / (l * l);
}

/* knot k of a part: point `from` and the share u of the way to the next one, as the robot goes it */
static void write_knot(const FilTrack* track, int from, double u, FilTrack* part, int k)
{
    const int n = track->joint_count;
    const size_t here = (size_t)from * (size_t)n, next = u > 0.0 ? here + (size_t)n : here, at = (size_t)k * (size_t)n;
    const double t0 = track->times[from], length = u > 0.0 ? track->times[from + 1] - t0 : 1.0;
    part->times[k] = t0 + u * length;
    for (size_t j = 0; j < (size_t)n; j++) {
        if (track->velocities != NULL) {
            fil_script_cubic(length, u, track->positions[here + j], track->positions[next + j], track->velocities[here + j],
                             track->velocities[next + j], &part->positions[at + j], &part->velocities[at + j]);
        } else {
            part->positions[at + j] = track->positions[here + j] + u * (track->positions[next + j] - track->positions[here + j]);
        }
        if (track->accelerations != NULL) {
            const double y0[3] = {track->positions[here + j], track->velocities[here + j], track->accelerations[here + j]};
            const double y1[3] = {track->positions[next + j], track->velocities[next + j], track->accelerations[next + j]};
            double place[3];
            quintic(length, u, y0, y1, place);
            part->positions[at + j] = place[0];
            part->velocities[at + j] = place[1];
            part->accelerations[at + j] = place[2];
        }
        if (track->efforts != NULL) {
            part->efforts[at + j] = (1.0 - u) * track->efforts[here + j] + u * track->efforts[next + j];
        }
    }
}

/* efforts += M(q) a at every knot, with the robot's other joints as they are */
static FilStatus add_inertia(FilWorld* world, FilTrack* part)
{
    const int all = fil_robot_joint_count(world, part->robot);
    double* numbers = calloc(3 * (size_t)all + 1, sizeof *numbers);
    double *positions = numbers, *accelerations = numbers + all, *efforts = accelerations + all;
    FilStatus status = numbers != NULL ? FIL_OK : FIL_OUT_OF_MEMORY;
    for (int j = 0; j < all && status == FIL_OK; j++) {
        positions[j] = fil_robot_joint_state(world, part->robot, j).position;
    }
    for (int k = 0; k < part->point_count && status == FIL_OK; k++) {
        const size_t row = (size_t)k * (size_t)part->joint_count;
        for (int c = 0; c < part->joint_count; c++) {
            positions[part->joints[c]] = part->positions[row + (size_t)c];
            accelerations[part->joints[c]] = part->accelerations[row + (size_t)c];
        }
        status = fil_robot_inverse_dynamics(world, part->robot, positions, NULL, accelerations, false, efforts);
        for (int c = 0; c < part->joint_count && status == FIL_OK; c++) {
            part->efforts[row + (size_t)c] += efforts[part->joints[c]];
        }
    }
    free(numbers);
    return status;
}

/* forgets the joints that follow no longer */
static void drop_joints(FilTrack* track, const FilWorld* world)
{
    double* const tables[] = {track->positions, track->velocities, track->accelerations, track->efforts};
    const int n = track->joint_count;
    int kept = 0;
    for (int c = 0; c < n; c++) {
        kept += fil_robot_joint_follows(world, track->robot, track->joints[c]);
    }
    if (kept == n) {
        return;
    }
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        for (size_t k = 0, to = 0; k < (size_t)track->point_count && tables[t] != NULL; k++) {
            for (int c = 0; c < n; c++) {
                if (fil_robot_joint_follows(world, track->robot, track->joints[c])) {
                    tables[t][to++] = tables[t][k * (size_t)n + (size_t)c];
                }
            }
        }
    }
    track->joint_count = 0;
    for (int c = 0; c < n; c++) {
        if (fil_robot_joint_follows(world, track->robot, track->joints[c])) {
            track->joints[track->joint_count++] = track->joints[c];
        }
    }
}

/* knot k of a part: where the track is at a time */
static void write_moment(const FilTrack* track, double time, FilTrack* part, int k)
{
    const int last = track->point_count - 1, from = fil_script_knot(track->times, track->point_count, time);
    const double t0 = track->times[from];
    write_knot(track, from, from < last && time > t0 ? (time - t0) / (track->times[from + 1] - t0) : 0.0, part, k);
    part->times[k] = time;
    if (time > track->times[last] && part->velocities != NULL) {  // it has ended
        memset(part->velocities + (size_t)k * (size_t)track->joint_count, 0, (size_t)track->joint_count * sizeof(double));
    }
}

/* a part of so many points, for the same joints */
static bool init_part(const FilTrack* track, int points, FilTrack* part)
{
    const bool curved = track->accelerations != NULL;
    if (!fil_track_init(part, track->joint_count, points, track->velocities != NULL, curved, curved || track->efforts != NULL)) {
        return false;
    }
    part->robot = track->robot;
    part->start = track->start;
    memcpy(part->joints, track->joints, (size_t)track->joint_count * sizeof *part->joints);
    return true;
}

/* gives the robot a part, which is open where more follows, and frees it */
static FilStatus send_part(const FilTrack* track, FilTrack* part, FilWorld* world)
{
    FilStatus status = part->accelerations != NULL ? add_inertia(world, part) : FIL_OK;
    if (status == FIL_OK) {
        FilTrajectoryDef def = fil_trajectory_def_default();
        def.joints = part->joints;
        def.joint_count = part->joint_count;
        def.interpolation = part->velocities != NULL ? FIL_INTERPOLATE_SPLINE : FIL_INTERPOLATE_LINEAR;
        def.start = part->start;
        def.point_count = part->point_count;
        def.times = part->times;
        def.positions = part->positions;
        def.velocities = part->velocities;
        def.efforts = part->efforts;
        def.open = track->end < track->point_count - 1;
        status = fil_robot_set_trajectory(world, part->robot, &def);
    }
    fil_track_fini(part);
    return status;
}

/* Hands the robot where it is at both ends of a step: of points that are denser than steps no more matters. */
static FilStatus hand_over_step(FilTrack* track, FilWorld* world, double time, double dt)
{
    FilTrack part;
    if (!init_part(track, 2, &part)) {
        return FIL_OUT_OF_MEMORY;
    }
    write_moment(track, time, &part, 0);
    write_moment(track, time + dt, &part, 1);
    track->begin = fil_script_knot(track->times, track->point_count, time);
    track->end = fil_script_knot(track->times, track->point_count, time + dt);
    return send_part(track, &part, world);
}

/* how many spans between points the robot has room for, from point `from` on, each in so many pieces */
static int spans_from(const FilTrack* track, const FilWorld* world, int from, int* pieces)
{
    const int room = fil_robot_trajectory_room(world, track->robot), last = track->point_count - 1;
    *pieces = track->accelerations == NULL || room < 2 ? 1 : room - 1 < PIECES ? room - 1 : PIECES;
    // a robot without room refuses whatever comes, with its own words
    return room < 2 || last - from < (room - 1) / *pieces ? last - from : (room - 1) / *pieces;
}

/* Hands the robot as many points as it has room for, from point `from` on. */
static FilStatus hand_over(FilTrack* track, FilWorld* world, int from)
{
    int pieces;
    const int spans = spans_from(track, world, from, &pieces);
    FilTrack part;
    if (!init_part(track, spans * pieces + 1, &part)) {
        return FIL_OUT_OF_MEMORY;
    }
    for (int k = 0; k <= spans * pieces; k++) {
        write_knot(track, from + k / pieces, (double)(k % pieces) / pieces, &part, k);
    }
    track->begin = from;
    track->end = from + spans;
    return send_part(track, &part, world);
}

/* ---- all of them ---- */

/* of another world, or of a time that is still to come, nothing is followed */
static void forget_old(FilTracks* tracks, const FilSimulation* simulation)
{
    const double time = simulation->world != NULL ? fil_world_time(simulation->world) : -INFINITY;
    if (tracks->load != simulation->load_count || time < tracks->last_time) {
        const uint64_t serial = tracks->serial;
        fil_tracks_fini(tracks);
        tracks->serial = serial;
        tracks->load = simulation->load_count;
    }
    tracks->last_time = time;
}

static FilTrack* find(const FilTracks* tracks, FilId robot)
{
    for (int i = 0; i < tracks->count; i++) {
        if (tracks->items[i].robot.index == robot.index) {
            return &tracks->items[i];
        }
    }
    return NULL;
}

FilStatus fil_tracks_take(FilTracks* tracks, const FilSimulation* simulation, FilTrack* track)
{
    forget_old(tracks, simulation);
    const FilStatus status = hand_over(track, simulation->world, 0);
    FilTrack* place = find(tracks, track->robot);
    if (status != FIL_OK) {
        fil_track_fini(track);
        return status;
    }
    if (place == NULL) {
        FilTrack* more = realloc(tracks->items, (size_t)(tracks->count + 1) * sizeof *more);
        if (more == NULL) {
            fil_track_fini(track);
            return FIL_OUT_OF_MEMORY;
        }
        tracks->items = more;
        place = &more[tracks->count++];
    } else {
        fil_track_fini(place);
    }
    *place = *track;
    place->serial = ++tracks->serial;
    return FIL_OK;
}

/* Hands the robot its next part, if it needs one for a step from `time` of the track. */
static FilStatus continue_track(FilTrack* track, FilWorld* world, double time, double dt)
{
    const int last = track->point_count - 1, spans = track->end - track->begin, middle = track->begin + (spans > 2 ? spans / 2 : 1);
    if (track->end == last || (time < track->times[middle] && time + dt <= track->times[track->end])) {
        return FIL_OK;
    }
    drop_joints(track, world);
    if (track->joint_count == 0) {
        return FIL_OK;
    }
    int pieces;
    const int from = fil_script_knot(track->times, track->point_count, time), end = from + spans_from(track, world, from, &pieces);
    return track->times[end] < time + dt ? hand_over_step(track, world, time, dt) : hand_over(track, world, from);
}

bool fil_tracks_follow(FilTracks* tracks, const FilSimulation* simulation)
{
    forget_old(tracks, simulation);
    bool good = true;
    for (int i = 0; i < tracks->count; i++) {
        FilTrack* track = &tracks->items[i];
        if (track->joint_count > 0) {
            const double time = tracks->last_time - track->start, dt = fil_world_dt(simulation->world);
            good = continue_track(track, simulation->world, time, dt) == FIL_OK && good;
        }
    }
    return good;
}

uint64_t fil_tracks_serial(const FilTracks* tracks, FilId robot)
{
    const FilTrack* track = find(tracks, robot);
    return track != NULL ? track->serial : 0;
}

void fil_tracks_fini(FilTracks* tracks)
{
    for (int i = 0; i < tracks->count; i++) {
        fil_track_fini(&tracks->items[i]);
    }
    free(tracks->items);
    *tracks = (FilTracks){.count = 0};
}
