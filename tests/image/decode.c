/* SPDX-License-Identifier: MIT */
/*
 * Decodes JPEG files for a script that compares the pixels with those of others. It reads lines
 *   WORD=VALUE... FILE OUTPUT
 * from stdin, words as in struct slu_jpeg_options (size, crop and so on) and key; after each it writes
 * "WIDTH HEIGHT" of the image, or "error NUMBER SENTENCE", to stdout, and raw pixels to OUTPUT.
 * One decoder serves all lines, unless fresh=1.
 */
#define T_ERRMSG slu_errmsg
#include "image/jpeg.h"
#include "test.h"

struct line {
	struct slu_jpeg_options opt;
	uint64_t key;
	bool fresh;
	const char *files[2];
};

static void set_word(struct line *l, const char *name, const char *value)
{
	struct slu_jpeg_options *o = &l->opt;
	const struct {
		const char *name;
		uint32_t *to;
	} numbers[] = { { "width", &o->width }, { "height", &o->height },   { "crop", &o->crop },
		        { "flip", &o->flip },   { "dtype", &o->dtype },     { "layout", &o->layout },
		        { "exact", &o->exact }, { "lenient", &o->lenient }, { "channels", &o->channels } };
	const struct {
		const char *name;
		float *to;
	} floats[] = { { "scale_min", &o->scale_min }, { "scale_max", &o->scale_max }, { "ratio_min", &o->ratio_min },
		       { "ratio_max", &o->ratio_max }, { "cover", &o->cover },         { "mean0", &o->mean[0] },
		       { "mean1", &o->mean[1] },       { "mean2", &o->mean[2] },       { "std0", &o->std[0] },
		       { "std1", &o->std[1] },         { "std2", &o->std[2] } };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (strcmp(numbers[i].name, name) == 0) {
			*numbers[i].to = (uint32_t)strtoul(value, NULL, 10);
			return;
		}
	for (size_t i = 0; i < sizeof(floats) / sizeof(floats[0]); i++)
		if (strcmp(floats[i].name, name) == 0) {
			*floats[i].to = strtof(value, NULL);
			return;
		}
	if (strcmp(name, "key") == 0)
		l->key = strtoull(value, NULL, 10);
	else if (strcmp(name, "fresh") == 0)
		l->fresh = true;
	else
		T_FAIL("no option '%s'", name);
}

static void parse(char *text, struct line *l)
{
	int files = 0;
	char *rest;

	*l = (struct line){ 0 };
	for (char *w = strtok_r(text, " \n", &rest); w; w = strtok_r(NULL, " \n", &rest)) {
		char *equals = strchr(w, '=');

		if (equals) {
			*equals = 0;
			set_word(l, w, equals + 1);
		} else if (files < 2) {
			l->files[files++] = w;
		}
	}
	T_EQ(files, 2);
}

static int decode(struct slu_jpeg *d, const struct line *l)
{
	size_t len, bytes;
	unsigned char *file = t_read_file(l->files[0], &len), *data = malloc(len ? len : 1), *out = NULL;
	uint32_t w, h;
	int r;

	/* Without a byte to spare, for the address sanitizer. */
	memcpy(data, file, len);
	r = slu_jpeg_out_bytes(&l->opt, &bytes);
	if (r == 0)
		r = slu_jpeg_size(d, data, len, &w, &h);
	if (r == 0) {
		bytes = bytes ? bytes : slu_jpeg_pixel_bytes(&l->opt) * w * h;
		out = malloc(bytes);
		T_TRUE(out);
		r = slu_jpeg_decode(d, &l->opt, data, len, l->key, out, bytes);
	}
	if (r == 0) {
		t_write_file(l->files[1], out, bytes);
		printf("%u %u\n", w, h);
	} else {
		printf("error %d %s\n", -r, slu_errmsg());
	}
	fflush(stdout);
	free(out);
	free(data);
	free(file);
	return 0;
}

int main(void)
{
	struct slu_jpeg *d, *other;
	char text[4096];

	if (slu_jpeg_new(&d) == -EOPNOTSUPP)
		T_SKIP(slu_errmsg());
	while (fgets(text, sizeof(text), stdin)) {
		struct line l;

		parse(text, &l);
		if (!l.fresh) {
			decode(d, &l);
			continue;
		}
		T_OK(slu_jpeg_new(&other));
		decode(other, &l);
		slu_jpeg_free(other);
	}
	slu_jpeg_free(d);
	return 0;
}
