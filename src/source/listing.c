/* SPDX-License-Identifier: MIT */
/* A listing of a tree, in pack order. See listing.h. */
#include "source/listing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/macros.h"

void slu_listing_done(struct slu_listing *l)
{
	slu_buf_done(&l->names);
	free(l->dirs);
	free(l->samples);
	free(l->links);
	free(l->attrs);
	*l = (struct slu_listing){ 0 };
}

bool slu_name_ok(const char *name, size_t len)
{
	if (len == 0 || len > SLU_MAX_NAME)
		return false;
	if (name[0] == '.' && (len == 1 || (len == 2 && name[1] == '.')))
		return false;
	return !memchr(name, '/', len) && !memchr(name, 0, len);
}

int slu_listing_path(const struct slu_listing *l, const struct slu_entry *e, char buf[SLU_MAX_PATH + 1])
{
	char reversed[SLU_MAX_PATH + 1];
	size_t at = sizeof(reversed);

	/* From the end towards the root; parents are always smaller, so this ends. */
	reversed[--at] = 0;
	while (e != &l->dirs[0]) {
		const char *name = slu_listing_name(l, e);
		size_t n = strlen(name);
		bool last = at == sizeof(reversed) - 1;
		if (n + !last > at)
			return slu_fail(-ENAMETOOLONG, "a path that ends in '%s' is longer than %d bytes", name,
			                SLU_MAX_PATH);
		if (!last)
			reversed[--at] = '/';
		at -= n;
		memcpy(reversed + at, name, n);
		e = &l->dirs[e->parent];
	}
	memcpy(buf, reversed + at, sizeof(reversed) - at);
	return 0;
}

/* The entry of a kind called @name (@len bytes) in directory @parent, or @n. */
static uint64_t find_entry(const struct slu_listing *l, const struct slu_entry *e, uint64_t n, uint32_t parent,
                           const char *name, size_t len)
{
	uint64_t lo = 0, hi = n;

	while (lo < hi) {
		uint64_t mid = lo + (hi - lo) / 2;
		const char *have = slu_listing_name(l, &e[mid]);
		int order = strncmp(have, name, len);
		if (e[mid].parent != parent)
			order = e[mid].parent < parent ? -1 : 1;
		else if (order == 0)
			order = have[len] != 0;
		if (order == 0)
			return mid;
		if (order < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return n;
}

int slu_listing_find(const struct slu_listing *l, const char *path, uint64_t *ret_sample)
{
	uint64_t dir = 0, i;
	const char *slash;

	for (; (slash = strchr(path, '/')); path = slash + 1) {
		/* The root, entry 0, is its own parent and has no name: never found. */
		dir = find_entry(l, l->dirs, l->ndirs, (uint32_t)dir, path, (size_t)(slash - path));
		if (dir == l->ndirs || slash == path)
			return -ENOENT;
	}
	i = find_entry(l, l->samples, l->nsamples, (uint32_t)dir, path, strlen(path));
	if (i == l->nsamples)
		return -ENOENT;
	*ret_sample = i;
	return 0;
}

/* ---- attributes: a small open hash from (mode, uid, gid) to numbers ---------- */

struct numbering {
	uint32_t *slots; /* number + 1; 0 empty */
	uint64_t nslots; /* a power of two */
	struct slu_listing *l;
	uint32_t cap;
};

static uint64_t attr_hash(const struct slu_attr *a)
{
	return slu_hash64(a, sizeof(*a));
}

static void numbering_fill(struct numbering *nb)
{
	for (uint32_t i = 0; i < nb->l->nattrs; i++) {
		uint64_t s = attr_hash(&nb->l->attrs[i]);
		while (nb->slots[s & (nb->nslots - 1)])
			s++;
		nb->slots[s & (nb->nslots - 1)] = i + 1;
	}
}

static int numbering_grow(struct numbering *nb)
{
	uint64_t nslots = nb->nslots ? nb->nslots * 2 : 64;
	uint32_t *slots = calloc(nslots, sizeof(*slots));
	struct slu_attr *attrs;

	if (!slots)
		return slu_fail_memory();
	free(nb->slots);
	nb->slots = slots;
	nb->nslots = nslots;
	numbering_fill(nb);
	attrs = realloc(nb->l->attrs, nslots / 2 * sizeof(*attrs));
	if (!attrs)
		return slu_fail_memory();
	nb->l->attrs = attrs;
	nb->cap = (uint32_t)(nslots / 2);
	return 0;
}

static int number_of(struct numbering *nb, const struct slu_attr *a, uint32_t *ret_number)
{
	int r;

	if (nb->l->nattrs == nb->cap && (r = numbering_grow(nb)) < 0)
		return r;
	for (uint64_t s = attr_hash(a);; s++) {
		uint32_t *slot = &nb->slots[s & (nb->nslots - 1)];
		if (!*slot) {
			nb->l->attrs[nb->l->nattrs] = *a;
			*slot = ++nb->l->nattrs;
		}
		if (memcmp(&nb->l->attrs[*slot - 1], a, sizeof(*a)) == 0) {
			*ret_number = *slot - 1;
			return 0;
		}
	}
}

int slu_listing_number_attrs(struct slu_listing *l, const struct slu_attr *attrs)
{
	struct numbering nb = { .l = l };
	struct slu_entry *kinds[] = { l->dirs, l->samples, l->links };
	uint64_t counts[] = { l->ndirs, l->nsamples, l->nlinks };
	int r = 0;

	free(l->attrs);
	l->attrs = NULL;
	l->nattrs = 0;
	for (int k = 0; k < 3 && r == 0; k++)
		for (uint64_t i = 0; i < counts[k] && r == 0; i++, attrs++) {
			if (i && memcmp(attrs, attrs - 1, sizeof(*attrs)) == 0)
				kinds[k][i].attr = kinds[k][i - 1].attr; /* neighbours mostly agree */
			else
				r = number_of(&nb, attrs, &kinds[k][i].attr);
		}
	free(nb.slots);
	return r;
}

/* ---- checking ------------------------------------------------------------------ */

static int check_run(const struct slu_listing *l, const struct slu_entry *e, uint64_t n, uint64_t first, mode_t type,
                     const char *what)
{
	for (uint64_t i = first; i < n; i++) {
		const char *name = slu_listing_name(l, &e[i]);
		if (!slu_name_ok(name, strlen(name)))
			return slu_fail(-EBADMSG, "the name of %s %llu is not allowed", what, (unsigned long long)i);
		if (e[i].parent >= (type == S_IFDIR ? i : l->ndirs))
			return slu_fail(-EBADMSG, "%s %llu has no valid parent", what, (unsigned long long)i);
		if (e[i].attr >= l->nattrs || (l->attrs[e[i].attr].mode & S_IFMT) != type)
			return slu_fail(-EBADMSG, "%s %llu has wrong attributes", what, (unsigned long long)i);
		if (i > first && (e[i].parent < e[i - 1].parent || (e[i].parent == e[i - 1].parent &&
		                                                    strcmp(slu_listing_name(l, &e[i - 1]), name) >= 0)))
			return slu_fail(-EBADMSG, "%s %llu is out of order", what, (unsigned long long)i);
	}
	return 0;
}

/* Names are unique in a directory, whatever their kinds. */
static int check_unique(const struct slu_listing *l)
{
	const struct slu_entry *e[3] = { l->dirs + 1, l->samples, l->links };
	const struct slu_entry *end[3] = { l->dirs + l->ndirs, l->samples + l->nsamples, l->links + l->nlinks };

	for (;;) {
		int least = -1, order = 0;
		for (int k = 0; k < 3; k++) {
			if (e[k] == end[k])
				continue;
			if (least >= 0) {
				order = e[k]->parent != e[least]->parent
				                ? (e[k]->parent < e[least]->parent ? -1 : 1)
				                : strcmp(slu_listing_name(l, e[k]), slu_listing_name(l, e[least]));
				if (order == 0)
					return slu_fail(-EBADMSG, "a directory has two entries '%s'",
					                slu_listing_name(l, e[k]));
			}
			if (least < 0 || order < 0)
				least = k;
		}
		if (least < 0)
			return 0;
		e[least]++;
	}
}

/* No entry of a kind may have a path that is too long; @lengths has the directories' own. */
static int check_path_lengths(const struct slu_listing *l, const struct slu_entry *e, uint64_t n,
                              const uint16_t *lengths)
{
	for (uint64_t i = 0; i < n; i++)
		if (slu_path_length(lengths[e[i].parent], slu_listing_name(l, &e[i])) > SLU_MAX_PATH)
			return slu_fail(-EBADMSG, "the path of '%s' is longer than %d bytes",
			                slu_listing_name(l, &e[i]), SLU_MAX_PATH);
	return 0;
}

static int check_depths_and_lengths(const struct slu_listing *l)
{
	SLU_AUTO(mem) uint8_t *depth = calloc(l->ndirs, 1);
	SLU_AUTO(mem) uint16_t *lengths = calloc(l->ndirs, sizeof(*lengths));
	int r;

	if (!depth || !lengths)
		return slu_fail_memory();
	for (uint64_t i = 1; i < l->ndirs; i++) {
		size_t length = slu_path_length(lengths[l->dirs[i].parent], slu_listing_name(l, &l->dirs[i]));
		if (depth[l->dirs[i].parent] == SLU_MAX_DEPTH || length > SLU_MAX_PATH)
			return slu_fail(-EBADMSG, "directory %llu is more than %d levels deep, or its path too long",
			                (unsigned long long)i, SLU_MAX_DEPTH);
		depth[i] = (uint8_t)(depth[l->dirs[i].parent] + 1);
		lengths[i] = (uint16_t)length;
	}
	if ((r = check_path_lengths(l, l->samples, l->nsamples, lengths)) < 0)
		return r;
	return check_path_lengths(l, l->links, l->nlinks, lengths);
}

int slu_listing_check(const struct slu_listing *l)
{
	int r;

	if (l->ndirs == 0 || l->ndirs + l->nsamples + l->nlinks > SLU_MAX_NODES)
		return slu_fail(-EBADMSG, "too many or too few nodes");
	if (l->dirs[0].parent != 0 || l->dirs[0].attr >= l->nattrs || *slu_listing_name(l, &l->dirs[0]))
		return slu_fail(-EBADMSG, "the root directory is not valid");
	if ((r = check_run(l, l->dirs, l->ndirs, 1, S_IFDIR, "directory")) < 0 ||
	    (r = check_run(l, l->samples, l->nsamples, 0, S_IFREG, "sample")) < 0 ||
	    (r = check_run(l, l->links, l->nlinks, 0, S_IFLNK, "link")) < 0)
		return r;
	if ((r = check_unique(l)) < 0)
		return r;
	return check_depths_and_lengths(l);
}
