/* Owns the reading of measurements. */
#include "fit/data.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* Bytes of a line: a bound of ours, beyond which a file is refused. */
enum { LINE = 4096 };

/* Cuts a line at its commas; returns how many cells there are. */
static int cut(char* line, char* cells[FIL_FIT_COLUMNS + 2])
{
    int count = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char* at = line; at != NULL && count < FIL_FIT_COLUMNS + 2; count++) {
        cells[count] = at;
        at = strchr(at, ',');
        if (at != NULL) {
            *at++ = '\0';
        }
        while (*cells[count] == ' ' || *cells[count] == '"') {
            cells[count]++;
        }
        cells[count][strcspn(cells[count], " \"")] = '\0';
    }
    return count;
}

static FilStatus read_names(const char* path, char* line, FilFitData* data, FilError* error)
{
    char* cells[FIL_FIT_COLUMNS + 2];
    const int count = cut(line, cells);
    if (count < 2 || strcmp(cells[0], "t") != 0) {
        return fil_error(error, FIL_BAD_INPUT, "%s:1: the first line names the columns, `t` and then probes", path);
    }
    if (count > FIL_FIT_COLUMNS + 1) {
        return fil_error(error, FIL_BAD_INPUT, "%s:1: %d columns besides t at most", path, FIL_FIT_COLUMNS);
    }
    for (int k = 1; k < count; k++) {
        if (strlen(cells[k]) >= FIL_FIT_NAME || cells[k][0] == '\0') {
            return fil_error(error, FIL_BAD_INPUT, "%s:1: column %d needs a name of a probe", path, k + 1);
        }
        strcpy(data->names[k - 1], cells[k]);
    }
    data->column_count = count - 1;
    return FIL_OK;
}

static FilStatus read_row(const char* path, int number, char* line, FilFitData* data, FilError* error)
{
    char* cells[FIL_FIT_COLUMNS + 2];
    const int width = data->column_count + 1;
    if (cut(line, cells) != width) {
        return fil_error(error, FIL_BAD_INPUT, "%s:%d: %d columns are needed", path, number, width);
    }
    if (!fil_array_reserve((void**)&data->rows, data->row_count, &data->capacity, sizeof(double) * (size_t)width)) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    double* row = data->rows + (size_t)data->row_count * (size_t)width;
    for (int k = 0; k < width; k++) {
        char* end;
        row[k] = cells[k][0] != '\0' ? strtod(cells[k], &end) : NAN;
        if (cells[k][0] != '\0' && (*end != '\0' || !isfinite(row[k]))) {
            return fil_error(error, FIL_BAD_INPUT, "%s:%d: '%.40s' is no number", path, number, cells[k]);
        }
    }
    if (!(row[0] >= 0.0) || (data->row_count > 0 && !(row[0] > row[-width]))) {
        return fil_error(error, FIL_BAD_INPUT, "%s:%d: times begin at 0 or later, and increase", path, number);
    }
    data->row_count++;
    return FIL_OK;
}

FilStatus fil_fit_data_read(const char* path, FilFitData* data, FilError* error)
{
    FILE* file = fopen(path, "r");
    *data = (FilFitData){0};
    if (file == NULL) {
        return fil_error(error, FIL_IO, "cannot read %s: %s", path, strerror(errno));
    }
    char line[LINE];
    FilStatus status = FIL_OK;
    for (int number = 1; status == FIL_OK && fgets(line, sizeof line, file) != NULL; number++) {
        if (strlen(line) + 1 == sizeof line) {
            status = fil_error(error, FIL_BAD_INPUT, "%s:%d: the line is too long", path, number);
        } else if (number == 1) {
            status = read_names(path, line, data, error);
        } else if (line[strspn(line, " \r\n")] != '\0') {
            status = read_row(path, number, line, data, error);
        }
    }
    if (status == FIL_OK && (ferror(file) || data->row_count == 0)) {
        status = fil_error(error, ferror(file) ? FIL_IO : FIL_BAD_INPUT, "%s: there are no rows of measurements", path);
    }
    fclose(file);
    if (status != FIL_OK) {
        fil_fit_data_free(data);
    }
    return status;
}

void fil_fit_data_free(FilFitData* data)
{
    fil_free(data->rows);
    *data = (FilFitData){0};
}
