/* SPDX-License-Identifier: MIT */
/* Front-coded names. See names.h. */
#include "pack/names.h"

#include <errno.h>
#include <string.h>

#include "base/macros.h"
#include "pack/layout.h"
#include "source/listing.h"

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
	size_t first = strlen(name[0]), suffix = slu_min(first, SLU_MAX_NAME);
	size_t before = 0;
	uint8_t head[2];
	int r;

	for (unsigned i = 1; i < n; i++)
		suffix = slu_min(suffix, shared_suffix(name[0], first, name[i], strlen(name[i])));
	head[0] = (uint8_t)suffix;
	if ((r = slu_buf_add(names, head, 1)) < 0 || (r = slu_buf_add(names, name[0] + first - suffix, suffix)) < 0)
		return r;
	for (unsigned i = 0; i < n; i++) {
		size_t stem = strlen(name[i]) - suffix;
		size_t prefix = i ? shared_prefix(name[i - 1], before, name[i], stem) : 0;
		head[0] = (uint8_t)prefix;
		head[1] = (uint8_t)(stem - prefix);
		if ((r = slu_buf_add(names, head, 2)) < 0 ||
		    (r = slu_buf_add(names, name[i] + prefix, stem - prefix)) < 0)
			return r;
		before = stem;
	}
	return 0;
}

int slu_name_group_init(struct slu_name_group *g, const uint8_t *data, size_t len)
{
	if (len < 1 || data[0] > len - 1)
		return slu_fail(-EBADMSG, "a group of names is cut off");
	g->suffix = data + 1;
	g->suffix_len = data[0];
	g->stem_len = 0;
	g->at = data + 1 + g->suffix_len;
	g->end = data + len;
	return 0;
}

int slu_name_group_next(struct slu_name_group *g)
{
	size_t left = (size_t)(g->end - g->at);
	unsigned prefix, middle;

	if (left < 2)
		return slu_fail(-EBADMSG, "a group of names is cut off");
	prefix = g->at[0];
	middle = g->at[1];
	if (middle > left - 2 || prefix > g->stem_len || prefix + middle + g->suffix_len > SLU_MAX_NAME)
		return slu_fail(-EBADMSG, "a compressed name is not valid");
	memcpy(g->stem + prefix, g->at + 2, middle);
	g->stem_len = prefix + middle;
	g->at += 2 + middle;
	return 0;
}

int slu_name_group_name(const struct slu_name_group *g, bool root, char buf[256])
{
	unsigned len = g->stem_len + g->suffix_len;

	memcpy(buf, g->stem, g->stem_len);
	memcpy(buf + g->stem_len, g->suffix, g->suffix_len);
	buf[len] = 0;
	if (root ? len != 0 : !slu_name_ok(buf, len))
		return slu_fail(-EBADMSG, "a name in the pack is not allowed");
	return (int)len;
}

/*
 * Compares without putting names together. Forward, only to find where each name's own bytes
 * are; then backward from the wanted name: each name before it that shares less supplies the
 * bytes that the later ones took over from it.
 */
int slu_name_group_match(const uint8_t *data, size_t len, unsigned k, const char *name, size_t name_len)
{
	const uint8_t *at, *end = data + len, *heads[SLU_GROUP];
	size_t suffix, stem, need;

	if (len < 1 || data[0] > len - 1)
		return slu_fail(-EBADMSG, "a group of names is cut off");
	suffix = data[0];
	at = data + 1 + suffix;
	for (unsigned i = 0; i <= k; i++) {
		if (SLU_UNLIKELY(end - at < 2 || at[1] > end - at - 2))
			return slu_fail(-EBADMSG, "a compressed name is not valid");
		heads[i] = at;
		at += 2 + at[1];
	}
	at = heads[k];
	stem = (size_t)at[0] + at[1];
	if (stem + suffix != name_len || memcmp(data + 1, name + stem, suffix) != 0 ||
	    memcmp(at + 2, name + at[0], at[1]) != 0)
		return 0;
	for (need = at[0]; need > 0;) {
		if (SLU_UNLIKELY(k == 0))
			return slu_fail(-EBADMSG, "a compressed name is not valid");
		at = heads[--k];
		if (at[0] >= need)
			continue;
		if (SLU_UNLIKELY((size_t)at[0] + at[1] < need))
			return slu_fail(-EBADMSG, "a compressed name is not valid");
		if (memcmp(at + 2, name + at[0], need - at[0]) != 0)
			return 0;
		need = at[0];
	}
	return 1;
}
