/* SPDX-License-Identifier: MIT */
/* Mounts: reading them from the environment, matching paths by their letters, opening packs. See vfs.h. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/macros.h"
#include "pack/pack.h"
#include "vfs/attr.h"
#include "vfs/host.h"
#include "vfs/spec.h"
#include "vfs/vfs.h"

static int add_mount(struct slu_vfs *v, unsigned number, const char *source, const char *point)
{
	struct slu_mount *m = &v->mounts[v->n];

	for (unsigned i = 0; i < v->n; i++)
		if (strcmp(v->mounts[i].point, point) == 0)
			return 0; /* the first one keeps the place, as in a search path */
	if (v->n == SLU_MAX_MOUNTS)
		return slu_fail(-E2BIG, "more than %d mounts", SLU_MAX_MOUNTS);
	strcpy(m->point, point);
	strcpy(m->source, source);
	m->len = strlen(point);
	m->number = number;
	m->covers = slu_host_is_dir(point);
	v->covers |= m->covers;
	v->n++;
	return 0;
}

/* A point below a link of the host has two names: as given, and where the link leads. */
static int add_real_name(struct slu_vfs *v, unsigned number, const char *source, const char *point)
{
	char real[PATH_MAX];

	if (slu_host_realpath(point, real) < 0 || strcmp(real, point) == 0)
		return 0;
	return add_mount(v, number, source, real);
}

int slu_vfs_init(struct slu_vfs *v, const char *text)
{
	static struct slu_spec spec; /* too large for a small stack; only one thread starts us */
	char point[PATH_MAX];
	unsigned number = 0;
	int r;

	while ((r = slu_spec_next(&text, &spec)) > 0) {
		if (spec.point[0] != '/')
			return slu_fail(-EINVAL, "the mount point %s does not begin with '/'", spec.point);
		if ((r = slu_path_simplify("/", spec.point, point)) < 0)
			return r;
		if (strcmp(point, "/") == 0)
			return slu_fail(-EINVAL, "a pack cannot be mounted over the root directory");
		if ((r = add_mount(v, number, spec.pack, point)) < 0 ||
		    (r = add_real_name(v, number, spec.pack, point)) < 0)
			return r;
		number++;
	}
	return r;
}

int slu_vfs_keep(struct slu_vfs *v, int fd)
{
	struct rlimit limit = { .rlim_cur = 1024 };
	int high;
	uint32_t k;

	(void)getrlimit(RLIMIT_NOFILE, &limit); /* at worst 1024 */
	high = (int)slu_min(limit.rlim_cur, 1024) - SLU_MAX_KEPT;
	high = high > 3 ? fcntl(fd, F_DUPFD_CLOEXEC, high) : -1;
	if (high >= 0) {
		close(fd);
		fd = high;
	}
	k = atomic_fetch_add(&v->nkept, 1);
	if (k == 0 || fd < atomic_load(&v->kept_from))
		atomic_store(&v->kept_from, fd);
	if (k < SLU_MAX_KEPT)
		atomic_store(&v->kept[k], fd);
	return fd;
}

bool slu_vfs_keeps_one(const struct slu_vfs *v, int fd)
{
	uint32_t n = atomic_load_explicit(&v->nkept, memory_order_relaxed);

	for (uint32_t k = 0; k < n && k < SLU_MAX_KEPT; k++)
		if (atomic_load_explicit(&v->kept[k], memory_order_relaxed) == fd)
			return true;
	return false;
}

/*
 * Opens the pack for a stay in somebody else's process: all its shards are mapped now, since later their
 * directory's descriptor may be gone; a shard that cannot be had shows when it is read.
 */
static int open_to_stay(const char *source, struct slu_pack **ret_pack)
{
	struct slu_shard_map *map;
	struct slu_pack *p;
	int r = slu_pack_open(source, NULL, &p);

	if (r < 0)
		return r;
	for (uint32_t k = 0; k < p->nshards; k++)
		(void)!slu_pack_open_shard(p, k, &map);
	*ret_pack = p;
	return 0;
}

int slu_mount_pack(struct slu_vfs *v, struct slu_mount *m, struct slu_pack **ret_pack)
{
	struct slu_pack *p = atomic_load_explicit(&m->pack, memory_order_acquire), *none = NULL;
	struct slu_pack_info info;

	if (SLU_LIKELY(p != NULL)) {
		*ret_pack = p;
		return 0;
	}
	if (open_to_stay(m->source, &p) < 0) {
		slu_ledger_note(v->ledger, SLU_NOTE_PACK, EIO, m->source, slu_errmsg());
		return -EIO;
	}
	if (slu_pack_info(p, &info) == 0) /* cannot fail on an open pack */
		atomic_store_explicit(&m->dev, slu_attr_dev(info.identity), memory_order_relaxed);
	if (!atomic_compare_exchange_strong(&m->pack, &none, p)) {
		slu_pack_close(p);
		p = none;
	} else {
		p->dirfd = slu_vfs_keep(v, p->dirfd);
	}
	*ret_pack = p;
	return 0;
}

/* ---- letters -------------------------------------------------------------------------------- */

static bool lies_in(const struct slu_mount *m, const char *path)
{
	return strncmp(path, m->point, m->len) == 0 && (path[m->len] == '/' || path[m->len] == 0);
}

struct slu_mount *slu_vfs_match(struct slu_vfs *v, const char *path)
{
	struct slu_mount *best = NULL;

	for (unsigned i = 0; i < v->n; i++)
		if (lies_in(&v->mounts[i], path) && (!best || v->mounts[i].len > best->len))
			best = &v->mounts[i];
	return best;
}

bool slu_vfs_above(const struct slu_vfs *v, const char *path)
{
	size_t n = strcmp(path, "/") == 0 ? 0 : strlen(path);

	for (unsigned i = 0; i < v->n; i++)
		if (v->mounts[i].len > n && strncmp(v->mounts[i].point, path, n) == 0 && v->mounts[i].point[n] == '/')
			return true;
	return false;
}

/* Whether the two agree up to the end of one of them: then one may lie in the other. */
static bool is_related(const struct slu_mount *m, const char *path)
{
	size_t i = 0;

	while (path[i] && path[i] == m->point[i])
		i++;
	return path[i] == 0 || m->point[i] == 0 || (path[i] == '/' && path[i + 1] == 0);
}

bool slu_vfs_outside(const struct slu_vfs *v, const char *path)
{
	for (unsigned i = 0; i < v->n; i++)
		if (is_related(&v->mounts[i], path))
			return false;
	for (; *path; path++)
		if (SLU_UNLIKELY(path[0] == '/' && (path[1] == '/' || path[1] == '.')))
			return false;
	return true;
}
