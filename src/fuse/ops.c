/* SPDX-License-Identifier: MIT */
/*
 * What the kernel asks of a mount, answered out of a pack.
 *
 * A pack never changes, so the kernel is told to keep whatever it was told: names (also those that are not there),
 * attributes, links, lists and bytes. Each thing is asked once.
 *  - A node's inode number is its number plus 1, the root's 1 as FUSE wants it: nothing is remembered for the
 *    kernel, and there is nothing to forget.
 *  - "Open" is answered with "there is no such call": from then on the kernel opens and closes files by itself.
 *    Reads then come without a handle; cache.h keeps what is worth keeping between the pieces of a file.
 *  - Writing is refused by the kernel itself: the mount is read-only.
 *
 * A damaged sample is EIO for its reader, and a sentence for whoever started the server, which goes on.
 */
#include "fuse/ops.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/macros.h"
#include "vfs/attr.h"

/* For ever, as far as a job is concerned. */
static const double FOREVER = 365.0 * 24 * 3600;

/* Decoded samples and checksums between the pieces of a file: enough for some dozens of readers. */
enum { CACHE_BYTES = 128 << 20 };

static uint64_t node_of(fuse_ino_t ino)
{
	return ino - FUSE_ROOT_ID;
}

static fuse_ino_t ino_of(uint64_t node)
{
	return node + FUSE_ROOT_ID;
}

/* Answers with the failure @err, which is told of too if it is not the asker's. */
static void reply_failure(fuse_req_t req, int err)
{
	const struct slu_served *s = fuse_req_userdata(req);

	if (err != -ENOENT && err != -ENOTDIR && err != -EINVAL && s->trouble)
		s->trouble(s->arg, slu_errmsg());
	if (slu_err_is_damage(err) || err == -EPROTONOSUPPORT)
		err = -EIO;
	fuse_reply_err(req, -err);
}

/* A file that is in the pack and cannot be had is EIO, never "no such file". */
static void reply_unreadable(fuse_req_t req, int err)
{
	reply_failure(req, err == -ENOMEM ? err : -EIO);
}

/* ---- beginning ------------------------------------------------------------------------- */

static void op_init(void *userdata, struct fuse_conn_info *conn)
{
	struct slu_served *s = userdata;
	const unsigned useful =
		FUSE_CAP_ASYNC_READ | FUSE_CAP_PARALLEL_DIROPS | FUSE_CAP_READDIRPLUS | FUSE_CAP_CACHE_SYMLINKS;

	/* Nothing that costs a call for each request (splice of requests that are all small), nothing that
	 * looks for changes, and lists always with attributes: who lists a data set will open it. */
	conn->want = conn->capable & useful;
	conn->max_readahead = UINT32_MAX; /* what the kernel has; see mount.c */
	conn->max_background = 64;
	conn->congestion_threshold = 48;
	s->no_open = conn->capable & FUSE_CAP_NO_OPEN_SUPPORT;
	s->no_opendir = conn->capable & FUSE_CAP_NO_OPENDIR_SUPPORT;
	if (s->ready_fd >= 0) {
		(void)!write(s->ready_fd, "", 1); /* who waits may be gone; then nobody waits */
		close(s->ready_fd);
		s->ready_fd = -1;
	}
}

/* ---- names and attributes ---------------------------------------------------------------- */

static int attr_of(struct slu_pack *p, uint64_t node, struct stat *ret_st)
{
	struct slu_stat s;
	int r = slu_pack_stat(p, node, &s);

	if (r == 0)
		slu_attr_stat(&s, 0, ret_st); /* the device is the kernel's to give */
	return r;
}

static int entry_of(struct slu_pack *p, uint64_t node, struct fuse_entry_param *ret_entry)
{
	*ret_entry = (struct fuse_entry_param){
		.ino = ino_of(node),
		.attr_timeout = FOREVER,
		.entry_timeout = FOREVER,
	};
	return attr_of(p, node, &ret_entry->attr);
}

static void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct slu_served *s = fuse_req_userdata(req);
	struct fuse_entry_param e = { .entry_timeout = FOREVER }; /* inode 0: there is none, and never will be */
	uint64_t node;
	int r;

	if (strlen(name) >= SLU_NAME_MAX) { /* the kernel asks for longer ones too */
		fuse_reply_err(req, ENAMETOOLONG);
		return;
	}
	r = slu_pack_child(s->pack, node_of(parent), name, strlen(name), &node);
	if (r == 0)
		r = entry_of(s->pack, node, &e);
	if (r == 0 || r == -ENOENT)
		fuse_reply_entry(req, &e);
	else
		reply_failure(req, r);
	if (r == 0)
		slu_prime_asked(&s->prime, node_of(parent)); /* after the answer, for which somebody waits */
}

static void op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	const struct slu_served *s = fuse_req_userdata(req);
	struct stat st;
	int r = attr_of(s->pack, node_of(ino), &st);

	if (r < 0)
		reply_failure(req, r);
	else
		fuse_reply_attr(req, &st, FOREVER);
}

static void op_readlink(fuse_req_t req, fuse_ino_t ino)
{
	const struct slu_served *s = fuse_req_userdata(req);
	char target[SLU_PATH_MAX];
	ssize_t n = slu_pack_readlink(s->pack, node_of(ino), target);

	if (n < 0)
		reply_failure(req, (int)n);
	else
		fuse_reply_readlink(req, target);
}

static void op_statfs(fuse_req_t req, fuse_ino_t ino)
{
	const struct slu_served *s = fuse_req_userdata(req);
	struct slu_pack_info info;
	struct statvfs fs;
	int r = slu_pack_info(s->pack, &info);

	if (r < 0) {
		reply_failure(req, r);
		return;
	}
	slu_attr_statvfs(&info, 0, &fs);
	fuse_reply_statfs(req, &fs);
}

/* As a file has it on a system that knows attributes, and has none. */
static void op_getxattr(fuse_req_t req, fuse_ino_t ino, const char *name, size_t size)
{
	static const char *const known[] = { "user.", "trusted.", "security.", "system.posix_acl_" };

	for (size_t i = 0; i < SLU_ARRAY_SIZE(known); i++)
		if (strncmp(name, known[i], strlen(known[i])) == 0) {
			fuse_reply_err(req, ENODATA);
			return;
		}
	fuse_reply_err(req, EOPNOTSUPP);
}

static void op_listxattr(fuse_req_t req, fuse_ino_t ino, size_t size)
{
	if (size == 0)
		fuse_reply_xattr(req, 0);
	else
		fuse_reply_buf(req, NULL, 0);
}

/* ---- directories --------------------------------------------------------------------------- */

static void op_opendir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	const struct slu_served *s = fuse_req_userdata(req);

	fi->cache_readdir = 1;
	fi->keep_cache = 1;
	if (s->no_opendir)
		fuse_reply_err(req, ENOSYS);
	else
		fuse_reply_open(req, fi);
}

/* A list on its way to the kernel. Positions 0 and 1 are "." and "..". */
struct list {
	fuse_req_t req;
	struct slu_pack *pack;
	uint64_t dir;
	bool plus;
	char *buf;
	size_t size, used;
};

/* Whether the entry went in; if not, the list is full. */
static bool put(struct list *l, const char *name, const struct fuse_entry_param *e, uint64_t position)
{
	size_t room = l->size - l->used, n;

	if (l->plus)
		n = fuse_add_direntry_plus(l->req, l->buf + l->used, room, name, e, (off_t)position + 1);
	else
		n = fuse_add_direntry(l->req, l->buf + l->used, room, name, &e->attr, (off_t)position + 1);
	if (n > room)
		return false;
	l->used += n;
	return true;
}

/* "." and "..": the kernel has these already, and wants only their numbers. */
static int put_dot(struct list *l, uint64_t position, bool *ret_full)
{
	struct fuse_entry_param e = { .attr = { .st_mode = S_IFDIR } };
	uint64_t node = l->dir;
	int r = 0;

	if (position == 1 && node != SLU_ROOT)
		r = slu_pack_parent(l->pack, node, &node);
	if (r < 0)
		return r;
	e.attr.st_ino = ino_of(node);
	*ret_full = !put(l, position == 0 ? "." : "..", &e, position);
	return 0;
}

static int put_entry(struct list *l, uint64_t position, bool *ret_full)
{
	struct fuse_entry_param e;
	char name[SLU_NAME_MAX];
	uint64_t node;
	ssize_t n;
	int r = slu_pack_entry(l->pack, l->dir, position - 2, &node);

	if (r < 0)
		return r;
	if ((n = slu_pack_name(l->pack, node, name)) < 0)
		return (int)n;
	if ((r = entry_of(l->pack, node, &e)) < 0)
		return r;
	*ret_full = !put(l, name, &e, position);
	return 0;
}

static int fill(struct list *l, uint64_t position)
{
	uint64_t count;
	bool full = false;
	int r = slu_pack_entries(l->pack, l->dir, &count);

	for (; r == 0 && !full && position < count + 2; position++)
		r = position < 2 ? put_dot(l, position, &full) : put_entry(l, position, &full);
	return l->used ? 0 : r; /* what is there is given; the failure comes again at the next call */
}

/* The calling thread's buffer, of @size at least: kept for its next request. */
static void *buffer(struct slu_served *s, size_t size)
{
	struct {
		size_t cap;
		_Alignas(64) char data[];
	} *b = pthread_getspecific(s->buffer), *larger;

	if (!b || b->cap < size) {
		larger = aligned_alloc(64, slu_up(sizeof(*b) + size, 64));
		if (!larger)
			return NULL;
		larger->cap = size;
		free(b);
		b = larger;
		if (pthread_setspecific(s->buffer, b) != 0) {
			free(b);
			(void)pthread_setspecific(s->buffer,
			                          NULL); /* it pointed to what is freed; NULL needs no room */
			return NULL;
		}
	}
	return b->data;
}

static void list_dir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset, bool plus)
{
	struct slu_served *s = fuse_req_userdata(req);
	struct list l = {
		.req = req,
		.pack = s->pack,
		.dir = node_of(ino),
		.plus = plus,
		.buf = buffer(s, size),
		.size = size,
	};
	int r = l.buf ? fill(&l, (uint64_t)offset) : slu_fail_memory();

	if (r < 0)
		reply_unreadable(req, r);
	else
		fuse_reply_buf(req, l.buf, l.used);
}

static void op_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset, struct fuse_file_info *fi)
{
	list_dir(req, ino, size, offset, false);
}

static void op_readdirplus(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset, struct fuse_file_info *fi)
{
	list_dir(req, ino, size, offset, true);
}

/* ---- bytes ------------------------------------------------------------------------------------ */

static void op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	const struct slu_served *s = fuse_req_userdata(req);

	fi->keep_cache = 1;
	if (s->no_open)
		fuse_reply_err(req, ENOSYS);
	else
		fuse_reply_open(req, fi);
}

/* A part of a file that is read in several. */
static void read_piece(fuse_req_t req, uint64_t sample, void *buf, size_t size, uint64_t offset)
{
	struct slu_served *s = fuse_req_userdata(req);
	struct slu_open *o;
	const void *data;
	ssize_t n = slu_cache_get(&s->cache, sample, &o);

	if (n < 0) {
		reply_unreadable(req, (int)n);
		return;
	}
	slu_crew_call(&s->crew); /* it may have to be decoded or checked whole first */
	n = slu_open_read(o, buf, size, offset, &data);
	if (n < 0)
		reply_unreadable(req, (int)n);
	else
		fuse_reply_buf(req, data, (size_t)n);
	slu_cache_put(&s->cache, o);
}

static void op_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset, struct fuse_file_info *fi)
{
	struct slu_served *s = fuse_req_userdata(req);
	void *buf = buffer(s, size);
	uint64_t sample;
	ssize_t n = buf ? slu_node_sample(s->pack, node_of(ino), &sample) : slu_fail_memory();

	if (n == 0 && offset == 0) {
		/* Most files are read by one request: then nothing is kept. */
		n = slu_pack_read(s->pack, sample, buf, size);
		if (n >= 0) {
			fuse_reply_buf(req, buf, (size_t)n);
			return;
		}
		if (n == -ERANGE)
			n = 0;
	}
	if (n < 0)
		reply_unreadable(req, (int)n);
	else
		read_piece(req, sample, buf, size, (uint64_t)offset);
}

const struct fuse_lowlevel_ops slu_fuse_ops = {
	.init = op_init,
	.lookup = op_lookup,
	.getattr = op_getattr,
	.readlink = op_readlink,
	.statfs = op_statfs,
	.getxattr = op_getxattr,
	.listxattr = op_listxattr,
	.opendir = op_opendir,
	.readdir = op_readdir,
	.readdirplus = op_readdirplus,
	.open = op_open,
	.read = op_read,
};

/* ---- what they work on ------------------------------------------------------------------------ */

int slu_served_init(struct slu_served *s, struct slu_pack *p)
{
	int r;

	memset(s, 0, sizeof(*s));
	if ((r = -pthread_key_create(&s->buffer, free)) < 0)
		return slu_fail_sys(r, "cannot make buffers");
	slu_cache_init(&s->cache, p, CACHE_BYTES);
	s->pack = p;
	s->ready_fd = -1;
	return 0;
}

void slu_served_done(struct slu_served *s)
{
	if (!s->pack)
		return;
	slu_cache_done(&s->cache);
	free(pthread_getspecific(s->buffer)); /* only threads that end free theirs */
	(void)pthread_key_delete(s->buffer);
	s->pack = NULL;
}
