/* Owns what a fit compares. */
#include "fit/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"

FilStatus fil_fit_keys_read(const FilSetting* settings, int count, FilFitProblem* problem, FilError* error)
{
    if (count < 1 || count > FIL_FIT_KEYS) {
        return fil_error(error, FIL_BAD_INPUT, "--vary: 1 to %d keys are fitted", FIL_FIT_KEYS);
    }
    for (int k = 0; k < count; k++) {
        char *colon, *end;
        const double low = strtod(settings[k].value, &colon), high = *colon == ':' ? strtod(colon + 1, &end) : NAN;
        if (colon == settings[k].value || *colon != ':' || end == colon + 1 || *end != '\0' || !isfinite(low) || !isfinite(high) || !(low < high)) {
            return fil_error(error, FIL_BAD_INPUT, "--vary %s=%s: bounds low:high are needed", settings[k].path, settings[k].value);
        }
        problem->keys[k] = (FilFitKey){.path = settings[k].path, .low = low, .high = high, .logarithmic = low > 0.0 && high >= 10.0 * low};
    }
    problem->key_count = count;
    return FIL_OK;
}

double fil_fit_key_value(const FilFitKey* key, double x)
{
    return key->logarithmic ? key->low * pow(key->high / key->low, x) : key->low + (key->high - key->low) * x;
}

double fil_fit_key_slope(const FilFitKey* key, double x)
{
    return key->logarithmic ? fil_fit_key_value(key, x) * log(key->high / key->low) : key->high - key->low;
}

/* Probes of the columns, by number. */
static FilStatus find_probes(const FilFitProblem* problem, const FilWorld* world, int* probes, FilError* error)
{
    for (int c = 0; c < problem->data.column_count; c++) {
        probes[c] = -1;
        for (int p = 0; p < fil_world_probe_count(world) && probes[c] < 0; p++) {
            probes[c] = strcmp(fil_world_probe_name(world, p), problem->data.names[c]) == 0 ? p : -1;
        }
        if (probes[c] < 0) {
            return fil_error(error, FIL_BAD_INPUT, "the scene has no probe '%s', which the data have a column of", problem->data.names[c]);
        }
    }
    return FIL_OK;
}

static void measure(const FilWorld* world, const int* probes, int count, double* values)
{
    for (int c = 0; c < count; c++) {
        values[c] = fil_world_probe_value(world, probes[c]);
    }
}

/* Through all times of the data, from step to step. */
static FilStatus run(const FilFitProblem* problem, FilWorld* world, const int* probes, double* values, FilError* error)
{
    const FilFitData* data = &problem->data;
    const int columns = data->column_count;
    double before[FIL_FIT_COLUMNS], now[FIL_FIT_COLUMNS], last = 0.0;
    measure(world, probes, columns, now);
    memcpy(before, now, sizeof now);
    for (int r = 0; r < data->row_count; r++) {
        const double t = data->rows[(size_t)r * (size_t)(columns + 1)];
        while (fil_world_time(world) < t - 1e-9 * fil_world_dt(world)) {
            memcpy(before, now, sizeof now);
            last = fil_world_time(world);
            const FilStatus status = fil_world_step(world, NULL);
            if (status != FIL_OK) {
                return fil_error(error, status, "t = %g s: %.400s", last, fil_world_error(world));
            }
            measure(world, probes, columns, now);
        }
        const double end = fil_world_time(world), share = end > last ? fmin(fmax((t - last) / (end - last), 0.0), 1.0) : 1.0;
        for (int c = 0; c < columns; c++) {
            values[r * columns + c] = before[c] + share * (now[c] - before[c]);
        }
    }
    return FIL_OK;
}

FilStatus fil_fit_simulate(const FilFitProblem* problem, const double* x, double* values, FilError* error)
{
    char texts[FIL_FIT_KEYS][FIL_NUMBER_TEXT];
    const int common = problem->options.setting_count;
    FilSetting* settings = fil_alloc((size_t)(common + problem->key_count), sizeof *settings);
    if (settings == NULL) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    for (int k = 0; k < common; k++) {
        settings[k] = problem->options.settings[k];
    }
    for (int k = 0; k < problem->key_count; k++) {
        settings[common + k] = (FilSetting){problem->keys[k].path, fil_number_text(fil_fit_key_value(&problem->keys[k], x[k]), texts[k])};
    }
    FilSceneOptions options = problem->options;
    options.settings = settings;
    options.setting_count = common + problem->key_count;
    FilWorld* world = NULL;
    int probes[FIL_FIT_COLUMNS];
    FilStatus status = fil_scene_load(problem->scene, &options, &world, NULL, error);
    status = status == FIL_OK ? fil_world_set_threads(world, 1) : status;
    status = status == FIL_OK ? find_probes(problem, world, probes, error) : status;
    if (status == FIL_OK) {
        fil_world_set_stop(world, problem->stop, NULL);
        status = run(problem, world, probes, values, error);
    }
    fil_world_destroy(world);
    fil_free(settings);
    return status;
}

double fil_fit_residuals(const FilFitProblem* problem, const double* values, double* residuals)
{
    const FilFitData* data = &problem->data;
    double sum = 0.0;
    for (int r = 0; r < data->row_count; r++) {
        for (int c = 0; c < data->column_count; c++) {
            const double measured = data->rows[r * (data->column_count + 1) + c + 1];
            const int k = r * data->column_count + c;
            residuals[k] = isnan(measured) ? 0.0 : (values[k] - measured) / problem->deviations[c];
            sum += 0.5 * residuals[k] * residuals[k];
        }
    }
    return sum;
}

int fil_fit_measured(const FilFitProblem* problem)
{
    const FilFitData* data = &problem->data;
    int count = 0;
    for (int k = 0; k < data->row_count * (data->column_count + 1); k++) {
        count += k % (data->column_count + 1) != 0 && !isnan(data->rows[k]);
    }
    return count;
}
