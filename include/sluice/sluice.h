/* SPDX-License-Identifier: MIT */
/*
 * sluice/sluice.h - what all of libsluice's headers share
 *
 * Every function that returns int gives 0 (or a count) or a negative errno;
 * slu_errmsg() then has the sentence that goes with it. The library never
 * prints, exits or aborts, and keeps no state outside the handles it gives out
 * (one exception, told in sluice/pack.h: the SIGBUS guard of mapped reads).
 *
 * What the numbers mean when they are ours and not the kernel's:
 *   -EBADMSG          damaged: a structure of the pack is not what it must be
 *   -EILSEQ           damaged: bytes do not match their checksum
 *   -EPROTONOSUPPORT  a pack of a newer format, or with features unknown here
 *   -ENOENT           no such pack, node, path or column
 *   -EOPNOTSUPP       understood, but not possible here
 */
#ifndef SLUICE_SLUICE_H
#define SLUICE_SLUICE_H

#ifdef __cplusplus
extern "C" {
#endif

#define SLU_VERSION_MAJOR 0
#define SLU_VERSION_MINOR 1
#define SLU_VERSION_PATCH 0
#define SLU_VERSION "0.1.0"

#if defined(SLU_BUILDING)
#define SLU_API __attribute__((visibility("default")))
#else
#define SLU_API
#endif
#define SLU_MUST_USE __attribute__((warn_unused_result))

/* The version of the library that is loaded (SLU_VERSION is the header's). */
SLU_API const char *slu_version(void);

/*
 * The sentence for the last failure in the calling thread. Never NULL. Valid
 * until the next failing call of this thread.
 */
SLU_API const char *slu_errmsg(void);

#ifdef __cplusplus
}
#endif
#endif
