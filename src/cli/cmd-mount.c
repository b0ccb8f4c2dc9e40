/* SPDX-License-Identifier: MIT */
/* sluice mount: a pack as a file system of the kernel. The work is fuse/'s. */
#include "cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "fuse/mount.h"

static const char help[] = "Example: sluice mount train.slu /mnt/train\n"
			   "\n"
			   "Usage: sluice mount PACK DIR [OPTION...]\n"
			   "\n"
			   "  -f, --foreground   stay, and tell on stderr of files that cannot be read\n"
			   "  -o OPTION[,...]    options for mount(8) and FUSE, such as auto_unmount\n"
			   "      --allow-other  let other users in as well\n"
			   "  -v, --verbose      tell when it is mounted\n"
			   "      --help         show this\n"
			   "\n"
			   "'sluice umount DIR' ends it. See sluice-mount(1).\n";

enum { OPT_ALLOW_OTHER = SLU_OPT_OWN };

static const struct option longs[] = {
	{ "foreground", 0, NULL, 'f' },
	{ "allow-other", 0, NULL, OPT_ALLOW_OTHER },
	{ "verbose", 0, NULL, 'v' },
	{ "help", 0, NULL, SLU_OPT_HELP },
	{ 0 },
};

struct args {
	struct slu_cli cli;
	struct slu_mount_options opt;
	bool foreground;
	/* What went wrong lately. */
	pthread_mutex_t lock;
	uint64_t told_ns;
	uint64_t untold;
};

static int parse(struct args *a, int argc, char **argv)
{
	int o, code;

	while ((o = getopt_long(argc, argv, a->cli.shorts, longs, NULL)) != -1) {
		if (o == 'f')
			a->foreground = true;
		else if (o == 'o' && a->opt.options)
			return slu_cli_usage(&a->cli, "-o was given twice; separate options by commas");
		else if (o == 'o')
			a->opt.options = optarg;
		else if (o == OPT_ALLOW_OTHER)
			a->opt.allow_other = true;
		else if ((code = slu_cli_option(&a->cli, o, argv)) != SLU_GO_ON)
			return code;
	}
	code = slu_cli_operands(&a->cli, argc, 1, 2, "pack");
	if (code == SLU_GO_ON && argc - optind < 2)
		return slu_cli_usage(&a->cli, "no directory to mount on given");
	return code;
}

/* A reader that tries again and again must not fill the disk that stderr goes to: one line a second. */
static void on_trouble(void *arg, const char *sentence)
{
	struct args *a = arg;
	uint64_t now = slu_now_ns();

	pthread_mutex_lock(&a->lock);
	if (a->told_ns && now - a->told_ns < UINT64_C(1000000000)) {
		a->untold++;
	} else {
		if (a->untold)
			slu_cli_error(&a->cli, "%s (and %" PRIu64 " more before)", sentence, a->untold);
		else
			slu_cli_error(&a->cli, "%s", sentence);
		a->untold = 0;
		a->told_ns = now;
	}
	pthread_mutex_unlock(&a->lock);
}

/* Descriptors that came from whoever started us would stay open as long as the mount is there. */
static void drop_descriptors(void)
{
	(void)syscall(SYS_close_range, STDERR_FILENO + 1, UINT_MAX, 0); /* old kernels cannot; then they stay */
}

static void tell_mounted(const struct args *a, char **operands)
{
	if (!a->cli.verbose)
		return;
	slu_cli_put_name(operands[0]);
	printf(" is mounted on ");
	slu_cli_put_name(operands[1]);
	putchar('\n');
	(void)fflush(stdout); /* a failure is noticed at the end */
}

int slu_cmd_mount(int argc, char **argv)
{
	struct args a = {
		.cli = { .name = "mount", .help = help, .shorts = ":fo:v" },
		.lock = PTHREAD_MUTEX_INITIALIZER,
	};
	struct slu_mount *m = NULL;
	int r = parse(&a, argc, argv);

	if (r != SLU_GO_ON)
		return r;
	a.opt.trouble = on_trouble;
	a.opt.arg = &a;
	if (!a.foreground)
		drop_descriptors();
	r = slu_mount_open(argv[optind], argv[optind + 1], &a.opt, &m);
	if (r == 0 && !a.foreground)
		r = slu_mount_detach(m);
	if (r == 1 || (r == 0 && a.foreground))
		tell_mounted(&a, argv + optind);
	if (r == 0)
		r = slu_mount_serve(m);
	slu_mount_close(m);
	return r < 0 ? slu_cli_fail(&a.cli, r) : SLU_EXIT_OK;
}
