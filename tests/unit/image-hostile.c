/* SPDX-License-Identifier: MIT */
/*
 * JPEGs that are not what they say: cut at every length, with bits flipped, with lies about their size,
 * with too many scans, with tables left out, or none at all. Each is an error with a sentence, soon and in
 * little memory; none crashes, and none changes what the decoder makes of the next.
 */
#define T_ERRMSG slu_errmsg
#include "image/jpeg.h"

#include <stdio.h>
#include <jpeglib.h>
#include <sys/resource.h>
#include <time.h>

#include "test.h"

enum { SIDE = 48, OUT = 20 };
enum { PROGRESSIVE = 1, ARITH = 2, GREY = 4, NO_TABLES = 8 };

struct bytes {
	unsigned char *data;
	unsigned long len;
};

static struct bytes make_jpeg(int kind)
{
	struct jpeg_compress_struct c;
	struct jpeg_error_mgr errors;
	struct bytes b = { NULL, 0 };
	unsigned char row[SIDE * 3], *rows[1] = { row };

	c.err = jpeg_std_error(&errors);
	jpeg_create_compress(&c);
	jpeg_mem_dest(&c, &b.data, &b.len);
	c.image_width = c.image_height = SIDE;
	c.input_components = kind & GREY ? 1 : 3;
	c.in_color_space = kind & GREY ? JCS_GRAYSCALE : JCS_RGB;
	jpeg_set_defaults(&c);
	c.arith_code = kind & ARITH ? TRUE : FALSE;
	if (kind & PROGRESSIVE)
		jpeg_simple_progression(&c);
	if (kind & NO_TABLES)
		jpeg_suppress_tables(&c, TRUE);
	jpeg_start_compress(&c, !(kind & NO_TABLES));
	while (c.next_scanline < SIDE) {
		for (int i = 0; i < SIDE * c.input_components; i++)
			row[i] = (unsigned char)(i * 5 + (int)c.next_scanline * 3 +
			                         (i * i * 7 + (int)c.next_scanline) % 31);
		jpeg_write_scanlines(&c, rows, 1);
	}
	jpeg_finish_compress(&c);
	jpeg_destroy_compress(&c);
	return b;
}

static struct slu_jpeg *decoder;

/* Without a byte to spare, for the address sanitizer. */
static int try_bytes(const struct slu_jpeg_options *opt, const unsigned char *data, size_t len, unsigned char *out)
{
	unsigned char *copy = malloc(len ? len : 1);
	size_t bytes;
	int r;

	T_OK(slu_jpeg_out_bytes(opt, &bytes));
	T_EQ(bytes, OUT * OUT * 3);
	memcpy(copy, data, len);
	r = slu_jpeg_decode(decoder, opt, copy, len, 1, out, bytes);
	T_TRUE(r <= 0);
	T_TRUE(r == 0 || slu_errmsg()[0]);
	free(copy);
	return r;
}

static const struct slu_jpeg_options ways[] = {
	{ .width = OUT, .height = OUT },
	{ .width = OUT, .height = OUT, .exact = 1 },
	{ .width = OUT, .height = OUT, .crop = SLU_CROP_RANDOM_RESIZED },
	{ .width = OUT, .height = OUT, .crop = SLU_CROP_RANDOM_RESIZED, .exact = 1 },
	{ .width = OUT, .height = OUT, .lenient = 1 },
	{ .width = OUT, .height = OUT, .lenient = 1, .exact = 1 },
};
enum { WAYS = sizeof(ways) / sizeof(ways[0]), STRICT_WHOLE = 2 };

static void cut_everywhere(struct bytes b)
{
	unsigned char out[OUT * OUT * 3];

	for (size_t way = 0; way < WAYS; way++)
		for (size_t n = 0; n < b.len; n++) {
			int r = try_bytes(&ways[way], b.data, n, out);

			/* Without the two bytes of the end marker, nothing of the image is missing. */
			if (way < STRICT_WHOLE && n + 2 < b.len)
				T_TRUE(r < 0);
		}
}

/* The decoder must give the same for the sound image after each. */
static void flip_bits(struct bytes b)
{
	unsigned char out[OUT * OUT * 3], sound[WAYS][OUT * OUT * 3];
	uint64_t seed = 1;

	for (size_t way = 0; way < WAYS; way++)
		T_OK(try_bytes(&ways[way], b.data, b.len, sound[way]));
	for (unsigned i = 0; i < (t_long() ? 200000 : 3000); i++) {
		unsigned char *copy = malloc(b.len);
		size_t way = i % WAYS;

		memcpy(copy, b.data, b.len);
		for (unsigned j = 0; j <= i % 3; j++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			copy[(seed >> 33) % b.len] ^= (unsigned char)(1u << (seed >> 61));
		}
		(void)try_bytes(&ways[way], copy, b.len, out);
		free(copy);
		if (i % 50 < WAYS) {
			T_OK(try_bytes(&ways[way], b.data, b.len, out));
			T_MEM(out, sound[way], sizeof(out));
		}
	}
}

/* The start of frame: height and width follow three bytes after the marker's two. */
static void set_size(struct bytes b, unsigned width, unsigned height)
{
	for (size_t i = 2; i + 9 < b.len; i += 2 + (size_t)(b.data[i + 2] << 8 | b.data[i + 3])) {
		unsigned char m = b.data[i + 1];

		if (m < 0xc0 || m > 0xcf || m == 0xc4 || m == 0xc8 || m == 0xcc)
			continue;
		b.data[i + 5] = (unsigned char)(height >> 8);
		b.data[i + 6] = (unsigned char)height;
		b.data[i + 7] = (unsigned char)(width >> 8);
		b.data[i + 8] = (unsigned char)width;
		return;
	}
	T_FAIL("no start of frame");
}

static void lie(int kind)
{
	static const struct {
		unsigned w, h;
	} lies[] = { { 65500, 65500 }, { 13000, 13000 }, { 65500, 2000 }, { 1, 65500 }, { 65500, 1 },
		     { 65, 48 },       { 64, 64 },       { 48, 400 },     { 0, 0 },     { 65535, 65535 } };
	unsigned char out[OUT * OUT * 3];

	/* Cropped images may be whole as far as they are read. */
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		struct bytes b = make_jpeg(kind);

		set_size(b, lies[i].w, lies[i].h);
		for (size_t way = 0; way < 4; way++) {
			int r = try_bytes(&ways[way], b.data, b.len, out);

			T_TRUE(r < 0 || way >= STRICT_WHOLE);
			if (i == 0)
				T_ERR(r, -EFBIG);
		}
		free(b.data);
	}
}

/* The last scan again and again: it says nothing new, which is a warning, and takes time. */
static void many_scans(void)
{
	struct bytes b = make_jpeg(PROGRESSIVE);
	unsigned char out[OUT * OUT * 3];
	size_t scan = b.len;

	while (b.data[scan - 1] != 0xda || b.data[scan - 2] != 0xff)
		scan--;
	scan -= 2;
	size_t each = b.len - 2 - scan, len = b.len + each * 1000;
	unsigned char *bomb = malloc(len);
	memcpy(bomb, b.data, b.len);
	for (int i = 1; i <= 1000; i++)
		memcpy(bomb + scan + (size_t)i * each, b.data + scan, each + 2);
	T_ERR(try_bytes(&ways[0], bomb, len, out), -EBADMSG);
	T_ERR(try_bytes(&ways[4], bomb, len, out), -EBADMSG);
	T_HAS(slu_errmsg(), "scans");
	free(bomb);
	free(b.data);
}

/* An image without tables must not get those of the one before. */
static void no_tables(void)
{
	struct bytes whole = make_jpeg(0), bare = make_jpeg(NO_TABLES);
	unsigned char out[OUT * OUT * 3];

	for (int i = 0; i < 2; i++) {
		T_ERR(try_bytes(&ways[0], bare.data, bare.len, out), -EBADMSG);
		T_OK(try_bytes(&ways[0], whole.data, whole.len, out));
	}
	free(whole.data);
	free(bare.data);
}

/* Missing data is zeros to their decoder, so that 200 bytes could be a large image. */
static void arithmetic(void)
{
	unsigned char out[OUT * OUT * 3];

	for (int kind = ARITH; kind <= (ARITH | PROGRESSIVE); kind++) {
		struct bytes b = make_jpeg(kind);

		T_ERR(try_bytes(&ways[0], b.data, b.len, out), -EOPNOTSUPP);
		free(b.data);
	}
}

static void not_jpegs(void)
{
	static const char *const texts[] = {
		"",       "\xff",        "\xff\xd8", "\xff\xd8\xff", "\xff\xd8\xff\xd9", "\x89PNG\r\n\x1a\n",
		"GIF89a", "hello, world"
	};
	unsigned char out[OUT * OUT * 3];
	uint32_t w, h;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		for (size_t way = 0; way < WAYS; way++)
			T_ERR(try_bytes(&ways[way], (const unsigned char *)texts[i], strlen(texts[i]), out), -EBADMSG);
		T_ERR(slu_jpeg_size(decoder, texts[i], strlen(texts[i]), &w, &h), -EBADMSG);
	}
}

static void wrong_options(void)
{
	static const struct slu_jpeg_options wrong[] = {
		{ .width = 20 },
		{ .crop = SLU_CROP_CENTER },
		{ .crop = 3, .width = 1, .height = 1 },
		{ .dtype = 2 },
		{ .layout = 2 },
		{ .channels = 2 },
		{ .flip = 2 },
		{ .width = 1 << 20, .height = 1 },
		{ .scale_min = 0.5f, .scale_max = 0.1f },
		{ .scale_min = 0.5f, .scale_max = 2 },
		{ .ratio_min = -1, .ratio_max = 1 },
		{ .cover = 0.5f },
		{ .mean = { 0.5f } },
		{ .dtype = SLU_F32, .std = { -1 } },
	};
	struct bytes b = make_jpeg(0);
	unsigned char out[SIDE * SIDE * 3];
	size_t bytes;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		T_ERR(slu_jpeg_out_bytes(&wrong[i], &bytes), -EINVAL);
	T_OK(slu_jpeg_out_bytes(NULL, &bytes));
	T_EQ(bytes, 0);
	T_OK(slu_jpeg_decode(decoder, NULL, b.data, b.len, 0, out, sizeof(out)));
	T_ERR(slu_jpeg_decode(decoder, NULL, b.data, b.len, 0, out, sizeof(out) - 1), -EMSGSIZE);
	free(b.data);
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(void)
{
	static const int kinds[] = { 0, PROGRESSIVE, GREY, GREY | PROGRESSIVE };
	struct rusage usage;

	if (slu_jpeg_new(&decoder) == -EOPNOTSUPP)
		T_SKIP(slu_errmsg());
	not_jpegs();
	wrong_options();
	no_tables();
	arithmetic();
	double start = cpu_seconds();
	many_scans();
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		lie(kinds[i]);
	T_TRUE(cpu_seconds() - start < 20);
	T_EQ(getrusage(RUSAGE_SELF, &usage), 0);
	if (strcmp(t_env("TEST_SANITIZED"), "1") != 0)
		T_GE(200 * 1024, usage.ru_maxrss);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct bytes b = make_jpeg(kinds[i]);

		cut_everywhere(b);
		flip_bits(b);
		free(b.data);
	}
	slu_jpeg_free(decoder);
	return 0;
}
