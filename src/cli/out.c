/* SPDX-License-Identifier: MIT */
/*
 * Messages, and the care of standard output.
 *
 * Names come from packs that somebody else may have made: what goes to a terminal, and
 * every message, has its control characters escaped. An output that is not whole is
 * never passed over: a full disk gives a message and exit code 2, a closed pipe just
 * the code.
 */
#include "cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"

/* The errno of stdout's first failure that was noticed. */
static int out_errno;

void slu_cli_put_name(const char *s)
{
	static int terminal = -1;

	if (terminal < 0)
		terminal = isatty(STDOUT_FILENO);
	if (terminal)
		(void)slu_put_escaped(stdout, s);
	else
		fputs(s, stdout);
}

/*
 * @tail is appended as it is, after the escaped message. The line is written at once: others may be writing to the same
 * terminal or file.
 */
static void put_message(const struct slu_cli *c, const char *tail, const char *fmt, va_list ap)
{
	char text[4096 + 1024], *line = NULL;
	size_t len;
	FILE *whole = open_memstream(&line, &len), *f = whole ? whole : stderr;

	(void)vsnprintf(text, sizeof(text), fmt, ap); /* cut off at worst */
	fprintf(f, "sluice%s%s: ", c ? " " : "", c ? c->name : "");
	(void)slu_put_escaped(f, text);
	fprintf(f, "%s\n", tail);
	if (whole && fclose(whole) == 0)
		fputs(line, stderr);
	free(line);
}

void slu_cli_error(const struct slu_cli *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_message(c, "", fmt, ap);
	va_end(ap);
}

int slu_cli_usage(const struct slu_cli *c, const char *fmt, ...)
{
	char where[64];
	va_list ap;

	(void)snprintf(where, sizeof(where), "; try 'sluice %s%s'", c ? c->name : "", c ? " --help" : "help");
	va_start(ap, fmt);
	put_message(c, where, fmt, ap);
	va_end(ap);
	return SLU_EXIT_TROUBLE;
}

static const char *sentence(int err)
{
	const char *text = slu_errmsg();

	return *text ? text : strerror(-err);
}

int slu_cli_fail(const struct slu_cli *c, int err)
{
	slu_cli_error(c, "%s", sentence(err));
	if (err == -ECANCELED && slu_cli_signal())
		return SLU_EXIT_SIGNAL + slu_cli_signal();
	return slu_err_is_damage(err) ? SLU_EXIT_NO : SLU_EXIT_TROUBLE;
}

bool slu_cli_out_failed(void)
{
	if (!ferror(stdout))
		return false;
	if (!out_errno)
		out_errno = errno ? errno : EIO;
	return true;
}

int slu_cli_close_out(const struct slu_cli *c, int code)
{
	if (fflush(stdout))
		out_errno = out_errno ? out_errno : errno;
	(void)slu_cli_out_failed();
	if (fclose(stdout) && !out_errno)
		out_errno = errno;
	if (!out_errno)
		return code;
	if (out_errno != EPIPE)
		slu_cli_error(c, "cannot write to standard output: %s", strerror(out_errno));
	return SLU_EXIT_TROUBLE;
}

void slu_cli_json_start(struct slu_json *j, const char *path)
{
	slu_json_init(j, stdout);
	slu_json_object(j, NULL);
	slu_json_u64(j, "schema", 1);
	slu_json_str(j, "pack", path);
}

int slu_cli_end(const struct slu_cli *c, struct slu_json *j, int err)
{
	if (c->json) {
		while (j->depth > 1)
			slu_json_end(j);
		if (err < 0)
			slu_json_str(j, "error", sentence(err));
		slu_json_end_all(j);
	}
	return err < 0 ? slu_cli_fail(c, err) : SLU_EXIT_OK;
}

void slu_cli_hex(const uint8_t identity[16], char ret_text[33])
{
	for (size_t i = 0; i < 16; i++)
		(void)snprintf(ret_text + 2 * i, 3, "%02x", identity[i]);
}

double slu_cli_rate(uint64_t bytes, uint64_t ns)
{
	return ns ? (double)bytes * 1000 / (double)ns : 0;
}

const char *slu_cli_s(uint64_t n)
{
	return n == 1 ? "" : "s";
}

double slu_cli_ratio(uint64_t a, uint64_t b)
{
	return b ? (double)a / (double)b : 1;
}
