/* What a publisher and a subscription have inside, and what the executor waits for. */
#ifndef FILUM_EMBEDDED_TOPICS_IMPL_H
#define FILUM_EMBEDDED_TOPICS_IMPL_H

#include "endpoint.h"
#include "names.h"
#include "rcl/client.h"
#include "rcl/service.h"
#include "rcl/subscription.h"

typedef struct FilTopic {
    FilEndpoint endpoint;
    const FilMessageMembers* type;
    char name[FIL_NAME_MAX];
} FilTopic;

/* The readers behind a subscription, a service (requests) and a client (responses). */
const FilEndpoint* fil_subscription_endpoint(const rcl_subscription_t* subscription);
const FilEndpoint* fil_service_endpoint(const rcl_service_t* service);
const FilEndpoint* fil_client_endpoint(const rcl_client_t* client);

/* Whether a request was taken from the reader and is not served yet: one has to look again, since nothing will wake those who wait. */
bool fil_service_puts_off(const rcl_service_t* service);

#endif
