/* SPDX-License-Identifier: MIT */
/*
 * Descriptors that come from another process: inherited through exec, or received over a socket.
 *
 * What the sender has made real carries its name: "sluice:IDENTITY:NODE", the pack's identity and the node in it. A
 * process that has the same pack mounted knows it again, so that fstat() and its kin tell of the sample, not of a file
 * in memory; a directory, which cannot be made real, becomes one again.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim/adopt.h"
#include "shim/shim.h"
#include "vfs/host.h"

#define PREFIX "/memfd:sluice:"

int slu_adopt_name(const struct slu_open *o, char ret_name[SLU_ADOPT_NAME])
{
	struct slu_pack_info info;
	struct slu_pack *p;
	char hex[33];

	if (!o->mount || slu_mount_pack(&slu_shim.vfs, o->mount, &p) < 0 || slu_pack_info(p, &info) < 0)
		return -1;
	for (int i = 0; i < 16; i++)
		(void)snprintf(hex + 2 * i, 3, "%02x", info.identity[i]);
	(void)snprintf(ret_name, SLU_ADOPT_NAME, "sluice:%s:%llu", hex, (unsigned long long)o->node);
	return 0;
}

/* The mount whose pack has this identity. */
static struct slu_mount *find_mount(const char *hex, struct slu_pack **ret_pack)
{
	for (unsigned i = 0; i < slu_shim.vfs.n; i++) {
		struct slu_open probe = { .mount = &slu_shim.vfs.mounts[i] };
		char name[SLU_ADOPT_NAME];
		if (slu_adopt_name(&probe, name) == 0 && strncmp(name + 7, hex, 32) == 0 &&
		    slu_mount_pack(&slu_shim.vfs, probe.mount, ret_pack) == 0)
			return probe.mount;
	}
	return NULL;
}

static int fill(struct slu_open *o, struct slu_mount *m, struct slu_pack *p, uint64_t node, bool readable)
{
	int kind = slu_node_kind(p, node);
	uint64_t sample;

	o->mount = m;
	o->node = node;
	if (kind == SLU_DIR) {
		o->kind = SLU_OPEN_DIR;
		return 0;
	}
	o->kind = SLU_OPEN_FILE;
	atomic_store(&o->real, readable); /* else it was damaged, and will be found so again */
	if (kind != SLU_SAMPLE || slu_node_sample(p, node, &sample) < 0)
		return -ENOENT;
	return slu_file_init(&o->file, p, sample);
}

void slu_adopt(int fd)
{
	char name[PATH_MAX], *end;
	struct slu_open *o;
	struct slu_mount *m;
	struct slu_pack *p;
	uint64_t node;
	int flags;

	if (slu_host_fd_path(fd, name) < 0 || strncmp(name, PREFIX, strlen(PREFIX)) != 0 ||
	    strlen(name) < strlen(PREFIX) + 34 || name[strlen(PREFIX) + 32] != ':')
		return;
	node = strtoull(name + strlen(PREFIX) + 33, &end, 10);
	m = *end == ' ' || *end == 0 ? find_mount(name + strlen(PREFIX), &p) : NULL;
	if (!m || slu_fds_new(&slu_shim.fds, O_RDONLY, &o) < 0)
		return;
	flags = fcntl(fd, F_GETFL);
	if (flags < 0 || fill(o, m, p, node, (flags & O_ACCMODE) != O_WRONLY) < 0 ||
	    slu_fds_bind(&slu_shim.fds, fd, o) < 0)
		slu_put(o);
}

void slu_adopt_inherited(void)
{
	char buf[4096];
	long n, fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	while ((n = syscall(SYS_getdents64, fd, buf, sizeof(buf))) > 0)
		for (long at = 0; at < n; at += ((struct dirent64 *)(void *)(buf + at))->d_reclen) {
			int other = atoi(((struct dirent64 *)(void *)(buf + at))->d_name);
			if (other != fd && !slu_vfs_keeps(&slu_shim.vfs, other))
				slu_adopt(other);
		}
	close((int)fd);
}
