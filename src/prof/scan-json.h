/* SPDX-License-Identifier: MIT */
/* A large JSON file cut into values, which are parsed elsewhere. Only brackets, strings and commas are understood. */
#ifndef SLU_PROF_SCAN_JSON_H
#define SLU_PROF_SCAN_JSON_H

#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"

/* An element of the array @of (an outermost one: ""), or (@of is its key) another member of the outermost object. */
typedef int slu_scan_fn(void *arg, const char *of, const char *value, size_t len);

/*
 * Gives each element of the outermost array, or of the array that is the member @array of the outermost object, and
 * each other member of this object that is no array or object. An outermost array may lack its end, as Chrome's format
 * allows. -EBADMSG it is no such JSON
 */
SLU_MUST_USE int slu_scan_json(FILE *f, const char *what, const char *array, slu_scan_fn *fn, void *arg);

#endif
