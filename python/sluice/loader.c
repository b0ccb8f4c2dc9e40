/* SPDX-License-Identifier: MIT */
/*
 * Loader: struct slu_loader for Python.
 *
 * 1. One thread at a time calls into a struct slu_loader (sluice/load.h). Since the GIL is let go inside, `busy` says
 *    who is in there; others wait for it in small steps, in which signals are looked at. A flag and not a lock: it
 *    is void in the child of a fork().
 * 2. A wait for a batch is at most 100 ms long before Python may run its signal handlers: Ctrl-C always works.
 * 3. What the on_error callback raises goes through the C loader as -ECANCELED and comes out again unchanged.
 */
#include "loading.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

struct slu_py_loading slu_py_loading;

struct loader {
	PyObject_HEAD
	struct slu_loader *l; /* NULL once closed */
	PyObject *handle;     /* of the pack, which must stay open */
	PyObject *bad;        /* what is called with (sample, exception), or NULL */
	PyObject *raised[3];  /* by it: type, value, traceback */
	unsigned long busy;   /* the thread inside, or 0; read and written under the GIL */
	pid_t busy_pid;
};

enum { WAIT_MS = 100 };

/* ---- one at a time -------------------------------------------------------------------- */

static int enter(struct loader *self)
{
	const struct timespec step = { .tv_nsec = 1000000 };
	unsigned long me = PyThread_get_thread_ident();

	while (self->busy && self->busy_pid == getpid()) {
		if (self->busy == me) {
			PyErr_SetString(PyExc_RuntimeError, "on_error cannot use the loader that called it");
			return -1;
		}
		Py_BEGIN_ALLOW_THREADS
		nanosleep(&step, NULL);
		Py_END_ALLOW_THREADS
		if (PyErr_CheckSignals() < 0)
			return -1;
	}
	if (!self->l) {
		PyErr_SetString(PyExc_ValueError, "the loader is closed");
		return -1;
	}
	self->busy = me;
	self->busy_pid = getpid();
	return 0;
}

static void leave(struct loader *self)
{
	self->busy = 0;
}

/* ---- bad samples ------------------------------------------------------------------------ */

static int on_bad(void *arg, uint64_t sample, int err, const char *message)
{
	struct loader *self = arg;
	PyGILState_STATE gil = PyGILState_Ensure();
	PyObject *e = slu_py_error(err, message);
	PyObject *done = e && self->bad ? PyObject_CallFunction(self->bad, "KO", (unsigned long long)sample, e) : NULL;

	if (!done && PyErr_Occurred())
		PyErr_Fetch(&self->raised[0], &self->raised[1], &self->raised[2]);
	int r = done ? 0 : -ECANCELED;
	Py_XDECREF(done);
	Py_XDECREF(e);
	PyGILState_Release(gil);
	return r;
}

/* Raises what the callback raised, if it did, and else what the library says. */
static PyObject *fail(struct loader *self, int r)
{
	if (!self->raised[0])
		return slu_py_raise(r);
	PyErr_Restore(self->raised[0], self->raised[1], self->raised[2]);
	self->raised[0] = self->raised[1] = self->raised[2] = NULL;
	return NULL;
}

/* ---- life ---------------------------------------------------------------------------------- */

static int parse(PyObject *args, struct slu_loader_options *opt, struct slu_jpeg_options *jpeg, PyObject **ret_pack,
                 PyObject **ret_bad)
{
	PyObject *image;
	unsigned long long seed, ahead;

	if (!PyArg_ParseTuple(args, "OIsKIIIIIIKOO", ret_pack, &opt->batch_size, &opt->order, &seed, &opt->rank,
	                      &opt->world, &opt->threads, &opt->drop_last, &opt->verify, &opt->io, &ahead, &image,
	                      ret_bad))
		return -1;
	opt->seed = seed;
	opt->ahead_bytes = ahead;
	if (image == Py_None)
		return 0;
	opt->jpeg = jpeg;
	return slu_py_jpeg(image, jpeg);
}

static PyObject *loader_new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
	struct slu_loader_options opt = { .size = sizeof(opt) };
	struct slu_jpeg_options jpeg;
	PyObject *pack, *bad;
	int r;

	if (parse(args, &opt, &jpeg, &pack, &bad) < 0)
		return NULL;
	struct slu_py_handle *h = slu_py_handle_of(pack);
	if (!h)
		return NULL;
	allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
	struct loader *self = (struct loader *)alloc(type, 0); /* zeroed */
	if (!self) {
		Py_DECREF(h);
		return NULL;
	}
	self->handle = (PyObject *)h;
	if (bad != Py_None) {
		self->bad = Py_NewRef(bad);
		opt.bad_sample = on_bad;
		opt.bad_arg = self;
	}
	Py_BEGIN_ALLOW_THREADS
	r = slu_loader_new(h->pack, &opt, &self->l);
	Py_END_ALLOW_THREADS
	if (r < 0) {
		slu_py_raise(r);
		Py_DECREF(self);
		return NULL;
	}
	return (PyObject *)self;
}

static void let_go(struct loader *self)
{
	struct slu_loader *l = self->l;

	self->l = NULL;
	Py_BEGIN_ALLOW_THREADS
	slu_loader_free(l); /* waits for reads under way */
	Py_END_ALLOW_THREADS
}

static PyObject *loader_close(PyObject *o, PyObject *none)
{
	struct loader *self = (struct loader *)o;

	if (!self->l)
		Py_RETURN_NONE;
	if (enter(self) < 0)
		return NULL;
	let_go(self);
	leave(self);
	Py_CLEAR(self->handle);
	Py_RETURN_NONE;
}

static int loader_traverse(PyObject *o, visitproc visit, void *arg)
{
	struct loader *self = (struct loader *)o;

	Py_VISIT(Py_TYPE(o));
	Py_VISIT(self->bad);
	for (int k = 0; k < 3; k++)
		Py_VISIT(self->raised[k]);
	return 0;
}

/* The callback may be what holds us. */
static int loader_clear(PyObject *o)
{
	struct loader *self = (struct loader *)o;

	Py_CLEAR(self->bad);
	for (int k = 0; k < 3; k++)
		Py_CLEAR(self->raised[k]);
	return 0;
}

static void loader_dealloc(PyObject *o)
{
	struct loader *self = (struct loader *)o;
	PyTypeObject *type = Py_TYPE(o);

	PyObject_GC_UnTrack(o);
	let_go(self);
	(void)loader_clear(o); /* always 0 */
	Py_CLEAR(self->handle);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(o);
	Py_DECREF(type);
}

/* ---- an epoch ------------------------------------------------------------------------------ */

static PyObject *loader_start(PyObject *o, PyObject *args)
{
	struct loader *self = (struct loader *)o;
	unsigned long long epoch, position;
	int r;

	if (!PyArg_ParseTuple(args, "KK", &epoch, &position) || enter(self) < 0)
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	r = slu_loader_start(self->l, epoch, position);
	Py_END_ALLOW_THREADS
	leave(self);
	if (r < 0)
		return slu_py_raise(r);
	Py_RETURN_NONE;
}

static PyObject *loader_next(PyObject *o, PyObject *none)
{
	struct loader *self = (struct loader *)o;
	struct slu_batch *b = NULL;
	int r;

	if (enter(self) < 0)
		return NULL;
	for (;;) {
		Py_BEGIN_ALLOW_THREADS
		r = slu_loader_next(self->l, WAIT_MS, &b);
		Py_END_ALLOW_THREADS
		leave(self); /* a signal handler may save the state before the job is ended */
		if (r != -ETIMEDOUT)
			break;
		if (PyErr_CheckSignals() < 0 || enter(self) < 0)
			return NULL;
	}
	if (r > 0)
		return slu_py_batch_take(b);
	if (r < 0)
		return fail(self, r);
	Py_RETURN_NONE;
}

/* ---- where it is ------------------------------------------------------------------------------ */

static PyObject *loader_save(PyObject *o, PyObject *none)
{
	struct loader *self = (struct loader *)o;
	PyObject *bytes = NULL;

	if (enter(self) < 0)
		return NULL;
	ssize_t n = slu_loader_save(self->l, NULL, 0);
	if (n >= 0 && (bytes = PyBytes_FromStringAndSize(NULL, n)))
		n = slu_loader_save(self->l, PyBytes_AsString(bytes), (size_t)n);
	leave(self);
	if (n < 0) {
		Py_CLEAR(bytes);
		slu_py_raise((int)n);
	}
	return bytes;
}

static PyObject *loader_restore(PyObject *o, PyObject *args)
{
	struct loader *self = (struct loader *)o;
	const char *state;
	Py_ssize_t n;
	int r;

	if (!PyArg_ParseTuple(args, "y#", &state, &n) || enter(self) < 0)
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	r = slu_loader_restore(self->l, state, (size_t)n);
	Py_END_ALLOW_THREADS
	leave(self);
	/* A state that is no state, or of another job, is a wrong argument and no damage to a pack. */
	if (r == -EBADMSG || r == -EPROTONOSUPPORT) {
		PyErr_SetString(PyExc_ValueError, slu_errmsg());
		return NULL;
	}
	if (r < 0)
		return slu_py_raise(r);
	Py_RETURN_NONE;
}

static PyObject *loader_position(PyObject *o, PyObject *none)
{
	struct loader *self = (struct loader *)o;
	uint64_t epoch = 0, position = 0;

	if (enter(self) < 0)
		return NULL;
	slu_loader_position(self->l, &epoch, &position);
	leave(self);
	return Py_BuildValue("(KK)", (unsigned long long)epoch, (unsigned long long)position);
}

/* (batches, samples, randomness, schema or None) */
static PyObject *loader_about(PyObject *o, PyObject *none)
{
	struct loader *self = (struct loader *)o;
	struct slu_schema s;

	if (enter(self) < 0)
		return NULL;
	unsigned long long batches = slu_loader_batches(self->l), samples = slu_loader_samples(self->l);
	double randomness = slu_loader_randomness(self->l);
	int r = slu_loader_schema(self->l, &s);
	leave(self);
	if (r < 0 && r != -ENOENT)
		return slu_py_raise(r);
	PyObject *schema = r < 0 ? Py_NewRef(Py_None) : slu_py_schema(&s);
	return schema ? Py_BuildValue("(KKdN)", batches, samples, randomness, schema) : NULL;
}

static PyObject *loader_stats(PyObject *o, PyObject *none)
{
	struct loader *self = (struct loader *)o;
	struct slu_loader_stats s;

	if (enter(self) < 0)
		return NULL;
	slu_loader_get_stats(self->l, &s);
	leave(self);
#define U(x) #x, (unsigned long long)s.x
	return Py_BuildValue("{s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K}", U(batches), U(samples), U(bytes),
	                     U(bad), U(read_bytes), U(reads), U(verified), U(waited_io_ns), U(waited_work_ns),
	                     U(waited_consumer_ns), U(work_ns), U(elapsed_ns));
#undef U
}

/* ---- the type ------------------------------------------------------------------------------------ */

static PyMethodDef methods[] = {
	{ "close", loader_close, METH_NOARGS, NULL },
	{ "start", loader_start, METH_VARARGS, NULL },
	{ "next", loader_next, METH_NOARGS, NULL },
	{ "save", loader_save, METH_NOARGS, NULL },
	{ "restore", loader_restore, METH_VARARGS, NULL },
	{ "position", loader_position, METH_NOARGS, NULL },
	{ "about", loader_about, METH_NOARGS, NULL },
	{ "stats", loader_stats, METH_NOARGS, NULL },
	{ NULL, NULL, 0, NULL },
};

static PyType_Slot slots[] = {
	{ Py_tp_new, loader_new },           { Py_tp_dealloc, loader_dealloc }, { Py_tp_methods, methods },
	{ Py_tp_traverse, loader_traverse }, { Py_tp_clear, loader_clear },     { 0, NULL },
};

static PyType_Spec spec = {
	.name = "sluice._core.Loader",
	.basicsize = sizeof(struct loader),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
	.slots = slots,
};

int slu_py_init_loader(PyObject *module)
{
	return slu_py_add_type(module, "Loader", &spec, &slu_py_loading.loader);
}
