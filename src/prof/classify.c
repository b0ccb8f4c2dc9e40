/* SPDX-License-Identifier: MIT */
/*
 * What a file is about, by its name: the job's own files, or what every program touches (libraries, Python's modules
 * wherever they are installed, the system's tables). Nothing is dropped for it; the headline leaves the noise out.
 */
#include "prof/build.h"

#include <string.h>

#include "base/macros.h"

static const char *const library_parts[] = {
	"/site-packages/", "/dist-packages/", "/__pycache__/",     "/lib/python",
	"/lib64/python",   "/pyvenv.cfg",     "/_distutils_hack/",
};
static const char *const library_roots[] = {
	"/usr/lib",       "/usr/lib32",     "/usr/lib64",       "/usr/libexec", "/usr/share", "/usr/bin", "/usr/sbin",
	"/usr/local/lib", "/usr/local/bin", "/usr/local/share", "/usr/include", "/lib",       "/lib32",   "/lib64",
	"/bin",           "/sbin",          "/nix/store",       "/gnu/store",   "/opt/conda",
};
static const char *const library_ends[] = { ".so", ".pyc", ".py", ".pyi", ".pyo", ".pth", ".pyd" };
static const char *const system_roots[] = { "/proc", "/sys", "/dev", "/etc", "/run", "/var/run", "/var/lib/sss" };

static bool below(const char *name, size_t len, const char *root)
{
	size_t n = strlen(root);

	return len >= n && memcmp(name, root, n) == 0 && (len == n || name[n] == '/');
}

static bool below_any(const char *name, size_t len, const char *const *roots, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (below(name, len, roots[i]))
			return true;
	return false;
}

/* libc.so.6, and .so alone. */
static bool is_shared_object(const char *base, size_t len)
{
	const char *at = memmem(base, len, ".so", 3);
	size_t rest = at ? len - (size_t)(at - base) - 3 : 0;

	if (!at)
		return false;
	for (size_t i = 0; i < rest; i++)
		if (at[3 + i] != '.' && (at[3 + i] < '0' || at[3 + i] > '9'))
			return false;
	return true;
}

static bool is_library(const char *name, size_t len)
{
	const char *slash = memrchr(name, '/', len), *base = slash ? slash + 1 : name;
	size_t base_len = len - (size_t)(base - name);

	if (below_any(name, len, library_roots, SLU_ARRAY_SIZE(library_roots)) || is_shared_object(base, base_len))
		return true;
	for (size_t i = 0; i < SLU_ARRAY_SIZE(library_ends); i++) {
		size_t n = strlen(library_ends[i]);

		if (base_len > n && memcmp(base + base_len - n, library_ends[i], n) == 0)
			return true;
	}
	for (size_t i = 0; i < SLU_ARRAY_SIZE(library_parts); i++)
		if (memmem(name, len, library_parts[i], strlen(library_parts[i])))
			return true;
	return base_len >= 11 &&
	       (memcmp(base, "__pycache__", 11) == 0 ||
	        (base_len >= 13 && (memcmp(base, "site-packages", 13) == 0 || memcmp(base, "dist-packages", 13) == 0)));
}

enum slu_prof_class slu_classify(const char *name, size_t len, uint32_t flags)
{
	if (flags & SLU_FILE_NOT_A_FILE)
		return SLU_CLASS_IPC;
	if (flags & SLU_FILE_SERVED) /* from a pack, so it is data, whatever it is called */
		return SLU_CLASS_DATA;
	/* Shared memory holds what processes hand each other. */
	if (below(name, len, "/dev/shm"))
		return SLU_CLASS_IPC;
	if (below_any(name, len, system_roots, SLU_ARRAY_SIZE(system_roots)))
		return SLU_CLASS_SYSTEM;
	return is_library(name, len) ? SLU_CLASS_LIBRARY : SLU_CLASS_DATA;
}

const char *slu_prof_class_name(unsigned cls)
{
	static const char *const names[SLU_N_CLASSES] = { "data", "output", "library", "system", "ipc" };

	return cls < SLU_N_CLASSES ? names[cls] : "other";
}
