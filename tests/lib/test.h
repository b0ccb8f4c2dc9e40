/* SPDX-License-Identifier: MIT */
/*
 * What C tests share: checks that print file, line and both values, and a private
 * directory that is gone afterwards. A test is a program: exit 0 pass, 77 skip,
 * anything else fail. The first failing check ends it.
 */
#ifndef TEST_H
#define TEST_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Both values are compared and shown as signed 64-bit integers. */
#define T_EQ(a, b) t_eq(__FILE__, __LINE__, #a, #b, (int64_t)(a), (int64_t)(b))
#define T_GE(a, b) t_ge(__FILE__, __LINE__, #a, #b, (int64_t)(a), (int64_t)(b))
#define T_TRUE(x) t_true(__FILE__, __LINE__, #x, (x))
/* A result that must not be negative; its value. With slu_errmsg() where T_ERRMSG is defined. */
#define T_OK(x) t_ok(__FILE__, __LINE__, #x, (int64_t)(x))
#define T_ERR(x, e) t_eq(__FILE__, __LINE__, #x, #e, (int64_t)(x), (int64_t)(e))
#define T_STR(a, b) t_str(__FILE__, __LINE__, #a, (a), (b))
/* The text @a contains @b. */
#define T_HAS(a, b) t_has(__FILE__, __LINE__, #a, (a), (b))
#define T_MEM(a, b, n) t_mem(__FILE__, __LINE__, #a, (a), (b), (n))
#define T_FAIL(...) t_fail(__FILE__, __LINE__, __VA_ARGS__)
/* A new directory, removed when the test ends; valid until then. */
#define T_TMPDIR() t_tmpdir(__FILE__, __LINE__)
#define T_SKIP(why)                                                                                                    \
	do {                                                                                                           \
		printf("skipped: %s\n", why);                                                                          \
		exit(77);                                                                                              \
	} while (0)

#ifndef T_ERRMSG
#define T_ERRMSG() ""
#endif

__attribute__((noreturn, format(printf, 3, 4))) static inline void t_fail(const char *file, int line, const char *fmt,
                                                                          ...)
{
	va_list ap;
	va_start(ap, fmt);
	fprintf(stderr, "%s:%d: ", file, line);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
	exit(1);
}

static inline void t_eq(const char *file, int line, const char *as, const char *bs, int64_t a, int64_t b)
{
	if (a != b)
		t_fail(file, line, "%s is %" PRId64 ", not %s = %" PRId64 " [%s]", as, a, bs, b, T_ERRMSG());
}

static inline void t_ge(const char *file, int line, const char *as, const char *bs, int64_t a, int64_t b)
{
	if (a < b)
		t_fail(file, line, "%s is %" PRId64 ", less than %s = %" PRId64, as, a, bs, b);
}

static inline void t_true(const char *file, int line, const char *xs, bool x)
{
	if (!x)
		t_fail(file, line, "not true: %s [%s]", xs, T_ERRMSG());
}

static inline int64_t t_ok(const char *file, int line, const char *xs, int64_t x)
{
	if (x < 0)
		t_fail(file, line, "%s is %" PRId64 " (%s) [%s]", xs, x, strerror((int)-x), T_ERRMSG());
	return x;
}

static inline void t_str(const char *file, int line, const char *as, const char *a, const char *b)
{
	if (!a || !b || strcmp(a, b) != 0)
		t_fail(file, line, "%s is \"%s\", not \"%s\"", as, a ? a : "(null)", b ? b : "(null)");
}

static inline void t_has(const char *file, int line, const char *as, const char *a, const char *b)
{
	if (!a || !strstr(a, b))
		t_fail(file, line, "%s is \"%s\", without \"%s\"", as, a ? a : "(null)", b);
}

static inline void t_mem(const char *file, int line, const char *as, const void *a, const void *b, size_t n)
{
	const unsigned char *x = a, *y = b;
	for (size_t i = 0; i < n; i++)
		if (x[i] != y[i])
			t_fail(file, line, "%s differs at byte %zu: %02x, not %02x", as, i, x[i], y[i]);
}

/* ---- directories and files ------------------------------------------------------ */

static inline void t_remove_tree(int dirfd, const char *name)
{
	int fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	for (struct dirent *e; d && (e = readdir(d));)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && unlinkat(fd, e->d_name, 0) < 0)
			t_remove_tree(fd, e->d_name);
	if (d)
		closedir(d);
	(void)unlinkat(dirfd, name, AT_REMOVEDIR); /* what is left is only a temporary directory */
}

static char t_dir[256];
static pid_t t_owner;

static inline void t_tmpdir_done(void)
{
	if (getpid() == t_owner) /* children inherit the exit handler, not the duty */
		t_remove_tree(AT_FDCWD, t_dir);
}

static inline const char *t_tmpdir(const char *file, int line)
{
	const char *base = getenv("TMPDIR");
	snprintf(t_dir, sizeof(t_dir), "%s/sluice-test-XXXXXX", base && *base ? base : "/tmp");
	if (!mkdtemp(t_dir))
		t_fail(file, line, "mkdtemp: %s", strerror(errno));
	t_owner = getpid();
	atexit(t_tmpdir_done);
	return t_dir;
}

/* "@dir/@name" in one of a few buffers, which take turns. */
static inline const char *t_path(const char *dir, const char *name)
{
	static char buf[8][512];
	static unsigned turn;
	char *p = buf[turn++ % 8];
	if (snprintf(p, sizeof(buf[0]), "%s/%s", dir, name) >= (int)sizeof(buf[0]))
		T_FAIL("a path is too long");
	return p;
}

static inline void t_write_file(const char *path, const void *data, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, data, len) != (ssize_t)len || close(fd) < 0)
		T_FAIL("cannot write %s: %s", path, strerror(errno));
}

/* The whole file, to be freed; *@ret_len its length. */
static inline unsigned char *t_read_file(const char *path, size_t *ret_len)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		T_FAIL("cannot open %s: %s", path, strerror(errno));
	unsigned char *data = malloc((size_t)st.st_size + 1);
	if (!data || read(fd, data, (size_t)st.st_size) != st.st_size)
		T_FAIL("cannot read %s: %s", path, strerror(errno));
	close(fd);
	data[st.st_size] = 0;
	*ret_len = (size_t)st.st_size;
	return data;
}

/* Runs a program with the arguments up to NULL; its exit code, or 128 + signal. */
static inline int t_run(const char *const argv[])
{
	pid_t pid = fork();
	if (pid == 0) {
		execvp(argv[0], (char *const *)argv);
		fprintf(stderr, "cannot run %s: %s\n", argv[0], strerror(errno));
		_exit(127);
	}
	int status = 0;
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		T_FAIL("cannot run %s: %s", argv[0], strerror(errno));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

#define T_RUN(...) t_run((const char *const[]){ __VA_ARGS__, NULL })

/* A variable that tests/meson.build sets; skips the test where it is missing. */
static inline const char *t_env(const char *name)
{
	const char *v = getenv(name);
	if (!v || !*v) {
		printf("skipped: %s is not set\n", name);
		exit(77);
	}
	return v;
}

/* True in suite 'long': no sampling. */
static inline bool t_long(void)
{
	const char *v = getenv("TEST_LONG");
	return v && *v == '1';
}

#endif
