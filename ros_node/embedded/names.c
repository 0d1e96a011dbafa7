#include "names.h"

#include <stdio.h>
#include <string.h>

static bool is_token_character(char c, bool first)
{
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    return letter || (!first && c >= '0' && c <= '9');
}

bool fil_name_is_token(const char* name)
{
    for (size_t i = 0; name[i] != '\0'; i++) {
        if (!is_token_character(name[i], i == 0)) {
            return false;
        }
    }
    return name[0] != '\0' && strlen(name) < FIL_NAME_MAX;
}

bool fil_name_is_absolute(const char* name, bool is_namespace)
{
    if (name[0] != '/' || strlen(name) >= FIL_NAME_MAX || strstr(name, "__") != NULL) {
        return false;
    }
    if (name[1] == '\0') {
        return is_namespace;
    }
    bool first = true;
    for (size_t i = 1; name[i] != '\0'; i++) {
        if (name[i] == '/') {
            if (first) {
                return false;
            }
            first = true;
        } else if (is_token_character(name[i], first)) {
            first = false;
        } else {
            return false;
        }
    }
    return !first;
}

static bool append(char full[FIL_NAME_MAX], const char* text, size_t length)
{
    const size_t used = strlen(full);
    if (used + length >= FIL_NAME_MAX) {
        return false;
    }
    memcpy(full + used, text, length);
    full[used + length] = '\0';
    return true;
}

static bool append_text(char full[FIL_NAME_MAX], const char* text)
{
    return append(full, text, strlen(text));
}

/* appends `name` with {node}, {ns} and {namespace} replaced */
static bool append_substituted(char full[FIL_NAME_MAX], const char* name, const char* node_name, const char* node_namespace)
{
    const struct {
        const char* key;
        const char* text;
    } substitutions[] = {{"{node}", node_name}, {"{ns}", node_namespace}, {"{namespace}", node_namespace}};
    while (*name != '\0') {
        size_t taken = 0;
        for (size_t i = 0; i < 3 && taken == 0; i++) {
            const size_t length = strlen(substitutions[i].key);
            if (strncmp(name, substitutions[i].key, length) == 0) {
                // a namespace begins with '/', which may already be there
                const bool doubled = substitutions[i].text[0] == '/' && full[0] != '\0' && full[strlen(full) - 1] == '/';
                if (!append_text(full, substitutions[i].text + (doubled ? 1 : 0))) {
                    return false;
                }
                taken = length;
            }
        }
        if (taken == 0) {
            if (!append(full, name, 1)) {
                return false;
            }
            taken = 1;
        }
        name += taken;
    }
    return true;
}

bool fil_name_expand(const char* name, const char* node_name, const char* node_namespace, char full[FIL_NAME_MAX])
{
    const char* prefix = strcmp(node_namespace, "/") == 0 ? "" : node_namespace;
    bool fits = true;
    full[0] = '\0';
    if (name[0] == '~') {
        if (name[1] != '\0' && name[1] != '/') {
            return false;
        }
        fits = append_text(full, prefix) && append_text(full, "/") && append_text(full, node_name);
        name++;
    } else if (name[0] != '/' && strncmp(name, "{ns}", 4) != 0 && strncmp(name, "{namespace}", 11) != 0) {
        fits = append_text(full, prefix) && append_text(full, "/");
    }
    return fits && append_substituted(full, name, node_name, node_namespace) && fil_name_is_absolute(full, false);
}

/* what a rule is looked up for */
typedef struct Query {
    FilRemapKind kind;
    const char* node_name;
    const char* node_namespace; /* of topics and services */
    const char* full;           /* NULL for node names and namespaces */
} Query;

static bool rule_matches(const FilRemap* rule, const Query* query)
{
    if ((rule->kinds & query->kind) == 0 || (rule->node != NULL && strcmp(rule->node, query->node_name) != 0)) {
        return false;
    }
    char from[FIL_NAME_MAX];
    return query->full == NULL || (fil_name_expand(rule->from, query->node_name, query->node_namespace, from) && strcmp(from, query->full) == 0);
}

static const FilRemap* find_rule(const rcl_arguments_t* local, const rcl_arguments_t* global, const Query* query)
{
    const rcl_arguments_t* const sources[] = {local, global};
    for (size_t s = 0; s < 2; s++) {
        const rcl_arguments_impl_t* impl = sources[s] != NULL ? sources[s]->impl : NULL;
        for (size_t i = 0; impl != NULL && i < impl->remap_count; i++) {
            if (rule_matches(&impl->remaps[i], query)) {
                return &impl->remaps[i];
            }
        }
    }
    return NULL;
}

bool fil_name_remap(const rcl_arguments_t* local, const rcl_arguments_t* global, FilRemapKind kind, const char* node_name, const char* node_namespace,
                    char full[FIL_NAME_MAX])
{
    const FilRemap* rule = find_rule(local, global, &(Query){kind, node_name, node_namespace, full});
    return rule == NULL || fil_name_expand(rule->to, node_name, node_namespace, full);
}

const char* fil_name_remap_node(const rcl_arguments_t* local, const rcl_arguments_t* global, FilRemapKind kind, const char* node_name)
{
    const FilRemap* rule = find_rule(local, global, &(Query){.kind = kind, .node_name = node_name});
    return rule != NULL ? rule->to : NULL;
}
