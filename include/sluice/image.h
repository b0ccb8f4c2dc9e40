/* SPDX-License-Identifier: MIT */
/*
 * sluice/image.h - how samples that are JPEG images become pixels
 *
 * A decoded sample is width x height pixels of 1 or 3 channels, always of the same size in
 * bytes, ready for a batch. What is random about it (the place of a crop, a flip) is a pure
 * function of a 64-bit key, which the loader derives from (seed, epoch, sample): it depends on
 * no thread, rank or earlier image.
 *
 * Two ways of decoding. The default is the fast one: the image is shrunk while it is decoded
 * where that is possible (DCT scaling, by 2, 4 or 8, never below the size wanted), brightness and
 * colour are resized as they are stored, and only the result is converted to RGB. The other one,
 * `exact`, gives byte for byte what Pillow gives with the same libjpeg: Image.open(),
 * convert("RGB"), resize(size, BILINEAR, box=box). Both resize with an antialiased triangle
 * filter, which reads pixels around the box where the image has them. How close the fast way comes to
 * Pillow is measured by tests/image/compare.py on synthetic images: a PSNR of 40 dB at least; 31 where
 * colours have a quarter of the columns (4:1:1), which libjpeg enlarges without a filter.
 *
 * Damage. JPEG bytes are not trusted. What libjpeg only warns of (data that ends early, codes that
 * do not exist, bytes that belong to nothing) is an error here, -EBADMSG, unless `lenient` is set.
 * Decoding stops after the last row that is needed, so damage below it goes unseen.
 * Images with arithmetic coding, in which damage cannot be told, are refused with -EOPNOTSUPP.
 * EXIF orientation is ignored, as Image.open() ignores it.
 */
#ifndef SLUICE_IMAGE_H
#define SLUICE_IMAGE_H

#include <stdint.h>

#include <sluice/sluice.h>

#ifdef __cplusplus
extern "C" {
#endif

enum slu_crop {
	SLU_CROP_NONE = 0,      /* the whole image, stretched to width x height; if these are 0, as it is:
	                           then all images must be of one size */
	SLU_CROP_CENTER,        /* shrunk or enlarged until it just covers width x height times `cover`, then
	                           the middle: torchvision's Resize(256) and CenterCrop(224) */
	SLU_CROP_RANDOM_RESIZED /* a part of random area and aspect ratio, stretched to width x height:
	                           torchvision's RandomResizedCrop, with its defaults */
};

enum slu_dtype {
	SLU_U8 = 0, /* 0 .. 255 */
	SLU_F32     /* (value / 255 - mean) / std */
};

enum slu_layout {
	SLU_NCHW = 0, /* one plane for each channel */
	SLU_NHWC      /* pixel by pixel */
};

/* Images of more pixels are refused before any memory is allocated: where Pillow, too, refuses. */
#define SLU_JPEG_MAX_PIXELS 178956970
/* The most that width and height may be. */
#define SLU_JPEG_MAX_SIDE 16384

/* All zero is the default. New members are added at the end only. */
struct slu_jpeg_options {
	uint32_t size;          /* sizeof(struct slu_jpeg_options), or 0 */
	uint32_t width, height; /* of what comes out; both 0 only with SLU_CROP_NONE */
	uint32_t crop;          /* enum slu_crop */
	uint32_t flip;          /* 1: mirror left to right, every other image at random */
	uint32_t dtype;         /* enum slu_dtype */
	uint32_t layout;        /* enum slu_layout */
	uint32_t channels;      /* 3, RGB (0 means this), or 1, brightness as the JPEG has it */
	uint32_t exact;         /* 1: as Pillow, byte for byte, rather than fast */
	uint32_t lenient;       /* 1: accept what libjpeg warns of, as Pillow does for most of it */
	/* SLU_CROP_RANDOM_RESIZED: the area of the part, of the image's; its width by its height. */
	float scale_min, scale_max; /* 0 and 0: 0.08 and 1 */
	float ratio_min, ratio_max; /* 0 and 0: 3/4 and 4/3 */
	float cover;                /* SLU_CROP_CENTER: at least 1; 0: 256/224 */
	/* SLU_F32: by channel, in units of 0 .. 1. A std of 0 means 1. With SLU_U8 all must be 0. */
	float mean[3], std[3];
};

#ifdef __cplusplus
}
#endif
#endif
