/* SPDX-License-Identifier: MIT */
/* In place of jpeg.c and what it needs, in a build without libjpeg-turbo. */
#include <errno.h>

#include "image/jpeg.h"

static int no_jpeg(void)
{
	return slu_fail(-EOPNOTSUPP,
	                "this build of sluice decodes no JPEG: install libjpeg-turbo with its headers (Debian: "
	                "libjpeg62-turbo-dev) and build it again");
}

int slu_jpeg_new(struct slu_jpeg **ret_decoder)
{
	return no_jpeg();
}

void slu_jpeg_free(struct slu_jpeg *d)
{
}

int slu_jpeg_size(struct slu_jpeg *d, const void *data, size_t len, uint32_t *ret_width, uint32_t *ret_height)
{
	return no_jpeg();
}

int slu_jpeg_decode(struct slu_jpeg *d, const struct slu_jpeg_options *opt, const void *data, size_t len, uint64_t key,
                    void *out, size_t out_len)
{
	return no_jpeg();
}

const char *slu_jpeg_version(void)
{
	return NULL;
}
