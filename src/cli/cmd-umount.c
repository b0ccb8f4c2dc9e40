/* SPDX-License-Identifier: MIT */
/* sluice umount: the end of a mount, whether its server lives or not. */
#include "cli/cli.h"

#include <getopt.h>

#include "fuse/mount.h"

static const char help[] = "Example: sluice umount /mnt/train\n"
			   "\n"
			   "Usage: sluice umount DIR [OPTION...]\n"
			   "\n"
			   "  -z, --lazy  out of sight at once, gone when the last file there is closed\n"
			   "      --help  show this\n"
			   "\n"
			   "See sluice-umount(1).\n";

static const struct option longs[] = {
	{ "lazy", 0, NULL, 'z' },
	{ "help", 0, NULL, SLU_OPT_HELP },
	{ 0 },
};

int slu_cmd_umount(int argc, char **argv)
{
	struct slu_cli c = { .name = "umount", .help = help, .shorts = ":z" };
	bool lazy = false;
	int o, r;

	while ((o = getopt_long(argc, argv, c.shorts, longs, NULL)) != -1) {
		if (o == 'z')
			lazy = true;
		else if ((r = slu_cli_option(&c, o, argv)) != SLU_GO_ON)
			return r;
	}
	if ((r = slu_cli_operands(&c, argc, 1, 1, "directory")) != SLU_GO_ON)
		return r;
	r = slu_unmount(argv[optind], lazy);
	return r < 0 ? slu_cli_fail(&c, r) : SLU_EXIT_OK;
}
