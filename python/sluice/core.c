/* SPDX-License-Identifier: MIT */
/*
 * The module sluice._core: exceptions, and what the types of the other files hang on.
 */
#include "core.h"

#include <errno.h>

struct slu_py slu_py;

/* Which class an errno is. Where the caller knows better (a key, an index) it raises by itself. */
static PyObject *class_of(int err)
{
	switch (-err) {
	case EBADMSG:
	case EILSEQ:
		return slu_py.damage_error;
	case EINVAL:
		return PyExc_ValueError;
	case ENOMEM:
		return PyExc_MemoryError;
	default:
		return PyExc_OSError; /* makes FileNotFoundError and the like by itself */
	}
}

PyObject *slu_py_error(int err, const char *message)
{
	/* A sentence may hold a path, which need not be text. */
	PyObject *text = PyUnicode_DecodeFSDefault(message), *class = class_of(err), *e;

	if (!text)
		return NULL;
	if (class == PyExc_ValueError || class == PyExc_MemoryError)
		e = PyObject_CallFunction(class, "O", text);
	else
		e = PyObject_CallFunction(class, "iO", -err, text);
	Py_DECREF(text);
	return e;
}

PyObject *slu_py_raise(int err)
{
	PyObject *e = slu_py_error(err, slu_errmsg());

	if (e) {
		PyErr_SetObject((PyObject *)Py_TYPE(e), e);
		Py_DECREF(e);
	}
	return NULL;
}

int slu_py_add_type(PyObject *module, const char *name, PyType_Spec *spec, PyTypeObject **ret_type)
{
	*ret_type = (PyTypeObject *)PyType_FromSpec(spec);
	return *ret_type ? PyModule_AddObjectRef(module, name, (PyObject *)*ret_type) : -1;
}

static PyObject *version(PyObject *self, PyObject *none)
{
	return PyUnicode_FromString(slu_version());
}

static PyMethodDef functions[] = {
	{ "version", version, METH_NOARGS, "The version of the library that is loaded." },
	{ NULL, NULL, 0, NULL },
};

static struct PyModuleDef definition = {
	PyModuleDef_HEAD_INIT, .m_name = "sluice._core", .m_doc = "libsluice for Python; see the package sluice.",
	.m_size = -1,          .m_methods = functions,
};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void)
{
	PyObject *m = PyModule_Create(&definition);

	if (!m)
		return NULL;
	slu_py.damage_error = PyErr_NewExceptionWithDoc(
		"sluice.DamageError",
		"Bytes of a pack are not what was written: a checksum or a structure does not hold. Never handed out.",
		PyExc_OSError, NULL);
	if (!slu_py.damage_error || PyModule_AddObjectRef(m, "DamageError", slu_py.damage_error) < 0 ||
	    slu_py_init_buffer(m) < 0 || slu_py_init_pack(m) < 0 || slu_py_init_batch(m) < 0 ||
	    slu_py_init_loader(m) < 0 || slu_py_init_span(m) < 0) {
		Py_DECREF(m);
		return NULL;
	}
	return m;
}
