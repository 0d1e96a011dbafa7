/* Asks the processor for what will be needed soon, where compilers can say so. */
#ifndef FILUM_BASE_PREFETCH_H
#define FILUM_BASE_PREFETCH_H

#if defined(__GNUC__)
#define FIL_PREFETCH(at) __builtin_prefetch(at)
#define FIL_PREFETCH_TO_WRITE(at) __builtin_prefetch(at, 1)
#else
#define FIL_PREFETCH(at) ((void)(at))
#define FIL_PREFETCH_TO_WRITE(at) ((void)(at))
#endif

#endif
