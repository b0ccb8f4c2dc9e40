/* SPDX-License-Identifier: MIT */
/*
 * Pack: samples by number and by path, and what a pack tells about itself. The class sluice.Pack adds what is easier
 * said in Python.
 *
 * A method takes the handle first (hold()) and lets it go last, so that close() in another thread takes
 * nothing away from a read that is under way.
 */
#include "core.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct pack {
	PyObject_HEAD
	PyObject *handle; /* NULL once closed */
};

/* ---- handles -------------------------------------------------------------------- */

static void handle_dealloc(PyObject *self)
{
	struct slu_py_handle *h = (struct slu_py_handle *)self;
	PyTypeObject *type = Py_TYPE(self);

	slu_pack_close(h->pack);
	PyObject_Free(self);
	Py_DECREF(type);
}

static PyType_Slot handle_slots[] = {
	{ Py_tp_dealloc, handle_dealloc },
	{ 0, NULL },
};

static PyType_Spec handle_spec = {
	.name = "sluice._core.Handle",
	.basicsize = sizeof(struct slu_py_handle),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.slots = handle_slots,
};

static struct slu_py_handle *hold(PyObject *self)
{
	PyObject *h = ((struct pack *)self)->handle;

	if (!h)
		PyErr_SetString(PyExc_ValueError, "the pack is closed");
	return (struct slu_py_handle *)Py_XNewRef(h);
}

struct slu_py_handle *slu_py_handle_of(PyObject *pack)
{
	if (!PyObject_TypeCheck(pack, slu_py.pack)) {
		PyErr_SetString(PyExc_TypeError, "not a pack: open one with sluice.open()");
		return NULL;
	}
	return hold(pack);
}

/* ---- life ------------------------------------------------------------------------ */

static PyObject *pack_new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
	struct slu_pack_options opt = { .size = sizeof(opt) };
	PyObject *path = NULL;
	struct slu_py_handle *h;
	struct slu_pack *p;
	int r;

	if (!PyArg_ParseTuple(args, "O&|II", PyUnicode_FSConverter, &path, &opt.io, &opt.verify))
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	r = slu_pack_open(PyBytes_AsString(path), &opt, &p);
	Py_END_ALLOW_THREADS
	Py_DECREF(path);
	if (r < 0)
		return slu_py_raise(r);
	h = PyObject_New(struct slu_py_handle, slu_py.handle);
	if (!h) {
		slu_pack_close(p);
		return NULL;
	}
	h->pack = p;
	allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
	PyObject *self = alloc(type, 0);
	if (self)
		((struct pack *)self)->handle = (PyObject *)h;
	else
		Py_DECREF(h);
	return self;
}

static PyObject *pack_close(PyObject *self, PyObject *none)
{
	Py_CLEAR(((struct pack *)self)->handle);
	Py_RETURN_NONE;
}

static void pack_dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);

	Py_CLEAR(((struct pack *)self)->handle);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
	Py_DECREF(type);
}

static PyObject *pack_closed(PyObject *self, void *none)
{
	return PyBool_FromLong(!((struct pack *)self)->handle);
}

/* ---- numbers and paths ------------------------------------------------------------ */

static Py_ssize_t pack_len(PyObject *self)
{
	struct slu_py_handle *h = hold(self);

	if (!h)
		return -1;
	Py_ssize_t n = (Py_ssize_t)slu_pack_count(h->pack);
	Py_DECREF(h);
	return n;
}

/* A sample's number, with Python's meaning of negative ones. */
static int number(struct slu_pack *p, PyObject *key, uint64_t *ret_i)
{
	Py_ssize_t n = (Py_ssize_t)slu_pack_count(p), i = PyNumber_AsSsize_t(key, PyExc_IndexError);

	if (i == -1 && PyErr_Occurred())
		return -1;
	if (i < -n || i >= n) {
		PyErr_Format(PyExc_IndexError, "there is no sample %zd: the pack has %zd", i, n);
		return -1;
	}
	*ret_i = (uint64_t)(i < 0 ? i + n : i);
	return 0;
}

/* 0; 1: there is no such sample, no error is set; -1. */
static int look_up(struct slu_pack *p, PyObject *key, uint64_t *ret_i)
{
	PyObject *path = NULL;
	char *text;
	Py_ssize_t len;
	int r;

	if (PyUnicode_Check(key))
		path = PyUnicode_EncodeFSDefault(key);
	else if (PyBytes_Check(key))
		path = Py_NewRef(key);
	else
		PyErr_SetString(PyExc_TypeError, "a sample is asked for by its number or its path");
	if (!path || PyBytes_AsStringAndSize(path, &text, &len) < 0) {
		Py_XDECREF(path);
		return -1;
	}
	if (strlen(text) != (size_t)len) {
		r = -ENOENT; /* no name has a zero byte */
	} else {
		Py_BEGIN_ALLOW_THREADS
		r = slu_pack_find(p, text, ret_i);
		Py_END_ALLOW_THREADS
	}
	Py_DECREF(path);
	if (r == -EBADMSG || r == -EILSEQ || r == -EIO || r == -ENOMEM) {
		slu_py_raise(r);
		return -1;
	}
	return r < 0;
}

/* What is in brackets: a number or a path. */
static int resolve(struct slu_pack *p, PyObject *key, uint64_t *ret_i)
{
	int r;

	if (PyIndex_Check(key))
		return number(p, key, ret_i);
	r = look_up(p, key, ret_i);
	if (r > 0)
		PyErr_SetObject(PyExc_KeyError, key);
	return r ? -1 : 0;
}

static PyObject *pack_find(PyObject *self, PyObject *key)
{
	struct slu_py_handle *h = hold(self);
	uint64_t i;

	if (!h)
		return NULL;
	int r = resolve(h->pack, key, &i);
	Py_DECREF(h);
	return r < 0 ? NULL : PyLong_FromUnsignedLongLong(i);
}

static int pack_contains(PyObject *self, PyObject *key)
{
	struct slu_py_handle *h = hold(self);
	uint64_t i;

	if (!h)
		return -1;
	int r = look_up(h->pack, key, &i);
	Py_DECREF(h);
	return r < 0 ? -1 : !r;
}

static PyObject *pack_key(PyObject *self, PyObject *key)
{
	struct slu_py_handle *h = hold(self);
	char path[SLU_PATH_MAX];
	uint64_t i;
	ssize_t r;

	if (!h)
		return NULL;
	if (number(h->pack, key, &i) < 0) {
		Py_DECREF(h);
		return NULL;
	}
	Py_BEGIN_ALLOW_THREADS
	r = slu_pack_path(h->pack, slu_pack_sample_node(h->pack, i), path);
	Py_END_ALLOW_THREADS
	Py_DECREF(h);
	return r < 0 ? slu_py_raise((int)r) : PyUnicode_DecodeFSDefaultAndSize(path, r);
}

/* ---- bytes ------------------------------------------------------------------------- */

static PyObject *read_one(struct slu_pack *p, uint64_t i)
{
	struct slu_sample s;
	ssize_t r;

	Py_BEGIN_ALLOW_THREADS
	r = slu_pack_sample(p, i, &s);
	Py_END_ALLOW_THREADS
	if (r < 0)
		return slu_py_raise((int)r);
	if (s.size > PY_SSIZE_T_MAX)
		return PyErr_NoMemory();
	PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)s.size);
	if (!bytes)
		return NULL;
	char *to = PyBytes_AsString(bytes);
	Py_BEGIN_ALLOW_THREADS
	r = slu_pack_read(p, i, to, s.size);
	Py_END_ALLOW_THREADS
	if (r >= 0)
		return bytes;
	Py_DECREF(bytes);
	return slu_py_raise((int)r);
}

static PyObject *pack_item(PyObject *self, PyObject *key)
{
	struct slu_py_handle *h = hold(self);
	uint64_t i;

	if (!h)
		return NULL;
	PyObject *bytes = resolve(h->pack, key, &i) < 0 ? NULL : read_one(h->pack, i);
	Py_DECREF(h);
	return bytes;
}

/* For iteration, which counts up until IndexError. */
static PyObject *pack_at(PyObject *self, Py_ssize_t i)
{
	struct slu_py_handle *h = hold(self);
	PyObject *bytes = NULL;

	if (!h)
		return NULL;
	if (i < 0 || (uint64_t)i >= slu_pack_count(h->pack))
		PyErr_SetString(PyExc_IndexError, "there is no such sample");
	else
		bytes = read_one(h->pack, (uint64_t)i);
	Py_DECREF(h);
	return bytes;
}

static PyObject *pack_size(PyObject *self, PyObject *key)
{
	struct slu_py_handle *h = hold(self);
	struct slu_sample s;
	uint64_t i;
	int r;

	if (!h)
		return NULL;
	if (resolve(h->pack, key, &i) < 0) {
		Py_DECREF(h);
		return NULL;
	}
	Py_BEGIN_ALLOW_THREADS
	r = slu_pack_sample(h->pack, i, &s);
	Py_END_ALLOW_THREADS
	Py_DECREF(h);
	return r < 0 ? slu_py_raise(r) : PyLong_FromUnsignedLongLong(s.size);
}

static PyObject *pack_read_into(PyObject *self, PyObject *args)
{
	PyObject *key;
	Py_buffer to;
	uint64_t i;
	ssize_t r;
	struct slu_py_handle *h = hold(self);

	if (!h)
		return NULL;
	if (!PyArg_ParseTuple(args, "Ow*", &key, &to)) {
		Py_DECREF(h);
		return NULL;
	}
	if (resolve(h->pack, key, &i) < 0) {
		PyBuffer_Release(&to);
		Py_DECREF(h);
		return NULL;
	}
	Py_BEGIN_ALLOW_THREADS
	r = slu_pack_read(h->pack, i, to.buf, (size_t)to.len);
	Py_END_ALLOW_THREADS
	PyBuffer_Release(&to);
	Py_DECREF(h);
	if (r == -ERANGE) {
		PyErr_SetString(PyExc_ValueError, slu_errmsg());
		return NULL;
	}
	return r < 0 ? slu_py_raise((int)r) : PyLong_FromSsize_t(r);
}

static PyObject *pack_view(PyObject *self, PyObject *key)
{
	struct slu_py_handle *h = hold(self);
	const void *data = NULL;
	PyObject *b = NULL;
	size_t len = 0;
	uint64_t i;
	int r;

	if (!h)
		return NULL;
	if (resolve(h->pack, key, &i) < 0) {
		Py_DECREF(h);
		return NULL;
	}
	Py_BEGIN_ALLOW_THREADS
	r = slu_pack_view(h->pack, i, &data, &len);
	Py_END_ALLOW_THREADS
	if (r < 0)
		slu_py_raise(r);
	else
		b = slu_py_buffer((PyObject *)h, data, len, false, true);
	Py_DECREF(h);
	if (!b)
		return NULL;
	PyObject *view = PyMemoryView_FromObject(b);
	Py_DECREF(b);
	return view;
}

/* ---- many samples ------------------------------------------------------------------- */

/* The numbers in @from (int64), checked, negative ones turned. NULL with an error set. */
static uint64_t *numbers(struct slu_pack *p, const Py_buffer *from, size_t *ret_n)
{
	int64_t count = (int64_t)slu_pack_count(p), v;
	size_t n = (size_t)from->len / 8;
	uint64_t *list = malloc((n + 1) * sizeof(*list));

	if (!list) {
		PyErr_NoMemory();
		return NULL;
	}
	for (size_t k = 0; k < n; k++) {
		memcpy(&v, (const char *)from->buf + 8 * k, 8);
		if (v < -count || v >= count) {
			free(list);
			PyErr_Format(PyExc_IndexError, "there is no sample %lld: the pack has %lld", (long long)v,
			             (long long)count);
			return NULL;
		}
		list[k] = (uint64_t)(v < 0 ? v + count : v);
	}
	*ret_n = n;
	return list;
}

/* How many bytes they are, or a negative errno. */
static int64_t total(struct slu_pack *p, const uint64_t *list, size_t n)
{
	struct slu_sample s;
	uint64_t sum = 0;

	for (size_t k = 0; k < n; k++) {
		int r = slu_pack_sample(p, list[k], &s);
		if (r < 0)
			return r;
		if (__builtin_add_overflow(sum, s.size, &sum) || sum > INT64_MAX / 2)
			return -ENOMEM;
	}
	return (int64_t)sum;
}

/* All of @list into @data; slu_pack_read_batch() may stop early, then the rest is asked for. */
static int read_all(struct slu_pack *p, const uint64_t *list, size_t n, char *data, uint64_t bytes, uint64_t *offsets)
{
	offsets[0] = 0;
	for (size_t done = 0; done < n;) {
		uint64_t base = offsets[done];
		ssize_t r = slu_pack_read_batch(p, list + done, n - done, data + base, bytes - base, offsets + done);
		if (r < 0)
			return (int)r;
		for (ssize_t k = 0; k <= r; k++)
			offsets[done + (size_t)k] += base;
		done += (size_t)r;
	}
	return 0;
}

static PyObject *read_list(struct slu_pack *p, const uint64_t *list, size_t n)
{
	uint64_t *offsets = malloc((n + 1) * sizeof(*offsets));
	int64_t bytes;
	char *data = NULL;
	int r = -ENOMEM;

	if (!offsets)
		return PyErr_NoMemory();
	Py_BEGIN_ALLOW_THREADS
	bytes = total(p, list, n);
	if (bytes < 0)
		r = (int)bytes;
	else if ((data = malloc((size_t)bytes + 1)))
		r = read_all(p, list, n, data, (uint64_t)bytes, offsets);
	Py_END_ALLOW_THREADS
	if (r < 0) {
		free(data);
		free(offsets);
		return r == -ENOMEM ? PyErr_NoMemory() : slu_py_raise(r);
	}
	PyObject *d = slu_py_buffer_take(data, (uint64_t)bytes, false);
	PyObject *o = slu_py_buffer_take(offsets, (n + 1) * 8, true);
	PyObject *both = d && o ? PyTuple_Pack(2, d, o) : NULL;
	Py_XDECREF(d);
	Py_XDECREF(o);
	return both;
}

static PyObject *pack_read_list(PyObject *self, PyObject *indices)
{
	struct slu_py_handle *h = hold(self);
	PyObject *both = NULL;
	Py_buffer from;
	size_t n;

	if (!h)
		return NULL;
	if (PyObject_GetBuffer(indices, &from, PyBUF_SIMPLE) == 0) {
		uint64_t *list = numbers(h->pack, &from, &n);
		PyBuffer_Release(&from);
		if (list)
			both = read_list(h->pack, list, n);
		free(list);
	}
	Py_DECREF(h);
	return both;
}

/* Values of a column at start, start + step, ..., into @to (int64). */
static int values_range(struct slu_pack *p, const struct slu_column *c, int64_t start, int64_t step, Py_buffer *to)
{
	int64_t *out = to->buf, count = (int64_t)slu_pack_count(p), n = to->len / 8, last;
	int r = 0;

	/* So that a number outside is never computed. */
	if (n && (start < 0 || start >= count || __builtin_mul_overflow(step, n - 1, &last) ||
	          __builtin_add_overflow(last, start, &last) || last < 0 || last >= count))
		return -ERANGE;
	for (int64_t k = 0; k < n && r >= 0; k++)
		r = slu_pack_value(p, c, (uint64_t)(start + k * step), &out[k]);
	return r;
}

static PyObject *pack_values(PyObject *self, PyObject *args)
{
	struct slu_py_handle *h = hold(self);
	const char *name;
	long long start, step;
	struct slu_column c;
	Py_buffer to;
	int r;

	if (!h)
		return NULL;
	if (!PyArg_ParseTuple(args, "sLLw*", &name, &start, &step, &to)) {
		Py_DECREF(h);
		return NULL;
	}
	Py_BEGIN_ALLOW_THREADS
	r = slu_pack_column(h->pack, name, &c);
	if (r >= 0)
		r = values_range(h->pack, &c, start, step, &to);
	Py_END_ALLOW_THREADS
	PyBuffer_Release(&to);
	Py_DECREF(h);
	if (r == -ERANGE) {
		PyErr_SetString(PyExc_IndexError, "there is no such sample");
		return NULL;
	}
	if (r < 0)
		return slu_py_raise(r);
	Py_RETURN_NONE;
}

/* ---- what it tells about itself ------------------------------------------------------ */

static PyObject *pack_info(PyObject *self, PyObject *none)
{
	struct slu_py_handle *h = hold(self);
	struct slu_pack_info i;
	int r;

	if (!h)
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	r = slu_pack_info(h->pack, &i);
	Py_END_ALLOW_THREADS
	Py_DECREF(h);
	if (r < 0)
		return slu_py_raise(r);
#define U(x) #x, (unsigned long long)i.x
	return Py_BuildValue("{s:y#,s:(II),s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K}", "identity", i.identity,
	                     (Py_ssize_t)sizeof(i.identity), "version", i.version_major, i.version_minor, U(samples),
	                     U(dirs), U(links), U(raw_bytes), U(stored_bytes), U(index_bytes), U(name_bytes),
	                     U(record_bytes), U(disk_bytes), U(shards), U(dictionaries));
#undef U
}

static PyObject *pack_notes(PyObject *self, PyObject *none)
{
	struct slu_py_handle *h = hold(self);
	const char *text;
	size_t len;

	if (!h)
		return NULL;
	int r = slu_pack_notes(h->pack, &text, &len);
	PyObject *notes = r < 0 ? slu_py_raise(r) : PyUnicode_DecodeUTF8(text, (Py_ssize_t)len, "replace");
	Py_DECREF(h);
	return notes;
}

static PyObject *pack_columns(PyObject *self, PyObject *none)
{
	struct slu_py_handle *h = hold(self);
	struct slu_column c;

	if (!h)
		return NULL;
	PyObject *names = PyList_New(0);
	int n = slu_pack_columns(h->pack);
	for (int k = 0; names && k < n; k++) {
		int r = slu_pack_column_at(h->pack, k, &c);
		PyObject *name =
			r < 0 ? slu_py_raise(r) : PyUnicode_DecodeUTF8(c.name, (Py_ssize_t)strlen(c.name), NULL);
		if (!name || PyList_Append(names, name) < 0)
			Py_CLEAR(names);
		Py_XDECREF(name);
	}
	Py_DECREF(h);
	return names;
}

static PyObject *pack_label_names(PyObject *self, PyObject *none)
{
	struct slu_py_handle *h = hold(self);
	const char *text;

	if (!h)
		return NULL;
	PyObject *names = PyList_New(0);
	for (int64_t k = 0; names && slu_pack_label_name(h->pack, k, &text) >= 0; k++) {
		PyObject *name = PyUnicode_DecodeFSDefault(text);
		if (!name || PyList_Append(names, name) < 0)
			Py_CLEAR(names);
		Py_XDECREF(name);
	}
	Py_DECREF(h);
	return names;
}

static PyObject *pack_schema(PyObject *self, PyObject *none)
{
	struct slu_py_handle *h = hold(self);
	struct slu_schema s;

	if (!h)
		return NULL;
	int r = slu_pack_schema(h->pack, &s);
	Py_DECREF(h);
	if (r == -ENOENT)
		Py_RETURN_NONE;
	return r < 0 ? slu_py_raise(r) : slu_py_schema(&s);
}

PyObject *slu_py_schema(const struct slu_schema *s)
{
	PyObject *shape = PyTuple_New((Py_ssize_t)s->ndim);

	for (uint32_t k = 0; shape && k < s->ndim; k++) {
		PyObject *n = PyLong_FromUnsignedLongLong(s->shape[k]);
		if (!n || PyTuple_SetItem(shape, (Py_ssize_t)k, n) < 0)
			Py_CLEAR(shape);
	}
	return shape ? Py_BuildValue("(sIN)", s->dtype, (unsigned)s->skip, shape) : NULL;
}

/* ---- the type ------------------------------------------------------------------------ */

static PyMethodDef methods[] = {
	{ "close", pack_close, METH_NOARGS, "Lets go of the pack. Views and loaders that were made from it go on." },
	{ "find", pack_find, METH_O, "The number of the sample at a path. KeyError: there is none." },
	{ "key", pack_key, METH_O, "The path of a sample." },
	{ "size", pack_size, METH_O, "How many bytes a sample has." },
	{ "view", pack_view, METH_O,
	  "The bytes of a sample inside the mapped file: verified by this call, not copied, read-only.\n\n"
	  "An opt-in with a price: what happens to the file later shows, and a file that shrinks then raises\n"
	  "SIGBUS in the reader. Only samples that are stored uncompressed have views: OSError otherwise." },
	{ "read_into", pack_read_into, METH_VARARGS,
	  "Copies a sample, verified and decoded, into a writable buffer; its size.\n\n"
	  "ValueError: the buffer is too small." },
	{ "_read_list", pack_read_list, METH_O, NULL },
	{ "_values", pack_values, METH_VARARGS, NULL },
	{ "info", pack_info, METH_NOARGS, "Counts and sizes, as `sluice info` shows them." },
	{ "_notes", pack_notes, METH_NOARGS, NULL },
	{ "_columns", pack_columns, METH_NOARGS, NULL },
	{ "_label_names", pack_label_names, METH_NOARGS, NULL },
	{ "_schema", pack_schema, METH_NOARGS, NULL },
	{ NULL, NULL, 0, NULL },
};

static PyGetSetDef getset[] = {
	{ "closed", pack_closed, NULL, "Whether close() was called.", NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};

static PyType_Slot slots[] = {
	{ Py_tp_new, pack_new },           { Py_tp_dealloc, pack_dealloc },
	{ Py_tp_methods, methods },        { Py_tp_getset, getset },
	{ Py_sq_length, pack_len },        { Py_mp_length, pack_len },
	{ Py_mp_subscript, pack_item },    { Py_sq_item, pack_at },
	{ Py_sq_contains, pack_contains }, { 0, NULL },
};

static PyType_Spec spec = {
	.name = "sluice._core.Pack",
	.basicsize = sizeof(struct pack),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
	.slots = slots,
};

int slu_py_init_pack(PyObject *module)
{
	if (slu_py_add_type(module, "Handle", &handle_spec, &slu_py.handle) < 0)
		return -1;
	return slu_py_add_type(module, "Pack", &spec, &slu_py.pack);
}
