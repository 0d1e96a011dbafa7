#define _GNU_SOURCE /* SO_BINDTODEVICE, pthread_timedjoin_np */
#include "participant.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "rcl/error_handling.h"
#include "rcutils/logging_macros.h"

enum {
    CONFIG_MAX = 8192,    /* bytes of XML: what the environment has and what we add to it; what is longer is refused */
    DOMAIN_MAX = 232,     /* beyond it the protocol's port numbers overflow */
    FILE_MAX_SEEN = 4096, /* descriptors that are looked at */
    DELETE_PATIENCE = 3,  /* s; it takes a hundredth of a second otherwise */
};

/* What Cyclone takes of memory.
 *
 * Writers keep a bounded history, so Cyclone need not hold a writer back until slow readers catch up: with these
 * watermarks a reader that has stopped loses old samples instead of stopping everyone.
 *
 * Each of the three threads that receive fills a buffer from one end to the other before it begins again, so that a node
 * grows by as much while it is being talked to: by a quarter of a megabyte instead of a whole one each. */
static const char sizes[] =
    "<CycloneDDS><Domain><Internal><Watermarks><WhcHigh>1 GB</WhcHigh><WhcHighInit>1 GB</WhcHighInit>"
    "<WhcAdaptive>false</WhcAdaptive></Watermarks></Internal>"
    "<Sizing><ReceiveBufferSize>256 kB</ReceiveBufferSize></Sizing></Domain></CycloneDDS>,";

void fil_dds_error(const char* what, dds_return_t code)
{
    RCL_SET_ERROR_MSG_WITH_FORMAT_STRING("%s: %s", what, dds_strretcode(code));
}

/* ---- configuration ---- */

typedef struct Config {
    char text[CONFIG_MAX];
    bool complete;
} Config;

static void add(Config* config, const char* text)
{
    const size_t used = strlen(config->text);
    const int length = snprintf(config->text + used, sizeof config->text - used, "%s", text);
    config->complete &= length >= 0 && (size_t)length < sizeof config->text - used;
}

static const char* environment(const char* name)
{
    const char* value = getenv(name);
    return value != NULL ? value : "";
}

/* ROS_STATIC_PEERS is a list separated by semicolons; what is no address is left out, for it goes into XML */
static void add_static_peers(Config* config)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.:-_%[]";
    const char* peers = environment("ROS_STATIC_PEERS");
    while (*peers != '\0') {
        const size_t length = strcspn(peers, ";");
        char address[256];
        if (length > 0 && length < sizeof address && strspn(peers, allowed) >= length) {
            memcpy(address, peers, length);
            address[length] = '\0';
            add(config, "<Peer address=\"");
            add(config, address);
            add(config, "\"/>");
        }
        peers += length + (peers[length] == ';' ? 1 : 0);
    }
}

/* the settings of Iron and later; false for an unknown range */
static bool add_discovery_range(Config* config)
{
    const char* range = environment("ROS_AUTOMATIC_DISCOVERY_RANGE");
    const bool off = strcmp(range, "OFF") == 0;
    const bool local = strcmp(range, "LOCALHOST") == 0;
    const bool subnet = strcmp(range, "SUBNET") == 0;
    if (range[0] == '\0' || strcmp(range, "SYSTEM_DEFAULT") == 0) {
        return true;
    }
    if (!off && !local && !subnet) {
        RCL_SET_ERROR_MSG_WITH_FORMAT_STRING("ROS_AUTOMATIC_DISCOVERY_RANGE is '%s'; expected SUBNET, LOCALHOST, OFF or SYSTEM_DEFAULT", range);
        return false;
    }
    add(config, "<CycloneDDS><Domain>");
    if (off || local) {
        add(config, "<General><AllowMulticast>false</AllowMulticast></General>");
    }
    if (off) {
        char tag[64];
        snprintf(tag, sizeof tag, "<Tag>ros_discovery_off_%ld</Tag>", (long)getpid());
        add(config, "<Discovery><ParticipantIndex>none</ParticipantIndex>");
        add(config, tag);
    } else {
        add(config,
            "<Discovery><ParticipantIndex>auto</ParticipantIndex>"
            "<MaxAutoParticipantIndex>32</MaxAutoParticipantIndex><Peers>");
        add(config, local ? "<Peer address=\"localhost\"/>" : "");
        add_static_peers(config);
        add(config, "</Peers>");
    }
    add(config, "</Discovery></Domain></CycloneDDS>,");
    return true;
}

static bool is_local(void)
{
    return strcmp(environment("ROS_LOCALHOST_ONLY"), "1") == 0;
}

/* Where the loopback interface has no multicast, participants find each other by the ports of their indices: as many as the
 * protocol's ports leave room for before those of the next domain, instead of ten. */
#define MAX_INDEX "120" /* the first that is not tried */
#define CROWDED "cannot join the DDS domain; are " MAX_INDEX " other processes of this machine in it already, or is CYCLONEDDS_URI wrong?"

static bool build_config(Config* config)
{
    *config = (Config){.complete = true};
    add(config, sizes);
    if (is_local()) {
        add(config,
            "<CycloneDDS><Domain><General><Interfaces><NetworkInterface address=\"127.0.0.1\"/></Interfaces></General>"
            "<Discovery><ParticipantIndex>auto</ParticipantIndex><MaxAutoParticipantIndex>" MAX_INDEX
            "</MaxAutoParticipantIndex>"
            "<Peers><Peer address=\"127.0.0.1\"/></Peers></Discovery></Domain></CycloneDDS>,");
    }
    if (!add_discovery_range(config)) {
        return false;
    }
    add(config, environment("CYCLONEDDS_URI"));
    if (!config->complete) {
        RCL_SET_ERROR_MSG("CYCLONEDDS_URI or ROS_STATIC_PEERS is too long");
    }
    return config->complete;
}

static bool read_domain_id(size_t* domain_id)
{
    const char* text = environment("ROS_DOMAIN_ID");
    char* end;
    errno = 0;
    const unsigned long value = strtoul(text, &end, 10);
    if (errno != 0 || *end != '\0' || strchr(text, '-') != NULL || value > DOMAIN_MAX) {
        RCL_SET_ERROR_MSG_WITH_FORMAT_STRING("ROS_DOMAIN_ID is '%s'; expected a number up to %d", text, DOMAIN_MAX);
        return false;
    }
    *domain_id = value;
    return true;
}

/* ---- sockets ---- */

typedef struct Sockets {
    bool there[FILE_MAX_SEEN];
} Sockets;

static bool listens_to_all(int file)
{
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    int type = 0;
    socklen_t type_size = sizeof type;
    if (getsockopt(file, SOL_SOCKET, SO_TYPE, &type, &type_size) != 0 || type != SOCK_DGRAM ||
        getsockname(file, (struct sockaddr*)&address, &size) != 0 || address.ss_family != AF_INET) {
        return false;
    }
    return ((const struct sockaddr_in*)&address)->sin_addr.s_addr == htonl(INADDR_ANY);
}

static void list_sockets(Sockets* sockets)
{
    for (int file = 0; file < FILE_MAX_SEEN; file++) {
        sockets->there[file] = listens_to_all(file);
    }
}

/* Cyclone's sockets listen to every interface, whatever its settings say: those that have come since then hear only this machine. */
static void bind_to_loopback(const Sockets* before)
{
    for (int file = 0; file < FILE_MAX_SEEN; file++) {
        if (!before->there[file] && listens_to_all(file) && setsockopt(file, SOL_SOCKET, SO_BINDTODEVICE, "lo", 3) != 0) {
            RCUTILS_LOG_WARN_NAMED("filum", "ROS_LOCALHOST_ONLY: a socket listens to other machines too: %s", strerror(errno));
        }
    }
}

/* ---- participants ---- */

rcl_ret_t fil_participant_create(FilParticipant* participant)
{
    static const char user_data[] = "enclave=/;";
    *participant = (FilParticipant){0};
    Config config;
    if (!read_domain_id(&participant->domain_id) || !build_config(&config)) {
        return RCL_RET_ERROR;
    }
    const dds_domainid_t id = (dds_domainid_t)participant->domain_id;
    Sockets before;
    list_sockets(&before);
    participant->domain = dds_create_domain(id, config.text);
    if (participant->domain == DDS_RETCODE_PRECONDITION_NOT_MET) {
        participant->domain = 0;
    } else if (participant->domain < 0) {
        fil_dds_error(is_local() ? CROWDED : "cannot set up the DDS domain; is CYCLONEDDS_URI right?", participant->domain);
        return RCL_RET_ERROR;
    } else {
        participant->log_valve = fil_log_valve_open();
    }
    dds_qos_t* qos = dds_create_qos();
    dds_qset_userdata(qos, user_data, sizeof user_data - 1);
    participant->entity = dds_create_participant(id, qos, NULL);
    dds_delete_qos(qos);
    if (participant->entity < 0) {
        fil_dds_error(is_local() ? CROWDED : "cannot join the DDS domain", participant->entity);
        fil_participant_delete(participant);
        return RCL_RET_ERROR;
    }
    if (is_local()) {
        bind_to_loopback(&before);
    }
    return RCL_RET_OK;
}

static void* delete_entities(void* context)
{
    FilParticipant* entities = context;
    if (entities->entity > 0) {
        dds_delete(entities->entity);
    }
    if (entities->domain > 0) {
        dds_delete(entities->domain);
    }
    free(entities);
    return NULL;
}

/* Cyclone wakes its threads by packets to itself, and waits for ever where these cannot be sent: it is left behind then. */
void fil_participant_delete(FilParticipant* participant)
{
    FilParticipant* entities = malloc(sizeof *entities);
    pthread_t thread;
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += DELETE_PATIENCE;
    if (entities != NULL) {
        *entities = *participant;
        if (pthread_create(&thread, NULL, delete_entities, entities) != 0) {
            delete_entities(entities);
        } else if (pthread_timedjoin_np(thread, NULL, &limit) != 0) {
            pthread_detach(thread);
            RCUTILS_LOG_WARN_NAMED("dds", "the middleware does not end and is left behind");
        }
    }
    fil_log_valve_close(participant->log_valve);
    *participant = (FilParticipant){0};
}
