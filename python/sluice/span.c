/* SPDX-License-Identifier: MIT */
/*
 * Spans: a context manager that begins and ends one, in C because it stands in training loops whether they are traced
 * or not. The Python side (_span.py) makes it a decorator too.
 */
#include "core.h"

#include <string.h>

#include <sluice/trace.h>

/* By enum slu_span_kind. */
static const char *const kinds[] = { "other", "compute", "wait", "io", "decode", "checkpoint", "epoch" };
enum { N_KINDS = sizeof(kinds) / sizeof(*kinds) };

struct span {
	PyObject_HEAD
	PyObject *owner; /* the string that has the name's bytes */
	const char *name;
	int64_t index;
	enum slu_span_kind kind;
};

static int kind_of(const char *word, enum slu_span_kind *ret_kind)
{
	char list[128] = "";

	for (int k = 0; k < N_KINDS; k++)
		if (strcmp(word, kinds[k]) == 0) {
			*ret_kind = (enum slu_span_kind)k;
			return 0;
		}
	for (int k = 0; k < N_KINDS; k++) {
		strcat(list, k ? ", " : "");
		strcat(list, kinds[k]);
	}
	PyErr_Format(PyExc_ValueError, "the kind of a span is one of %s; not '%s'", list, word);
	return -1;
}

static PyObject *span_new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
	static char name_arg[] = "name", kind_arg[] = "kind", index_arg[] = "index";
	static char *names[] = { name_arg, kind_arg, index_arg, NULL };
	const char *kind_word = "compute", *bytes;
	enum slu_span_kind kind = SLU_SPAN_COMPUTE;
	PyObject *name;
	struct span *s;
	long long index = -1;
	Py_ssize_t len;

	if (!PyArg_ParseTupleAndKeywords(args, kw, "U|sL:span", names, &name, &kind_word, &index))
		return NULL;
	if (kind_of(kind_word, &kind) < 0)
		return NULL;
	bytes = PyUnicode_AsUTF8AndSize(name, &len); /* kept in the string */
	if (!bytes)
		return NULL;
	if (strlen(bytes) != (size_t)len) {
		PyErr_SetString(PyExc_ValueError, "the name of a span has a zero byte in it");
		return NULL;
	}
	s = (struct span *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
	if (!s)
		return NULL;
	Py_INCREF(name);
	s->owner = name;
	s->name = bytes;
	s->kind = kind;
	s->index = index;
	return (PyObject *)s;
}

static void span_dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);

	Py_XDECREF(((struct span *)self)->owner);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
	Py_DECREF(type);
}

static PyObject *enter(PyObject *self, PyObject *none)
{
	struct span *s = (struct span *)self;

	slu_span_begin(s->name, s->kind, s->index);
	Py_INCREF(self);
	return self;
}

static PyObject *leave(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
	slu_span_end();
	Py_RETURN_NONE;
}

static PyObject *begin(PyObject *self, PyObject *none)
{
	struct span *s = (struct span *)self;

	slu_span_begin(s->name, s->kind, s->index);
	Py_RETURN_NONE;
}

static PyObject *end(PyObject *self, PyObject *none)
{
	slu_span_end();
	Py_RETURN_NONE;
}

static PyObject *tracing(PyObject *self, PyObject *none)
{
	return PyBool_FromLong(slu_tracing());
}

static PyMethodDef methods[] = {
	{ "__enter__", enter, METH_NOARGS, "Begins it." },
	{ "__exit__", (PyCFunction)(void (*)(void))leave, METH_FASTCALL, "Ends it." },
	{ "begin", begin, METH_NOARGS, "Begins it, where `with` does not fit. In the same thread end() must follow." },
	{ "end", end, METH_NOARGS, "Ends the innermost span of this thread, which must be this one." },
	{ NULL, NULL, 0, NULL },
};

static char doc[] = "span(name, kind='compute', index=-1)";

static PyType_Slot slots[] = {
	{ Py_tp_new, span_new },
	{ Py_tp_dealloc, span_dealloc },
	{ Py_tp_methods, methods },
	{ Py_tp_doc, doc },
	{ 0, NULL },
};

static PyType_Spec spec = {
	.name = "sluice._core.Span",
	.basicsize = sizeof(struct span),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
	.slots = slots,
};

static PyMethodDef functions[] = {
	{ "tracing", tracing, METH_NOARGS, "Whether this process runs under `sluice trace`." },
	{ NULL, NULL, 0, NULL },
};

int slu_py_init_span(PyObject *module)
{
	PyTypeObject *type;

	if (slu_py_add_type(module, "Span", &spec, &type) < 0)
		return -1;
	Py_DECREF(type);
	return PyModule_AddFunctions(module, functions);
}
