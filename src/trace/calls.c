/* SPDX-License-Identifier: MIT */
/* Names of calls, families and spans: see calls.h. */
#include "trace/calls.h"

#include <sluice/trace.h>

#include "base/macros.h"

static const char *const calls[SLU_N_CALLS] = {
#define SLU_X(id, name, family) name,
	SLU_CALLS(SLU_X)
#undef SLU_X
};

static const char *const families[SLU_N_FAMILIES] = {
#define SLU_X(id, name) name,
	SLU_FAMILIES(SLU_X)
#undef SLU_X
};

static const char *const spans[] = {
#define SLU_X(id, name) [SLU_SPAN_##id] = name,
	SLU_SPANS(SLU_X)
#undef SLU_X
};

const char *slu_call_name(unsigned call)
{
	return call < SLU_N_CALLS ? calls[call] : "other";
}

const char *slu_family_name(unsigned family)
{
	return family < SLU_N_FAMILIES ? families[family] : "other";
}

const char *slu_span_name(unsigned kind)
{
	return kind < SLU_ARRAY_SIZE(spans) ? spans[kind] : "other";
}
