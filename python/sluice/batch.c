/* SPDX-License-Identifier: MIT */
/*
 * Batch: one reference to a struct slu_batch, and its arrays as buffers, which refer to it. Nothing is copied.
 */
#include "core.h"
#include "loading.h"

struct batch {
	PyObject_HEAD
	struct slu_batch *b;
};

PyObject *slu_py_batch_take(struct slu_batch *b)
{
	struct batch *self = PyObject_New(struct batch, slu_py_loading.batch);

	if (self)
		self->b = b;
	else
		slu_batch_unref(b);
	return (PyObject *)self;
}

static void dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);

	slu_batch_unref(((struct batch *)self)->b);
	PyObject_Free(self);
	Py_DECREF(type);
}

static const struct slu_batch_info *info(PyObject *self)
{
	return slu_batch_info(((struct batch *)self)->b);
}

static Py_ssize_t len(PyObject *self)
{
	return (Py_ssize_t)info(self)->count;
}

/* The only array that may be written to: the reference is ours alone. */
static PyObject *data(PyObject *self, void *none)
{
	return slu_py_buffer(self, info(self)->data, info(self)->bytes, false, false);
}

static PyObject *offsets(PyObject *self, void *none)
{
	return slu_py_buffer(self, info(self)->offsets, (info(self)->count + 1) * 8, true, true);
}

static PyObject *indices(PyObject *self, void *none)
{
	return slu_py_buffer(self, info(self)->samples, info(self)->count * 8, true, true);
}

static PyObject *labels(PyObject *self, void *none)
{
	if (!info(self)->labels)
		Py_RETURN_NONE;
	return slu_py_buffer(self, info(self)->labels, info(self)->count * 8, true, true);
}

static PyObject *position(PyObject *self, void *none)
{
	return PyLong_FromUnsignedLongLong(info(self)->position);
}

static PyObject *nbytes(PyObject *self, void *none)
{
	return PyLong_FromUnsignedLongLong(info(self)->bytes);
}

static PyGetSetDef getset[] = {
	{ "data", data, NULL, NULL, NULL },         { "offsets", offsets, NULL, NULL, NULL },
	{ "indices", indices, NULL, NULL, NULL },   { "labels", labels, NULL, NULL, NULL },
	{ "position", position, NULL, NULL, NULL }, { "nbytes", nbytes, NULL, NULL, NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};

static PyType_Slot slots[] = {
	{ Py_tp_dealloc, dealloc },
	{ Py_tp_getset, getset },
	{ Py_sq_length, len },
	{ 0, NULL },
};

static PyType_Spec spec = {
	.name = "sluice._core.Batch",
	.basicsize = sizeof(struct batch),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.slots = slots,
};

int slu_py_init_batch(PyObject *module)
{
	return slu_py_add_type(module, "Batch", &spec, &slu_py_loading.batch);
}
