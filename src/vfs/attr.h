/* SPDX-License-Identifier: MIT */
/*
 * A node's metadata as stat(2) shows it: the same on every node of a cluster, in every process, and
 * through the shim and a mount alike.
 */
#ifndef SLU_VFS_ATTR_H
#define SLU_VFS_ATTR_H

#include <sluice/pack.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/types.h>

/* A device number made of the pack's identity; its major number is one that no device has. */
dev_t slu_attr_dev(const uint8_t identity[16]);

/* Size of a link: its target's length; of a directory: 4096. Times are all the mtime. */
void slu_attr_stat(const struct slu_stat *s, dev_t dev, struct stat *ret_st);

/* The whole pack as a file system: full, read-only, and as large as its files were. */
void slu_attr_statvfs(const struct slu_pack_info *info, dev_t dev, struct statvfs *ret_fs);

#endif
