/* SPDX-License-Identifier: MIT */
/*
 * What the loader's files share.
 */
#ifndef SLUICE_PY_LOADING_H
#define SLUICE_PY_LOADING_H

#include "core.h"

#include <sluice/load.h>

struct slu_py_loading {
	PyTypeObject *loader, *batch;
};
extern struct slu_py_loading slu_py_loading;

/* A Batch object, which takes the reference, also on failure. */
PyObject *slu_py_batch_take(struct slu_batch *b);

/* What is in the dict @from, made by sluice.Jpeg. -1 with an error set. */
int slu_py_jpeg(PyObject *from, struct slu_jpeg_options *ret_jpeg);

#endif
