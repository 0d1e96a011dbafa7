/* All of rclc that exists here but the executor. */
#ifndef RCLC__RCLC_H_
#define RCLC__RCLC_H_

#include "rclc/client.h"
#include "rclc/init.h"
#include "rclc/node.h"
#include "rclc/publisher.h"
#include "rclc/service.h"
#include "rclc/subscription.h"
#include "rclc/types.h"

#endif
