#include "base/roff.h"

#include <stdbool.h>
#include <string.h>

#include "filum/base.h"

/* Letters that roff would take for its own. */
static void put(FILE* out, const char* text, size_t length)
{
    if (length > 0 && (text[0] == '.' || text[0] == '\'')) {
        fputs("\\&", out);
    }
    for (size_t k = 0; k < length; ++k) {
        if (text[k] == '\\') {
            fputs("\\e", out);
        } else if (text[k] == '-') {
            fputs("\\-", out);
        } else {
            fputc(text[k], out);
        }
    }
}

void fil_roff_open(FILE* out, const char* program, const char* summary)
{
    fprintf(out, ".TH \"");
    for (const char* letter = program; *letter != '\0'; ++letter) {
        fputc(*letter >= 'a' && *letter <= 'z' ? *letter - 'a' + 'A' : *letter, out);
    }
    fprintf(out, "\" 1 \"\" \"Filum %s\" \"Filum\"\n", FIL_VERSION);
    fil_roff_heading(out, "NAME");
    fprintf(out, "%s \\- ", program);
    put(out, summary, strlen(summary));
    fputc('\n', out);
}

void fil_roff_heading(FILE* out, const char* text)
{
    fprintf(out, ".SH \"%s\"\n", text);
}

void fil_roff_part(FILE* out, const char* text)
{
    fprintf(out, ".SS \"%s\"\n", text);
}

void fil_roff_text(FILE* out, const char* text)
{
    bool kept = false;  // between .nf and .fi
    while (*text != '\0') {
        const size_t length = strcspn(text, "\n");
        if ((length > 0 && text[0] == ' ') != kept) {
            kept = !kept;
            fputs(kept ? ".nf\n" : ".fi\n", out);
        }
        if (length == 0) {
            fputs(".PP\n", out);
        } else {
            put(out, text, length);
            fputc('\n', out);
        }
        text += length + (text[length] != '\0');
    }
    if (kept) {
        fputs(".fi\n", out);
    }
}

void fil_roff_term(FILE* out, const char* term, const char* argument, const char* text)
{
    fputs(".TP\n\\fB", out);
    put(out, term, strlen(term));
    fputs("\\fR", out);
    if (argument != NULL && argument[0] != '\0') {
        fputs(" \\fI", out);
        put(out, argument, strlen(argument));
        fputs("\\fR", out);
    }
    fputc('\n', out);
    fil_roff_text(out, text);
}
