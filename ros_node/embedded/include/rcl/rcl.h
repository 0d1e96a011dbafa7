/* All of rcl that exists here. */
#ifndef RCL__RCL_H_
#define RCL__RCL_H_

#include "rcl/client.h"
#include "rcl/error_handling.h"
#include "rcl/node.h"
#include "rcl/publisher.h"
#include "rcl/service.h"
#include "rcl/subscription.h"
#include "rmw/qos_profiles.h"

#endif
