/* SPDX-License-Identifier: MIT */
/* Compressed names. See names.h. */
#include "pack/names.h"

#include <errno.h>
#include <string.h>

#include "base/le.h"
#include "base/macros.h"
#include "pack/layout.h"
#include "source/listing.h"

/* ---- writing -------------------------------------------------------------------------------- */

static size_t shared_prefix(const char *a, size_t na, const char *b, size_t nb)
{
	size_t n = 0;

	while (n < na && n < nb && a[n] == b[n])
		n++;
	return n;
}

static size_t shared_suffix(const char *a, size_t na, const char *b, size_t nb)
{
	size_t n = 0;

	while (n < na && n < nb && a[na - 1 - n] == b[nb - 1 - n])
		n++;
	return n;
}

int slu_names_add_group(struct slu_buf *names, const char *const *name, unsigned n)
{
	size_t first = strlen(name[0]), suffix = first;
	uint8_t head[1 + 2 * SLU_GROUP], *prefixes = head + 1, *own = head + 1 + n;
	int r;

	for (unsigned i = 1; i < n; i++)
		suffix = slu_min(suffix, shared_suffix(name[0], first, name[i], strlen(name[i])));
	head[0] = (uint8_t)suffix;
	for (unsigned i = 0; i < n; i++) {
		size_t stem = strlen(name[i]) - suffix;
		prefixes[i] = (uint8_t)(i ? shared_prefix(name[0], first - suffix, name[i], stem) : 0);
		own[i] = (uint8_t)(stem - prefixes[i]);
	}
	if ((r = slu_buf_add(names, head, 1 + 2 * (size_t)n)) < 0 ||
	    (r = slu_buf_add(names, name[0] + first - suffix, suffix)) < 0)
		return r;
	for (unsigned i = 0; i < n && r == 0; i++)
		r = slu_buf_add(names, name[i] + prefixes[i], own[i]);
	return r;
}

/* ---- reading -------------------------------------------------------------------------------- */

static uint64_t sum_bytes(uint64_t x)
{
	const uint64_t even = UINT64_C(0x00ff00ff00ff00ff);

	return ((x & even) + (x >> 8 & even)) * UINT64_C(0x0001000100010001) >> 48;
}

/* The sum of the first @k of @n bytes: without a branch that depends on k, for full groups. */
static size_t sum_first(const uint8_t *bytes, unsigned n, unsigned k)
{
	uint64_t low, high;
	size_t sum = 0;

	if (SLU_UNLIKELY(n != SLU_GROUP)) {
		for (unsigned i = 0; i < k; i++)
			sum += bytes[i];
		return sum;
	}
	low = slu_get64(bytes);
	high = slu_get64(bytes + 8);
	low = k < 8 ? low & ((UINT64_C(1) << 8 * k) - 1) : low;
	high = k < 8 ? 0 : high & ((UINT64_C(1) << 8 * (k - 8)) - 1);
	return sum_bytes(low) + sum_bytes(high);
}

/* A name in three pieces: the first bytes of the group's first name, its own, and the suffix. */
struct pieces {
	const uint8_t *prefix, *own, *suffix;
	size_t prefix_len, own_len, suffix_len;
};

static int take_apart(const uint8_t *data, size_t len, unsigned n, unsigned k, struct pieces *ret_p)
{
	const uint8_t *own = data + 1 + n, *bytes;
	size_t head = 1 + 2 * (size_t)n, at;

	if (SLU_UNLIKELY(len < head || data[0] > len - head))
		return slu_fail(-EBADMSG, "a group of names is cut off");
	bytes = own + n + data[0];
	len -= head + data[0];
	at = sum_first(own, n, k);
	/* The first name has only bytes of its own; the others take from these. */
	if (SLU_UNLIKELY(data[1] != 0 || own[0] > len || data[1 + k] > own[0] || at > len || own[k] > len - at ||
	                 data[1 + k] + own[k] + data[0] > SLU_MAX_NAME))
		return slu_fail(-EBADMSG, "a compressed name is not valid");
	*ret_p = (struct pieces){ bytes, bytes + at, own + n, data[1 + k], own[k], data[0] };
	return 0;
}

int slu_name_group_get(const uint8_t *data, size_t len, unsigned n, unsigned k, bool root, char buf[256])
{
	struct pieces p;
	size_t total;
	int r = take_apart(data, len, n, k, &p);

	if (r < 0)
		return r;
	total = p.prefix_len + p.own_len + p.suffix_len;
	memcpy(buf, p.prefix, p.prefix_len);
	memcpy(buf + p.prefix_len, p.own, p.own_len);
	memcpy(buf + p.prefix_len + p.own_len, p.suffix, p.suffix_len);
	buf[total] = 0;
	if (root ? total != 0 : !slu_name_ok(buf, total))
		return slu_fail(-EBADMSG, "a name in the pack is not allowed");
	return (int)total;
}

int slu_name_group_start(const uint8_t *data, size_t len, unsigned n, unsigned k, struct slu_name_group *ret_g)
{
	struct pieces p;
	int r = take_apart(data, len, n, k, &p);

	if (r < 0)
		return r;
	*ret_g = (struct slu_name_group){
		.prefixes = data + 1,
		.own = data + 1 + n,
		.suffix = p.suffix,
		.text = p.prefix,
		.suffix_len = p.suffix_len,
		.text_len = (size_t)(data + len - p.prefix),
		.first_len = data[1 + n],
		.at = (size_t)(p.own - p.prefix),
		.n = n,
		.k = k,
	};
	/* The suffix and the text are neighbours: one look for all names. */
	ret_g->clean = !memchr(p.suffix, '/', p.suffix_len + ret_g->text_len) &&
	               !memchr(p.suffix, 0, p.suffix_len + ret_g->text_len);
	return 0;
}

/* Copies @n bytes of the @room that there are to read. Most are few, and a copy of 16 needs no call. */
static inline void copy_few(char *to, const uint8_t *from, size_t n, size_t room)
{
	if (SLU_LIKELY(n <= 16 && room >= 16))
		memcpy(to, from, 16);
	else
		memcpy(to, from, n);
}

int slu_name_group_next(struct slu_name_group *g, char buf[SLU_NAME_ROOM])
{
	size_t prefix = g->prefixes[g->k], own = g->own[g->k], total = prefix + own + g->suffix_len;

	if (SLU_UNLIKELY(prefix > g->first_len || own > g->text_len - g->at || total > SLU_MAX_NAME))
		return slu_fail(-EBADMSG, "a compressed name is not valid");
	copy_few(buf, g->text, prefix, g->text_len);
	copy_few(buf + prefix, g->text + g->at, own, g->text_len - g->at);
	copy_few(buf + prefix + own, g->suffix, g->suffix_len, g->suffix_len + g->text_len);
	buf[total] = 0;
	g->at += own;
	g->k++;
	if (SLU_UNLIKELY(!g->clean || total < 3) && !slu_name_ok(buf, total)) /* "." and ".." are short */
		return slu_fail(-EBADMSG, "a name in the pack is not allowed");
	return (int)total;
}

int slu_name_group_match(const uint8_t *data, size_t len, unsigned n, unsigned k, const char *name, size_t name_len)
{
	struct pieces p;
	int r = take_apart(data, len, n, k, &p);

	if (SLU_UNLIKELY(r < 0))
		return r;
	return name_len == p.prefix_len + p.own_len + p.suffix_len && memcmp(name, p.prefix, p.prefix_len) == 0 &&
	       memcmp(name + p.prefix_len, p.own, p.own_len) == 0 &&
	       memcmp(name + p.prefix_len + p.own_len, p.suffix, p.suffix_len) == 0;
}
