/* SPDX-License-Identifier: MIT */
/*
 * The sluice command: a table of subcommands, and what every one of them needs before it
 * starts (descriptors, signals) and after it ends (an output that is whole).
 */
#include "base/hash.h"
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <lz4.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include "aio/aio.h"
#include "base/macros.h"
#include "fuse/mount.h"
#include "image/jpeg.h"

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help; /* one line */
};

static int cmd_help(int argc, char **argv);

static const struct command commands[] = {
	{ "pack", slu_cmd_pack, "pack a directory of files into a few large, checked ones" },
	{ "info", slu_cmd_info, "tell what is in a pack" },
	{ "ls", slu_cmd_ls, "list the files in a pack" },
	{ "cat", slu_cmd_cat, "write files of a pack to standard output" },
	{ "verify", slu_cmd_verify, "check every byte of a pack" },
	{ "unpack", slu_cmd_unpack, "write a pack's files into a directory" },
	{ "run", slu_cmd_run, "run a program that sees packs as directories" },
	{ "check", slu_cmd_check, "tell whether a program's file functions are all covered" },
	{ "trace", slu_cmd_trace, "run a program and record what it does with files" },
	{ "report", slu_cmd_report, "tell what a trace recorded" },
	{ "mount", slu_cmd_mount, "show a pack as a file system of the kernel" },
	{ "umount", slu_cmd_umount, "end a mount" },
	{ "help", cmd_help, "show this, or the help of a command" },
};

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < SLU_ARRAY_SIZE(commands); i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

static int overview(void)
{
	fputs("Example: sluice pack train/ -o train.slu\n\n"
	      "Usage: sluice COMMAND [OPTION...] [OPERAND...]\n\n",
	      stdout);
	for (size_t i = 0; i < SLU_ARRAY_SIZE(commands); i++)
		printf("  %-8s %s\n", commands[i].name, commands[i].help);
	fputs("\n'sluice COMMAND --help' tells a command's options, 'man sluice-COMMAND' all of it.\n"
	      "'sluice --version' tells the version, and those of the libraries it uses.\n",
	      stdout);
	return SLU_EXIT_OK;
}

static int unknown_command(const char *name)
{
	if (name[0] == '-')
		return slu_cli_usage(NULL, "unknown option '%s'", name);
	return slu_cli_usage(NULL, "unknown command '%s'", name);
}

/* Each command answers --help itself, so that its text stands beside its options. */
static int cmd_help(int argc, char **argv)
{
	char dash_help[] = "--help";
	const struct command *c;

	if (argc > 2)
		return slu_cli_usage(NULL, "too many operands");
	if (argc < 2 || strcmp(argv[1], "help") == 0 || strcmp(argv[1], dash_help) == 0)
		return overview();
	c = find_command(argv[1]);
	if (!c)
		return unknown_command(argv[1]);
	return c->run(2, (char *[]){ argv[1], dash_help, NULL });
}

/* The libraries that are loaded now; they may be newer than those it was built with. */
static int version(void)
{
	printf("sluice %s\n", slu_version());
	printf("zstd %s\n", ZSTD_versionString());
	printf("lz4 %s\n", LZ4_versionString());
	printf("xxhash %d.%d.%d, in the form for %s\n", XXH_VERSION_MAJOR, XXH_VERSION_MINOR, XXH_VERSION_RELEASE,
	       slu_hash_form());
	if (slu_fuse_version())
		printf("fuse %s\n", slu_fuse_version());
	else
		printf("no fuse\n");
	printf("%s\n", slu_jpeg_version() ? slu_jpeg_version() : "no libjpeg-turbo");
	printf("%s\n", slu_aio_uring_version() ? slu_aio_uring_version() : "no liburing");
	return SLU_EXIT_OK;
}

static int run(int argc, char **argv)
{
	const struct command *c;

	if (argc < 2)
		return slu_cli_usage(NULL, "no command given");
	if (strcmp(argv[1], "--help") == 0)
		return overview();
	if (strcmp(argv[1], "--version") == 0)
		return version();
	c = find_command(argv[1]);
	if (!c)
		return unknown_command(argv[1]);
	opterr = 0;
	return c->run(argc - 1, argv + 1);
}

/* A descriptor 0, 1 or 2 that is closed would go to the next file opened, and a message
 * would then be written into a shard. Stdout gets one that refuses writing, so that the
 * loss of the output shows. */
static void fill_descriptors(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) /* open() gives the lowest number: fd */
			(void)!open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY);
}

/* What SIGPIPE did when we were started. */
static void (*old_sigpipe)(int) = SIG_DFL;

void slu_cli_sigpipe_back(void)
{
	(void)signal(SIGPIPE, old_sigpipe);
}

int main(int argc, char **argv)
{
	struct slu_cli c = { .name = argc > 1 ? argv[1] : "" };
	int code;

	fill_descriptors();
	old_sigpipe = signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error of write(), seen at the end */
	code = slu_cli_close_out(find_command(c.name) ? &c : NULL, run(argc, argv));
	if (code > SLU_EXIT_SIGNAL) {
		/* The shell must see that we ended by the signal, or it would go on with a
		 * loop that the user has interrupted. */
		(void)signal(code - SLU_EXIT_SIGNAL, SIG_DFL);
		(void)raise(code - SLU_EXIT_SIGNAL);
	}
	return code;
}
