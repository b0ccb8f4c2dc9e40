/* SPDX-License-Identifier: MIT */
/*
 * What the files of the extension module share.
 *
 * The module is an edge of the house: it stands on the public headers only, and its types and exceptions are
 * process-wide (one interpreter). Everything else hangs on objects:
 *
 *   Handle   owns a struct slu_pack. Packs, views and loaders refer to it, so that closing a Pack takes nothing away
 *            from a memoryview or a loader that is still in use.
 *   Buffer   memory for the buffer protocol; refers to whatever owns the bytes.
 *   Pack, Loader, Batch   what users see, through thin classes on the Python side.
 *
 * No call that may touch storage holds the GIL.
 */
#ifndef SLUICE_PY_CORE_H
#define SLUICE_PY_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

#include <sluice/pack.h>

struct slu_py {
	PyObject *damage_error; /* sluice.DamageError */
	PyTypeObject *handle, *pack, *buffer;
};
extern struct slu_py slu_py;

struct slu_py_handle {
	PyObject_HEAD
	struct slu_pack *pack;
};

/* A new exception for a negative errno and its sentence; NULL with an error set if even that fails. */
PyObject *slu_py_error(int err, const char *message);
/* Raises it, with slu_errmsg(); always NULL. */
PyObject *slu_py_raise(int err);

/* The handle of a Pack object, a new reference; NULL and TypeError or ValueError: not a pack, or closed. */
struct slu_py_handle *slu_py_handle_of(PyObject *pack);

/* Makes a type and adds it to the module. -1 with an error set. */
int slu_py_add_type(PyObject *module, const char *name, PyType_Spec *spec, PyTypeObject **ret_type);

/* (dtype, skip, shape) */
PyObject *slu_py_schema(const struct slu_schema *s);

/*
 * An object with the buffer protocol over @nbytes at @data: int64 values if @wide, else bytes. It keeps a reference to
 * @owner, which keeps the memory.
 */
PyObject *slu_py_buffer(PyObject *owner, const void *data, uint64_t nbytes, bool wide, bool readonly);
/* The same over @heap, from malloc(), which it takes, also on failure. */
PyObject *slu_py_buffer_take(void *heap, uint64_t nbytes, bool wide);

/* Each adds its types to the module; -1 with an error set. */
int slu_py_init_buffer(PyObject *module);
int slu_py_init_pack(PyObject *module);
int slu_py_init_batch(PyObject *module);
int slu_py_init_loader(PyObject *module);
int slu_py_init_span(PyObject *module);

#endif
