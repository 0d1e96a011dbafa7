/* Contexts (rclc_support). */
#include <stdlib.h>

#include "node_impl.h"
#include "rcl/error_handling.h"
#include "rclc/init.h"

rcl_context_t rcl_get_zero_initialized_context(void)
{
    return (rcl_context_t){0};
}

bool rcl_context_is_valid(const rcl_context_t* context)
{
    return context != NULL && context->impl != NULL;
}

rcl_ret_t rcl_context_get_domain_id(rcl_context_t* context, size_t* domain_id)
{
    if (!rcl_context_is_valid(context)) {
        RCL_SET_ERROR_MSG("the context is not initialised");
        return RCL_RET_NOT_INIT;
    }
    *domain_id = context->impl->participant.domain_id;
    return RCL_RET_OK;
}

rcl_ret_t rclc_support_init(rclc_support_t* support, int argc, char const* const* argv, rcl_allocator_t* allocator)
{
    *support = (rclc_support_t){.allocator = allocator};
    rcl_ret_t ret = rcl_parse_arguments(argc, argv, *allocator, &support->context.global_arguments);
    if (ret != RCL_RET_OK) {
        return ret;
    }
    rcl_context_impl_t* impl = calloc(1, sizeof *impl);
    support->context.impl = impl;
    if (impl == NULL) {
        RCL_SET_ERROR_MSG("out of memory");
        ret = RCL_RET_BAD_ALLOC;
    } else {
        ret = fil_participant_create(&impl->participant);
    }
    if (ret == RCL_RET_OK) {
        ret = fil_graph_init(&impl->graph, impl->participant.entity);
    }
    if (ret != RCL_RET_OK) {
        const rcl_ret_t fini = rclc_support_fini(support);
        (void)fini;  // the first error counts
    }
    return ret;
}

rcl_ret_t rclc_support_fini(rclc_support_t* support)
{
    if (support->context.impl != NULL) {
        fil_graph_fini(&support->context.impl->graph);
        fil_participant_delete(&support->context.impl->participant);
        free(support->context.impl);
    }
    const rcl_ret_t ret = rcl_arguments_fini(&support->context.global_arguments);
    *support = (rclc_support_t){0};
    return ret;
}
