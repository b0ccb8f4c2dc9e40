/* SPDX-License-Identifier: MIT */
/*
 * Little-endian integers in bytes of any alignment: the only way in which on-disk
 * structures are read and written. u40 is an integer of five bytes.
 */
#ifndef SLU_BASE_LE_H
#define SLU_BASE_LE_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t slu_get16(const void *p)
{
	uint16_t v;
	memcpy(&v, p, sizeof(v));
	return le16toh(v);
}

static inline uint32_t slu_get32(const void *p)
{
	uint32_t v;
	memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

static inline uint64_t slu_get64(const void *p)
{
	uint64_t v;
	memcpy(&v, p, sizeof(v));
	return le64toh(v);
}

static inline uint64_t slu_get40(const void *p)
{
	return (uint64_t)slu_get32(p) | (uint64_t)((const uint8_t *)p)[4] << 32;
}

static inline void slu_put16(void *p, uint16_t v)
{
	v = htole16(v);
	memcpy(p, &v, sizeof(v));
}

static inline void slu_put32(void *p, uint32_t v)
{
	v = htole32(v);
	memcpy(p, &v, sizeof(v));
}

static inline void slu_put64(void *p, uint64_t v)
{
	v = htole64(v);
	memcpy(p, &v, sizeof(v));
}

static inline void slu_put40(void *p, uint64_t v)
{
	slu_put32(p, (uint32_t)v);
	((uint8_t *)p)[4] = (uint8_t)(v >> 32);
}

#endif
