/* Owns the checks of the matrix: runs cells, sets them against what is known, and prints one table for each model. */
#include "validate/matrix.h"

#include <stdio.h>
#include <string.h>

const char* const fil_matrix_property_names[FIL_MATRIX_PROPERTIES] = {
    [FIL_MATRIX_RESTS] = "rests",         [FIL_MATRIX_STICKS] = "sticks",     [FIL_MATRIX_SLIDES] = "slides",       [FIL_MATRIX_ROLLS] = "rolls",
    [FIL_MATRIX_CONVERGES] = "converges", [FIL_MATRIX_COLLIDES] = "collides", [FIL_MATRIX_KEEPS] = "keeps momenta", [FIL_MATRIX_RUBS] = "rubs",
};

enum { MAX_KINDS = 20 };

/* One sign each: none, holds, refused, known to fail, fails. */
static const char SIGNS[] = {' ', '+', 'r', '-', 'X'};

typedef struct Table {
    FilMatrixCell cells[MAX_KINDS][MAX_KINDS + 1]; /* the ground first */
    int counts[5];                                 /* properties by sign */
    int mended;                                    /* known to fail, and hold */
} Table;

static FilMatrixSign worst(const FilMatrixCell* cell)
{
    FilMatrixSign sign = FIL_MATRIX_NONE;
    for (int p = 0; p < FIL_MATRIX_PROPERTIES; p++) {
        sign = cell->outcomes[p].sign > sign ? cell->outcomes[p].sign : sign;
    }
    return sign;
}

/* Sets a cell's outcomes against the list of what is known, and counts them. */
static void settle(const char* model, const char* a, const char* b, FilMatrixCell* cell, Table* table)
{
    for (int p = 0; p < FIL_MATRIX_PROPERTIES; p++) {
        FilMatrixOutcome* outcome = &cell->outcomes[p];
        bool exact;
        const char* reason = fil_matrix_known(model, a, b, (FilMatrixProperty)p, &exact);
        if (outcome->sign == FIL_MATRIX_FAILS && reason != NULL) {
            outcome->sign = FIL_MATRIX_KNOWN;
        } else if (outcome->sign == FIL_MATRIX_HOLDS && exact) {
            table->mended++;
        }
        table->counts[outcome->sign]++;
    }
}

/* One line for each property that does not hold; those that are refused alike are one. */
static void list(FilCheck* check, const char* model, const char* a, const char* b, const FilMatrixCell* cell)
{
    for (int p = 0; p < FIL_MATRIX_PROPERTIES; p++) {
        const FilMatrixOutcome* outcome = &cell->outcomes[p];
        bool exact;
        const char* reason = fil_matrix_known(model, a, b, (FilMatrixProperty)p, &exact);
        if (outcome->sign == FIL_MATRIX_HOLDS && exact) {
            fil_check_print(check, "  mended   %s, %s: %s now; take it out of the known failures (%s)", a, b, fil_matrix_property_names[p], reason);
        } else if (outcome->sign == FIL_MATRIX_REFUSED) {
            fil_check_print(check, "  refused  %s, %s: %s", a, b, outcome->text);
        } else if (outcome->sign == FIL_MATRIX_KNOWN) {
            fil_check_print(check, "  known    %s, %s: %s: %s (%s)", a, b, fil_matrix_property_names[p], outcome->text, reason);
        } else if (outcome->sign == FIL_MATRIX_FAILS) {
            fil_check_print(check, "  FAILS    %s, %s: %s: %s", a, b, fil_matrix_property_names[p], outcome->text);
        }
    }
}

static void print(FilCheck* check, const char* model, const Table* table)
{
    int count;
    const FilMatrixKind* kinds = fil_matrix_kinds(&count);
    char line[256];
    size_t used = (size_t)snprintf(line, sizeof line, "%-12s ground", model);
    for (int k = 0; k < count; k++) {
        used += (size_t)snprintf(line + used, sizeof line - used, " %s", kinds[k].letters);
    }
    fil_check_print(check, "%s", line);
    for (int i = 0; i < count; i++) {
        used = (size_t)snprintf(line, sizeof line, "%-12s   %c   ", kinds[i].name, SIGNS[worst(&table->cells[i][0])]);
        for (int j = 0; j <= i; j++) {
            used += (size_t)snprintf(line + used, sizeof line - used, "  %c", SIGNS[worst(&table->cells[i][j + 1])]);
        }
        fil_check_print(check, "%s", line);
    }
    fil_check_print(
        check, "+ holds   r refused   - known to fail   X fails; a row against the columns up to its own; rings and hoops touch their rods only");
    for (int i = 0; i < count; i++) {
        for (int j = 0; j <= i + 1; j++) {
            list(check, model, kinds[i].name, j == 0 ? "ground" : kinds[j - 1].name, &table->cells[i][j]);
        }
    }
}

static void report(FilCheck* check, const Table* table)
{
    fil_check_note(check, "properties that hold", table->counts[FIL_MATRIX_HOLDS]);
    fil_check_note(check, "... are refused", table->counts[FIL_MATRIX_REFUSED]);
    fil_check_note(check, "... are known to fail", table->counts[FIL_MATRIX_KNOWN]);
    fil_check_note(check, "... hold, though listed as failures", table->mended);
    fil_check_below(check, "... fail, and are not listed", table->counts[FIL_MATRIX_FAILS], 0.0);
}

/* All cells of a model. */
static void run(FilCheck* check, const char* model)
{
    static Table table;  // too large for a stack; each check has a process or its turn
    int count;
    const FilMatrixKind* kinds = fil_matrix_kinds(&count);
    memset(&table, 0, sizeof table);
    for (int i = 0; i < count; i++) {
        (kinds[i].ground != NULL ? kinds[i].ground : fil_matrix_ground)(model, &kinds[i], &table.cells[i][0]);
        settle(model, kinds[i].name, "ground", &table.cells[i][0], &table);
        for (int j = 0; j <= i; j++) {
            // rings and hoops have no surface for others than their rods, and folded cloth is cloth to them
            if (kinds[i].ground == NULL && kinds[j].ground == NULL) {
                fil_matrix_pair(model, &kinds[j], &kinds[i], &table.cells[i][j + 1]);
                settle(model, kinds[i].name, kinds[j].name, &table.cells[i][j + 1], &table);
            }
        }
    }
    print(check, model, &table);
    report(check, &table);
}

void fil_check_matrix_sap(FilCheck* check)
{
    run(check, "sap");
}

void fil_check_matrix_sap_lagged(FilCheck* check)
{
    run(check, "sap_lagged");
}

void fil_check_matrix_lcp(FilCheck* check)
{
    run(check, "lcp");
}

void fil_check_matrix_imc(FilCheck* check)
{
    run(check, "imc");
}

void fil_check_matrix_spt(FilCheck* check)
{
    run(check, "spt");
}

void fil_check_matrix_ipc(FilCheck* check)
{
    run(check, "ipc");
}

/* A share of the matrix that takes seconds: kinds whose cells are cheap, on the ground, under every model. */
void fil_check_matrix_fast(FilCheck* check)
{
    static const char* const models[] = {"sap", "sap_lagged", "lcp", "imc", "spt", "ipc"};
    static const char* const names[] = {"sphere", "box", "rod"};
    static Table table;
    int count;
    const FilMatrixKind* kinds = fil_matrix_kinds(&count);
    memset(&table, 0, sizeof table);
    for (int m = 0; m < 6; m++) {
        for (int i = 0; i < count; i++) {
            for (int n = 0; n < 3; n++) {
                if (strcmp(names[n], kinds[i].name) == 0) {
                    FilMatrixCell cell = {0};
                    fil_matrix_ground(models[m], &kinds[i], &cell);
                    settle(models[m], kinds[i].name, "ground", &cell, &table);
                    list(check, models[m], kinds[i].name, "ground", &cell);
                }
            }
        }
    }
    report(check, &table);
}
