/* SPDX-License-Identifier: MIT */
/* Hints, and copies that the kernel makes: sendfile, splice, copy_file_range, FICLONE. */
#include "compat.h"
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>

static void take(const char *what, int fd, long long n)
{
	long long have = 0;
	while (have < n) {
		ssize_t got = read(fd, buf + have, (size_t)(n - have));
		if (got <= 0)
			break;
		have += got;
	}
	bytes(what, buf, have);
}

static void contents(const char *what, int out)
{
	struct stat st;
	fstat(out, &st);
	bytes(what, buf, pread(out, buf, sizeof(buf), 0));
	if (ftruncate(out, 0) || lseek(out, 0, SEEK_SET))
		printf("cannot empty the output\n");
}

static void one_file(const char *rel, off_t size)
{
	printf("--- %s\n", rel);
	int fd = (int)R(open(P(rel), O_RDONLY)), p[2], s[2];
	int out = (int)R(open("out", O_RDWR | O_CREAT | O_TRUNC, 0644));
	R(posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL));
	R(posix_fadvise(fd, 0, size, POSIX_FADV_WILLNEED));
	R(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED));
	R(posix_fadvise64(fd, 10, 10, POSIX_FADV_RANDOM));
	R(posix_fadvise(fd, 0, 0, 77));
	R(posix_fadvise(fd, 0, -1, POSIX_FADV_NORMAL));
	R(readahead(fd, 0, 100));
	R(pipe(p));
	R(socketpair(AF_UNIX, SOCK_STREAM, 0, s));
	R(sendfile(s[0], fd, NULL, 1000));
	take("by a socket", s[1], size < 1000 ? size : 1000);
	R(lseek(fd, 0, SEEK_CUR));
	off_t off = 5;
	R(sendfile(s[0], fd, &off, 500));
	R(off);
	take("from 5", s[1], size < 505 ? size - 5 < 0 ? 0 : size - 5 : 500);
	R(lseek(fd, 0, SEEK_CUR));
	R(sendfile64(p[1], fd, NULL, 300));
	take("by a pipe", p[0], size < 1000 ? 0 : size < 1300 ? size - 1000 : 300);
	R(lseek(fd, 0, SEEK_SET));
	R(sendfile(out, fd, NULL, (size_t)size + 1000));
	contents("to a file", out);
	R(sendfile(out, fd, NULL, 100));
	R(sendfile(fd, out, NULL, 100));
	off = -1;
	R(sendfile(out, fd, &off, 100));
	R(sendfile(99, fd, NULL, 100));
	R(sendfile(out, 99, NULL, 100));
	R(lseek(fd, 0, SEEK_SET));
	long long n = R(splice(fd, NULL, p[1], NULL, 1000, 0));
	take("spliced", p[0], n < 0 ? 0 : n);
	R(lseek(fd, 0, SEEK_CUR));
	loff_t o = 7;
	n = R(splice(fd, &o, p[1], NULL, 1000, 0));
	R(o);
	take("spliced from 7", p[0], n < 0 ? 0 : n);
	R(splice(fd, NULL, out, NULL, 1000, 0));
	R(splice(p[0], NULL, fd, NULL, 1000, SPLICE_F_NONBLOCK));
	R(tee(fd, p[1], 10, 0));
	R(vmsplice(fd, &(struct iovec){ buf, 1 }, 1, 0));
	R(lseek(fd, 0, SEEK_SET));
	/* How much one call copies, and across which file systems, is the kernel's choice: the sum counts. */
	long long sum = 0;
	do {
		n = copy_file_range(fd, NULL, out, NULL, (size_t)1 << 30, 0);
		sum += n > 0 ? n : 0;
	} while (n > 0);
	MUST(n == 0 || (sum == 0 && (errno == EXDEV || errno == EINVAL || errno == EOPNOTSUPP || errno == ENOSYS)));
	MUST(lseek(fd, 0, SEEK_CUR) == sum);
	if (n == 0 && sum == size)
		MUST(pread(out, buf, sizeof(buf), 0) == size);
	if (ftruncate(out, 0))
		printf("cannot empty the output\n");
	R(copy_file_range(out, NULL, fd, NULL, 10, 0));
	R(copy_file_range(fd, NULL, out, NULL, 10, 1));
	R(copy_file_range(99, NULL, out, NULL, 10, 0));
	MUST(ioctl(out, FICLONE, fd) == -1 &&
	     (errno == EOPNOTSUPP || errno == EXDEV || errno == ENOTTY || errno == EINVAL));
	R(close(fd));
	R(posix_fadvise(fd, 0, 0, POSIX_FADV_NORMAL));
	R(readahead(fd, 0, 100));
	close(out);
	close(p[0]), close(p[1]), close(s[0]), close(s[1]);
	unlink("out");
}

static void run(void)
{
	one_file("text/lines.txt", 2000);
	one_file("comp.txt", TEXT);
	one_file("raw70k.bin", RAW);
	one_file("big.bin", BIG);
	one_file("empty", 0);
	int d = (int)R(open(P("class-a"), O_RDONLY)), out = (int)R(open("/dev/null", O_WRONLY));
	R(posix_fadvise(d, 0, 0, POSIX_FADV_NORMAL));
	R(sendfile(out, d, NULL, 10));
	R(splice(d, NULL, out, NULL, 10, 0));
	R(copy_file_range(d, NULL, out, NULL, 10, 0));
}
