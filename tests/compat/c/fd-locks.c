/* SPDX-License-Identifier: MIT */
/* flock, record locks, open-file-description locks, lockf. */
#include "compat.h"
#include <sys/file.h>

static int lk(int fd, int cmd, short type, off_t start, off_t len, struct flock *ret)
{
	struct flock f = { .l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = len };
	int rc = fcntl(fd, cmd, &f);
	if (ret)
		*ret = f;
	return rc;
}

static void child(const char *what, void (*f)(void))
{
	pid_t pid = fork();
	if (pid == 0) {
		f();
		_exit(0);
	}
	ended(what, pid);
}

static int a, b;

static void try_both(void)
{
	int c = open(P("text/lines.txt"), O_RDONLY);
	R(flock(c, LOCK_SH | LOCK_NB));
	R(flock(c, LOCK_EX | LOCK_NB));
	close(c);
}

static void record_locks(void)
{
	struct flock f;
	int c = open(P("text/lines.txt"), O_RDONLY);
	R(lk(c, F_GETLK, F_RDLCK, 0, 10, &f));
	R(f.l_type);
	R(lk(c, F_SETLK, F_RDLCK, 0, 10, NULL));
	R(lk(c, F_SETLK, F_WRLCK, 0, 10, NULL));
	R(lk(c, F_OFD_SETLK, F_RDLCK, 20, 10, NULL));
	close(c);
}

static void use_inherited(void)
{
	R(flock(a, LOCK_UN)); /* the same description: the parent's lock goes */
}

static void run(void)
{
	a = (int)R(open(P("text/lines.txt"), O_RDONLY));
	b = (int)R(open(P("text/lines.txt"), O_RDONLY));
	int d = (int)R(dup(a)), other = (int)R(open(P("comp.txt"), O_RDONLY));
	R(flock(a, LOCK_SH));
	R(flock(b, LOCK_SH | LOCK_NB));
	R(flock(b, LOCK_EX | LOCK_NB));
	R(flock(a, LOCK_UN));
	R(flock(b, LOCK_EX | LOCK_NB));
	R(flock(a, LOCK_SH | LOCK_NB));
	R(flock(d, LOCK_SH | LOCK_NB));
	R(flock(other, LOCK_EX | LOCK_NB)); /* another file: no concern of theirs */
	child("other process", try_both);
	R(flock(b, LOCK_UN));
	child("other process", try_both);
	R(flock(a, LOCK_EX | LOCK_NB));
	R(flock(d, LOCK_EX | LOCK_NB));
	child("the inherited one", use_inherited);
	R(flock(b, LOCK_EX | LOCK_NB));
	R(close(b)); /* the last close frees it */
	R(flock(a, LOCK_EX | LOCK_NB));
	R(flock(a, 77));
	R(flock(99, LOCK_SH));
	R(flock(d, LOCK_UN));

	struct flock f;
	R(lk(a, F_SETLK, F_RDLCK, 0, 100, NULL));
	R(lk(a, F_SETLKW, F_RDLCK, 0, 100, NULL));
	R(lk(a, F_SETLK, F_WRLCK, 0, 100, NULL));
	R(lk(a, F_GETLK, F_WRLCK, 0, 100, &f));
	R(f.l_type);
	child("record locks", record_locks);
	R(lk(a, F_SETLK, F_UNLCK, 0, 0, NULL));
	R(lk(a, F_OFD_SETLK, F_RDLCK, 0, 100, NULL));
	R(lk(d, F_OFD_SETLK, F_RDLCK, 0, 100, NULL));
	b = (int)R(open(P("text/lines.txt"), O_RDONLY));
	R(lk(b, F_OFD_SETLK, F_RDLCK, 0, 100, NULL));
	R(lk(b, F_OFD_SETLK, F_WRLCK, 0, 100, NULL));
	R(lk(b, F_OFD_GETLK, F_RDLCK, 0, 100, &f));
	R(f.l_type);
	R(lk(b, F_SETLK, 77, 0, 100, NULL));
	R(lk(99, F_SETLK, F_RDLCK, 0, 100, NULL));
	R(lockf(a, F_TEST, 10));
	R(lockf(a, F_LOCK, 10));
	R(lockf(a, F_TLOCK, 10));
	R(lockf(a, F_ULOCK, 10));
	R(lockf(99, F_TEST, 10));
	R(lockf(a, 77, 10));
	int dir = (int)R(open(P("class-a"), O_RDONLY));
	R(flock(dir, LOCK_SH | LOCK_NB));
	R(lk(dir, F_SETLK, F_RDLCK, 0, 0, NULL));
}
