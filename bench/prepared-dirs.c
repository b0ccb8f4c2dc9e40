/* SPDX-License-Identifier: MIT */
/*
 * A preloaded library for bench-shim: directories that cost nothing. What opendir() has read once stays in memory, in
 * the order that packs have (directories first, by name), and is given again without a system call, a check or a copy.
 * What a program then takes is its own: no file system can be faster for it.
 *
 * For programs of one thread that have one stream of a directory open at a time and call readdir64(), as Python's
 * os.walk does; not for others.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))

struct kept {
	struct kept *self; /* as no DIR of libc has it */
	struct kept *next;
	char *path;
	size_t len, at;
	char *bytes; /* entries one behind the other, as the kernel gives them */
};

static struct kept *all;

static struct kept *ours(DIR *d)
{
	struct kept *k = (struct kept *)(void *)d;

	return k->self == k ? k : NULL;
}

static int in_order(const struct dirent64 **a, const struct dirent64 **b)
{
	int dirs = ((*b)->d_type == DT_DIR) - ((*a)->d_type == DT_DIR);

	return dirs ? dirs : strcmp((*a)->d_name, (*b)->d_name);
}

/* libc's scandir64() reads with calls of its own, not with ours. Where memory ends, the bench does. */
static struct kept *read_dir(const char *path)
{
	struct kept *k = calloc(1, sizeof(*k));
	struct dirent64 **entries;
	int n = k && (k->path = strdup(path)) ? scandir64(path, &entries, NULL, in_order) : -1;

	if (n < 0 || !(k->bytes = malloc(((size_t)n + 1) * sizeof(**entries))))
		return NULL;
	for (int i = 0; i < n; i++) {
		memcpy(k->bytes + k->len, entries[i], entries[i]->d_reclen);
		k->len += entries[i]->d_reclen;
		free(entries[i]);
	}
	free(entries);
	k->self = k;
	k->next = all;
	return all = k;
}

API DIR *opendir(const char *path)
{
	const char *root = getenv("PREPARED_DIRS");
	struct kept *k = all;

	if (!root || strncmp(path, root, strlen(root)) != 0)
		return ((DIR * (*)(const char *)) dlsym(RTLD_NEXT, "opendir"))(path);
	while (k && strcmp(k->path, path) != 0)
		k = k->next;
	if (!k && !(k = read_dir(path)))
		return NULL;
	k->at = 0;
	return (DIR *)k;
}

API struct dirent64 *readdir64(DIR *d)
{
	struct kept *k = ours(d);
	struct dirent64 *e;

	if (!k)
		return ((struct dirent64 * (*)(DIR *)) dlsym(RTLD_NEXT, "readdir64"))(d);
	if (k->at == k->len)
		return NULL;
	e = (struct dirent64 *)(void *)(k->bytes + k->at);
	k->at += e->d_reclen;
	return e;
}

API void rewinddir(DIR *d)
{
	struct kept *k = ours(d);

	if (k)
		k->at = 0;
	else
		((void (*)(DIR *))dlsym(RTLD_NEXT, "rewinddir"))(d);
}

API int closedir(DIR *d)
{
	return ours(d) ? 0 : ((int (*)(DIR *))dlsym(RTLD_NEXT, "closedir"))(d); /* ours stay */
}
