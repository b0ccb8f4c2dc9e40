/* SPDX-License-Identifier: MIT */
/*
 * Makes a JPEG of kinds that Pillow does not write: any sampling factors, RGB, YCCK.
 *   encode RAW JPEG WIDTH HEIGHT rgb|grey|cmyk HxV [progressive] [as-is] [restart] [quality=N]
 * RAW has the pixels, interleaved. as-is: without a conversion of colours. HxV are the factors of the
 * first component (and of K), the others' being 1x1.
 */
#include <stdio.h>
#include <jpeglib.h>

#include "test.h"

static void set_options(struct jpeg_compress_struct *c, int argc, char **argv)
{
	int quality = 90;

	for (int i = 0; i < argc; i++)
		if (sscanf(argv[i], "quality=%d", &quality) == 1)
			break;
	jpeg_set_quality(c, quality, TRUE);
	for (int i = 0; i < argc; i++) {
		if (strcmp(argv[i], "progressive") == 0)
			jpeg_simple_progression(c);
		if (strcmp(argv[i], "restart") == 0)
			c->restart_in_rows = 1;
	}
}

static void set_colours(struct jpeg_compress_struct *c, const char *factors, bool as_is)
{
	int h, v;

	T_EQ(sscanf(factors, "%dx%d", &h, &v), 2);
	if (as_is)
		jpeg_set_colorspace(c, c->in_color_space);
	else if (c->in_color_space == JCS_CMYK)
		jpeg_set_colorspace(c, JCS_YCCK);
	for (int i = 0; i < c->num_components; i++) {
		c->comp_info[i].h_samp_factor = i % 3 ? 1 : h;
		c->comp_info[i].v_samp_factor = i % 3 ? 1 : v;
	}
}

int main(int argc, char **argv)
{
	struct jpeg_compress_struct c;
	struct jpeg_error_mgr errors;
	bool as_is = false;
	size_t len;

	T_GE(argc, 7);
	unsigned char *raw = t_read_file(argv[1], &len);
	FILE *out = fopen(argv[2], "wb");
	T_TRUE(out);
	c.err = jpeg_std_error(&errors);
	jpeg_create_compress(&c);
	jpeg_stdio_dest(&c, out);
	c.image_width = (JDIMENSION)atoi(argv[3]);
	c.image_height = (JDIMENSION)atoi(argv[4]);
	c.in_color_space = strcmp(argv[5], "rgb") == 0    ? JCS_RGB
	                   : strcmp(argv[5], "grey") == 0 ? JCS_GRAYSCALE
	                                                  : JCS_CMYK;
	c.input_components = c.in_color_space == JCS_RGB ? 3 : c.in_color_space == JCS_CMYK ? 4 : 1;
	size_t row_bytes = (size_t)c.image_width * (size_t)c.input_components;
	T_EQ(len, row_bytes * c.image_height);
	jpeg_set_defaults(&c);
	for (int i = 7; i < argc; i++)
		as_is |= strcmp(argv[i], "as-is") == 0;
	set_colours(&c, argv[6], as_is);
	set_options(&c, argc - 7, argv + 7);
	jpeg_start_compress(&c, TRUE);
	for (unsigned char *row = raw; c.next_scanline < c.image_height; row += row_bytes)
		jpeg_write_scanlines(&c, &row, 1);
	jpeg_finish_compress(&c);
	jpeg_destroy_compress(&c);
	T_EQ(fclose(out), 0);
	free(raw);
	return 0;
}
