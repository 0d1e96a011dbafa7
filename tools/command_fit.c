/* Owns `filum fit`: keys of a scene from measurements of it, with their standard errors. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/workers.h"
#include "cli.h"
#include "command_table.h"
#include "fit/errors.h"
#include "fit/problem.h"
#include "fit/search.h"
#include "linalg/dense.h"
#include "plot.h"
#include "sweep/sobol.h"

typedef struct Options {
    const char *data, *method, *plot;
    FilSettings vary;
    FilSceneChoice scene;
    int scouts, runs, threads;
    bool json, quiet;
} Options;

typedef struct Fit {
    const Options* options;
    FilFitProblem problem;
    FilWorkers* workers;
    char path[PATH_MAX];
    int size; /* numbers of a run: rows times columns */
    int done; /* runs so far */
    double x[FIL_FIT_KEYS], cost;
    double* values;                /* of one run */
    double *points, *rows, *costs; /* of many: their places, residuals and costs */
    FilError* errors;
    double jacobian[FIL_FIT_KEYS][FIL_FIT_KEYS]; /* J' J */
    double descent[FIL_FIT_KEYS];                /* -J' r */
    double errors_of[FIL_FIT_KEYS];              /* standard errors of x */
    bool exact;                                  /* J from gradients of steps, not from differences of runs */
    double damping;                              /* of J' J, relative */
    FilError refusal;                            /* why there are no gradients */
} Fit;

/* A bound of ours: each is a whole run. */
enum { SCOUTS_MAX = 4096 };

static bool parse(int argc, char** argv, Options* options, const char** scene, int* exit_code)
{
    const FilOption table[] = {
        {"--data", FIL_OPTION_TEXT, &options->data, "FILE", "measurements: columns t and probes, as `filum run --csv` writes them"},
        {"--vary", FIL_OPTION_SETTING, &options->vary, "KEY=LOW:HIGH", "a key of the scene to be found; may be repeated"},
        {"--method", FIL_OPTION_TEXT, &options->method, "NAME",
         "bobyqa (the default), neldermead, lbfgs, slsqp; gauss_newton uses exact gradients of steps"},
        {"--scouts", FIL_OPTION_COUNT, &options->scouts, "N", "runs spread over the box, of which the best begins the search; 32 by default"},
        {"--runs", FIL_OPTION_COUNT, &options->runs, "N", "runs of the search at most; 500 by default"},
        FIL_SCENE_CHOICE_ROWS(&options->scene),
        {"--plot", FIL_OPTION_TEXT, &options->plot, "FILE", "draw what was measured and what was fitted, as SVG"},
        {"--threads", FIL_OPTION_COUNT, &options->threads, "N", "runs at a time, instead of one for each processor"},
        FIL_JSON_ROW(&options->json),
        FIL_QUIET_ROW(&options->quiet),
    };
    const FilUsage usage = {
        .command = "fit",
        .arguments = "SCENE",
        .about =
            "Finds keys of a scene so that its probes come closest to measurements, in the least squares, and says how well they\n"
            "are known.",
        .min_arguments = 1,
        .max_arguments = 1,
        .options = table,
        .option_count = sizeof table / sizeof table[0],
    };
    int count = 0;
    if (!fil_options_parse(&usage, argc, argv, &count, exit_code)) {
        return false;
    }
    *scene = argv[1];
    if (options->data == NULL || options->scouts > SCOUTS_MAX) {
        *exit_code =
            fil_cli_fail("fit", FIL_EXIT_USAGE, options->data == NULL ? "--data is missing: what is to be fitted to?" : "--scouts: 4096 at most");
        return false;
    }
    return true;
}

/* ---- many runs at once ---- */

static void run_points(void* context, int first, int end, int worker)
{
    Fit* fit = context;
    (void)worker;
    for (int k = first; k < end; k++) {
        double* row = fit->rows + (size_t)k * (size_t)fit->size;
        fit->errors[k].text[0] = '\0';
        fit->costs[k] = INFINITY;
        if (!fil_stop_requested() && fil_fit_simulate(&fit->problem, fit->points + k * fit->problem.key_count, row, &fit->errors[k]) == FIL_OK) {
            fit->costs[k] = fil_fit_residuals(&fit->problem, row, row);
        }
    }
}

/* Of `count` points: costs, infinite where a run failed, and rows of residuals. */
static void run_many(Fit* fit, int count)
{
    fil_workers_run(fit->workers, count, 1, run_points, fit);
    fit->done += count;
}

static FilStatus scout(Fit* fit, FilError* error)
{
    const int keys = fit->problem.key_count, count = fit->options->scouts;
    for (int k = 0; k < count; k++) {
        for (int i = 0; i < keys; i++) {
            // the box's middle comes first
            fit->points[k * keys + i] = k == 0 ? 0.5 : ((double)fil_sobol((uint32_t)k, i) + 0.5) * 0x1p-32;
        }
    }
    run_many(fit, count);
    int best = 0;
    for (int k = 1; k < count; k++) {
        best = fit->costs[k] < fit->costs[best] ? k : best;
    }
    if (!isfinite(fit->costs[best])) {
        return fil_error(error, FIL_BAD_INPUT, "no run of the box comes to its end: %.400s", fit->errors[0].text);
    }
    memcpy(fit->x, fit->points + best * keys, sizeof(double) * (size_t)keys);
    fit->cost = fit->costs[best];
    return FIL_OK;
}

/* J' J and -J' r from J's columns, rows 0, 2, 4, ..., and the residuals r behind them. */
static void square(Fit* fit)
{
    const int keys = fit->problem.key_count;
    const double* here = fit->rows + (size_t)(2 * keys) * (size_t)fit->size;
    for (int i = 0; i < keys; i++) {
        const double* own = fit->rows + (size_t)(2 * i) * (size_t)fit->size;
        fit->descent[i] = 0.0;
        for (int k = 0; k < fit->size; k++) {
            fit->descent[i] -= own[k] * here[k];
        }
        for (int j = 0; j <= i; j++) {
            const double* other = fit->rows + (size_t)(2 * j) * (size_t)fit->size;
            double sum = 0.0;
            for (int k = 0; k < fit->size; k++) {
                sum += own[k] * other[k];
            }
            fit->jacobian[i][j] = fit->jacobian[j][i] = sum;
        }
    }
}

/* The same by one run with the gradients of its steps. */
static bool differentiate_steps(Fit* fit, const double* x)
{
    const FilFitProblem* problem = &fit->problem;
    const int keys = problem->key_count, columns = problem->data.column_count;
    double *here = fit->rows + (size_t)(2 * keys) * (size_t)fit->size, *slopes = here + fit->size;
    fit->done++;
    fit->costs[2 * keys] = INFINITY;
    if (fil_fit_simulate_slopes(problem, x, here, slopes, &fit->refusal) != FIL_OK) {
        return false;
    }
    fit->costs[2 * keys] = fil_fit_residuals(problem, here, here);
    for (int k = 0; k < keys * fit->size; k++) {
        const int at = k % fit->size, row = at / columns, c = at % columns;
        const bool measured = !isnan(problem->data.rows[row * (columns + 1) + c + 1]);
        fit->rows[(size_t)(2 * (k / fit->size)) * (size_t)fit->size + (size_t)at] = measured ? slopes[k] / problem->deviations[c] : 0.0;
    }
    square(fit);
    return true;
}

/* Runs to both sides of x, by `step` where the box allows it: J' J and -J' r of the residuals there. False if one failed. */
static bool differentiate_runs(Fit* fit, const double* x)
{
    static const double STEP = 1e-3;  // chosen: 1e-4 to 1e-2 give the same errors to a percent
    const int keys = fit->problem.key_count;
    for (int i = 0; i < keys; i++) {
        const double center = fmin(fmax(x[i], STEP), 1.0 - STEP);
        for (int side = 0; side < 2; side++) {
            double* point = fit->points + (2 * i + side) * keys;
            memcpy(point, x, sizeof(double) * (size_t)keys);
            point[i] = center + (side == 0 ? -STEP : STEP);
        }
    }
    memcpy(fit->points + 2 * keys * keys, x, sizeof(double) * (size_t)keys);
    run_many(fit, 2 * keys + 1);
    for (int k = 0; k <= 2 * keys; k++) {
        if (!isfinite(fit->costs[k])) {
            return false;
        }
    }
    for (int i = 0; i < keys; i++) {
        double* low = fit->rows + (size_t)(2 * i) * (size_t)fit->size;
        const double* high = low + fit->size;
        for (int k = 0; k < fit->size; k++) {
            low[k] = (high[k] - low[k]) / (2.0 * STEP);  // the column of J
        }
    }
    square(fit);
    return true;
}

static bool differentiate(Fit* fit, const double* x)
{
    return fit->exact ? differentiate_steps(fit, x) : differentiate_runs(fit, x);
}

/* ---- the search ---- */

static double evaluate(void* context, const double* x, double* gradient)
{
    Fit* fit = context;
    const int keys = fit->problem.key_count;
    if (gradient != NULL && differentiate(fit, x)) {
        for (int i = 0; i < keys; i++) {
            gradient[i] = -fit->descent[i];
        }
        return fit->costs[2 * keys];
    }
    memcpy(fit->points, x, sizeof(double) * (size_t)keys);
    run_many(fit, 1);
    if (gradient != NULL) {
        memset(gradient, 0, sizeof(double) * (size_t)keys);
    }
    // methods want numbers: a run that fails is worse than any
    return isfinite(fit->costs[0]) ? fit->costs[0] : 1e3 * (fit->cost + 1.0);
}

/* x <- (J' J)^-1 x. False if keys change nothing, or all but the same: what is left of a key's share
 * when the others have explained theirs, 1 - R^2, is below what differences of runs resolve. */
static bool solve(const Fit* fit, double* x)
{
    static const double MIN_SIZE = 1e-7;  // differences are good to 1e-5 or so of themselves, their squares to less
    const int n = fit->problem.key_count;
    double factor[FIL_FIT_KEYS * FIL_FIT_KEYS], scale[FIL_FIT_KEYS];
    for (int i = 0; i < n; i++) {
        scale[i] = sqrt(fit->jacobian[i][i]);
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            factor[i * n + j] = fit->jacobian[i][j] / (scale[i] * scale[j]);
        }
        factor[i * n + i] += fit->damping;
    }
    if (!fil_dense_cholesky(n, factor)) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        if (!(factor[i * n + i] * factor[i * n + i] > MIN_SIZE)) {
            return false;
        }
    }
    for (int i = 0; i < n; i++) {
        x[i] /= scale[i];
    }
    fil_dense_cholesky_solve(n, factor, 1, x);
    for (int i = 0; i < n; i++) {
        x[i] /= scale[i];
    }
    return true;
}

/* Whether gradients of steps say what runs do, where the search begins: they do not where probes are of more than places and velocities. */
static FilStatus check_gradients(Fit* fit, FilError* error)
{
    static const double OFF = 0.01;  // differences of runs leave 1e-5 or so of smooth curves
    double jacobian[FIL_FIT_KEYS][FIL_FIT_KEYS];
    if (!differentiate_steps(fit, fit->x)) {
        return fil_error(error, FIL_BAD_INPUT, "gauss_newton needs gradients of steps: %.380s", fit->refusal.text);
    }
    memcpy(jacobian, fit->jacobian, sizeof jacobian);
    if (!differentiate_runs(fit, fit->x)) {
        return fil_error(error, FIL_NOT_CONVERGED, "runs beside the one that the search begins with fail");
    }
    for (int i = 0; i < fit->problem.key_count; i++) {
        if (!(fabs(jacobian[i][i] - fit->jacobian[i][i]) <= OFF * fit->jacobian[i][i])) {
            return fil_error(error, FIL_BAD_INPUT, "gauss_newton needs probes of places and velocities that follow '%s' smoothly; use bobyqa",
                             fit->problem.keys[i].path);
        }
    }
    return FIL_OK;
}

/* Levenberg and Marquardt's search with exact gradients, from the best scout. Keys are shares of their bounds; it ends where none moves by 1e-6 of
 * those, and damping falls and grows by five. Chosen: docs/fitting.md says what came out of twenty fits. */
static FilStatus descend(Fit* fit, FilError* error)
{
    const int keys = fit->problem.key_count;
    double damping = 1e-3, length = 1.0;
    while (length > 1e-6) {
        if (fit->done > fit->options->runs + fit->options->scouts) {
            return fil_error(error, FIL_NOT_CONVERGED, "gauss_newton has not come to an end in %d runs", fit->options->runs);
        }
        if (!differentiate(fit, fit->x)) {
            return fil_error(error, FIL_NOT_CONVERGED, "a step has no gradient: %.400s", fit->refusal.text);
        }
        fit->cost = fit->costs[2 * keys];
        bool lower = false;
        while (!lower && length > 1e-6) {
            double step[FIL_FIT_KEYS], *trial = fit->points;
            memcpy(step, fit->descent, sizeof step);
            fit->damping = damping;
            const bool solved = solve(fit, step);
            fit->damping = 0.0;
            if (!solved) {
                return fil_error(error, FIL_NOT_CONVERGED, "the measurements do not tell these keys apart");
            }
            length = 0.0;
            for (int i = 0; i < keys; i++) {
                trial[i] = fmin(fmax(fit->x[i] + step[i], 0.0), 1.0);
                length = fmax(length, fabs(trial[i] - fit->x[i]));
            }
            run_many(fit, 1);
            lower = fit->costs[0] < fit->cost;
            damping *= lower ? 0.2 : 5.0;
        }
        if (lower) {
            memcpy(fit->x, fit->points, sizeof(double) * (size_t)keys);
            fit->cost = fit->costs[0];
        }
    }
    return FIL_OK;
}

/* Gauss and Newton's steps from where the search ended: two or three give all digits that the runs have. */
static FilStatus polish(Fit* fit, FilError* error)
{
    const int keys = fit->problem.key_count;
    for (int round = 0; round < 6; round++) {
        if (!differentiate(fit, fit->x)) {
            return fil_error(error, FIL_NOT_CONVERGED, "runs beside the best one fail: their errors say nothing");
        }
        fit->cost = fit->costs[2 * keys];
        double step[FIL_FIT_KEYS], trial[FIL_FIT_KEYS], length = 0.0;
        memcpy(step, fit->descent, sizeof step);
        if (!solve(fit, step)) {
            return fil_error(error, FIL_NOT_CONVERGED, "the measurements do not tell these keys apart");
        }
        for (int i = 0; i < keys; i++) {
            trial[i] = fmin(fmax(fit->x[i] + step[i], 0.0), 1.0);
            length = fmax(length, fabs(trial[i] - fit->x[i]));
        }
        memcpy(fit->points, trial, sizeof(double) * (size_t)keys);
        // a tenth of what a search leaves
        if (length < 1e-7) {
            break;
        }
        run_many(fit, 1);
        if (!(fit->costs[0] < fit->cost)) {
            break;
        }
        memcpy(fit->x, trial, sizeof trial);
        fit->cost = fit->costs[0];
    }
    return FIL_OK;
}

/* What each column says of the keys, by J as it was last made, and (J' J)^-1. */
static bool inform(const Fit* fit, FilFitInformation* information, double* covariance)
{
    const FilFitProblem* problem = &fit->problem;
    const int keys = problem->key_count, columns = problem->data.column_count;
    *information = (FilFitInformation){.key_count = keys, .column_count = columns};
    for (int k = 0; k < fit->size; k++) {
        const int c = k % columns;
        information->counts[c] += !isnan(problem->data.rows[k / columns * (columns + 1) + c + 1]);
        for (int i = 0; i < keys * keys; i++) {
            const size_t own = (size_t)(2 * (i / keys)), other = (size_t)(2 * (i % keys));
            information->squares[c][i] += fit->rows[own * (size_t)fit->size + (size_t)k] * fit->rows[other * (size_t)fit->size + (size_t)k];
        }
    }
    memset(covariance, 0, sizeof(double) * (size_t)(keys * keys));
    for (int i = 0; i < keys; i++) {
        covariance[i * keys + i] = 1.0;
        if (!solve(fit, covariance + (ptrdiff_t)(i * keys))) {
            return false;
        }
    }
    return true;
}

/* How far each column's residuals spread, as what the next residuals are divided by. */
static FilStatus weigh(Fit* fit, FilError* error)
{
    FilFitProblem* problem = &fit->problem;
    const int columns = problem->data.column_count;
    double covariance[FIL_FIT_KEYS * FIL_FIT_KEYS], sums[FIL_FIT_COLUMNS] = {0.0};
    FilFitInformation information;
    if (!differentiate(fit, fit->x) || !inform(fit, &information, covariance)) {
        return fil_error(error, FIL_NOT_CONVERGED, "the measurements do not tell these keys apart");
    }
    const double* residuals = fit->rows + (size_t)(2 * problem->key_count) * (size_t)fit->size;
    for (int k = 0; k < fit->size; k++) {
        sums[k % columns] += residuals[k] * residuals[k];
    }
    for (int c = 0; c < columns; c++) {
        // simulated data are met to rounding, which is no deviation
        problem->deviations[c] *= fmax(sqrt(sums[c] / fil_fit_freedom(&information, covariance, c)), 1e-12);
    }
    return FIL_OK;
}

static FilStatus search(Fit* fit, FilError* error)
{
    FilStatus status = scout(fit, error);
    fit->exact = strcmp(fit->options->method, "gauss_newton") == 0;
    status = status == FIL_OK && fit->exact ? check_gradients(fit, error) : status;
    // the second time with weights that the first one has found; of one column they change nothing
    for (int round = 0; round < (fit->problem.data.column_count > 1 ? 2 : 1) && status == FIL_OK; round++) {
        const FilFitSearch def = {.method = fit->options->method,
                                  .count = fit->problem.key_count,
                                  .x = fit->x,
                                  .tolerance = 1e-4,  // the polish does the rest
                                  .max_evaluations = fit->options->runs,
                                  .function = evaluate,
                                  .context = fit};
        status = fit->exact ? descend(fit, error) : fil_fit_search(&def, &fit->cost, error);
        status = status == FIL_OK ? polish(fit, error) : status;
        status = status == FIL_OK ? weigh(fit, error) : status;
    }
    if (status != FIL_OK) {
        return fil_stop_requested() ? fil_error(error, FIL_INTERRUPTED, "stopped") : status;
    }
    double covariance[FIL_FIT_KEYS * FIL_FIT_KEYS], corrected[FIL_FIT_KEYS * FIL_FIT_KEYS];
    FilFitInformation information;
    if (!differentiate(fit, fit->x) || !inform(fit, &information, covariance)) {
        return fil_error(error, FIL_NOT_CONVERGED, "the measurements do not tell these keys apart");
    }
    fil_fit_correct(&information, covariance, corrected);
    for (int i = 0; i < fit->problem.key_count; i++) {
        fit->errors_of[i] = sqrt(corrected[i * fit->problem.key_count + i]);
    }
    return FIL_OK;
}

/* ---- the report ---- */

static bool at_bound(const Fit* fit, int k)
{
    return fit->x[k] < 1e-6 || fit->x[k] > 1.0 - 1e-6;  // as far as the search goes
}

static void print_json(const Fit* fit)
{
    const FilFitProblem* problem = &fit->problem;
    FilJson json = {.out = stdout};
    fil_json_open(&json, NULL, '{');
    fil_json_open(&json, "keys", '{');
    for (int k = 0; k < problem->key_count; k++) {
        const FilFitKey* key = &problem->keys[k];
        fil_json_open(&json, key->path, '{');
        fil_json_number(&json, "value", fil_fit_key_value(key, fit->x[k]));
        fil_json_number(&json, "standard_error", fit->errors_of[k] * fil_fit_key_slope(key, fit->x[k]));
        fil_json_integer(&json, "at_bound", at_bound(fit, k));
        fil_json_close(&json, '}');
    }
    fil_json_close(&json, '}');
    fil_json_open(&json, "deviations", '{');
    for (int c = 0; c < problem->data.column_count; c++) {
        fil_json_number(&json, problem->data.names[c], problem->deviations[c]);
    }
    fil_json_close(&json, '}');
    fil_json_integer(&json, "measured", (uint64_t)fil_fit_measured(problem));
    fil_json_integer(&json, "runs", (uint64_t)fit->done);
    fil_json_close(&json, '}');
}

static void print_summary(const Fit* fit)
{
    const FilFitProblem* problem = &fit->problem;
    printf("%d runs, %d measured numbers\n", fit->done, fil_fit_measured(problem));
    for (int k = 0; k < problem->key_count; k++) {
        const FilFitKey* key = &problem->keys[k];
        printf("  %-24s %.6g +- %.2g%s\n", key->path, fil_fit_key_value(key, fit->x[k]), fit->errors_of[k] * fil_fit_key_slope(key, fit->x[k]),
               at_bound(fit, k) ? "  (at its bound: the error says nothing)" : "");
    }
    for (int c = 0; c < problem->data.column_count; c++) {
        printf("  %-24s is met within %.3g\n", problem->data.names[c], problem->deviations[c]);
    }
}

/* The first column: what was measured, and the fit. */
static FilStatus draw(Fit* fit, FilError* error)
{
    const FilFitData* data = &fit->problem.data;
    const int rows = data->row_count, columns = data->column_count;
    double* numbers = fil_alloc(3 * (size_t)rows, sizeof *numbers);
    if (numbers == NULL) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    FilStatus status = fil_fit_simulate(&fit->problem, fit->x, fit->values, error);
    for (int r = 0; r < rows; r++) {
        numbers[r] = data->rows[r * (columns + 1)];
        numbers[rows + r] = data->rows[r * (columns + 1) + 1];
        numbers[2 * rows + r] = fit->values[r * columns];
    }
    const FilPlotSeries series[] = {{.name = "measured", .count = rows, .x = numbers, .y = numbers + rows, .dashed = true},
                                    {.name = "fitted", .count = rows, .x = numbers, .y = numbers + 2 * rows, .dashed = false}};
    const FilPlotDef def = {.title = data->names[0], .x_label = "t, s", .y_label = data->names[0], .series_count = 2, .series = series};
    status = status == FIL_OK ? fil_plot_write(&def, fit->options->plot, error) : status;
    fil_free(numbers);
    return status;
}

/* ---- the command ---- */

/* Deviations to begin with: how far each column spreads. */
static void spread(FilFitProblem* problem)
{
    const FilFitData* data = &problem->data;
    for (int c = 0; c < data->column_count; c++) {
        double sum = 0.0, squares = 0.0, count = 0.0;
        for (int r = 0; r < data->row_count; r++) {
            const double value = data->rows[r * (data->column_count + 1) + c + 1];
            sum += isnan(value) ? 0.0 : value;
            squares += isnan(value) ? 0.0 : value * value;
            count += !isnan(value);
        }
        const double variance = count > 0.0 ? squares / count - (sum / count) * (sum / count) : 0.0;
        problem->deviations[c] = variance > 0.0 ? sqrt(variance) : 1.0;
    }
}

static FilStatus start(Fit* fit, const char* scene, FilError* error)
{
    const Options* options = fit->options;
    FilFitProblem* problem = &fit->problem;
    FilStatus status = fil_fit_keys_read(options->vary.items, options->vary.count, problem, error);
    status = status == FIL_OK ? fil_fit_data_read(options->data, &problem->data, error) : status;
    if (status == FIL_OK && !fil_scene_find(scene, fit->path, sizeof fit->path, error)) {
        status = FIL_BAD_INPUT;
    }
    if (status != FIL_OK) {
        return status;
    }
    if (fil_fit_measured(problem) <= problem->key_count) {
        return fil_error(error, FIL_BAD_INPUT, "%s: %d measured numbers are too few for %d keys", options->data, fil_fit_measured(problem),
                         problem->key_count);
    }
    problem->scene = fit->path;
    problem->options = fil_scene_choice_options(&options->scene);
    problem->stop = fil_stop_asked;
    spread(problem);
    fit->size = problem->data.row_count * problem->data.column_count;
    // of differences: both sides of each key, and the middle; of gradients a slope for each key in addition
    const int max = options->scouts > 3 * FIL_FIT_KEYS + 1 ? options->scouts : 3 * FIL_FIT_KEYS + 1;
    fit->values = fil_alloc((size_t)fit->size, sizeof(double));
    fit->rows = fil_alloc((size_t)max * (size_t)fit->size, sizeof(double));
    fit->points = fil_alloc((size_t)max * FIL_FIT_KEYS, sizeof(double));
    fit->costs = fil_alloc((size_t)max, sizeof(double));
    fit->errors = fil_alloc((size_t)max, sizeof *fit->errors);
    if (fit->values == NULL || fit->rows == NULL || fit->points == NULL || fit->costs == NULL || fit->errors == NULL) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    fit->workers = fil_workers_create(options->threads > 0 ? options->threads : fil_workers_processors());
    return FIL_OK;
}

static void free_fit(Fit* fit)
{
    fil_workers_destroy(fit->workers);
    fil_fit_data_free(&fit->problem.data);
    fil_free(fit->values);
    fil_free(fit->rows);
    fil_free(fit->points);
    fil_free(fit->costs);
    fil_free(fit->errors);
}

int fil_command_fit(int argc, char** argv)
{
    // scouts: docs/fitting.md. runs: five times what its fits take, so that only one that goes nowhere ends by it
    Options options = {.method = "bobyqa", .scouts = 32, .runs = 500};
    const char* scene = NULL;
    int exit_code = FIL_EXIT_DONE;
    if (parse(argc, argv, &options, &scene, &exit_code)) {
        Fit fit = {.options = &options};
        FilError error = {""};
        FilStatus status = start(&fit, scene, &error);
        fil_stop_on_signals();
        status = status == FIL_OK ? search(&fit, &error) : status;
        status = status == FIL_OK && options.plot != NULL ? draw(&fit, &error) : status;
        if (status != FIL_OK) {
            exit_code = fil_cli_fail("fit", status == FIL_BAD_INPUT ? FIL_EXIT_USAGE : FIL_EXIT_FAILED, "%s", error.text);
        } else if (options.json) {
            print_json(&fit);
        } else if (!options.quiet) {
            print_summary(&fit);
        }
        free_fit(&fit);
    }
    fil_settings_free(&options.vary);
    fil_settings_free(&options.scene.settings);
    return exit_code;
}
