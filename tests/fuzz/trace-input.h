/* SPDX-License-Identifier: MIT */
/*
 * Inputs of fuzz-trace: a byte of what to do, then of a raw log the numbers of its header (the strings stay empty) and
 * everything after the header; or a packed log, whose checksums are made.
 */
#ifndef TRACE_INPUT_H
#define TRACE_INPUT_H

#include <stddef.h>

#include "trace/layout.h"

enum {
	IN_PACKED = 1, /* the input is a packed log */
	IN_END = 2,    /* the header's end is as in the input, not where the input ends */
	IN_TWICE = 4,  /* a second process has the same log */
	IN_PACK = 8,   /* the raw log is packed, and must then say the same */
};

#define IN_HEAD offsetof(struct slu_log_header, host)

#endif
