/* SPDX-License-Identifier: MIT */
/* Reading by the public headers: what each function promises, at its edges. */
#include "pack-fixture.h"

static void reads(struct fixture *f, struct slu_pack *p)
{
	char buf[300];
	uint64_t big = f->n, none = f->n;
	const void *view;
	struct slu_sample s;
	size_t len;

	for (uint64_t i = 0; i < f->n; i++) {
		T_OK(slu_pack_sample(p, i, &s));
		T_EQ(s.size, f->len[i]);
		big = s.size == 65536 ? i : big;
		none = s.size == 0 ? i : none;
		if (s.size && s.size < sizeof(buf)) {
			memset(buf, 'x', sizeof(buf));
			T_ERR(slu_pack_read(p, i, buf, s.size - 1), -ERANGE);
			T_EQ(slu_pack_read(p, i, buf, s.size), s.size);
			T_EQ(buf[s.size], 'x'); /* not one byte more */
			T_EQ(slu_pack_pread(p, i, buf, sizeof(buf), s.size - 1), 1);
			T_EQ(slu_pack_pread(p, i, buf, 10, 3), 10);
			T_MEM(buf, f->data[i] + 3, 10);
		}
		T_EQ(slu_pack_pread(p, i, buf, 10, s.size), 0);
		T_EQ(slu_pack_pread(p, i, buf, 10, UINT64_MAX), 0);
		T_EQ(slu_pack_pread(p, i, buf, 0, 0), 0);
	}
	T_EQ(slu_pack_read(p, none, NULL, 0), 0);
	T_ERR(slu_pack_read(p, f->n, buf, sizeof(buf)), -ENOENT);
	T_ERR(slu_pack_pread(p, UINT64_MAX, buf, 1, 0), -ENOENT);
	T_ERR(slu_pack_sample(p, f->n, &s), -ENOENT);
	T_OK(slu_pack_sample(p, big, &s));
	T_EQ(s.codec, SLU_CODEC_RAW);
	T_EQ(s.offset % 4096, 0);
	int r = slu_pack_view(p, big, &view, &len);
	if (r == 0) {
		T_EQ(len, 65536);
		T_MEM(view, f->data[big], len);
	} else {
		T_ERR(r, -EOPNOTSUPP); /* not mapped */
	}
}

static void nodes(struct fixture *f, struct slu_pack *p)
{
	char name[SLU_NAME_MAX], path[SLU_PATH_MAX];
	uint64_t node, other, i, count, seen = 1;
	struct slu_stat st;
	struct slu_pack_info info;

	T_OK(slu_pack_info(p, &info));
	T_EQ(info.samples, f->n);
	T_EQ(slu_pack_count(p), f->n);
	T_OK(slu_pack_lookup(p, "", &node));
	T_EQ(node, SLU_ROOT);
	T_OK(slu_pack_lookup(p, "/.//./", &node));
	T_EQ(node, SLU_ROOT);
	T_OK(slu_pack_lookup(p, "c1//./none", &node));
	T_EQ(slu_node_kind(p, node), SLU_SAMPLE);
	T_OK(slu_node_sample(p, node, &i));
	T_EQ(slu_pack_sample_node(p, i), node);
	T_OK(slu_pack_stat(p, node, &st));
	T_EQ(st.size, 0);
	T_EQ(st.ino, node + 1);
	T_EQ(st.mode, S_IFREG | 0644);
	T_OK(slu_pack_lookup(p, "c1/link", &node));
	T_EQ(slu_node_kind(p, node), SLU_LINK);
	T_EQ(slu_pack_readlink(p, node, path), strlen("../c0/item-0000.json"));
	T_STR(path, "../c0/item-0000.json");
	T_OK(slu_pack_lookup(p, "void/\xff", &node));
	T_EQ(slu_node_kind(p, node), SLU_DIR);
	T_OK(slu_pack_stat(p, node, &st));
	T_EQ(st.mtime_ns, -7);
	T_EQ(st.mode, S_IFDIR | 0700);
	T_OK(slu_pack_entries(p, node, &count));
	T_EQ(count, 0);

	T_ERR(slu_pack_lookup(p, "c1/link/x", &node), -ENOTDIR);
	T_ERR(slu_pack_lookup(p, "c1/none/x", &node), -ENOTDIR);
	T_ERR(slu_pack_lookup(p, "c1/none/", &node), -ENOTDIR);
	T_ERR(slu_pack_lookup(p, "c1/nobody", &node), -ENOENT);
	T_TRUE(slu_pack_lookup(p, "c1/../c1", &node) < 0);
	T_TRUE(slu_pack_find(p, "c1", &i) < 0);
	T_ERR(slu_node_kind(p, info.dirs + info.samples + info.links), -ENOENT);
	T_TRUE(slu_pack_stat(p, UINT64_MAX, &st) < 0);
	T_TRUE(slu_pack_name(p, UINT64_MAX, name) < 0);
	T_TRUE(slu_pack_path(p, info.dirs + info.samples + info.links, path) < 0);
	T_TRUE(slu_pack_readlink(p, 0, path) < 0);

	/* Every node is an entry of its parent, once, and is found by its name. */
	for (uint64_t d = 0; d < info.dirs; d++) {
		T_OK(slu_pack_entries(p, d, &count));
		for (uint64_t k = 0; k < count; k++, seen++) {
			T_OK(slu_pack_entry(p, d, k, &node));
			T_OK(slu_pack_parent(p, node, &other));
			T_EQ(other, d);
			ssize_t len = T_OK(slu_pack_name(p, node, name));
			T_OK(slu_pack_child(p, d, name, (size_t)len, &other));
			T_EQ(other, node);
			T_OK(slu_pack_path(p, node, path));
			T_OK(slu_pack_lookup(p, path, &other));
			T_EQ(other, node);
		}
		T_ERR(slu_pack_entry(p, d, count, &node), -ENOENT);
	}
	T_EQ(seen, info.dirs + info.samples + info.links);
}

static void columns(struct fixture *f, struct slu_pack *p)
{
	struct slu_column c;
	struct slu_schema schema;
	const char *text;
	int64_t value;
	size_t len;

	T_EQ(slu_pack_columns(p), 3);
	T_OK(slu_pack_column_at(p, 0, &c));
	T_STR(c.name, "attr");
	T_TRUE(slu_pack_column_at(p, 3, &c) < 0);
	T_TRUE(slu_pack_column_at(p, -1, &c) < 0);
	T_ERR(slu_pack_column(p, "no such column", &c), -ENOENT);
	T_OK(slu_pack_column(p, "label", &c));
	T_EQ(c.bits, 2);
	T_EQ(c.base, -1);
	T_OK(slu_pack_value(p, &c, 0, &value));
	T_EQ(value, -1);
	T_TRUE(slu_pack_value(p, &c, f->n, &value) < 0);
	T_OK(slu_pack_label_name(p, 1, &text));
	T_STR(text, "one");
	T_ERR(slu_pack_label_name(p, 2, &text), -ENOENT);
	T_ERR(slu_pack_label_name(p, -1, &text), -ENOENT);
	T_ERR(slu_pack_schema(p, &schema), -ENOENT);
	T_OK(slu_pack_notes(p, &text, &len));
	T_EQ(len, strlen("made=by hand\n"));
	T_MEM(text, "made=by hand\n", len);
}

int main(void)
{
	struct fixture f = { 0 };
	struct slu_pack *p = NULL;

	slu_pack_close(NULL);
	T_ERR(slu_pack_open("/no/such/pack", NULL, &p), -ENOENT);
	T_HAS(slu_errmsg(), "/no/such/pack");
	fixture_make(&f, false);
	T_ERR(slu_pack_open(f.dir, NULL, &p), -ENOENT);
	for (uint32_t io = SLU_IO_MMAP; io <= SLU_IO_PREAD; io++) {
		struct slu_pack_options opt = { .size = sizeof(opt), .io = io };
		T_OK(slu_pack_open(f.pack, &opt, &p));
		reads(&f, p);
		nodes(&f, p);
		columns(&f, p);
		slu_pack_close(p);
	}
	T_TRUE(slu_pack_open(f.pack, &(struct slu_pack_options){ .io = 77 }, &p) < 0);
	fixture_done(&f);
	return 0;
}
