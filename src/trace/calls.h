/* SPDX-License-Identifier: MIT */
/*
 * The calls that are recorded, declared once: their numbers, their names in reports, their families.
 *
 * A call here stands for all the names that libc has for it (openat64 is "open"). Numbers are part of the log's format:
 * new ones go to the end of their list, and a reader takes a number that it does not know for SLU_FAMILY_OTHER.
 */
#ifndef SLU_TRACE_CALLS_H
#define SLU_TRACE_CALLS_H

/* What a call is about. The first ones have a counter in each file's record: SLU_COUNTED. */
#define SLU_FAMILIES(X)                                                                                                \
	X(OPEN, "open")                                                                                                \
	X(CLOSE, "close")                                                                                              \
	X(SEEK, "seek")                                                                                                \
	X(STAT, "stat")                                                                                                \
	X(DIR, "directory")                                                                                            \
	X(MAP, "map")                                                                                                  \
	X(SYNC, "sync")                                                                                                \
	X(CHANGE, "change")                                                                                            \
	X(OTHER, "other")                                                                                              \
	X(READ, "read")                                                                                                \
	X(WRITE, "write")

enum slu_family {
#define SLU_X(id, name) SLU_FAMILY_##id,
	SLU_FAMILIES(SLU_X)
#undef SLU_X
		SLU_N_FAMILIES,
	SLU_COUNTED = SLU_FAMILY_READ, /* READ and WRITE have more than a counter: struct slu_log_side */
};

#define SLU_CALLS(X)                                                                                                   \
	X(OPEN, "open", OPEN)            /* open, openat, creat, openat2 */                                            \
	X(FOPEN, "fopen", OPEN)          /* fopen, freopen, fdopen */                                                  \
	X(MKSTEMP, "mkstemp", OPEN)      /* mkstemp, mkostemp and the like */                                          \
	X(CLOSE, "close", CLOSE)         /* close, and each descriptor that close_range closes */                      \
	X(FCLOSE, "fclose", CLOSE)       /* */                                                                         \
	X(READ, "read", READ)            /* */                                                                         \
	X(PREAD, "pread", READ)          /* */                                                                         \
	X(READV, "readv", READ)          /* readv, preadv, preadv2 */                                                  \
	X(FREAD, "fread", READ)          /* */                                                                         \
	X(FGETS, "fgets", READ)          /* lines and characters: fgets, getline, getc, scanf */                       \
	X(COPY_IN, "copy (in)", READ)    /* what sendfile, splice, copy_file_range read */                             \
	X(AIO_READ, "aio_read", READ)    /* asked for by aio_read, lio_listio, io_submit: bytes as asked */            \
	X(URING, "io_uring", OTHER)      /* submissions; what they do is not seen */                                   \
	X(WRITE, "write", WRITE)         /* */                                                                         \
	X(PWRITE, "pwrite", WRITE)       /* */                                                                         \
	X(WRITEV, "writev", WRITE)       /* writev, pwritev, pwritev2 */                                               \
	X(FWRITE, "fwrite", WRITE)       /* */                                                                         \
	X(FPUTS, "fputs", WRITE)         /* fputs, putc, puts, putw */                                                 \
	X(FPRINTF, "fprintf", WRITE)     /* */                                                                         \
	X(COPY_OUT, "copy (out)", WRITE) /* what sendfile, splice, copy_file_range write */                            \
	X(AIO_WRITE, "aio_write", WRITE) /* */                                                                         \
	X(LSEEK, "lseek", SEEK)          /* */                                                                         \
	X(FSEEK, "fseek", SEEK)          /* fseek, ftell, rewind, fgetpos, fsetpos */                                  \
	X(STAT, "stat", STAT)            /* */                                                                         \
	X(LSTAT, "lstat", STAT)          /* */                                                                         \
	X(FSTAT, "fstat", STAT)          /* */                                                                         \
	X(FSTATAT, "fstatat", STAT)      /* */                                                                         \
	X(STATX, "statx", STAT)          /* */                                                                         \
	X(ACCESS, "access", STAT)        /* */                                                                         \
	X(READLINK, "readlink", STAT)    /* readlink, realpath */                                                      \
	X(STATFS, "statfs", STAT)        /* statfs, statvfs, pathconf */                                               \
	X(XATTR, "xattr", STAT)          /* reading attributes */                                                      \
	X(OPENDIR, "opendir", DIR)       /* */                                                                         \
	X(READDIR, "readdir", DIR)       /* */                                                                         \
	X(CLOSEDIR, "closedir", DIR)     /* */                                                                         \
	X(SEEKDIR, "seekdir", DIR)       /* */                                                                         \
	X(GETDENTS, "getdents", DIR)     /* */                                                                         \
	X(SCANDIR, "scandir", DIR)       /* */                                                                         \
	X(FTW, "nftw", DIR)              /* nftw, ftw: one for each call of the program's function */                  \
	X(FTS, "fts", DIR)               /* fts_open, and one for each entry */                                        \
	X(GLOB, "glob", DIR)             /* glob, wordexp */                                                           \
	X(MMAP, "mmap", MAP)             /* of files only */                                                           \
	X(MUNMAP, "munmap", MAP)         /* */                                                                         \
	X(MSYNC, "msync", SYNC)          /* */                                                                         \
	X(FSYNC, "fsync", SYNC)          /* */                                                                         \
	X(FDATASYNC, "fdatasync", SYNC)  /* */                                                                         \
	X(SYNC, "sync", SYNC)            /* sync, syncfs, sync_file_range */                                           \
	X(FFLUSH, "fflush", SYNC)        /* */                                                                         \
	X(RENAME, "rename", CHANGE)      /* */                                                                         \
	X(UNLINK, "unlink", CHANGE)      /* unlink, rmdir, remove */                                                   \
	X(MKDIR, "mkdir", CHANGE)        /* */                                                                         \
	X(LINK, "link", CHANGE)          /* link, symlink, mknod, mkfifo */                                            \
	X(TRUNCATE, "truncate", CHANGE)  /* truncate, ftruncate, fallocate */                                          \
	X(CHMOD, "chmod", CHANGE)        /* chmod, chown, utime, setting extended attributes */                        \
	X(HINT, "fadvise", OTHER)        /* posix_fadvise, readahead */                                                \
	X(LOCK, "lock", OTHER)           /* flock, lockf */

enum slu_call {
#define SLU_X(id, name, family) SLU_CALL_##id,
	SLU_CALLS(SLU_X)
#undef SLU_X
		SLU_N_CALLS,
};

/* "read"; for an unknown number "other". */
const char *slu_call_name(unsigned call);

static inline enum slu_family slu_call_family(unsigned call)
{
	static const unsigned char families[SLU_N_CALLS] = {
#define SLU_X(id, name, family) SLU_FAMILY_##family,
		SLU_CALLS(SLU_X)
#undef SLU_X
	};

	return call < SLU_N_CALLS ? (enum slu_family)families[call] : SLU_FAMILY_OTHER;
}

const char *slu_family_name(unsigned family);

/* Spans: what a stretch of a program's time is spent on, as the program says. */
#define SLU_SPANS(X)                                                                                                   \
	X(OTHER, "other")                                                                                              \
	X(COMPUTE, "compute")                                                                                          \
	X(WAIT, "wait") /* for data */                                                                                 \
	X(IO, "io")                                                                                                    \
	X(DECODE, "decode")                                                                                            \
	X(CHECKPOINT, "checkpoint")                                                                                    \
	X(EPOCH, "epoch") /* contains others; its index is the epoch's number */

const char *slu_span_name(unsigned kind);

#endif
