#include "qos_text.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rmw/qos_profiles.h"

/* rosbag2's infinity: the largest 64-bit number of nanoseconds */
static const rmw_time_t infinite = {9223372036u, 854775807u};

static rmw_time_t time_or_infinite(rmw_time_t time)
{
    return time.sec == 0 && time.nsec == 0 ? infinite : time;
}

void fil_qos_to_text(const rmw_qos_profile_t* profile, char text[FIL_QOS_TEXT])
{
    const rmw_time_t deadline = time_or_infinite(profile->deadline);
    const rmw_time_t lifespan = time_or_infinite(profile->lifespan);
    const rmw_time_t lease = time_or_infinite(profile->liveliness_lease_duration);
    const int liveliness =
        profile->liveliness == RMW_QOS_POLICY_LIVELINESS_MANUAL_BY_TOPIC ? (int)profile->liveliness : (int)RMW_QOS_POLICY_LIVELINESS_AUTOMATIC;
    snprintf(text, FIL_QOS_TEXT,
             "- history: %d\n  depth: %zu\n  reliability: %d\n  durability: %d\n"
             "  deadline:\n    sec: %llu\n    nsec: %llu\n"
             "  lifespan:\n    sec: %llu\n    nsec: %llu\n"
             "  liveliness: %d\n"
             "  liveliness_lease_duration:\n    sec: %llu\n    nsec: %llu\n"
             "  avoid_ros_namespace_conventions: %s",
             (int)profile->history, profile->depth, (int)profile->reliability, (int)profile->durability, (unsigned long long)deadline.sec,
             (unsigned long long)deadline.nsec, (unsigned long long)lifespan.sec, (unsigned long long)lifespan.nsec, liveliness,
             (unsigned long long)lease.sec, (unsigned long long)lease.nsec, profile->avoid_ros_namespace_conventions ? "true" : "false");
}

/* the value after "key:" up to the end of its line, from `text` on, before the list's next profile */
static bool find_value(const char* text, const char* key, char value[64])
{
    const char* end = strstr(text + 1, "\n-");
    for (const char* at = strstr(text, key); at != NULL && (end == NULL || at < end); at = strstr(at + 1, key)) {
        const char* colon = at + strlen(key);
        const bool whole = at > text && (at[-1] == ' ' || at[-1] == '\n');
        if (whole && *colon == ':') {
            colon += 1 + strspn(colon + 1, " ");
            snprintf(value, 64, "%.*s", (int)strcspn(colon, "\r\n"), colon);
            return true;
        }
    }
    return false;
}

/* which of the words a policy is, given as its number (up to Iron) or as its name (from Jazzy on) */
static int read_policy(const char* text, const char* key, const char* const* words, int count, int otherwise)
{
    char value[64];
    if (!find_value(text, key, value)) {
        return otherwise;
    }
    for (int i = 0; i < count; i++) {
        char number[16];
        snprintf(number, sizeof number, "%d", i);
        if (words[i] != NULL && (strcmp(value, words[i]) == 0 || strcmp(value, number) == 0)) {
            return i;
        }
    }
    return otherwise;
}

rmw_qos_profile_t fil_qos_from_text(const char* text)
{
    static const char* const histories[] = {NULL, "keep_last", "keep_all"};
    static const char* const reliabilities[] = {NULL, "reliable", "best_effort"};
    static const char* const durabilities[] = {NULL, "transient_local", "volatile"};
    rmw_qos_profile_t profile = rmw_qos_profile_default;
    char value[64];
    if (text[0] == '\0') {
        return profile;
    }
    profile.history = (rmw_qos_history_policy_t)read_policy(text, "history", histories, 3, (int)profile.history);
    profile.reliability = (rmw_qos_reliability_policy_t)read_policy(text, "reliability", reliabilities, 3, (int)profile.reliability);
    profile.durability = (rmw_qos_durability_policy_t)read_policy(text, "durability", durabilities, 3, (int)profile.durability);
    if (find_value(text, "depth", value) && atoi(value) > 0) {
        profile.depth = (size_t)atoi(value);
    }
    return profile;
}
