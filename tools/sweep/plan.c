/* Reading plans, and the values of a run. */
#include "sweep/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/number.h"
#include "scene/random.h"
#include "sweep/sobol.h"

/* A sweep's runs are counted by SQLite's integers and shown to people. */
static const uint64_t RUNS_MAX = 1000000000;

/* ---- reading ---- */

typedef struct Word {
    const char* name;
    FilSweepForm form;
    int numbers;
    bool drawn, positive;
} Word;

static const Word words[] = {
    {"linspace", FIL_SWEEP_LINSPACE, 3, false, false}, {"logspace", FIL_SWEEP_LOGSPACE, 3, false, true},
    {"uniform", FIL_SWEEP_UNIFORM, 2, true, false},    {"loguniform", FIL_SWEEP_LOGUNIFORM, 2, true, true},
    {"normal", FIL_SWEEP_NORMAL, 2, true, false},
};
enum { WORD_COUNT = sizeof words / sizeof *words };

/* "(a,b)" or "(a,b,n)". */
static bool read_numbers(const char* text, int count, double* numbers)
{
    if (*text++ != '(') {
        return false;
    }
    for (int k = 0; k < count; k++) {
        char* end;
        numbers[k] = strtod(text, &end);
        if (end == text || !isfinite(numbers[k]) || *end != (k + 1 < count ? ',' : ')')) {
            return false;
        }
        text = end + 1;
    }
    return *text == '\0';
}

/* Values of "[a,b,...]" or "a,b,...". */
static bool read_list(const char* text, FilSweepAxis* axis)
{
    const size_t length = strlen(text);
    const bool bracketed = text[0] == '[' && length > 1 && text[length - 1] == ']';
    axis->form = FIL_SWEEP_LIST;
    axis->list = text + bracketed;
    axis->count = 1;
    size_t size = 0;
    for (const char* c = axis->list; c < text + length - bracketed; c++) {
        if (strchr("[]{}()", *c) != NULL) {
            return false;  // values that have parts have no commas to be distinguished by
        }
        size = *c == ',' ? 0 : size + 1;
        axis->count += *c == ',';
        if (size >= FIL_SWEEP_TEXT) {
            return false;
        }
    }
    return text[bracketed] != '\0' && length > 2 * (size_t)bracketed;
}

static FilStatus read_axis(const FilSetting* setting, bool drawn, FilSweepAxis* axis, FilError* error)
{
    const char *option = drawn ? "--random" : "--over", *value = setting->value;
    const size_t length = strcspn(value, "(");
    *axis = (FilSweepAxis){.path = setting->path, .count = 1};
    for (int w = 0; w < WORD_COUNT; w++) {
        double numbers[3] = {0.0, 0.0, 1.0};
        const Word* word = &words[w];
        if (word->drawn != drawn || strlen(word->name) != length || strncmp(word->name, value, length) != 0) {
            continue;
        }
        if (!read_numbers(value + length, word->numbers, numbers)) {
            return fil_error(error, FIL_BAD_INPUT, "%s %s=%s: %s takes %d numbers", option, setting->path, value, word->name, word->numbers);
        }
        if (word->positive && !(numbers[0] > 0.0 && numbers[1] > 0.0)) {
            return fil_error(error, FIL_BAD_INPUT, "%s %s=%s: the bounds of a logarithm are positive", option, setting->path, value);
        }
        // 1e9: fits an int
        if (!(numbers[2] >= 1.0 && numbers[2] <= 1e9 && numbers[2] == floor(numbers[2]))) {
            return fil_error(error, FIL_BAD_INPUT, "%s %s=%s: %g is no number of values", option, setting->path, value, numbers[2]);
        }
        *axis = (FilSweepAxis){.path = setting->path, .form = word->form, .a = numbers[0], .b = numbers[1], .count = (uint64_t)numbers[2]};
        return FIL_OK;
    }
    if (!drawn && read_list(value, axis)) {
        return FIL_OK;
    }
    return fil_error(error, FIL_BAD_INPUT, "%s %s=%s: this is none of %s", option, setting->path, value,
                     drawn ? "uniform(a,b), loguniform(a,b), normal(mean,deviation)" : "linspace(a,b,n), logspace(a,b,n), [x,y,...]");
}

static FilStatus read_axes(const FilSetting* settings, int count, bool drawn, FilSweepAxis* axes, FilError* error)
{
    if (count > FIL_SWEEP_AXES) {
        return fil_error(error, FIL_BAD_INPUT, "%s: %d keys at most", drawn ? "--random" : "--over", FIL_SWEEP_AXES);
    }
    FilStatus status = FIL_OK;
    for (int k = 0; k < count && status == FIL_OK; k++) {
        status = read_axis(&settings[k], drawn, &axes[k], error);
    }
    return status;
}

static FilStatus count_runs(FilSweepPlan* plan, FilError* error)
{
    const uint64_t factors[] = {plan->samples, plan->seeds};
    plan->points = 1;
    bool fits = true;
    for (int k = 0; k < plan->over_count; k++) {
        fits = fits && plan->over[k].count <= RUNS_MAX / plan->points;
        plan->points *= fits ? plan->over[k].count : 1;
    }
    plan->runs = plan->points;
    for (int k = 0; k < 2; k++) {
        fits = fits && factors[k] <= RUNS_MAX / plan->runs;
        plan->runs *= fits ? factors[k] : 1;
    }
    return fits ? FIL_OK : fil_error(error, FIL_BAD_INPUT, "a sweep has a thousand million runs at most");
}

FilStatus fil_sweep_plan(FilSweepPlan* plan, const FilSetting* over, int over_count, const FilSetting* random, int random_count, FilError* error)
{
    FilStatus status = read_axes(over, over_count, false, plan->over, error);
    status = status == FIL_OK ? read_axes(random, random_count, true, plan->random, error) : status;
    if (status != FIL_OK) {
        return status;
    }
    plan->over_count = over_count;
    plan->random_count = random_count;
    for (int i = 0; i < over_count + random_count; i++) {
        for (int j = 0; j < i; j++) {
            if (strcmp(fil_sweep_path(plan, i), fil_sweep_path(plan, j)) == 0) {
                return fil_error(error, FIL_BAD_INPUT, "%s is varied twice", fil_sweep_path(plan, i));
            }
        }
    }
    if (random_count == 0 && plan->samples > 1) {
        return fil_error(error, FIL_BAD_INPUT, "--samples: nothing is drawn; give --random a key");
    }
    return count_runs(plan, error);
}

/* ---- values ---- */

const char* fil_sweep_path(const FilSweepPlan* plan, int axis)
{
    return axis < plan->over_count ? plan->over[axis].path : plan->random[axis - plan->over_count].path;
}

uint64_t fil_sweep_seed(const FilSweepPlan* plan, uint64_t run)
{
    return plan->seed + run % plan->seeds;
}

/* In (0, 1): of a sample's axis, whatever was drawn before. */
static double draw(const FilSweepPlan* plan, uint64_t sample, int axis)
{
    const uint64_t key[] = {plan->seed, (uint64_t)axis, plan->sobol ? 0 : sample};
    uint64_t state = fil_hash_bytes(FIL_HASH_SEED, key, sizeof key);
    if (!plan->sobol) {
        // the smallest step of a uniform double: neither 0 nor 1
        return fmin(fmax(fil_random_uniform(&state), 0x1p-53), 1.0 - 0x1p-53);
    }
    // a shift of all digits keeps the points as even as they are, and their first one off the corner
    const uint32_t shift = (uint32_t)(state >> 32);
    return ((double)(fil_sobol((uint32_t)sample, axis) ^ shift) + 0.5) * 0x1p-32;
}

/* The number below which a share u of the normal distribution lies, by bisection: between -9 and 9 there is all that doubles tell apart; 60 halvings
 * of 18 are 2e-17. */
static double normal_quantile(double u)
{
    double low = -9.0, high = 9.0;
    for (int k = 0; k < 60; k++) {
        const double middle = 0.5 * (low + high);
        *(0.5 * erfc(-middle * 0.70710678118654752440) < u ? &low : &high) = middle;
    }
    return 0.5 * (low + high);
}

static double drawn_value(const FilSweepPlan* plan, const FilSweepAxis* axis, uint64_t sample, int number)
{
    const double u = draw(plan, sample, number);
    switch (axis->form) {
        case FIL_SWEEP_NORMAL:
            return axis->a + axis->b * normal_quantile(u);
        case FIL_SWEEP_LOGUNIFORM:
            return axis->a * pow(axis->b / axis->a, u);
        default:
            return axis->a + (axis->b - axis->a) * u;
    }
}

static double grid_value(const FilSweepAxis* axis, uint64_t index)
{
    if (index + 1 == axis->count && index > 0) {
        return axis->b;
    }
    const double share = axis->count > 1 ? (double)index / (double)(axis->count - 1) : 0.0;
    return axis->form == FIL_SWEEP_LOGSPACE ? axis->a * pow(axis->b / axis->a, share) : axis->a + (axis->b - axis->a) * share;
}

void fil_sweep_value(const FilSweepPlan* plan, uint64_t run, int axis, char text[FIL_SWEEP_TEXT])
{
    char number[FIL_NUMBER_TEXT] = {0};
    const uint64_t sample = run / plan->seeds % plan->samples;
    if (axis >= plan->over_count) {
        const int k = axis - plan->over_count;
        snprintf(text, FIL_SWEEP_TEXT, "%s", fil_number_text(drawn_value(plan, &plan->random[k], sample, k), number));
        return;
    }
    uint64_t index = run / plan->seeds / plan->samples;
    for (int k = plan->over_count - 1; k > axis; k--) {
        index /= plan->over[k].count;
    }
    index %= plan->over[axis].count;
    if (plan->over[axis].form != FIL_SWEEP_LIST) {
        snprintf(text, FIL_SWEEP_TEXT, "%s", fil_number_text(grid_value(&plan->over[axis], index), number));
        return;
    }
    const char* at = plan->over[axis].list;
    for (; index > 0; index--) {
        at += strcspn(at, ",") + 1;
    }
    at += strspn(at, " ");
    snprintf(text, FIL_SWEEP_TEXT, "%.*s", (int)strcspn(at, ",]"), at);
}
