/* SPDX-License-Identifier: MIT */
/*
 * Files outside of the mounts, in groups that say something: those whose first three names are the same go
 * together, under the longest directory that all of them lie in ("/home/x/val" rather than "/home").
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "cli/watch.h"

enum { NAMES = 3 };

/* The length of the first NAMES names of @dir (of @n bytes). */
static size_t head(const char *dir, size_t n)
{
	size_t at = 0;

	for (int i = 0; i < NAMES && at < n; i++)
		for (at++; at < n && dir[at] != '/';)
			at++;
	return at;
}

/* Cuts @dir down to what it has in common with @other (of @n bytes), at a '/'. */
static void cut_to_common(char *dir, const char *other, size_t n)
{
	size_t i = 0, end = 0;

	for (;; i++) {
		bool here = !dir[i] || dir[i] == '/', there = i == n || other[i] == '/';

		if (here && there)
			end = i;
		if (!dir[i] || i == n || dir[i] != other[i])
			break;
	}
	dir[end] = 0;
}

void slu_outside_count(struct slu_outside_table *t, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) : 0, h = head(path, n);
	struct slu_outside *g;

	for (size_t i = 0; i < t->n; i++) {
		g = &t->group[i];
		/* A group's own directory is never shorter than its head, or than that of all its members. */
		if (head(g->dir, strlen(g->dir)) == h && strncmp(g->dir, path, h) == 0) {
			cut_to_common(g->dir, path, n);
			g->opens++;
			return;
		}
	}
	if (t->n == SLU_OUTSIDE_GROUPS || n >= sizeof(g->dir)) {
		t->others++;
		return;
	}
	g = &t->group[t->n++];
	memcpy(g->dir, path, n);
	g->dir[n] = 0;
	g->opens = 1;
}

static int by_opens(const void *a, const void *b)
{
	const struct slu_outside *x = a, *y = b;

	return x->opens < y->opens ? 1 : x->opens > y->opens ? -1 : strcmp(x->dir, y->dir);
}

void slu_outside_sort(struct slu_outside_table *t)
{
	qsort(t->group, t->n, sizeof(t->group[0]), by_opens);
}
