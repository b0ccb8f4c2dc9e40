/* SPDX-License-Identifier: MIT */
/*
 * The libraries of a program. See libs.h.
 *
 * The order is the dynamic linker's: DT_RPATH (where there is no DT_RUNPATH), LD_LIBRARY_PATH, DT_RUNPATH, the
 * cache, the system's directories. What it knows beyond that (RPATHs of the whole chain, variants for
 * a CPU) gives other places of the same libraries, with the same symbols.
 */
#include "cli/libs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"

enum { MAX_OBJECTS = 4096 };

size_t slu_libs_count(const struct slu_libs *l)
{
	return l->objects.len / sizeof(struct slu_object);
}

struct slu_object *slu_libs_get(const struct slu_libs *l, size_t i)
{
	return (struct slu_object *)(void *)l->objects.data + i;
}

size_t slu_libs_missing_count(const struct slu_libs *l)
{
	return l->missing.len / sizeof(struct slu_missing);
}

struct slu_missing *slu_libs_missing(const struct slu_libs *l, size_t i)
{
	return (struct slu_missing *)(void *)l->missing.data + i;
}

/* Libraries of glibc itself: what they do is what the functions of libc do. */
static bool is_libc(const char *name)
{
	static const char *const all[] = { "libc.so.",   "libm.so.",    "libmvec.so.", "libpthread.so.",
		                           "libdl.so.",  "librt.so.",   "libutil.so.", "libresolv.so.",
		                           "libanl.so.", "libnsl.so.1", "linux-vdso",  "linux-gate",
		                           "ld-linux",   "ld64.so",     "ld.so" };

	for (size_t i = 0; i < SLU_ARRAY_SIZE(all); i++)
		if (strncmp(name, all[i], strlen(all[i])) == 0)
			return true;
	return false;
}

/* Opens the library at @path if it is one for this machine. */
static bool try(const char *path, struct slu_elf *ret_elf)
{
	if (slu_elf_open(path, ret_elf) < 0)
		return false;
	if (!ret_elf->foreign && ret_elf->dynamic)
		return true;
	slu_elf_done(ret_elf);
	return false;
}

/* Writes @dir (of @n bytes) with $ORIGIN replaced by the directory of @object: the length, or -1 if too long. */
static int expand(const char *dir, size_t n, const char *object, char ret_dir[PATH_MAX])
{
	const char *slash = strrchr(object, '/');
	int origin = slash ? (int)(slash - object) : 1;
	size_t at = 0;

	for (size_t i = 0; i < n;) {
		size_t skip = n - i >= 9 && strncmp(dir + i, "${ORIGIN}", 9) == 0 ? 9
		              : n - i >= 7 && strncmp(dir + i, "$ORIGIN", 7) == 0 ? 7
		                                                                  : 0;
		int w = skip ? snprintf(ret_dir + at, PATH_MAX - at, "%.*s", origin, slash ? object : ".")
		             : snprintf(ret_dir + at, PATH_MAX - at, "%c", dir[i]);

		at += (size_t)w;
		if (at >= PATH_MAX)
			return -1;
		i += skip ? skip : 1;
	}
	ret_dir[at] = 0;
	return (int)at;
}

/* Looks in each directory of a list that ':' or ';' divides. */
static bool try_list(const char *list, const char *object, const char *name, char ret_path[PATH_MAX],
                     struct slu_elf *ret_elf)
{
	char dir[PATH_MAX];

	for (; list && *list; list += *list != 0) {
		size_t n = strcspn(list, ":;");

		if (expand(list, n, object, dir) >= 0 &&
		    snprintf(ret_path, PATH_MAX, "%s%s%s", dir, n ? "/" : "", name) < PATH_MAX &&
		    try(ret_path, ret_elf))
			return true;
		list += n;
	}
	return false;
}

static bool try_cache(const struct slu_libs *l, const char *name, char ret_path[PATH_MAX], struct slu_elf *ret_elf)
{
	const char *path;

	for (size_t at = 0; (path = slu_ld_cache_next(&l->cache, name, &at));)
		if (snprintf(ret_path, PATH_MAX, "%s", path) < PATH_MAX && try(ret_path, ret_elf))
			return true;
	return false;
}

static bool find(const struct slu_libs *l, const struct slu_object *by, const char *name, char ret_path[PATH_MAX],
                 struct slu_elf *ret_elf)
{
	const struct slu_object *main_object = slu_libs_get(l, 0);
	const char *runpath = slu_elf_text(&by->elf, by->elf.runpath);
	const char *rpath = by->elf.runpath ? "" : slu_elf_text(&by->elf, by->elf.rpath);
	const char *main_rpath =
		main_object->elf.runpath ? "" : slu_elf_text(&main_object->elf, main_object->elf.rpath);

	if (strchr(name, '/'))
		return snprintf(ret_path, PATH_MAX, "%s", name) < PATH_MAX && try(ret_path, ret_elf);
	return try_list(rpath, by->path, name, ret_path, ret_elf) ||
	       (!by->elf.runpath && try_list(main_rpath, main_object->path, name, ret_path, ret_elf)) ||
	       try_list(getenv("LD_LIBRARY_PATH"), by->path, name, ret_path, ret_elf) ||
	       try_list(runpath, by->path, name, ret_path, ret_elf) || try_cache(l, name, ret_path, ret_elf) ||
	       try_list("/lib64:/usr/lib64:/lib:/usr/lib", "", name, ret_path, ret_elf);
}

static bool is_known(const struct slu_libs *l, const char *name)
{
	for (size_t i = 0; i < slu_libs_count(l); i++) {
		const struct slu_object *o = slu_libs_get(l, i);

		if (strcmp(o->name, name) == 0 || strcmp(slu_elf_text(&o->elf, o->elf.soname), name) == 0)
			return true;
	}
	for (size_t i = 0; i < slu_libs_missing_count(l); i++)
		if (strcmp(slu_libs_missing(l, i)->name, name) == 0)
			return true;
	return false;
}

/* Takes @elf over, also if it fails. */
static int add_object(struct slu_libs *l, const char *name, const char *path, struct slu_elf *elf)
{
	struct slu_object o = { .name = strdup(name), .path = strdup(path), .elf = *elf };
	int r = o.name && o.path ? slu_buf_add(&l->objects, &o, sizeof(o)) : slu_fail_memory();

	if (r < 0) {
		free(o.name);
		free(o.path);
		slu_elf_done(&o.elf);
	}
	*elf = (struct slu_elf){ 0 };
	return r;
}

static int add_missing(struct slu_libs *l, const char *name, const char *by)
{
	struct slu_missing m = { .name = strdup(name), .by = strdup(by) };
	int r = m.name && m.by ? slu_buf_add(&l->missing, &m, sizeof(m)) : slu_fail_memory();

	if (r < 0) {
		free(m.name);
		free(m.by);
	}
	return r;
}

/* Adds what object @i needs and is not there yet. */
static int add_needs(struct slu_libs *l, size_t i)
{
	size_t n = slu_elf_needed_count(&slu_libs_get(l, i)->elf);
	int r = 0;

	for (size_t k = 0; r == 0 && k < n; k++) {
		const struct slu_object *by = slu_libs_get(l, i); /* it may have moved */
		const char *name = slu_elf_needed(&by->elf, k);
		struct slu_elf elf;
		char path[PATH_MAX];

		if (is_libc(name) || is_known(l, name))
			continue;
		if (slu_libs_count(l) >= MAX_OBJECTS)
			return slu_fail(-E2BIG, "'%s' needs more than %d libraries", slu_libs_get(l, 0)->path,
			                MAX_OBJECTS);
		r = find(l, by, name, path, &elf) ? add_object(l, name, path, &elf) : add_missing(l, name, by->path);
	}
	return r;
}

int slu_libs_open(struct slu_libs *l, const char *path, struct slu_elf *elf)
{
	int r = slu_ld_cache_read("/etc/ld.so.cache", &l->cache);

	if (r == 0)
		r = add_object(l, path, path, elf);
	for (size_t i = 0; r == 0 && i < slu_libs_count(l); i++)
		r = add_needs(l, i);
	return r;
}

void slu_libs_done(struct slu_libs *l)
{
	for (size_t i = 0; i < slu_libs_count(l); i++) {
		struct slu_object *o = slu_libs_get(l, i);

		free(o->name);
		free(o->path);
		slu_elf_done(&o->elf);
	}
	for (size_t i = 0; i < slu_libs_missing_count(l); i++) {
		free(slu_libs_missing(l, i)->name);
		free(slu_libs_missing(l, i)->by);
	}
	slu_buf_done(&l->objects);
	slu_buf_done(&l->missing);
	slu_buf_done(&l->cache);
}
