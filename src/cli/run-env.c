/* SPDX-License-Identifier: MIT */
/* The environment that carries a view into a program: SLUICE_MOUNTS and LD_PRELOAD. See run.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/macros.h"
#include "cli/program.h"
#include "cli/run.h"
#include "vfs/spec.h"

/* Appends with @between in front, unless it is the first. */
static int append(struct slu_buf *b, char between, const char *text, size_t n)
{
	int r = b->len ? slu_buf_add(b, &between, 1) : 0;

	return r < 0 ? r : slu_buf_add(b, text, n);
}

static int set(const char *name, const char *value)
{
	return setenv(name, value, 1) < 0 ? slu_fail_memory() : 0;
}

/* ---- LD_PRELOAD ---- */

static const char *last_part(const char *path, size_t *n)
{
	const char *slash = memrchr(path, '/', *n);

	if (!slash)
		return path;
	*n -= (size_t)(slash + 1 - path);
	return slash + 1;
}

static bool starts_with(const char *text, size_t n, const char *start)
{
	size_t m = strlen(start);

	return n >= m && memcmp(text, start, m) == 0;
}

/* A sanitizer's runtime stops the program if anything comes before it. */
static bool is_sanitizer(const char *entry, size_t n)
{
	static const char *const runtimes[] = { "libasan.so",        "libhwasan.so",     "libtsan.so",
		                                "liblsan.so",        "libclang_rt.asan", "libclang_rt.hwasan",
		                                "libclang_rt.tsan-", "libclang_rt.tsan." };

	entry = last_part(entry, &n);
	for (size_t i = 0; i < SLU_ARRAY_SIZE(runtimes); i++)
		if (starts_with(entry, n, runtimes[i]))
			return true;
	return false;
}

static bool has_name(const char *entry, size_t n, const char *shim)
{
	size_t m = strlen(shim);
	const char *name = last_part(shim, &m);

	entry = last_part(entry, &n);
	return n == m && memcmp(entry, name, n) == 0;
}

/* Appends the entries of @old that are (not) sanitizers' runtimes, but none that is called as the shim. */
static int copy_entries(struct slu_buf *b, const char *old, const char *shim, bool sanitizers)
{
	int r = 0;

	for (size_t n; r == 0 && *(old += strspn(old, " :")); old += n) {
		n = strcspn(old, " :");
		if (is_sanitizer(old, n) == sanitizers && !has_name(old, n, shim))
			r = append(b, ':', old, n);
	}
	return r;
}

int slu_preload_join(const char *old, const char *shim, char **ret_text)
{
	SLU_AUTO(buf) struct slu_buf b = { 0 };
	int r;

	if (strpbrk(shim, " :"))
		return slu_fail(-EINVAL,
		                "LD_PRELOAD cannot carry the path '%s', which has a space or a colon: copy the shim "
		                "elsewhere and set SLUICE_SHIM",
		                shim);
	r = copy_entries(&b, old ? old : "", shim, true);
	if (r == 0)
		r = append(&b, ':', shim, strlen(shim));
	if (r == 0)
		r = copy_entries(&b, old ? old : "", shim, false);
	if (r == 0)
		r = slu_buf_add(&b, "", 1);
	if (r == 0)
		*ret_text = (char *)SLU_TAKE(b.data);
	return r;
}

int slu_preload_export(void)
{
	SLU_AUTO(mem) char *text = NULL;
	char shim[PATH_MAX];
	int r = slu_shim_find(shim);

	if (r == 0)
		r = slu_preload_join(getenv("LD_PRELOAD"), shim, &text);
	return r < 0 ? r : set("LD_PRELOAD", text);
}

/* ---- SLUICE_MOUNTS ---- */

int slu_view_export(const struct slu_view *v)
{
	SLU_AUTO(buf) struct slu_buf b = { 0 };
	char text[4 * PATH_MAX];
	int r = 0;

	for (unsigned i = 0; r >= 0 && i < v->n; i++) {
		r = slu_spec_write(v->mount[i].pack, v->mount[i].point, text, sizeof(text));
		if (r >= 0)
			r = append(&b, ';', text, (size_t)r);
	}
	if (r >= 0)
		r = slu_buf_add(&b, "", 1);
	if (r >= 0)
		r = set(SLU_ENV_MOUNTS, (const char *)b.data);
	return r < 0 ? r : slu_preload_export();
}
