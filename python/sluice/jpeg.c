/* SPDX-License-Identifier: MIT */
/*
 * The options of JPEG decoding, from a dict with the names of the C structure's members.
 */
#include "loading.h"

/* @n numbers of a sequence. */
static int floats(PyObject *from, float *to, int n)
{
	double d;

	for (int k = 0; k < n; k++) {
		PyObject *item = PySequence_GetItem(from, k);
		if (!item)
			return -1;
		d = PyFloat_AsDouble(item);
		Py_DECREF(item);
		if (d == -1 && PyErr_Occurred())
			return -1;
		to[k] = (float)d;
	}
	return 0;
}

static int word(PyObject *from, uint32_t *to)
{
	unsigned long v = PyLong_AsUnsignedLong(from);

	if (v == (unsigned long)-1 && PyErr_Occurred())
		return -1;
	if (v > UINT32_MAX) {
		PyErr_SetString(PyExc_OverflowError, "an option for JPEG images is too large");
		return -1;
	}
	*to = (uint32_t)v;
	return 0;
}

int slu_py_jpeg(PyObject *from, struct slu_jpeg_options *ret_jpeg)
{
	struct slu_jpeg_options j = { .size = sizeof(j) };
	float scale[2] = { 0 }, ratio[2] = { 0 };
	const struct {
		const char *name;
		uint32_t *word;
		float *floats;
		int n;
	} members[] = {
		{ "width", &j.width, NULL, 0 },       { "height", &j.height, NULL, 0 },
		{ "crop", &j.crop, NULL, 0 },         { "flip", &j.flip, NULL, 0 },
		{ "dtype", &j.dtype, NULL, 0 },       { "layout", &j.layout, NULL, 0 },
		{ "exact", &j.exact, NULL, 0 },       { "lenient", &j.lenient, NULL, 0 },
		{ "channels", &j.channels, NULL, 0 }, { "scale", NULL, scale, 2 },
		{ "ratio", NULL, ratio, 2 },          { "cover", NULL, &j.cover, 1 },
		{ "mean", NULL, j.mean, 3 },          { "std", NULL, j.std, 3 },
	};

	for (size_t k = 0; k < sizeof(members) / sizeof(*members); k++) {
		PyObject *v = PyDict_GetItemString(from, members[k].name); /* borrowed */
		if (!v)
			continue;
		if ((members[k].word ? word(v, members[k].word) : floats(v, members[k].floats, members[k].n)) < 0)
			return -1;
	}
	j.scale_min = scale[0];
	j.scale_max = scale[1];
	j.ratio_min = ratio[0];
	j.ratio_max = ratio[1];
	*ret_jpeg = j;
	return 0;
}
