/* SPDX-License-Identifier: MIT */
/* What the headers of index and shards have in common, checked in one place. */
#ifndef SLU_PACK_HEADER_H
#define SLU_PACK_HEADER_H

#include <stdint.h>

#include "pack/layout.h"
#include "base/err.h"

/*
 * Magic, checksum, version, block size, features; and that bytes @zero_from .. @zero_to - 1
 * are zero. @what names the file. -EBADMSG, -EILSEQ, -EPROTONOSUPPORT
 */
SLU_MUST_USE int slu_header_check(const uint8_t *block, const char *magic, unsigned zero_from, unsigned zero_to,
                                  const char *what);

#endif
