/* Owns what a fit compares. */
#include "fit/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "filum/gradient.h"

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
        // by its logarithm from a decade on (docs/fitting.md)
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

/* How far apart the worlds are that a key's derivatives are taken between, in x: the equations' own curvature leaves 1e-8 of them. */
static const double APART = 1e-4;

/* A run whose states are followed with their variations by the keys. */
typedef struct Sensitivity {
    FilWorld* world;
    FilGradient* gradient;
    FilWorld* beside[2 * FIL_FIT_KEYS]; /* with more and with less of each key */
    int size;                           /* numbers of a variation */
    double* varied;                     /* of each key, and two of scratch */
    void* snapshot;
    double* slopes; /* out */
} Sensitivity;

/* y <- forward(y) + the step's own derivative, for every key. */
static FilStatus step_sensitivity(const FilFitProblem* problem, Sensitivity* s)
{
    double *next = s->varied + (size_t)problem->key_count * (size_t)s->size, *own = next + s->size;
    FilStatus status = fil_gradient_step(s->gradient, NULL);
    for (int k = 0; k < problem->key_count && status == FIL_OK; k++) {
        double* y = s->varied + (size_t)k * (size_t)s->size;
        status = fil_gradient_forward(s->gradient, y, NULL, next);
        status = status == FIL_OK ? fil_gradient_parameter(s->gradient, s->beside[2 * k], s->beside[2 * k + 1], 2.0 * APART, own) : status;
        for (int i = 0; i < s->size; i++) {
            y[i] = next[i] + own[i];
        }
    }
    return status;
}

/* How probes vary with the state: read a little way along each variation, to both sides. */
static FilStatus measure_slopes(const FilFitProblem* problem, Sensitivity* s, const int* probes, double* slopes)
{
    static const double WAY = 1e-5;  // m and rad: rounding leaves 1e-10 of it, a turn's curvature as much
    const int columns = problem->data.column_count;
    double* moved = s->varied + (size_t)problem->key_count * (size_t)s->size;
    FilStatus status = FIL_OK;
    fil_world_save(s->world, s->snapshot);
    for (int k = 0; k < problem->key_count && status == FIL_OK; k++) {
        const double* y = s->varied + (size_t)k * (size_t)s->size;
        double max = 0.0, values[2][FIL_FIT_COLUMNS];
        for (int i = 0; i < s->size; i++) {
            max = fmax(max, fabs(y[i]));
        }
        const double way = max > 0.0 ? WAY / max : 1.0;
        for (int side = 0; side < 2 && status == FIL_OK; side++) {
            for (int i = 0; i < s->size; i++) {
                moved[i] = (side == 0 ? -way : way) * y[i];
            }
            status = fil_world_vary(s->world, moved);
            measure(s->world, probes, columns, values[side]);
            status = status == FIL_OK ? fil_world_restore(s->world, s->snapshot, fil_world_snapshot_size(s->world)) : status;
        }
        for (int c = 0; c < columns && status == FIL_OK; c++) {
            slopes[k * columns + c] = (values[1][c] - values[0][c]) / (2.0 * way);
        }
    }
    return status;
}

/* Through all times of the data, from step to step. */
static FilStatus run(const FilFitProblem* problem, FilWorld* world, const int* probes, Sensitivity* sensitivity, double* values, FilError* error)
{
    const FilFitData* data = &problem->data;
    const int columns = data->column_count, count = columns * (sensitivity != NULL ? problem->key_count + 1 : 1);
    double before[(FIL_FIT_KEYS + 1) * FIL_FIT_COLUMNS] = {0.0}, now[(FIL_FIT_KEYS + 1) * FIL_FIT_COLUMNS] = {0.0}, last = 0.0;
    measure(world, probes, columns, now);
    memcpy(before, now, sizeof now);
    for (int r = 0; r < data->row_count; r++) {
        const double t = data->rows[(size_t)r * (size_t)(columns + 1)];
        // rounding of a sum of steps
        while (fil_world_time(world) < t - 1e-9 * fil_world_dt(world)) {
            memcpy(before, now, sizeof now);
            last = fil_world_time(world);
            FilStatus status = sensitivity != NULL ? step_sensitivity(problem, sensitivity) : fil_world_step(world, NULL);
            measure(world, probes, columns, now);
            status = status == FIL_OK && sensitivity != NULL ? measure_slopes(problem, sensitivity, probes, now + columns) : status;
            if (status != FIL_OK) {
                return fil_error(error, status, "t = %g s: %.400s", last, fil_world_error(world));
            }
        }
        const double end = fil_world_time(world), share = end > last ? fmin(fmax((t - last) / (end - last), 0.0), 1.0) : 1.0;
        for (int c = 0; c < count; c++) {
            double* row = c < columns ? values : sensitivity->slopes + (size_t)(c / columns - 1) * (size_t)(data->row_count * columns);
            row[r * columns + c % columns] = before[c] + share * (now[c] - before[c]);
        }
    }
    return FIL_OK;
}

/* The scene at a point; `shift` is added to the number of one key. */
static FilStatus load(const FilFitProblem* problem, const double* x, int key, double shift, FilWorld** world, FilError* error)
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
        const double value = fil_fit_key_value(&problem->keys[k], x[k] + (k == key ? shift : 0.0));
        settings[common + k] = (FilSetting){problem->keys[k].path, fil_number_text(value, texts[k])};
    }
    FilSceneOptions options = problem->options;
    options.settings = settings;
    options.setting_count = common + problem->key_count;
    FilStatus status = fil_scene_load(problem->scene, &options, world, NULL, error);
    status = status == FIL_OK ? fil_world_set_threads(*world, 1) : status;
    if (status == FIL_OK) {
        fil_world_set_stop(*world, problem->stop, NULL);
    }
    fil_free(settings);
    return status;
}

FilStatus fil_fit_simulate(const FilFitProblem* problem, const double* x, double* values, FilError* error)
{
    FilWorld* world = NULL;
    int probes[FIL_FIT_COLUMNS];
    FilStatus status = load(problem, x, -1, 0.0, &world, error);
    status = status == FIL_OK ? find_probes(problem, world, probes, error) : status;
    status = status == FIL_OK ? run(problem, world, probes, NULL, values, error) : status;
    fil_world_destroy(world);
    return status;
}

FilStatus fil_fit_simulate_slopes(const FilFitProblem* problem, const double* x, double* values, double* slopes, FilError* error)
{
    FilWorld* world = NULL;
    int probes[FIL_FIT_COLUMNS];
    Sensitivity sensitivity = {.slopes = slopes};
    FilStatus status = load(problem, x, -1, 0.0, &world, error);
    status = status == FIL_OK ? find_probes(problem, world, probes, error) : status;
    if (status == FIL_OK && (status = fil_gradient_create(world, &sensitivity.gradient)) != FIL_OK) {
        status = fil_error(error, status, "%.400s", fil_world_error(world));
    }
    for (int k = 0; k < 2 * problem->key_count && status == FIL_OK; k++) {
        status = load(problem, x, k / 2, k % 2 == 0 ? APART : -APART, &sensitivity.beside[k], error);
    }
    if (status == FIL_OK) {
        const size_t numbers = (size_t)fil_gradient_variation_size(sensitivity.gradient), keys = (size_t)problem->key_count;
        sensitivity.world = world;
        sensitivity.size = (int)numbers;
        sensitivity.snapshot = fil_alloc(1, fil_world_snapshot_size(world));
        sensitivity.varied = fil_alloc((keys + 2) * numbers + 1, sizeof(double));
        status = sensitivity.snapshot != NULL && sensitivity.varied != NULL ? FIL_OK : fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    status = status == FIL_OK ? run(problem, world, probes, &sensitivity, values, error) : status;
    for (int k = 0; k < 2 * problem->key_count; k++) {
        fil_world_destroy(sensitivity.beside[k]);
    }
    fil_gradient_destroy(sensitivity.gradient);
    fil_free(sensitivity.snapshot);
    fil_free(sensitivity.varied);
    fil_world_destroy(world);
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
