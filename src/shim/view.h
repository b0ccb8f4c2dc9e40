/* SPDX-License-Identifier: MIT */
/*
 * The view's answers to the calls that are also recorded: slu_view_NAME() does what NAME() is to do in the program. The
 * name itself is defined in traced-*.c, which asks the view and tells the recorder. What one wrapper asks of another is
 * asked here, so that nothing is recorded twice.
 */
#ifndef SLU_SHIM_VIEW_H
#define SLU_SHIM_VIEW_H

#include <aio.h>
#include <dirent.h>
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <linux/aio_abi.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>
#include <wordexp.h>

/* Names that headers do not have, or not always. */
ssize_t __read_chk(int fd, void *buf, size_t n, size_t room);
ssize_t __pread_chk(int fd, void *buf, size_t n, off_t offset, size_t room);
ssize_t __readlink_chk(const char *path, char *buf, size_t n, size_t room);
ssize_t __readlinkat_chk(int dirfd, const char *path, char *buf, size_t n, size_t room);
char *__realpath_chk(const char *path, char *resolved, size_t room);
int __fxstatat(int version, int dirfd, const char *path, struct stat *st, int flags);
int __xstat(int version, const char *path, struct stat *st);
int __lxstat(int version, const char *path, struct stat *st);
int __fxstat(int version, int fd, struct stat *st);
int openat2(int dirfd, const char *path, const struct open_how *how, size_t size);
int io_submit(aio_context_t context, long n, struct iocb **list);
int readdir64_r(DIR *d, struct dirent64 *entry, struct dirent64 **result);
ssize_t getdirentries(int fd, char *buf, size_t room, off_t *base);

#define SLU_VIEW(name) extern __typeof__(name) slu_view_##name __attribute__((visibility("hidden")))

/* async.c */
SLU_VIEW(aio_read);
SLU_VIEW(lio_listio);
SLU_VIEW(io_submit);

/* change.c */
SLU_VIEW(unlink);
SLU_VIEW(unlinkat);
SLU_VIEW(rmdir);
SLU_VIEW(remove);
SLU_VIEW(mkdir);
SLU_VIEW(mkdirat);
SLU_VIEW(mknod);
SLU_VIEW(mknodat);
SLU_VIEW(mkfifo);
SLU_VIEW(mkfifoat);
SLU_VIEW(symlinkat);
SLU_VIEW(symlink);
SLU_VIEW(truncate);
SLU_VIEW(chmod);
SLU_VIEW(lchmod);
SLU_VIEW(fchmodat);
SLU_VIEW(chown);
SLU_VIEW(lchown);
SLU_VIEW(fchownat);
SLU_VIEW(utime);
SLU_VIEW(utimes);
SLU_VIEW(lutimes);
SLU_VIEW(futimesat);
SLU_VIEW(utimensat);
SLU_VIEW(renameat2);
SLU_VIEW(renameat);
SLU_VIEW(rename);
SLU_VIEW(linkat);
SLU_VIEW(link);
SLU_VIEW(fchmod);
SLU_VIEW(fchown);
SLU_VIEW(futimens);
SLU_VIEW(futimes);
SLU_VIEW(ftruncate);
SLU_VIEW(fallocate);
SLU_VIEW(posix_fallocate);
SLU_VIEW(write);
SLU_VIEW(pwrite);
SLU_VIEW(writev);
SLU_VIEW(pwritev);
SLU_VIEW(pwritev2);
SLU_VIEW(fsync);
SLU_VIEW(fdatasync);
SLU_VIEW(syncfs);
SLU_VIEW(sync_file_range);
SLU_VIEW(mkstemp);
SLU_VIEW(mkostemp);
SLU_VIEW(mkstemps);
SLU_VIEW(mkostemps);
SLU_VIEW(mkdtemp);

/* dir.c */
SLU_VIEW(opendir);
SLU_VIEW(fdopendir);
SLU_VIEW(readdir64);
SLU_VIEW(readdir64_r);
SLU_VIEW(closedir);
SLU_VIEW(rewinddir);
SLU_VIEW(seekdir);
SLU_VIEW(telldir);
SLU_VIEW(getdents64);
SLU_VIEW(getdirentries);

/* fts.c */
SLU_VIEW(fts_read);
SLU_VIEW(fts_children);
SLU_VIEW(fts_close);
SLU_VIEW(fts_open);

/* info.c */
SLU_VIEW(getxattr);
SLU_VIEW(lgetxattr);
SLU_VIEW(listxattr);
SLU_VIEW(llistxattr);
SLU_VIEW(setxattr);
SLU_VIEW(lsetxattr);
SLU_VIEW(removexattr);
SLU_VIEW(lremovexattr);
SLU_VIEW(fgetxattr);
SLU_VIEW(flistxattr);
SLU_VIEW(fsetxattr);
SLU_VIEW(fremovexattr);
SLU_VIEW(statfs);
SLU_VIEW(statvfs);
SLU_VIEW(fstatfs);
SLU_VIEW(fstatvfs);
SLU_VIEW(pathconf);
SLU_VIEW(fpathconf);

/* map.c */
SLU_VIEW(mmap);
SLU_VIEW(munmap);
SLU_VIEW(mremap);

/* newfd.c */
SLU_VIEW(fclose);

/* open.c */
SLU_VIEW(close);
SLU_VIEW(close_range);

/* plumb.c */
SLU_VIEW(dup);
SLU_VIEW(dup2);
SLU_VIEW(dup3);
SLU_VIEW(fcntl);
SLU_VIEW(flock);
SLU_VIEW(lockf);

/* rawcall.c */
SLU_VIEW(openat2);

/* read.c */
SLU_VIEW(read);
SLU_VIEW(pread);
SLU_VIEW(__read_chk);
SLU_VIEW(__pread_chk);
SLU_VIEW(readv);
SLU_VIEW(preadv);
SLU_VIEW(preadv2);
SLU_VIEW(lseek);
SLU_VIEW(sendfile);
SLU_VIEW(splice);
SLU_VIEW(copy_file_range);
SLU_VIEW(posix_fadvise);
SLU_VIEW(readahead);

/* stat.c */
SLU_VIEW(fstatat);
SLU_VIEW(stat);
SLU_VIEW(lstat);
SLU_VIEW(fstat);
SLU_VIEW(__fxstatat);
SLU_VIEW(__xstat);
SLU_VIEW(__lxstat);
SLU_VIEW(__fxstat);
SLU_VIEW(statx);
SLU_VIEW(faccessat);
SLU_VIEW(access);
SLU_VIEW(eaccess);
SLU_VIEW(readlinkat);
SLU_VIEW(readlink);
SLU_VIEW(__readlink_chk);
SLU_VIEW(__readlinkat_chk);
SLU_VIEW(realpath);
SLU_VIEW(canonicalize_file_name);
SLU_VIEW(__realpath_chk);

/* stdio.c */
SLU_VIEW(fopen);
SLU_VIEW(fdopen);
SLU_VIEW(freopen);

/* walk.c */
SLU_VIEW(scandirat);
SLU_VIEW(scandir);
SLU_VIEW(nftw);
SLU_VIEW(ftw);
SLU_VIEW(glob);
SLU_VIEW(wordexp);

/* On 64-bit systems the two are one. */
static inline struct dirent *slu_view_readdir(DIR *d)
{
	return (struct dirent *)slu_view_readdir64(d);
}

#undef SLU_VIEW

#endif
