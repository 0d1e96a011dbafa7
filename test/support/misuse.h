/* For tests that misuse the API: a world with a simple model of what is in it, and draws of ids and numbers that may be sound
 * or not. */
#ifndef TEST_MISUSE_H
#define TEST_MISUSE_H

#include "filum/filum.h"
#include "random.h"

typedef enum Kind {
    ROD,
    RIGID,
    ARM,
    SHELL,
    RING,
    LINK,
    ATTACHMENT,
    DRIVE,
    JOINT,
    PROBE,
    ROBOT,
    KIND_COUNT,
    OBJECT, /* any of the first six */
} Kind;

/* What an index counts on something of a kind. */
typedef enum Part { NODES, EDGES, DISKS, SECTIONS, CHAMBERS, VERTICES, TRIANGLES, LINKS, JOINTS, SHAPES, NUMBERS, PART_COUNT } Part;

typedef struct Known {
    FilId id;
    Kind kind;
    int parts[PART_COUNT];
} Known;

enum { KNOWN_MAX = 40, FOREIGN_MAX = 256, NUMBERS_MAX = 256 };

/* What a call must do. */
typedef enum Expect { ACCEPT, REFUSE, EITHER } Expect;

typedef struct Misuse {
    Random random;
    FilWorld *world, *other;
    int count, counts[KIND_COUNT];
    Known known[KNOWN_MAX]; /* all that `world` has given out */
    int foreign_count;
    FilId foreign[FOREIGN_MAX]; /* of `other`, and of worlds that are gone */
    int made;                   /* names so far */
    char name[32];
    /* what a snapshot has been taken of */
    unsigned char* snapshot;
    size_t snapshot_size;
    int snapshot_layout, layout; /* count what has been added, but for probes */
    long accepted, refused;
    double numbers[NUMBERS_MAX]; /* inputs and outputs */
} Misuse;

void misuse_begin(Misuse* m);
void misuse_end(Misuse* m);

/* The model takes in what was added. */
Known* misuse_know(Misuse* m, Kind kind, FilId id);
const Known* misuse_find(const Misuse* m, FilId id, Kind kind);
bool misuse_full(const Misuse* m);

bool misuse_chance(Misuse* m, int percent);
int misuse_below(Misuse* m, int count);
FilId misuse_id(Misuse* m, Kind kind);       /* sound half of the time, if there is one */
FilId misuse_sound_id(Misuse* m, Kind kind); /* null if there is none */
FilId misuse_wrong_id(Misuse* m, Kind kind); /* none of this kind */
int misuse_index(Misuse* m, int count);
bool misuse_has(const Known* known, Part part, int index);
int misuse_wrong_kind(Misuse* m); /* no value of any enumeration */
double misuse_wrong_number(Misuse* m);
/* Fills `numbers` with small ones; if `wrong`, one of the first `count` is not finite. */
void misuse_fill(Misuse* m, int count, double size, bool wrong);
const char* misuse_new_name(Misuse* m, const char* prefix);

#endif
