/* SPDX-License-Identifier: MIT */
/*
 * The loops over pixels give the same results in every form this CPU can run, for lengths with and
 * without a rest; and resizing to the same size changes nothing.
 */
#define T_ERRMSG slu_errmsg
#include "image/pixels.h"

#include "image/resize.h"
#include "test.h"

enum { SIDE = 150 };

static uint8_t image[SIDE * SIDE];

static void fill(void)
{
	uint32_t seed = 1;

	for (size_t i = 0; i < sizeof(image); i++) {
		seed = seed * 1664525 + 1013904223;
		image[i] = i % 7 == 0 ? 255 : (uint8_t)(seed >> 24);
	}
}

static void resize(const struct slu_pixels *p, const struct slu_axis *x, const struct slu_axis *y, uint8_t *out)
{
	void *scratch = calloc(1, p->resize_scratch(x));

	T_TRUE(scratch);
	p->resize(x, y, image + (size_t)y->first * SIDE + x->first, SIDE, scratch, out);
	free(scratch);
}

static void compare_resize(const struct slu_pixels *other, double from, double to, uint32_t out, bool mirrored)
{
	struct slu_axis x = { 0 }, y = { 0 };
	uint32_t high = out % 40 + 1;
	uint8_t *a = malloc((size_t)out * high), *b = malloc((size_t)out * high);

	T_OK(slu_axis_set(&x, SIDE, from, to, out, mirrored, true));
	T_OK(slu_axis_set(&y, SIDE, from, to, high, false, true));
	if (x.fast && y.fast) {
		resize(&slu_pixels_plain, &x, &y, a);
		resize(other, &x, &y, b);
		T_MEM(a, b, (size_t)out * high);
	}
	slu_axis_done(&x);
	slu_axis_done(&y);
	free(a);
	free(b);
}

static void compare_colours(const struct slu_pixels *other, size_t n)
{
	uint8_t a[4][3 * 300], b[4][3 * 300];
	float f[2][3 * 300] = { { 0 } };
	const uint8_t *in[3] = { image, image + 1000, image + 2000 };

	slu_pixels_plain.rgb(in, (uint8_t *const[3]){ a[0], a[1], a[2] }, n);
	other->rgb(in, (uint8_t *const[3]){ b[0], b[1], b[2] }, n);
	slu_pixels_plain.interleave(in, a[3], n);
	other->interleave(in, b[3], n);
	for (int i = 0; i < 3; i++)
		T_MEM(a[i], b[i], n);
	T_MEM(a[3], b[3], 3 * n);
	slu_pixels_plain.split(image, (uint8_t *const[3]){ a[0], a[1], a[2] }, n);
	other->split(image, (uint8_t *const[3]){ b[0], b[1], b[2] }, n);
	for (int i = 0; i < 3; i++)
		T_MEM(a[i], b[i], n);
	for (size_t step = 1; step <= 3; step += 2) {
		slu_pixels_plain.to_float(image, 0.0171f, -2.1f, f[0], step, n);
		other->to_float(image, 0.0171f, -2.1f, f[1], step, n);
		T_MEM(f[0], f[1], sizeof(f[0]));
	}
}

static void same_size(void)
{
	struct slu_resize_scratch s = { 0 };
	uint8_t *out = malloc(sizeof(image));

	for (int fast = 0; fast < 2; fast++) {
		struct slu_axis x = { 0 };

		T_OK(slu_axis_set(&x, SIDE, 0, SIDE, SIDE, false, fast));
		T_OK(slu_resize(&s, &x, &x, image, SIDE, out));
		T_MEM(out, image, sizeof(image));
		slu_axis_done(&x);
	}
	slu_resize_scratch_done(&s);
	free(out);
}

int main(void)
{
	const struct slu_pixels *best = slu_pixels();

	fill();
	same_size();
	for (uint32_t out = 1; out < 300; out = out * 5 / 4 + 1) {
		compare_resize(best, 0, SIDE, out, false);
		compare_resize(best, 10.3, 77.9, out, true);
		compare_resize(best, 149, 150, out, false);
	}
	for (size_t n = 1; n <= 300; n += n < 70 ? 1 : 57)
		compare_colours(best, n);
	return 0;
}
