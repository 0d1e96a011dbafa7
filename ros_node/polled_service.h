/* Services that are answered between the executor's turns: by the main loop, which looks for requests in each of its own. */
#ifndef FILUM_NODE_POLLED_SERVICE_H
#define FILUM_NODE_POLLED_SERVICE_H

#include "messages.h"
#include "rcl/service.h"

/* Takes a request if there is one; failures are logged. */
bool fil_take_request(const rcl_service_t* service, rmw_request_id_t* caller, void* request, const char* logger, const char* name);

/* Takes a request, if there is one, and answers it at once by calling `answer`. `type` is that of the service, as in std_srvs__srv__Trigger. */
#define FIL_SERVE(type, service, request, response, logger, name, answer)            \
    do {                                                                             \
        rmw_request_id_t caller;                                                     \
        if (fil_take_request(service, &caller, request, logger, name)) {             \
            FIL_MESSAGE_RENEW(type##_Response, response);                            \
            answer;                                                                  \
            FIL_MESSAGE_RENEW(type##_Request, request);                              \
            fil_ros_ok(rcl_send_response(service, &caller, response), logger, name); \
        }                                                                            \
    } while (0)

#endif
