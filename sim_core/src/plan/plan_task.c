/* A plan in a thread of its own. */
#include <pthread.h>

#include "base/error.h"
#include "base/memory.h"
#include "plan/plan_data.h"

struct FilPlanTask {
    FilPlanStart* start; /* until the thread has it */
    FilPlanDef def;
    pthread_t thread;
    pthread_mutex_t lock; /* of report, cancelled, ended */
    FilPlanReport report;
    bool cancelled, ended;
    FilStatus status;
    FilPlan* plan;
    FilError error;
};

static bool keep_report(void* user, const FilPlanReport* report)
{
    FilPlanTask* task = user;
    pthread_mutex_lock(&task->lock);
    task->report = *report;
    const bool go_on = !task->cancelled;
    pthread_mutex_unlock(&task->lock);
    return go_on;
}

static void* work(void* user)
{
    FilPlanTask* task = user;
    task->status = fil_plan_solve_start(task->start, &task->def, &task->plan, &task->error);
    pthread_mutex_lock(&task->lock);
    task->ended = true;
    pthread_mutex_unlock(&task->lock);
    return NULL;
}

FilStatus fil_plan_task_begin(const FilWorld* world, const FilPlanDef* def, FilPlanTask** out, FilError* error)
{
    FilPlanTask* task = fil_alloc(1, sizeof *task);
    *out = NULL;
    if (task == NULL) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "plan: out of memory");
    }
    const FilStatus status = fil_plan_start_create(world, def, &task->start, error);
    if (status != FIL_OK) {
        fil_free(task);
        return status;
    }
    task->def = *def;
    task->def.report = keep_report;
    task->def.user = task;
    pthread_mutex_init(&task->lock, NULL);
    if (pthread_create(&task->thread, NULL, work, task) != 0) {
        pthread_mutex_destroy(&task->lock);
        fil_free(task->start);
        fil_free(task);
        return fil_error(error, FIL_OUT_OF_MEMORY, "plan: no thread to plan in");
    }
    *out = task;
    return FIL_OK;
}

bool fil_plan_task_poll(FilPlanTask* task, FilPlanReport* report)
{
    pthread_mutex_lock(&task->lock);
    *report = task->report;
    const bool ended = task->ended;
    pthread_mutex_unlock(&task->lock);
    return ended;
}

void fil_plan_task_cancel(FilPlanTask* task)
{
    pthread_mutex_lock(&task->lock);
    task->cancelled = true;
    pthread_mutex_unlock(&task->lock);
}

FilStatus fil_plan_task_end(FilPlanTask* task, FilPlan** plan, FilError* error)
{
    pthread_join(task->thread, NULL);
    const FilStatus status = task->status;
    if (status != FIL_OK) {
        *error = task->error;
    }
    if (plan != NULL) {
        *plan = task->plan;
    } else {
        fil_plan_destroy(task->plan);
    }
    pthread_mutex_destroy(&task->lock);
    fil_free(task);
    return status;
}
