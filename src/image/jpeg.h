/* SPDX-License-Identifier: MIT */
/*
 * One JPEG in memory becomes pixels in the caller's buffer: see sluice/image.h for what the
 * options mean.
 *
 * A decoder belongs to one thread at a time. It keeps its scratch memory from image to image and
 * nothing else: the same bytes, options and key give the same pixels from any decoder.
 *
 * In a build without libjpeg-turbo every function that can fail gives -EOPNOTSUPP.
 */
#ifndef SLU_IMAGE_JPEG_H
#define SLU_IMAGE_JPEG_H

#include <sluice/image.h>
#include <stddef.h>

#include "base/err.h"

struct slu_jpeg; /* opaque */

SLU_MUST_USE int slu_jpeg_new(struct slu_jpeg **ret_decoder);

/* NULL is allowed. */
void slu_jpeg_free(struct slu_jpeg *d);

/*
 * Checks @opt (NULL: all defaults) and fills in what is 0. The result may be given to every function
 * below, as may @opt itself. -EINVAL
 */
SLU_MUST_USE int slu_jpeg_options(const struct slu_jpeg_options *opt, struct slu_jpeg_options *ret_opt);

/*
 * The bytes of one decoded image; 0 if that depends on the image (no width and height given: then it
 * is slu_jpeg_pixel_bytes() times its width times its height). -EINVAL
 */
SLU_MUST_USE int slu_jpeg_out_bytes(const struct slu_jpeg_options *opt, size_t *ret_bytes);

/* The bytes of one pixel, all channels together. @opt must be valid. */
size_t slu_jpeg_pixel_bytes(const struct slu_jpeg_options *opt);

/*
 * Width and height as the header has them, 1 .. 65500 each.
 * -EBADMSG not a JPEG, or damaged | -EFBIG beyond SLU_JPEG_MAX_PIXELS | -EOPNOTSUPP
 */
SLU_MUST_USE int slu_jpeg_size(struct slu_jpeg *d, const void *data, size_t len, uint32_t *ret_width,
                               uint32_t *ret_height);

/*
 * Decodes the @len bytes at @data into @out, of @out_len bytes, as @opt says; @key decides what is
 * random. @out_len must be what slu_jpeg_out_bytes() told, or, where that was 0, what the image needs.
 * After a failure the contents of @out are undefined.
 * -EBADMSG not a JPEG, or damaged | -EFBIG too large | -EOPNOTSUPP a kind of JPEG that libjpeg does not
 * decode | -EMSGSIZE @out_len is another | -EINVAL | -ENOMEM
 */
SLU_MUST_USE int slu_jpeg_decode(struct slu_jpeg *d, const struct slu_jpeg_options *opt, const void *data, size_t len,
                                 uint64_t key, void *out, size_t out_len);

/* "libjpeg-turbo 2.1.5" with which it was built; NULL in a build without. */
const char *slu_jpeg_version(void);

#endif
