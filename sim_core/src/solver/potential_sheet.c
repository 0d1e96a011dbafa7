/* Linear systems of sheets and large nets: conjugate gradients with a preconditioner, on which friction's active set is found first
 * (linalg/block_pcg.h). */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "solver/solver.h"

/* ---- patterns ---- */

/* Sheets of triangles: judged by the pattern alone, as whether something is a sheet at all. */
static bool has_triangles(const FilSolver* solver)
{
    return solver->contact.block_count > 4 * solver->contact.column_count;
}

bool fil_potential_is_sheet(const FilSolver* solver, const FilPotentialField* field)
{
    const int columns = solver->contact.column_count;
    // where factors fill up: of cloth soon (a sheet of 17 x 17 has 289 vertices), of nets late (one of 7,000 nodes takes seconds to factor, conjugate
    // gradients tens of milliseconds); 300 and 4000 lie between the two
    return field->list_friction != NULL && ((columns > 300 && has_triangles(solver)) || columns > 4000);
}

/* Of cloth and cords blocks are weak while mass outweighs them, of solids none ever is. */
bool fil_potential_has_solids(const FilSolver* solver)
{
    for (int b = 0; b < solver->system->body_count; b++) {
        const FilBodyOps* ops = solver->system->bodies[b].ops;
        if (ops->mesh != NULL && ops->weak_blocks == NULL && fil_potential_takes_part(solver, b)) {
            return true;
        }
    }
    return false;
}

/* The matrix as assembled. */
static FilBlockTerms terms_of(const FilSolver* solver)
{
    const FilPotentialStage* stage = &solver->potential;
    const FilContactStage* all = &solver->contact;
    return (FilBlockTerms){.a_pattern = all->patterns,
                           .a = {all->column_count, all->start, all->row},
                           .c = fil_block_sum_pattern(&stage->hessian),
                           .f = fil_block_sum_pattern(&stage->friction),
                           .a_values = all->values,
                           .c_values = stage->hessian.values.at,
                           .f_values = stage->friction.values.at,
                           .workers = solver->system->workers};
}

/* The analysis, `stiff`: with bodies' stiffness in the factor. A step begins with one of the pattern that it finds, see
 * fil_potential_begin(). */
static FilStatus bind(FilSolver* solver, bool stiff, FilStepInfo* info)
{
    FilPotentialStage* stage = &solver->potential;
    const FilContactStage* all = &solver->contact;
    const bool other = stage->pcg.diagonal_only == stiff;
    const bool bound = stage->pcg_bound && stage->pcg_pattern == all->patterns && !other;
    FilStatus status = FIL_OK;
    if (!bound || (stage->begins && !stage->pcg.exact)) {
        const FilBlockTerms terms = terms_of(solver);
        bool analysed = false;
        status = fil_block_pcg_bind(&stage->pcg, &terms, stiff ? all->weak : NULL, stage->begins || other, &analysed);
        info->analyses += analysed ? 1 : 0;
        stage->pcg_pattern = all->patterns;
        stage->pcg_bound = status == FIL_OK;
    }
    stage->begins = false;
    return status;
}

/* Who may make it: it takes memory. */
static FilWorkers* analysts(const FilSolver* solver)
{
    return fil_memory_is_limited() ? NULL : solver->system->workers;
}

/* Patterns first, which the matrix is filled by meanwhile. */
static void analyse(void* context, int first, int end, int worker)
{
    FilSolver* solver = context;
    (void)first;
    (void)end;
    (void)worker;
    const bool adopted = fil_potential_adopt(solver, solver->model->field);
    fil_workers_report_aside(analysts(solver));
    if (adopted) {  // what fails here fails again where the matrix is wanted
        (void)bind(solver, solver->potential.problem.memory[FIL_MEMORY_STIFF] > 0.0, solver->potential.analysis_info);
    }
}

void fil_potential_begin_analysis(FilSolver* solver, FilStepInfo* info)
{
    if (!solver->potential.analysing) {
        solver->potential.analysing = true;
        solver->potential.analysis_info = info;
        fil_workers_begin_aside(analysts(solver), analyse, solver);
    }
}

bool fil_potential_await_patterns(FilSolver* solver)
{
    if (solver->potential.analysing) {
        fil_workers_await_aside(analysts(solver));
        solver->potential.bound = solver->potential.adopted;
    }
    return solver->potential.bound;
}

void fil_potential_end_analysis(FilSolver* solver)
{
    if (solver->potential.analysing) {
        fil_workers_end_aside(analysts(solver));
        solver->potential.analysing = false;
    }
}

/* ---- friction ---- */

/* What is kept of friction's model need not be factored again: parts that are wrong by this share of what is negligible. */
static const double KEPT = 0.1;

/* A direction in the making, over the variables of the matrix. */
typedef struct Sheet {
    FilSolver* solver;
    const FilPotentialField* field;
    const FilPotentialAim* aim;
    const double* v;
    FilBlockTerms terms;
    int parts; /* of friction's Hessian */
    int reached_count;
    const int* reached;      /* columns that friction reaches */
    double *right, *x;       /* right side and solution */
    double *lead, lead_size; /* what friction's model adds to the right side where it reaches, unless majorised */
    double* predicted;       /* solution where it does, with the preconditioner */
} Sheet;

/* Takes what friction's model leads the residual by. */
static void take_lead(Sheet* sheet)
{
    const FilSolver* solver = sheet->solver;
    const int* block = solver->potential.column_block.at;
    double* residual = solver->system->scratch.trial;
    for (int k = 0; k < sheet->reached_count; k++) {
        memset(residual + 4 * block[sheet->reached[k]], 0, FIL_BLOCK * sizeof *residual);
    }
    sheet->lead_size = sheet->field->add_lead(sheet->solver, sheet->v, residual);
    for (int k = 0; k < sheet->reached_count; k++) {
        const int column = sheet->reached[k], from = 4 * block[column];
        const double *weight = solver->system->scratch.weight + from, *own = residual + from;
        double* lead = sheet->lead + 4 * column;
        for (int i = 0; i < FIL_BLOCK; i++) {
            lead[i] = weight[i] > 0.0 ? own[i] : 0.0;  // what is held feels none
        }
    }
}

static void take_part(const Sheet* sheet, FilFrictionPart part)
{
    FilBlockSum* friction = &sheet->solver->potential.friction;
    const int* start = friction->start.at;
    for (int first = FIL_FRICTION_STRIPE * part.part; first < friction->columns; first += FIL_FRICTION_STRIPE * part.count) {
        const int end = first + FIL_FRICTION_STRIPE < friction->columns ? first + FIL_FRICTION_STRIPE : friction->columns;
        memset(friction->values.at + FIL_BLOCK_SIZE * (size_t)start[first], 0, FIL_BLOCK_SIZE * (size_t)(start[end] - start[first]) * sizeof(double));
    }
    sheet->field->friction_hessian(sheet->solver, sheet->v, sheet->aim->definite ? FIL_POTENTIAL_DEFINITE : FIL_POTENTIAL_FULL, friction, 0, part);
}

/* What it leads by, which nothing else of it depends on, and parts of its Hessian. */
static void take_some(void* context, int first, int end, int worker)
{
    Sheet* sheet = context;
    (void)worker;
    for (int k = first; k < end; k++) {
        if (k > 0) {
            take_part(sheet, (FilFrictionPart){k - 1, sheet->parts});
        } else if (!sheet->aim->definite) {
            take_lead(sheet);
        }
    }
}

/* Takes friction's model as it is now. */
static void take_friction(Sheet* sheet)
{
    fil_workers_run(sheet->terms.workers, 1 + sheet->parts, 1, take_some, sheet);
}

/* False: not positive definite. */
static bool factor_friction(Sheet* sheet)
{
    return fil_block_pcg_factor_rest(&sheet->solver->potential.pcg, &sheet->terms);
}

/* Finds friction's active set, with the preconditioner in place of the true matrix. False: not positive definite. */
static bool settle_friction(Sheet* sheet, double* direction)
{
    // ends what goes round in circles: 8 to 40 give clothes and nets the same bits
    enum { REVIEWS = 20 };
    FilPotentialStage* stage = &sheet->solver->potential;
    const FilPotentialField* field = sheet->field;
    const int* block = stage->column_block.at;
    const double negligible = fil_potential_negligible(sheet->aim);
    take_friction(sheet);
    if (sheet->aim->definite) {
        return factor_friction(sheet);
    }
    fil_block_pcg_reduce(&stage->pcg, sheet->terms.workers, sheet->right);
    for (int k = 1; factor_friction(sheet); k++) {
        fil_block_pcg_predict(&stage->pcg, sheet->terms.workers, sheet->lead, sheet->predicted);
        for (int i = 0; i < sheet->reached_count; i++) {
            memcpy(direction + 4 * block[sheet->reached[i]], sheet->predicted + 4 * sheet->reached[i], FIL_BLOCK * sizeof *direction);
        }
        if (field->review(sheet->solver, direction) <= negligible || k == REVIEWS) {
            return true;
        }
        field->revise(sheet->solver, KEPT * negligible);
        take_friction(sheet);
    }
    return false;
}

/* ---- the direction ---- */

/* Of the tolerance: what a linear system of sheets may leave in any case, as friction's model may. Half of it would do (Kelley 1995, section
 * 6.3). Nets, where one or two iterations are enough, have nothing to gain. */
static const double LEFT = 0.3;

static double accuracy_of(const Sheet* sheet)
{
    const FilPotentialAim* aim = sheet->aim;
    return has_triangles(sheet->solver) ? fmax(aim->accuracy, LEFT * fmin(aim->tolerance / aim->norm, 1.0)) : aim->accuracy;
}

static FilBlockPcgResult find_direction(Sheet* sheet, int patience, double* direction)
{
    FilBlockPcg* pcg = &sheet->solver->potential.pcg;
    const FilPotentialAim* aim = sheet->aim;
    if ((!aim->again && !fil_block_pcg_factor(pcg, &sheet->terms)) || !settle_friction(sheet, direction)) {
        return FIL_PCG_INDEFINITE;
    }
    for (int k = 0; k < sheet->reached_count && !aim->definite; k++) {
        double* right = sheet->right + FIL_BLOCK * sheet->reached[k];
        const double* lead = sheet->lead + FIL_BLOCK * sheet->reached[k];
        for (int i = 0; i < FIL_BLOCK; i++) {
            right[i] += lead[i];
        }
    }
    // what friction leads by may be large, but is no reason to neglect the rest
    const double accuracy = accuracy_of(sheet) * aim->norm / hypot(aim->norm, sheet->lead_size);
    const FilBlockPcgResult result = (has_triangles(sheet->solver) ? fil_block_pcg_solve_single : fil_block_pcg_solve)(
        pcg, &sheet->terms, accuracy, patience, sheet->right, sheet->x);
    if (result == FIL_PCG_DONE) {
        fil_potential_direct(sheet->solver, direction);
        if (!aim->definite) {  // the next direction begins with what friction makes of this one
            (void)sheet->field->review(sheet->solver, direction);
            sheet->field->revise(sheet->solver, 0.0);
        }
    }
    return result;
}

/* After how many iterations conjugate gradients are slow. A factor costs cloth more than a net, whose own takes as long as four iterations
 * without; with it one or two are usual, and the next resort is a whole factor, which fills up. */
static int patience_of(const FilSolver* solver, bool stiff)
{
    return has_triangles(solver) ? 200 : stiff ? 60 : 8;
}

FilStatus fil_potential_solve_sheet(FilSolver* solver, const FilPotentialField* field, const FilPotentialAim* aim, const double* v,
                                    const double* residual, double* direction, FilBlockPcgResult* result, FilStepInfo* info)
{
    // steps at once, since analysing anew costs more than a stiffer factor: 5 to 80 take nets and clothes the same time
    enum { STIFF_STEPS = 20 };
    // of friction's Hessian that workers take at a time: of more, each has to look at more contacts that others have most of
    enum { PARTS = 4 };
    FilPotentialStage* stage = &solver->potential;
    double* stiff = &stage->problem.memory[FIL_MEMORY_STIFF];
    const size_t n = FIL_BLOCK * (size_t)solver->contact.column_count;
    if (!fil_doubles_reserve(&stage->vectors, 3 * n)) {
        return FIL_OUT_OF_MEMORY;
    }
    double* at = stage->vectors.at;
    Sheet sheet = {.solver = solver,
                   .field = field,
                   .aim = aim,
                   .v = v,
                   .terms = terms_of(solver),
                   .parts = solver->system->workers != NULL ? PARTS : 1,
                   .x = solver->contact.v,
                   .right = at,
                   .lead = at + n,
                   .predicted = at + 2 * n};
    FilStatus status = FIL_OK;
    *result = FIL_PCG_SLOW;
    // where they are slow, with the bodies' stiffness in the factor, and for some steps at once
    const int first = *stiff > 0.0 ? 1 : 0, end = aim->again ? first + 1 : 2;
    for (int attempt = first; attempt < end && status == FIL_OK && *result == FIL_PCG_SLOW; attempt++) {
        *stiff = attempt == 1 ? STIFF_STEPS : 0.0;
        status = aim->again ? FIL_OK : bind(solver, attempt == 1, info);
        if (status == FIL_OK) {
            sheet.reached = fil_block_pcg_reached(&stage->pcg, &sheet.reached_count);
            memset(sheet.x, 0, n * sizeof *at);
            fil_potential_gather(solver, residual, sheet.right);
            *result = find_direction(&sheet, patience_of(solver, attempt == 1), direction);
            info->contact_iterations += *result == FIL_PCG_DONE ? 1 : 0;
        }
    }
    stage->serves = *result == FIL_PCG_DONE && !aim->again && !aim->definite && !has_triangles(solver);
    return status;
}
