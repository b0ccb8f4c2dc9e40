/* SPDX-License-Identifier: MIT */
/*
 * The watch: filter, listener, answers. See watch.h.
 *
 * Invariants
 *  (1) each notification that is received is answered, whatever we make of it
 *  (2) the answer is always "go on": nothing that we read can change what the program gets, so that it
 *      does no harm if it changes under our eyes
 *  (3) the thread holds nothing but the listener when it waits, and is gone before its process forks or ends
 */
#include "cli/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/macros.h"

#ifndef __NR_close_range
#define __NR_close_range 436
#endif

#if defined(__x86_64__)
#define OUR_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OUR_ARCH AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define OUR_ARCH AUDIT_ARCH_RISCV64
#endif

/* Of headers older than these parts of the interface. */
#ifndef SECCOMP_FILTER_FLAG_NEW_LISTENER
#define SECCOMP_FILTER_FLAG_NEW_LISTENER (1UL << 3)
#endif
#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS _IOW('!', 4, uint64_t)
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP 1
#endif

struct slu_watch {
	int listener;
	pthread_t thread;
	bool running;
	atomic_bool stop;
	const struct slu_watch_list *list;
	int left;
	struct seccomp_notif_sizes sizes; /* the kernel's, which may be larger than those we know */
	struct seccomp_notif *in;
	struct seccomp_notif_resp *out;
	struct slu_outside_table outside;
};

/* ---- in the child ---- */

#ifdef OUR_ARCH

/* Tells the kernel to ask the listener about our calls, and lets all others pass. */
static int install_filter(void)
{
	struct sock_filter code[64];
	struct sock_fprog program = { .filter = code };
	size_t n = 0, count = slu_call_count();
	long fd;

	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
	code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OUR_ARCH, 1, 0);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < count; i++) /* each jumps over the rest and the "allow" */
		code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)slu_call_get(i)->nr,
		                                         (uint8_t)(count - i), 0);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
	program.len = (unsigned short)n;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	/*
	 * A signal should not end a call that waits for us with EINTR, which no program expects of open(). With
	 * this it cannot once we look at the call; until then it can, if the handler was installed without SA_RESTART.
	 */
	fd = syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER,
	             SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, &program);
	if (fd < 0 && errno == EINVAL) /* before Linux 5.19 */
		fd = syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
	return fd < 0 ? -errno : (int)fd;
}

/* The end of a filter's last process shows since 5.9, "go on" is understood since 5.5. */
static bool kernel_is_new_enough(void)
{
	struct utsname u;
	int major = 0, minor = 0;

	return uname(&u) == 0 && sscanf(u.release, "%d.%d", &major, &minor) == 2 &&
	       (major > 5 || (major == 5 && minor >= 9));
}

static int make_listener(void)
{
	return kernel_is_new_enough() ? install_filter() : -ENOSYS;
}

#else

static int make_listener(void)
{
	return -EOPNOTSUPP;
}

#endif

void slu_watch_install(int sock)
{
	int fd = make_listener(), err = fd < 0 ? -fd : 0;
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct iovec io = { .iov_base = &err, .iov_len = sizeof(err) };
	struct msghdr m = { .msg_iov = &io, .msg_iovlen = 1 };

	if (fd >= 0) {
		m.msg_control = control.space;
		m.msg_controllen = sizeof(control.space);
		control.head = (struct cmsghdr){ .cmsg_level = SOL_SOCKET,
			                         .cmsg_type = SCM_RIGHTS,
			                         .cmsg_len = CMSG_LEN(sizeof(fd)) };
		memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	}
	(void)sendmsg(sock, &m, MSG_NOSIGNAL); /* if the parent is gone, so are we soon */
	if (fd >= 0)
		(void)close(fd);
}

/* ---- in the parent ---- */

/* The listener, or the negative errno that the child had. */
static int take_listener(int sock)
{
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} control;
	int err = 0, fd = -1;
	struct iovec io = { .iov_base = &err, .iov_len = sizeof(err) };
	struct msghdr m = {
		.msg_iov = &io, .msg_iovlen = 1, .msg_control = control.space, .msg_controllen = sizeof(control.space)
	};
	ssize_t n;

	do
		n = recvmsg(sock, &m, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n != sizeof(err))
		return -ECHILD;
	if (CMSG_FIRSTHDR(&m) && CMSG_FIRSTHDR(&m)->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(fd));
	return fd >= 0 ? fd : err ? -err : -EPROTO;
}

/* Whether @path is one of @dirs or lies below one. */
static bool lies_below(const char *path, const char *const *dirs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t n = strlen(dirs[i]);

		if (strncmp(path, dirs[i], n) == 0 && (path[n] == '/' || path[n] == 0))
			return true;
	}
	return false;
}

/* Before the answer, while the process is held. */
static void note_below(struct slu_watch *w, const struct slu_asked *a)
{
	char program[16], detail[128];

	if (slu_asked_who(a, program, detail, sizeof(detail)))
		slu_ledger_note_of(w->list->ledger, SLU_NOTE_RAW, 0, (int)a->pid, program, a->path, detail);
}

/* After the answer. Only what is there and is a file of the user's: searches that find nothing are no news. */
static void count_outside(struct slu_watch *w, const struct slu_asked *a)
{
	static const char *const kernels[] = { "/proc", "/sys", "/dev" };
	struct stat st;

	if (a->call->kind != SLU_SEEN_OPEN || (a->flags & O_ACCMODE) != O_RDONLY || (a->flags & (O_PATH | O_DIRECTORY)))
		return;
	if (lies_below(a->path, kernels, SLU_ARRAY_SIZE(kernels)) || lies_below(a->path, w->list->own, w->list->nown))
		return;
	if (stat(a->path, &st) == 0 && S_ISREG(st.st_mode))
		slu_outside_count(&w->outside, a->path);
}

/* What we make of a call, before the answer. Whether *@ret_asked is worth counting after it. */
static bool look_at(struct slu_watch *w, struct slu_asked *ret_asked)
{
	const struct seccomp_notif *in = w->in;
	const struct slu_seen_call *call = slu_call_find(in->data.nr);

	if (!call || slu_asked_read((pid_t)in->pid, call, in->data.instruction_pointer, (const uint64_t *)in->data.args,
	                            ret_asked) < 0)
		return false;
	/* The number may have become another process's while we read. */
	if (ioctl(w->listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &in->id) < 0)
		return false;
	if (!lies_below(ret_asked->path, w->list->points, w->list->n))
		return true;
	note_below(w, ret_asked);
	return false;
}

/* Takes one notification and answers it. */
static void serve_one(struct slu_watch *w, bool look)
{
	struct slu_asked a;
	bool count;

	memset(w->in, 0, slu_max(w->sizes.seccomp_notif, sizeof(*w->in)));
	if (ioctl(w->listener, SECCOMP_IOCTL_NOTIF_RECV, w->in) < 0) {
		if (errno != EINTR && errno != ENOENT) /* ENOENT: it was killed just now */
			(void)usleep(1000);            /* not known to happen; then at least without haste */
		return;
	}
	count = look && look_at(w, &a);
	memset(w->out, 0, slu_max(w->sizes.seccomp_notif_resp, sizeof(*w->out)));
	w->out->id = w->in->id;
	w->out->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	(void)ioctl(w->listener, SECCOMP_IOCTL_NOTIF_SEND, w->out); /* ENOENT: it is gone */
	if (count)
		count_outside(w, &a);
}

/* Answers until the last process is gone, or it is told to stop. */
static void serve(struct slu_watch *w, bool look)
{
	struct pollfd p = { .fd = w->listener, .events = POLLIN };

	while (!atomic_load(&w->stop)) {
		int r = poll(&p, 1, -1);

		if (r > 0 && (p.revents & POLLIN))
			serve_one(w, look);
		else if (r > 0)
			return; /* POLLHUP */
	}
}

static void *watch_thread(void *arg)
{
	serve(arg, true);
	return NULL;
}

static void wake(int sig)
{
	(void)sig; /* only so that a wait ends */
}

static int start_thread(struct slu_watch *w)
{
	struct sigaction act = { .sa_handler = wake }; /* without SA_RESTART */
	int r;

	(void)sigaction(SIGRTMAX, &act, NULL);
	r = pthread_create(&w->thread, NULL, watch_thread, w);
	w->running = r == 0;
	return r ? slu_fail_sys(-r, "cannot start a thread") : 0;
}

static int fail_unwatched(int err)
{
	switch (-err) {
	case EOPNOTSUPP:
		return slu_fail(-EOPNOTSUPP, "this is not known to work on this machine's kind of processor");
	case ENOSYS:
	case EINVAL:
		return slu_fail(-EOPNOTSUPP, "this needs Linux 5.9 or newer, with seccomp");
	case EBUSY:
		return slu_fail(-EOPNOTSUPP, "the program is being watched by someone else already");
	default:
		return slu_fail_sys(-EOPNOTSUPP, "the seccomp filter could not be installed (%s)", strerror(-err));
	}
}

int slu_watch_start(int sock, const struct slu_watch_list *list, struct slu_watch **ret_watch)
{
	struct slu_watch *w;
	int r, fd = take_listener(sock);

	if (fd < 0)
		return fail_unwatched(fd);
	w = calloc(1, sizeof(*w));
	if (!w) {
		close(fd);
		return slu_fail_memory();
	}
	w->listener = fd;
	w->list = list;
	/* We and the program take turns: from Linux 6.6 on the kernel can be told so. Else it is only slower. */
	(void)ioctl(fd, SECCOMP_IOCTL_NOTIF_SET_FLAGS, (uint64_t)SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
	(void)syscall(__NR_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &w->sizes); /* older than the listener that we have */
	w->in = calloc(1, slu_max(w->sizes.seccomp_notif, sizeof(*w->in)));
	w->out = calloc(1, slu_max(w->sizes.seccomp_notif_resp, sizeof(*w->out)));
	r = w->in && w->out ? start_thread(w) : slu_fail_memory();
	if (r < 0)
		slu_watch_free(w); /* and with it the listener: the program's calls now fail, and so does the run */
	else
		*ret_watch = w;
	return r;
}

/* For what goes on in the background: a process that answers, and holds nothing of anybody's. */
static void leave_caretaker(struct slu_watch *w)
{
	pid_t pid = fork();

	if (pid != 0) {
		w->left = 1;
		return;
	}
	(void)setsid();
	(void)syscall(__NR_close_range, 3U, (unsigned)w->listener - 1, 0U);
	(void)syscall(__NR_close_range, (unsigned)w->listener + 1, ~0U, 0U);
	for (int fd = 0; fd <= 2; fd++) /* a pipe to the next program must see its end */
		(void)close(fd);
	(void)open("/dev/null", O_RDWR);
	(void)dup(0);
	(void)dup(0);
	(void)!chdir("/");
	atomic_store(&w->stop, false);
	serve(w, false);
	_exit(0);
}

void slu_watch_stop(struct slu_watch *w)
{
	struct timespec until;
	struct pollfd p = { .fd = w->listener, .events = POLLIN };

	if (!w->running)
		return;
	atomic_store(&w->stop, true);
	do { /* more than once: the first may come just before it begins to wait */
		(void)pthread_kill(w->thread, SIGRTMAX);
		(void)clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 10000000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
	} while (pthread_timedjoin_np(w->thread, NULL, &until) == ETIMEDOUT);
	w->running = false;
	if (poll(&p, 1, 0) <= 0 || !(p.revents & POLLHUP))
		leave_caretaker(w);
	slu_outside_sort(&w->outside);
}

void slu_watch_free(struct slu_watch *w)
{
	if (!w)
		return;
	(void)close(w->listener);
	free(w->in);
	free(w->out);
	free(w);
}

size_t slu_watch_outside(const struct slu_watch *w, const struct slu_outside **ret_groups, uint64_t *ret_others)
{
	*ret_groups = w->outside.group;
	*ret_others = w->outside.others;
	return w->outside.n;
}

int slu_watch_left(const struct slu_watch *w)
{
	return w->left;
}
