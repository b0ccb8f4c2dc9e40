/* SPDX-License-Identifier: MIT */
/*
 * Buffer: one-dimensional memory of ours for memoryview, NumPy and torch, without a copy. It is alive as long as
 * anything refers to it, and so is what it points to.
 */
#include "core.h"

#include <stdlib.h>

struct buffer {
	PyObject_HEAD
	PyObject *owner; /* of the memory; or NULL: */
	void *heap;      /* it is ours */
	void *data;
	Py_ssize_t nbytes, count, itemsize;
	bool readonly;
};

static char nothing[8]; /* where an empty buffer points to */

static PyObject *make(PyObject *owner, void *heap, void *data, uint64_t nbytes, bool wide, bool readonly)
{
	struct buffer *b;

	if (nbytes > PY_SSIZE_T_MAX)
		return PyErr_NoMemory();
	b = PyObject_New(struct buffer, slu_py.buffer);
	if (!b)
		return NULL;
	b->owner = owner;
	Py_XINCREF(owner);
	b->heap = heap;
	b->data = nbytes ? data : nothing;
	b->nbytes = (Py_ssize_t)nbytes;
	b->itemsize = wide ? 8 : 1;
	b->count = b->nbytes / b->itemsize;
	b->readonly = readonly;
	return (PyObject *)b;
}

PyObject *slu_py_buffer(PyObject *owner, const void *data, uint64_t nbytes, bool wide, bool readonly)
{
	return make(owner, NULL, (void *)data, nbytes, wide, readonly);
}

PyObject *slu_py_buffer_take(void *heap, uint64_t nbytes, bool wide)
{
	PyObject *b = make(NULL, heap, heap, nbytes, wide, false);

	if (!b)
		free(heap);
	return b;
}

static void dealloc(PyObject *self)
{
	struct buffer *b = (struct buffer *)self;
	PyTypeObject *type = Py_TYPE(self);

	Py_XDECREF(b->owner);
	free(b->heap);
	PyObject_Free(self);
	Py_DECREF(type);
}

static int get(PyObject *self, Py_buffer *view, int flags)
{
	struct buffer *b = (struct buffer *)self;

	if (b->readonly && (flags & PyBUF_WRITABLE)) {
		PyErr_SetString(PyExc_BufferError, "this memory is read-only");
		view->obj = NULL;
		return -1;
	}
	*view = (Py_buffer){
		.buf = b->data,
		.obj = Py_NewRef(self),
		.len = b->nbytes,
		.itemsize = b->itemsize,
		.readonly = b->readonly,
		.ndim = 1,
		.format = flags & PyBUF_FORMAT ? (char *)(b->itemsize == 8 ? "q" : "B") : NULL,
		.shape = flags & PyBUF_ND ? &b->count : NULL,
		.strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? &b->itemsize : NULL,
	};
	return 0;
}

static char doc[] = "Memory that memoryview() and numpy.asarray() take without a copy.";

static PyType_Slot slots[] = {
	{ Py_tp_dealloc, dealloc },
	{ Py_bf_getbuffer, get },
	{ Py_tp_doc, doc },
	{ 0, NULL },
};

static PyType_Spec spec = {
	.name = "sluice._core.Buffer",
	.basicsize = sizeof(struct buffer),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.slots = slots,
};

int slu_py_init_buffer(PyObject *module)
{
	return slu_py_add_type(module, "Buffer", &spec, &slu_py.buffer);
}
