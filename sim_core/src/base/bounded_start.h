/* A start under a bound on address space. */
#ifndef FILUM_BASE_BOUNDED_START_H
#define FILUM_BASE_BOUNDED_START_H

/* The first call of a program's main. Where `ulimit -v` bounds the address space, starts the program anew with one thread of
 * OpenBLAS, which reserves 128 MB for each and tries for ever where they are refused: at exit its thread is waited for. The
 * library reads its environment while it is loaded, before any code of the program. Returns where nothing is to be done. */
void fil_bounded_start(char** argv);

#endif
