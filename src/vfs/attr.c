/* SPDX-License-Identifier: MIT */
/* A node's metadata as stat(2) shows it. See attr.h. */
#include "vfs/attr.h"

#include <string.h>
#include <sys/sysmacros.h>

#include "base/hash.h"
#include "base/macros.h"

/* No driver has it: the kernel hands out 0 to 511, and what it gives to file systems without a device is 0. */
enum { MAJOR = 4095, MINOR_BITS = 20 };

enum { BLOCK = 4096, SECTOR = 512 };

dev_t slu_attr_dev(const uint8_t identity[16])
{
	unsigned id = (unsigned)(slu_hash64(identity, 16) >> (64 - MINOR_BITS));

	return makedev(MAJOR, id ? id : 1);
}

static struct timespec time_of(int64_t ns)
{
	const int64_t second = 1000000000;
	struct timespec t = { .tv_sec = ns / second, .tv_nsec = ns % second };

	if (t.tv_nsec < 0) { /* before 1970 */
		t.tv_sec--;
		t.tv_nsec += second;
	}
	return t;
}

void slu_attr_stat(const struct slu_stat *s, dev_t dev, struct stat *ret_st)
{
	bool dir = S_ISDIR(s->mode);

	memset(ret_st, 0, sizeof(*ret_st)); /* the gaps too: programs compare it with memcmp */
	ret_st->st_dev = dev;
	ret_st->st_ino = s->ino;
	ret_st->st_mode = s->mode;
	ret_st->st_nlink = s->nlink;
	ret_st->st_uid = s->uid;
	ret_st->st_gid = s->gid;
	ret_st->st_size = dir ? BLOCK : (off_t)s->size;
	ret_st->st_blksize = BLOCK;
	/* As if each file had blocks of its own, so that du(1) tells what it would of the tree. */
	ret_st->st_blocks = S_ISLNK(s->mode) ? 0 : (blkcnt_t)(slu_up((uint64_t)ret_st->st_size, BLOCK) / SECTOR);
	ret_st->st_mtim = ret_st->st_atim = ret_st->st_ctim = time_of(s->mtime_ns);
}

void slu_attr_statvfs(const struct slu_pack_info *info, dev_t dev, struct statvfs *ret_fs)
{
	memset(ret_fs, 0, sizeof(*ret_fs));
	ret_fs->f_bsize = ret_fs->f_frsize = BLOCK;
	ret_fs->f_blocks = (info->raw_bytes + BLOCK - 1) / BLOCK;
	ret_fs->f_files = info->dirs + info->samples + info->links;
	ret_fs->f_fsid = dev;
	ret_fs->f_flag = ST_RDONLY;
	ret_fs->f_namemax = SLU_NAME_MAX - 1;
}
