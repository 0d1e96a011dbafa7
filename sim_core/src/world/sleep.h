/* Bodies that rest are not stepped. An island is what touches, body by body, and moves; it falls asleep when all of its bodies have rested for
 * FilWorldDef.sleep_time, and wakes as one: when something awake presses on one of its bodies, when a scripted body that moves comes near,
 * when a load on it changes, when someone sets its state, and all of them when settings change.
 *
 * Who sleeps is part of the state, so that a restored world goes on with the same bits. The forces among those who sleep are not: they are
 * found from the state when they are asked for. */
#ifndef FILUM_WORLD_SLEEP_H
#define FILUM_WORLD_SLEEP_H

#include "world/world.h"

/* What the history has of a body's rest: for how long, in s, and the number of its island while it sleeps, which is one more than that of its
 * first body; 0: it is awake. */
enum { FIL_REST_TIME, FIL_ISLAND, FIL_REST_SIZE };

void fil_sleep_free(FilSleep* sleep);

/* Makes room for what a body's rest takes in the history, where bodies sleep in this world and this one may. */
FIL_MUST_CHECK FilStatus fil_sleep_add_body(FilWorld* world, int body);

/* Those numbers of a body that may sleep, in the state at hand; whether it does. */
double* fil_sleep_rest(const FilWorld* world, const FilBody* body);
bool fil_sleep_sleeps(const FilWorld* world, const FilBody* body);

/* ---- wake.c: between steps ---- */

/* The island of a body that sleeps. */
void fil_sleep_wake_with(FilWorld* world, int body);

void fil_sleep_wake_all(FilWorld* world);
/* A body has been put elsewhere: its island; everyone, if it is one that others may stand on. */
void fil_sleep_wake_moved(FilWorld* world, int body);
/* A drive has been given another value. */
void fil_sleep_wake_driven(FilWorld* world, int drive);

/* ---- sleep.c: a step ---- */

/* Who sleeps by the state at hand, but for those whom drives wake; false: nobody does. */
bool fil_sleep_begin(FilWorld* world);
/* Whether everything that could move in the step sleeps, and what is scripted has been seen to stay where it is. */
bool fil_sleep_is_all(const FilWorld* world);
/* For a step of those who sleep, alone: they change places with those who are awake, and back. */
void fil_sleep_exchange(FilWorld* world, bool asleep);
/* Keeps the contacts of such a step of dt. */
FIL_MUST_CHECK FilStatus fil_sleep_keep_contacts(FilWorld* world, double dt);
/* Scripted bodies, which have begun their step: whether they move in it. */
void fil_sleep_see_scripted(FilWorld* world);
/* Wakes whoever is touched by scripted bodies that move or, where the contacts are `solved`, pressed on by those who are awake. True: someone
 * woke, and is to be stepped after all. */
bool fil_sleep_wake_touched(FilWorld* world, bool solved);
/* What the history has of bodies' rest, to the next state. */
void fil_sleep_carry(FilWorld* world);
/* After a whole step, or where nothing had to be stepped: who has come to rest falls asleep, and contacts of those who slept join those of
 * the step. */
FIL_MUST_CHECK FilStatus fil_sleep_end(FilWorld* world, bool stepped, FilStepInfo* info);

#endif
