/* SPDX-License-Identifier: MIT */
/*
 * Records as planes of bytes, in which numbers that change little from one record to the next are mostly zeros: see
 * layout.h. Compiled for speed: it is part of what tracing costs.
 */
#include <errno.h>
#include <string.h>

#include "trace/image.h"

enum { MAX_WORDS = 1024 };

static inline uint32_t word_at(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* For each word, the bits that are set in any of its differences. */
static void find_used_bits(const uint8_t *records, size_t n, size_t width, uint32_t *ret_bits)
{
	size_t words = width / 4;

	for (size_t w = 0; w < words; w++)
		ret_bits[w] = n ? word_at(records + 4 * w) : 0;
	for (const uint8_t *r = records + width; r < records + n * width; r += width)
		for (size_t w = 0; w < words; w++)
			ret_bits[w] |= word_at(r + 4 * w) - word_at(r + 4 * w - width);
}

/* Where plane @k of a word goes, or a place that nobody reads. */
static uint8_t *plane_at(uint8_t **next, uint32_t bits, unsigned k, size_t n, uint8_t *nowhere)
{
	uint8_t *at = *next;

	if (!(bits >> 8 * k & 0xff))
		return nowhere;
	*next += n;
	return at;
}

/* One word of @n records. */
static void split_word(const uint8_t *records, size_t width, size_t n, uint32_t bits, uint8_t **next, uint8_t *nowhere)
{
	uint8_t *p0 = plane_at(next, bits, 0, n, nowhere), *p1 = plane_at(next, bits, 1, n, nowhere);
	uint8_t *p2 = plane_at(next, bits, 2, n, nowhere), *p3 = plane_at(next, bits, 3, n, nowhere);
	uint32_t before = 0;

	for (size_t r = 0; r < n; r++) {
		uint32_t now = word_at(records + r * width), d = now - before;

		p0[r] = (uint8_t)d;
		p1[r] = (uint8_t)(d >> 8);
		p2[r] = (uint8_t)(d >> 16);
		p3[r] = (uint8_t)(d >> 24);
		before = now;
	}
}

size_t slu_planes_bound(size_t bytes, size_t width)
{
	return (width + 7) / 8 + bytes + bytes / width; /* and one plane that nobody reads */
}

size_t slu_planes_split(const uint8_t *records, size_t bytes, size_t width, size_t zero_words, uint8_t *ret_planes)
{
	size_t n = bytes / width, words = width / 4, map = (width + 7) / 8;
	uint32_t bits[MAX_WORDS];
	uint8_t *next = ret_planes + map;

	find_used_bits(records, n, width, bits);
	memset(bits, 0, zero_words * sizeof(*bits));
	memset(ret_planes, 0, map);
	for (size_t w = 0; w < words; w++) {
		for (unsigned k = 0; k < 4; k++)
			if (bits[w] >> 8 * k & 0xff)
				ret_planes[(4 * w + k) / 8] |= (uint8_t)(1 << (4 * w + k) % 8);
		if (bits[w])
			split_word(records + 4 * w, width, n, bits[w], &next,
			           ret_planes + slu_planes_bound(bytes, width) - n);
	}
	memcpy(next, records + n * width, bytes - n * width);
	return (size_t)(next - ret_planes) + bytes - n * width;
}

int slu_planes_join(const uint8_t *planes, size_t size, size_t bytes, size_t width, uint8_t *ret_records)
{
	size_t n = bytes / width, words = width / 4, map = (width + 7) / 8, present = 0;
	const uint8_t *next = planes + map;

	for (size_t i = 0; size >= map && i < map; i++)
		present += (size_t)__builtin_popcount(planes[i]);
	if (width % 4 || words > MAX_WORDS || size < map || present > width ||
	    size - map != present * n + (bytes - n * width))
		return -EBADMSG;
	memset(ret_records, 0, n * width);
	for (size_t k = 0; k < 4 * words; k++) {
		uint32_t v = 0;

		if (!(planes[k / 8] >> k % 8 & 1))
			continue;
		/* Sums of one byte's differences, modulo 2^32, add up to the word's. */
		for (size_t r = 0; r < n; r++) {
			uint32_t sum = word_at(ret_records + r * width + k / 4 * 4);
			v += (uint32_t)next[r] << 8 * (k % 4);
			sum += v;
			memcpy(ret_records + r * width + k / 4 * 4, &sum, 4);
		}
		next += n;
	}
	memcpy(ret_records + n * width, next, bytes - n * width);
	return 0;
}
