/* SPDX-License-Identifier: MIT */
/*
 * The tree of a pack: names to nodes, nodes to names, metadata, directories.
 *
 * Everything here reads the mapped index through slu_pack_at() inside the guard. A parent's
 * number is always smaller than its child directory's; this is checked wherever a parent
 * or child is followed, so that a hostile index cannot send anyone in circles.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/le.h"
#include "pack/column.h"
#include "pack/names.h"
#include "pack/pack.h"

struct query {
	struct slu_pack *p;
	uint64_t node;
	const char *name;
	size_t len;
	uint64_t position;
	/* answers */
	uint64_t found;
	char *buf;
	struct slu_stat *st;
};

static int damaged(const struct slu_pack *p, const char *what, uint64_t number)
{
	return slu_fail(-EBADMSG, "%s: %s %llu is not valid", p->path, what, (unsigned long long)number);
}

/* ---- node numbers ------------------------------------------------------------------------ */

int slu_node_kind(const struct slu_pack *p, uint64_t node)
{
	if (node < p->ndirs)
		return SLU_DIR;
	if (node < p->ndirs + p->nsamples)
		return SLU_SAMPLE;
	return node < p->nodes ? SLU_LINK
	                       : slu_fail(-ENOENT, "%s: there is no node %llu", p->path, (unsigned long long)node);
}

uint64_t slu_pack_sample_node(const struct slu_pack *p, uint64_t i)
{
	return p->ndirs + i;
}

int slu_node_sample(const struct slu_pack *p, uint64_t node, uint64_t *ret_i)
{
	int kind = slu_node_kind(p, node);

	if (kind < 0)
		return kind;
	if (kind != SLU_SAMPLE)
		return slu_fail(kind == SLU_DIR ? -EISDIR : -ELOOP, "%s: node %llu is a %s, not a sample", p->path,
		                (unsigned long long)node, kind == SLU_DIR ? "directory" : "link");
	*ret_i = node - p->ndirs;
	return 0;
}

/* ---- directories ---------------------------------------------------------------------------- */

/* A directory's children: [first, last) by kind, as node numbers. */
struct children {
	uint64_t first[3], last[3]; /* directories, samples, links */
	uint64_t parent;
};

static int children_of(struct slu_pack *p, uint64_t dir, struct children *ret_c)
{
	static const unsigned field[3] = { SLU_D_DIR, SLU_D_SAMPLE, SLU_D_LINK };
	const uint64_t base[3] = { 0, p->ndirs, p->ndirs + p->nsamples };
	const uint64_t total[3] = { p->ndirs, p->nsamples, p->nlinks };
	const uint8_t *row;
	int r = slu_pack_at(p, SLU_S_DIRS, dir * SLU_DIR_ROW, 2 * SLU_DIR_ROW, &row);

	if (SLU_UNLIKELY(r < 0))
		return r;
	for (int k = 0; k < 3; k++) {
		uint64_t first = slu_get32(row + field[k]), last = slu_get32(row + SLU_DIR_ROW + field[k]);
		if (SLU_UNLIKELY(first > last || last > total[k] || (k == 0 && first <= dir)))
			return damaged(p, "directory", dir);
		ret_c->first[k] = base[k] + first;
		ret_c->last[k] = base[k] + last;
	}
	ret_c->parent = slu_get32(row + SLU_D_PARENT);
	if (SLU_UNLIKELY(dir ? ret_c->parent >= dir : ret_c->parent != 0))
		return damaged(p, "directory", dir);
	return 0;
}

static bool is_child(const struct children *c, uint64_t node)
{
	for (int k = 0; k < 3; k++)
		if (node >= c->first[k] && node < c->last[k])
			return true;
	return false;
}

/* The directory of a sample or link: the last whose first one is not beyond it. */
static int parent_by_search(struct slu_pack *p, uint64_t number, unsigned field, uint64_t *ret_dir)
{
	uint64_t lo = 0, hi = p->ndirs - 1;
	const uint8_t *row;
	int r;

	while (lo < hi) {
		uint64_t mid = lo + (hi - lo + 1) / 2;
		if ((r = slu_pack_at(p, SLU_S_DIRS, mid * SLU_DIR_ROW, SLU_DIR_ROW, &row)) < 0)
			return r;
		if (slu_get32(row + field) <= number)
			lo = mid;
		else
			hi = mid - 1;
	}
	*ret_dir = lo;
	return 0;
}

static int parent_of(struct slu_pack *p, uint64_t node, uint64_t *ret_dir)
{
	struct children c;
	int r;

	if (node < p->ndirs) {
		if ((r = children_of(p, node, &c)) == 0)
			*ret_dir = c.parent;
		return r;
	}
	if (node < p->ndirs + p->nsamples)
		r = parent_by_search(p, node - p->ndirs, SLU_D_SAMPLE, ret_dir);
	else
		r = parent_by_search(p, node - p->ndirs - p->nsamples, SLU_D_LINK, ret_dir);
	if (r == 0 && (r = children_of(p, *ret_dir, &c)) == 0 && !is_child(&c, node))
		r = damaged(p, "node", node);
	return r;
}

/* ---- names ------------------------------------------------------------------------------------ */

static int group_of(struct slu_pack *p, uint64_t node, const uint8_t **ret_data, size_t *ret_len)
{
	const uint8_t *row;
	uint64_t at, end;
	int r = slu_pack_at(p, SLU_S_GROUPS, node / SLU_GROUP * SLU_GROUP_ROW, 2 * SLU_GROUP_ROW, &row);

	if (SLU_UNLIKELY(r < 0))
		return r;
	at = slu_get40(row);
	end = slu_get40(row + SLU_GROUP_ROW);
	/* A suffix and 16 names of 255 bytes, and their heads: no honest group is longer. */
	if (SLU_UNLIKELY(end <= at || end - at > 256 + SLU_GROUP * 257))
		return damaged(p, "the group of names of node", node);
	*ret_len = end - at;
	r = slu_pack_at(p, SLU_S_NAMES, at, end - at, ret_data);
	__builtin_prefetch(*ret_data + 64); /* most groups reach into the next cache line */
	return r;
}

/* How many names are in the group of a node: the last group may be shorter. */
static unsigned group_count(const struct slu_pack *p, uint64_t node)
{
	return (unsigned)slu_min(SLU_GROUP, p->nodes - node / SLU_GROUP * SLU_GROUP);
}

static int name_of(struct slu_pack *p, uint64_t node, char buf[SLU_NAME_MAX])
{
	const uint8_t *data;
	size_t len;
	int r = group_of(p, node, &data, &len);

	if (r < 0)
		return r;
	return slu_name_group_get(data, len, group_count(p, node), node % SLU_GROUP, node == 0, buf);
}

/* From the end of the buffer towards its start, name by name. */
static int path_of(struct slu_pack *p, uint64_t node, char buf[SLU_PATH_MAX])
{
	char reversed[SLU_PATH_MAX], name[SLU_NAME_MAX];
	size_t at = sizeof(reversed), len;
	int r;

	reversed[--at] = 0;
	while (node) {
		r = name_of(p, node, name);
		if (r < 0)
			return r;
		if ((size_t)r + 1 > at)
			return damaged(p, "the path of node", node);
		if (at < sizeof(reversed) - 1)
			reversed[--at] = '/';
		at -= (size_t)r;
		memcpy(reversed + at, name, (size_t)r);
		if ((r = parent_of(p, node, &node)) < 0)
			return r;
	}
	len = sizeof(reversed) - 1 - at;
	memcpy(buf, reversed + at, len + 1);
	return (int)len;
}

/* ---- lookup ------------------------------------------------------------------------------------- */

/*
 * Compares the candidate in a slot: is it a child of the directory, whose row and the next @rows has,
 * and of that name? Only the candidate's own kind is looked at: this is the hot path.
 */
static int try_slot(struct query *q, const uint8_t *rows, uint64_t node)
{
	const struct slu_pack *p = q->p;
	uint64_t number = node;
	unsigned field = SLU_D_DIR;
	const uint8_t *data;
	size_t len;
	int r;

	if (node >= p->ndirs) {
		number = node - p->ndirs;
		field = number < p->nsamples ? SLU_D_SAMPLE : SLU_D_LINK;
		number = number < p->nsamples ? number : number - p->nsamples;
	} else if (node <= q->node) {
		return 0; /* a directory's number is larger than its parent's */
	}
	if (node >= p->nodes || number < slu_get32(rows + field) || number >= slu_get32(rows + SLU_DIR_ROW + field))
		return 0;
	if (field == SLU_D_SAMPLE) /* whoever looks it up will want its record next */
		__builtin_prefetch(p->file + p->section[SLU_S_RECORDS].at + number * SLU_RECORD);
	if ((r = group_of(q->p, node, &data, &len)) < 0)
		return r;
	return slu_name_group_match(data, len, group_count(q->p, node), node % SLU_GROUP, q->name, q->len);
}

/* A bit for each slot of a bucket whose fingerprint is @print. No branches: which slot it is,
 * nobody can predict. */
static inline uint32_t matching_slots(const uint8_t *slots, uint32_t print, uint32_t mask)
{
	typedef uint32_t four __attribute__((vector_size(16)));
	const four bit = { 1, 2, 4, 8 };
	four hits = { 0 };

	for (unsigned s = 0; s < SLU_BUCKET_SLOTS; s += 4) {
		four v;
		memcpy(&v, slots + s * 4, sizeof(v));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
		for (unsigned i = 0; i < 4; i++)
			v[i] = le32toh(v[i]);
#endif
		hits |= (four)(((v ^ print) & ~mask) == 0) & (bit << s);
	}
	return hits[0] | hits[1] | hits[2] | hits[3];
}

static int find_child(struct query *q)
{
	const struct slu_lookup *t = &q->p->lookup;
	uint64_t hash = slu_lookup_hash((uint32_t)q->node, q->name, q->len), b = slu_lookup_home(t, hash);
	uint32_t print = slu_lookup_print(t, hash);
	uint32_t mask = t->node_bits >= 32 ? UINT32_MAX : (UINT32_C(1) << t->node_bits) - 1;
	const uint8_t *slots, *rows;
	int r = slu_pack_at(q->p, SLU_S_DIRS, q->node * SLU_DIR_ROW, 2 * SLU_DIR_ROW, &rows);

	if (SLU_UNLIKELY(r < 0))
		return r;
	for (uint64_t n = 0; n < t->buckets; n++, b = b + 1 == t->buckets ? 0 : b + 1) {
		if (SLU_UNLIKELY((r = slu_pack_at(q->p, SLU_S_LOOKUP, b * SLU_BUCKET, SLU_BUCKET, &slots)) < 0))
			return r;
		for (uint32_t hits = matching_slots(slots, print, mask); hits; hits &= hits - 1) {
			uint32_t v = slu_get32(slots + 4 * (unsigned)__builtin_ctz(hits));
			if ((v & mask) && (r = try_slot(q, rows, (v & mask) - 1)) != 0) {
				q->found = (v & mask) - 1;
				return r < 0 ? r : 0;
			}
		}
		if (slu_get32(slots + SLU_BUCKET - 4) == 0) /* slots are filled from the front */
			return -ENOENT;
	}
	return -ENOENT;
}

static int no_such_path(const struct slu_pack *p, const char *path)
{
	return slu_fail(-ENOENT, "%s: there is no '%s' in it", p->path, path);
}

/* Walks @q->name from directory @q->node on. */
static int walk(void *arg)
{
	struct query *q = arg;
	const char *path = q->name, *end;
	int r;

	for (q->found = q->node; *path; path = end) {
		while (*path == '/')
			path++;
		end = strchrnul(path, '/');
		if (end == path)
			continue;
		if (q->found >= q->p->ndirs)
			return -ENOTDIR;
		if (end - path == 1 && *path == '.')
			continue;
		q->node = q->found;
		q->name = path;
		q->len = (size_t)(end - path);
		if (SLU_UNLIKELY((r = find_child(q)) < 0))
			return r;
	}
	/* A final slash asks for a directory. */
	return path > q->name && path[-1] == '/' && q->found >= q->p->ndirs ? -ENOTDIR : 0;
}

int slu_pack_lookup(struct slu_pack *p, const char *path, uint64_t *ret_node)
{
	struct query q = { .p = p, .node = SLU_ROOT, .name = path };
	int r = slu_pack_guard(p, walk, &q);

	if (r == -ENOENT)
		return no_such_path(p, path);
	if (r == -ENOTDIR)
		return slu_fail(-ENOTDIR, "%s: '%s' leads through something that is not a directory", p->path, path);
	if (r == 0)
		*ret_node = q.found;
	return r;
}

static int find_child_guarded(void *arg)
{
	return find_child(arg);
}

int slu_pack_child(struct slu_pack *p, uint64_t dir, const char *name, size_t len, uint64_t *ret_node)
{
	struct query q = { .p = p, .node = dir, .name = name, .len = len };
	int r;

	if (dir >= p->ndirs)
		return slu_fail(-ENOTDIR, "%s: node %llu is not a directory", p->path, (unsigned long long)dir);
	if ((r = slu_pack_guard(p, find_child_guarded, &q)) == 0)
		*ret_node = q.found;
	else if (r == -ENOENT)
		return slu_fail(-ENOENT, "%s: there is no '%.*s' in that directory", p->path, (int)slu_min(len, 255),
		                name);
	return r;
}

int slu_pack_find(struct slu_pack *p, const char *path, uint64_t *ret_i)
{
	uint64_t node = 0;
	int r = slu_pack_lookup(p, path, &node);

	return r < 0 ? r : slu_node_sample(p, node, ret_i);
}

/* ---- names and parents, guarded ------------------------------------------------------------------- */

static int run_name(void *arg)
{
	struct query *q = arg;

	return name_of(q->p, q->node, q->buf);
}

static int run_path(void *arg)
{
	struct query *q = arg;

	return path_of(q->p, q->node, q->buf);
}

static int run_parent(void *arg)
{
	struct query *q = arg;

	return parent_of(q->p, q->node, &q->found);
}

ssize_t slu_pack_name(struct slu_pack *p, uint64_t node, char buf[SLU_NAME_MAX])
{
	struct query q = { .p = p, .node = node, .buf = buf };
	int r = slu_node_kind(p, node);

	return r < 0 ? r : slu_pack_guard(p, run_name, &q);
}

ssize_t slu_pack_path(struct slu_pack *p, uint64_t node, char buf[SLU_PATH_MAX])
{
	struct query q = { .p = p, .node = node, .buf = buf };
	int r = slu_node_kind(p, node);

	return r < 0 ? r : slu_pack_guard(p, run_path, &q);
}

int slu_pack_parent(struct slu_pack *p, uint64_t node, uint64_t *ret_dir)
{
	struct query q = { .p = p, .node = node };
	int r = slu_node_kind(p, node);

	if (r >= 0 && (r = slu_pack_guard(p, run_parent, &q)) == 0)
		*ret_dir = q.found;
	return r < 0 ? r : 0;
}

/* ---- metadata ---------------------------------------------------------------------------------------- */

int slu_pack_attr(struct slu_pack *p, uint64_t number, uint32_t ret_attr[3])
{
	const uint8_t *row;
	int r;

	if (number >= p->nattrs)
		return damaged(p, "attribute", number);
	if ((r = slu_pack_at(p, SLU_S_ATTRS, number * SLU_ATTR_ROW, SLU_ATTR_ROW, &row)) < 0)
		return r;
	for (int i = 0; i < 3; i++)
		ret_attr[i] = slu_get32(row + 4 * i);
	return 0;
}

static int column_value(struct slu_pack *p, const struct slu_builtin_column *c, uint64_t i, int64_t *ret_value)
{
	int r = 0;

	if (c->bits) /* nine bytes are always there: see slu_column_bytes() */
		r = slu_tree_touch(&p->tree, c->offset + i * c->bits / 8, 9);
	*ret_value = r == 0 ? slu_column_get(p->file + c->offset, i, c->base, c->bits) : 0;
	return r;
}

static int stat_dir(struct slu_pack *p, uint64_t dir, struct slu_stat *st, int64_t *ret_attr)
{
	struct children c;
	const uint8_t *row;
	int r;

	if ((r = children_of(p, dir, &c)) < 0 ||
	    (r = slu_pack_at(p, SLU_S_DIRS, dir * SLU_DIR_ROW, SLU_DIR_ROW, &row)) < 0)
		return r;
	st->nlink = 2 + (uint32_t)(c.last[0] - c.first[0]);
	st->mtime_ns = (int64_t)slu_get64(row + SLU_D_MTIME);
	*ret_attr = slu_get32(row + SLU_D_ATTR);
	return 0;
}

static int stat_sample(struct slu_pack *p, uint64_t i, struct slu_stat *st, int64_t *ret_attr)
{
	const uint8_t *rec;
	int r;

	if ((r = slu_pack_at(p, SLU_S_RECORDS, i * SLU_RECORD, SLU_RECORD, &rec)) < 0 ||
	    (r = column_value(p, &p->mtime, i, &st->mtime_ns)) < 0)
		return r;
	st->size = slu_get40(rec + SLU_R_SIZE);
	return column_value(p, &p->attr, i, ret_attr);
}

/* A link's row and where its target is. */
static int link_row(struct slu_pack *p, uint64_t i, const uint8_t **ret_row, uint64_t *ret_at, uint64_t *ret_len)
{
	uint64_t end;
	int r = slu_pack_at(p, SLU_S_LINKS, i * SLU_LINK_ROW, 2 * SLU_LINK_ROW, ret_row);

	if (r < 0)
		return r;
	*ret_at = slu_get64(*ret_row);
	end = slu_get64(*ret_row + SLU_LINK_ROW);
	if (end <= *ret_at || end - *ret_at >= SLU_PATH_MAX)
		return damaged(p, "link", i);
	*ret_len = end - *ret_at;
	return 0;
}

static int stat_link(struct slu_pack *p, uint64_t i, struct slu_stat *st, int64_t *ret_attr)
{
	const uint8_t *row;
	uint64_t at;
	int r = link_row(p, i, &row, &at, &st->size);

	if (r < 0)
		return r;
	st->mtime_ns = (int64_t)slu_get64(row + 16);
	*ret_attr = slu_get32(row + 8);
	return 0;
}

static int run_stat(void *arg)
{
	static const uint32_t types[] = { 0, S_IFDIR, S_IFREG, S_IFLNK };
	struct query *q = arg;
	struct slu_pack *p = q->p;
	int64_t attr = 0;
	uint32_t a[3];
	int kind = slu_node_kind(p, q->node), r = kind;

	q->st->nlink = 1;
	if (kind == SLU_DIR)
		r = stat_dir(p, q->node, q->st, &attr);
	else if (kind == SLU_SAMPLE)
		r = stat_sample(p, q->node - p->ndirs, q->st, &attr);
	else if (kind == SLU_LINK)
		r = stat_link(p, q->node - p->ndirs - p->nsamples, q->st, &attr);
	if (r < 0 || (r = slu_pack_attr(p, (uint64_t)attr, a)) < 0)
		return r;
	if ((a[0] & S_IFMT) != types[kind])
		return damaged(p, "the mode of node", q->node);
	q->st->ino = q->node + 1;
	q->st->mode = a[0];
	q->st->uid = a[1];
	q->st->gid = a[2];
	return 0;
}

int slu_pack_stat(struct slu_pack *p, uint64_t node, struct slu_stat *ret_stat)
{
	struct slu_stat st = { 0 };
	struct query q = { .p = p, .node = node, .st = &st };
	int r = slu_pack_guard(p, run_stat, &q);

	if (r == 0)
		*ret_stat = st;
	return r;
}

static int run_readlink(void *arg)
{
	struct query *q = arg;
	const uint8_t *row, *target;
	uint64_t at, len;
	int r = link_row(q->p, q->node - q->p->ndirs - q->p->nsamples, &row, &at, &len);

	if (r < 0 || (r = slu_pack_at(q->p, SLU_S_TARGETS, at, len, &target)) < 0)
		return r;
	if (memchr(target, 0, len))
		return damaged(q->p, "the target of node", q->node);
	memcpy(q->buf, target, len);
	q->buf[len] = 0;
	return (int)len;
}

ssize_t slu_pack_readlink(struct slu_pack *p, uint64_t node, char buf[SLU_PATH_MAX])
{
	struct query q = { .p = p, .node = node, .buf = buf };
	int kind = slu_node_kind(p, node);

	if (kind < 0)
		return kind;
	if (kind != SLU_LINK)
		return slu_fail(-EINVAL, "%s: node %llu is not a link", p->path, (unsigned long long)node);
	return slu_pack_guard(p, run_readlink, &q);
}

/* ---- listing ---------------------------------------------------------------------------------------------- */

static int run_entries(void *arg)
{
	struct query *q = arg;
	struct children c;
	int r = children_of(q->p, q->node, &c);

	q->found = 0;
	for (int k = 0; r == 0 && k < 3; k++)
		q->found += c.last[k] - c.first[k];
	return r;
}

static int run_entry(void *arg)
{
	struct query *q = arg;
	struct children c;
	int r = children_of(q->p, q->node, &c);

	for (int k = 0; r == 0 && k < 3; k++) {
		uint64_t n = c.last[k] - c.first[k];
		if (q->position < n) {
			q->found = c.first[k] + q->position;
			return 0;
		}
		q->position -= n;
	}
	return r < 0 ? r : -ENOENT;
}

struct list_query {
	struct slu_pack *p;
	uint64_t dir, position;
	struct slu_list *out;
};

/* The name of @node, the node after the one before if @g is not at its end. */
static int next_name(struct slu_pack *p, uint64_t node, struct slu_name_group *g, char buf[SLU_NAME_ROOM])
{
	const uint8_t *data;
	size_t len;
	int r;

	if (g->k == g->n && ((r = group_of(p, node, &data, &len)) < 0 ||
	                     (r = slu_name_group_start(data, len, group_count(p, node), node % SLU_GROUP, g)) < 0))
		return r;
	return slu_name_group_next(g, buf);
}

static int run_list(void *arg)
{
	struct list_query *q = arg;
	uint64_t position = q->position;
	struct children c;
	size_t at = 0;
	int r = children_of(q->p, q->dir, &c);

	q->out->n = 0;
	for (int k = 0; r >= 0 && k < 3; k++) {
		uint64_t n = c.last[k] - c.first[k];
		struct slu_name_group group = { .n = 0 };
		for (; position < n; position++) {
			struct slu_list_entry *e = &q->out->entries[q->out->n];
			if (q->out->n == SLU_LIST_ENTRIES || at + SLU_NAME_ROOM > sizeof(q->out->names))
				return 0;
			e->node = c.first[k] + position;
			e->kind = (enum slu_kind)(SLU_DIR + k);
			e->name = q->out->names + at;
			if ((r = next_name(q->p, e->node, &group, q->out->names + at)) < 0)
				return r;
			e->len = (size_t)r;
			at += e->len + 1;
			q->out->n++;
		}
		position -= n;
	}
	return r < 0 ? r : 0;
}

int slu_pack_list(struct slu_pack *p, uint64_t dir, uint64_t position, struct slu_list *ret_list)
{
	struct list_query q = { p, dir, position, ret_list };

	if (dir >= p->ndirs)
		return slu_fail(-ENOTDIR, "%s: node %llu is not a directory", p->path, (unsigned long long)dir);
	return slu_pack_guard(p, run_list, &q);
}

int slu_pack_entries(struct slu_pack *p, uint64_t dir, uint64_t *ret_count)
{
	struct query q = { .p = p, .node = dir };
	int r;

	if (dir >= p->ndirs)
		return slu_fail(-ENOTDIR, "%s: node %llu is not a directory", p->path, (unsigned long long)dir);
	if ((r = slu_pack_guard(p, run_entries, &q)) == 0)
		*ret_count = q.found;
	return r;
}

int slu_pack_entry(struct slu_pack *p, uint64_t dir, uint64_t position, uint64_t *ret_node)
{
	struct query q = { .p = p, .node = dir, .position = position };
	int r;

	if (dir >= p->ndirs)
		return slu_fail(-ENOTDIR, "%s: node %llu is not a directory", p->path, (unsigned long long)dir);
	r = slu_pack_guard(p, run_entry, &q);
	if (r == -ENOENT)
		return slu_fail(-ENOENT, "%s: directory %llu has no entry %llu", p->path, (unsigned long long)dir,
		                (unsigned long long)position);
	if (r == 0)
		*ret_node = q.found;
	return r;
}
