/* SPDX-License-Identifier: MIT */
/*
 * The functions of libc that touch files. See io-symbols.h.
 *
 * Made by going through the symbols that glibc exports, those of older binaries and of the checked (_chk, _2) and
 * 64-bit forms included, and by what libaio and liburing add. Whether a function is covered is not said here:
 * that is asked of the shim itself.
 */
#include "cli/io-symbols.h"

#include <string.h>

#include "base/macros.h"

/* Names of one class, divided by spaces. */
struct family {
	enum slu_io_class class;
	const char *names;
};

static const struct family families[] = {
	/* ---- paths and descriptors become files here ---- */
	{ SLU_IO_COVER,
	  "open open64 __open __open64 __open_2 __open64_2 openat openat64 __openat_2 __openat64_2 openat2 "
	  "creat creat64 name_to_handle_at open_tree syscall" },
	{ SLU_IO_COVER, "close __close close_range closefrom" },
	{ SLU_IO_COVER, "fopen fopen64 _IO_fopen freopen freopen64 fdopen _IO_fdopen" },
	{ SLU_IO_COVER, "dup dup2 __dup2 dup3 fcntl fcntl64 __fcntl ioctl flock lockf lockf64 isatty tcgetattr" },
	/* ---- reading ---- */
	{ SLU_IO_COVER, "read __read __read_chk pread pread64 __pread64 __pread_chk __pread64_chk readv preadv "
	                "preadv64 preadv2 preadv64v2 readahead lseek lseek64 __lseek llseek" },
	{ SLU_IO_COVER, "mmap mmap64 munmap mremap" },
	{ SLU_IO_COVER, "posix_fadvise posix_fadvise64 sendfile sendfile64 splice copy_file_range" },
	{ SLU_IO_COVER, "aio_read aio_read64 lio_listio lio_listio64 io_submit" },
	/* ---- metadata ---- */
	{ SLU_IO_COVER, "stat stat64 lstat lstat64 fstat fstat64 fstatat fstatat64 statx __xstat __xstat64 __lxstat "
	                "__lxstat64 __fxstat __fxstat64 __fxstatat __fxstatat64" },
	{ SLU_IO_COVER,
	  "access faccessat eaccess euidaccess readlink readlinkat __readlink_chk __readlinkat_chk realpath "
	  "__realpath_chk canonicalize_file_name" },
	{ SLU_IO_COVER,
	  "statfs statfs64 __statfs fstatfs fstatfs64 statvfs statvfs64 fstatvfs fstatvfs64 pathconf fpathconf" },
	{ SLU_IO_COVER, "getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr" },
	/* ---- directories ---- */
	{ SLU_IO_COVER,
	  "opendir fdopendir readdir readdir64 readdir_r readdir64_r closedir rewinddir telldir seekdir dirfd "
	  "scandir scandir64 scandirat scandirat64 getdents64 getdirentries getdirentries64" },
	{ SLU_IO_COVER,
	  "fts_open fts_read fts_children fts_close fts_set fts64_open fts64_read fts64_children fts64_close "
	  "fts64_set ftw ftw64 nftw nftw64 glob glob64 wordexp" },
	{ SLU_IO_COVER, "chdir fchdir getcwd __getcwd_chk getwd __getwd_chk get_current_dir_name" },
	/* ---- changes, which a mount refuses ---- */
	{ SLU_IO_COVER,
	  "unlink unlinkat remove rename renameat renameat2 mkdir mkdirat rmdir link linkat symlink symlinkat "
	  "mkfifo mkfifoat mknod mknodat __xmknod __xmknodat truncate truncate64 ftruncate ftruncate64" },
	{ SLU_IO_COVER,
	  "chmod fchmod fchmodat lchmod chown fchown lchown fchownat utime utimes lutimes futimes futimesat "
	  "futimens utimensat setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr" },
	{ SLU_IO_COVER, "mkstemp mkstemp64 mkostemp mkostemp64 mkstemps mkstemps64 mkostemps mkostemps64 mkdtemp" },
	{ SLU_IO_COVER,
	  "write __write pwrite pwrite64 __pwrite64 writev pwritev pwritev64 pwritev2 pwritev64v2 fallocate "
	  "fallocate64 posix_fallocate posix_fallocate64 fsync fdatasync syncfs sync_file_range" },
	/* ---- other processes ---- */
	{ SLU_IO_COVER,
	  "execve execv execvp execvpe execl execle execlp execveat fexecve posix_spawn posix_spawnp system "
	  "popen _IO_popen sendmsg sendmmsg" },
	{ SLU_IO_COVER, "vfork __vfork _Fork posix_spawn_file_actions_addopen posix_spawn_file_actions_adddup2 "
	                "posix_spawn_file_actions_addchdir_np posix_spawn_file_actions_destroy" },
	/* The shim is told of a fork() by pthread_atfork(). */
	{ SLU_IO_BY_ITSELF, "fork __fork clone __clone daemon forkpty" },
	{ SLU_IO_BY_ITSELF, "posix_spawn_file_actions_init posix_spawn_file_actions_addclose "
	                    "posix_spawn_file_actions_addclosefrom_np posix_spawn_file_actions_addfchdir_np" },
	/* ---- streams: the shim's are real ones ---- */
	{ SLU_IO_BY_ITSELF,
	  "fclose _IO_fclose fcloseall pclose fileno fileno_unlocked fread fread_unlocked __fread_chk "
	  "__fread_unlocked_chk _IO_fread _IO_sgetn fgets fgets_unlocked __fgets_chk __fgets_unlocked_chk "
	  "_IO_fgets fgetc fgetc_unlocked getc getc_unlocked _IO_getc __uflow __underflow ungetc "
	  "_IO_ungetc getw getline getdelim __getdelim" },
	{ SLU_IO_BY_ITSELF,
	  "fseek fseeko fseeko64 __fseeko64 ftell ftello ftello64 __ftello64 _IO_ftell rewind fgetpos "
	  "fgetpos64 fsetpos fsetpos64 setvbuf setbuf setbuffer setlinebuf feof feof_unlocked ferror "
	  "ferror_unlocked clearerr clearerr_unlocked fflush fflush_unlocked _IO_fflush" },
	{ SLU_IO_BY_ITSELF, "fscanf vfscanf __isoc99_fscanf __isoc99_vfscanf __isoc23_fscanf __isoc23_vfscanf fgetwc "
	                    "fgetwc_unlocked fgetws fgetws_unlocked __fgetws_chk getwc getwc_unlocked fwscanf vfwscanf "
	                    "flockfile funlockfile ftrylockfile fopencookie" },
	{ SLU_IO_BY_ITSELF,
	  "fwrite fwrite_unlocked fputs fputs_unlocked fputc fputc_unlocked putc putc_unlocked fprintf "
	  "vfprintf __fprintf_chk __vfprintf_chk dprintf vdprintf" },
	/* ---- descriptors and mappings: the kernel's answer is right ---- */
	{ SLU_IO_BY_ITSELF,
	  "aio_write aio_write64 aio_fsync aio_fsync64 aio_error aio_error64 aio_return "
	  "aio_return64 aio_suspend aio_suspend64 aio_cancel aio_cancel64 io_setup io_destroy io_getevents" },
	{ SLU_IO_BY_ITSELF, "msync madvise posix_madvise mprotect mincore mlock "
	                    "mlock2 munlock" },
	{ SLU_IO_BY_ITSELF,
	  "select __select pselect poll __poll __poll_chk ppoll __ppoll_chk epoll_ctl recvmsg recvmmsg tee "
	  "vmsplice ttyname ttyname_r tcgetpgrp tcsetattr pidfd_getfd" },
	/* ---- calls by path that reading of data does not need ---- */
	{ SLU_IO_LIMIT,
	  "dlopen dlmopen chroot pivot_root mount umount umount2 move_mount fsopen fspick mount_setattr swapon "
	  "swapoff acct quotactl uselib revoke open_by_handle_at inotify_add_watch fanotify_mark bind connect "
	  "ftok bindtextdomain catopen setmntent mktemp tempnam tmpnam tmpnam_r tmpfile tmpfile64" },
	/* liburing's ways to make a ring; what is put into one later cannot be seen, but from then on files are real.
	 */
	{ SLU_IO_COVER, "io_uring_queue_init io_uring_queue_init_params io_uring_queue_init_mem io_uring_setup" },
};

static const char *next_name(const char *at, size_t *ret_len)
{
	at += strspn(at, " ");
	*ret_len = strcspn(at, " ");
	return at;
}

enum slu_io_class slu_io_class(const char *symbol)
{
	size_t want = strlen(symbol), n;

	for (size_t i = 0; i < SLU_ARRAY_SIZE(families); i++)
		for (const char *s = next_name(families[i].names, &n); n; s = next_name(s + n, &n))
			if (n == want && memcmp(s, symbol, n) == 0)
				return families[i].class;
	return SLU_IO_NONE;
}
