/* Asks the processor for what will be needed soon, where compilers can say so. */
#ifndef FILUM_BASE_PREFETCH_H
#define FILUM_BASE_PREFETCH_H

#if defined(__GNUC__)
#define FIL_PREFETCH(at) __builtin_prefetch(at)
#else
#define FIL_PREFETCH(at) ((void)(at))
#endif

#endif
