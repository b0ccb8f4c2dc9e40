/* SPDX-License-Identifier: MIT */
/* The main calls through syscall(): a libc symbol, though a different one. */
#include "compat.h"
#include <sys/mman.h>
#include <sys/uio.h>

static void run(void)
{
	struct stat st;
	struct statx x;
	struct iovec v[2] = { { buf, 10 }, { buf + 10, 20 } };
	int d = (int)R(syscall(SYS_openat, AT_FDCWD, point, O_RDONLY | O_DIRECTORY));
	int fd = (int)R(syscall(SYS_openat, d, "comp.txt", O_RDONLY | O_CLOEXEC, 0));
	bytes("read", buf, R(syscall(SYS_read, fd, buf, 1000)));
	bytes("pread64", buf, R(syscall(SYS_pread64, fd, buf, 1000, 777)));
	bytes("readv", buf, R(syscall(SYS_readv, fd, v, 2)));
	bytes("preadv", buf, R(syscall(SYS_preadv, fd, v, 2, 5, 0)));
	bytes("preadv2", buf, R(syscall(SYS_preadv2, fd, v, 2, 5, 0, 0)));
	R(syscall(SYS_lseek, fd, 0, SEEK_CUR));
	R(syscall(SYS_lseek, fd, -10, SEEK_END));
	R(syscall(SYS_lseek, fd, -10, SEEK_SET));
	R(syscall(SYS_fstat, fd, &st));
	stat_line("fstat", &st);
	R(syscall(SYS_newfstatat, d, "links/rel", &st, 0));
	stat_line("newfstatat", &st);
	R(syscall(SYS_newfstatat, d, "links/rel", &st, AT_SYMLINK_NOFOLLOW));
	stat_line("newfstatat", &st);
	R(syscall(SYS_newfstatat, fd, "", &st, AT_EMPTY_PATH));
	R(syscall(SYS_statx, d, "comp.txt", 0, STATX_BASIC_STATS, &x));
	R(x.stx_size);
	R(syscall(SYS_faccessat, d, "comp.txt", R_OK));
	R(syscall(SYS_faccessat, d, "comp.txt", W_OK));
	R(syscall(SYS_faccessat, d, "no-such", R_OK));
	long long n = R(syscall(SYS_readlinkat, d, "links/rel", buf, 100));
	bytes("readlinkat", buf, n);
	int e = (int)R(syscall(SYS_dup, fd));
	R(syscall(SYS_lseek, e, 0, SEEK_CUR));
	R(syscall(SYS_dup3, fd, 20, O_CLOEXEC));
	R(syscall(SYS_fcntl, 20, F_GETFD));
	R(syscall(SYS_fcntl, fd, F_DUPFD, 30));
	R(syscall(SYS_close, e));
	R(syscall(SYS_close, e));
	n = R(syscall(SYS_getdents64, d, buf, 65536)) > 0;
	void *m = (void *)syscall(SYS_mmap, NULL, (size_t)TEXT, PROT_READ, MAP_SHARED, fd, (off_t)0);
	R(m != MAP_FAILED);
	if (m != MAP_FAILED)
		bytes("mmap", m, TEXT);
	R(syscall(SYS_openat, d, "new", O_WRONLY | O_CREAT, 0644));
	R(syscall(SYS_unlinkat, d, "comp.txt", 0));
	R(syscall(SYS_mkdirat, d, "new", 0755));
	R(syscall(SYS_renameat2, d, "comp.txt", d, "new", 0));
	R(syscall(SYS_symlinkat, "x", d, "new"));
	R(syscall(SYS_fchmodat, d, "comp.txt", 0600));
	R(syscall(SYS_ftruncate, fd, 0));
	R(syscall(SYS_write, fd, "x", 1));
	R(syscall(SYS_fchdir, d));
	R(syscall(SYS_getcwd, buf, 4096) > 0);
	puts(buf);
	R(syscall(SYS_openat, AT_FDCWD, "text/lines.txt", O_RDONLY));
	R(syscall(SYS_chdir, "class-a"));
	R(syscall(SYS_faccessat, AT_FDCWD, "img-00.jpg", R_OK));
	int out = (int)R(open("/dev/null", O_WRONLY));
	R(syscall(SYS_lseek, fd, 0, SEEK_SET));
	R(syscall(SYS_sendfile, out, fd, NULL, 100));
	R(syscall(SYS_lseek, fd, 0, SEEK_CUR));
	R(syscall(SYS_fadvise64, fd, 0, 0, 0));
	R(syscall(SYS_ioctl, fd, 0x5401, buf));
	R(syscall(SYS_flock, fd, 5));
	R(syscall(SYS_fsync, fd));
	R(syscall(SYS_close_range, 20, ~0U, 0));
	R(fcntl(20, F_GETFD));
#ifdef SYS_open
	int o = (int)R(syscall(SYS_open, P("comp.txt"), O_RDONLY));
	R(syscall(SYS_stat, P("comp.txt"), &st));
	R(syscall(SYS_lstat, P("links/rel"), &st));
	R(syscall(SYS_access, P("comp.txt"), W_OK));
	R(syscall(SYS_readlink, P("links/rel"), buf, 10));
	R(syscall(SYS_dup2, o, 25));
	R(syscall(SYS_unlink, P("comp.txt")));
	R(syscall(SYS_rename, P("comp.txt"), P("new")));
	R(syscall(SYS_mkdir, P("new"), 0755));
	R(syscall(SYS_rmdir, P("empty-dir")));
	R(syscall(SYS_chmod, P("comp.txt"), 0600));
	R(syscall(SYS_creat, P("new"), 0600));
	R(syscall(SYS_truncate, P("comp.txt"), 0));
#endif
	/* calls that have nothing to do with files */
	R(syscall(SYS_getpid) == getpid());
	R(syscall(SYS_gettid) == gettid());
	R(syscall(-1));
}
