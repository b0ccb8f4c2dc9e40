/* SPDX-License-Identifier: MIT */
/*
 * sluice/pack.h - read packs
 *
 * A pack holds numbered samples, each with a path, bytes and POSIX metadata, and
 * the directories and symbolic links around them. It never changes. Opening maps
 * the index and costs the same for a thousand samples as for ten million; any
 * number of threads may share one struct slu_pack without a lock.
 *
 * Nodes. Directories, samples and links share one space of node numbers; 0 is the
 * root, and a node's inode number is its number plus 1. A sample's number (0 ..
 * count-1) is not its node number; slu_pack_sample_node() and slu_node_sample()
 * convert.
 *
 * Trust. Nothing in the files is believed: checksums of the index are checked at
 * first touch, every read of a sample checks its bytes, and every number is
 * checked before it is used. A reader never returns bytes that fail.
 *
 * Replaced packs. A pack that is replaced or removed while it is open goes on serving the shards
 * that were touched before; samples of others give -ENOENT. Bytes are never mixed.
 *
 * Mapped memory and SIGBUS. A mapped file that shrinks or fails raises SIGBUS. The
 * first slu_pack_open() of a process therefore installs a handler which turns a
 * fault inside one of our own guarded copies into -EIO, and passes every other
 * SIGBUS on to the handler that was there before. A host that installs its own
 * handler later takes ours away for a while; we look for that now and then and put
 * ours back on top. In threads that read, SIGBUS is unblocked. Hosts that cannot have this
 * open with SLU_IO_PREAD, which reads the index into memory and touches no signal.
 */
#ifndef SLUICE_PACK_H
#define SLUICE_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <sluice/sluice.h>

#ifdef __cplusplus
extern "C" {
#endif

struct slu_pack; /* opaque */

enum slu_io {
	SLU_IO_MMAP = 0, /* map index and shards; the default */
	SLU_IO_PREAD,    /* read the index into memory, and samples with pread */
};

enum slu_verify {
	SLU_VERIFY_ALWAYS = 0, /* check every sample on every read */
	SLU_VERIFY_ONCE,       /* check a sample on its first read through this handle;
	                          costs one bit of memory a sample */
};

/* All zero is the default. New members are added at the end only. */
struct slu_pack_options {
	uint32_t size;   /* sizeof(struct slu_pack_options), or 0 */
	uint32_t io;     /* enum slu_io */
	uint32_t verify; /* enum slu_verify */
};

/*
 * Opens the pack (a directory) at @path. @opt may be NULL.
 * On success *@ret_pack is to be released with slu_pack_close().
 * -ENOENT no such directory, or no index in it | -EBADMSG, -EILSEQ not a pack, or
 * damaged | -EPROTONOSUPPORT written by a newer version
 */
SLU_API SLU_MUST_USE int slu_pack_open(const char *path, const struct slu_pack_options *opt,
                                       struct slu_pack **ret_pack);

/* NULL is allowed. Views obtained from @p become invalid. */
SLU_API void slu_pack_close(struct slu_pack *p);

struct slu_pack_info {
	uint8_t identity[16];
	uint32_t version_major, version_minor;
	uint64_t features_required, features_optional;
	uint64_t dirs, samples, links;
	uint64_t raw_bytes;    /* sum of the samples' sizes */
	uint64_t stored_bytes; /* sum of their stored lengths */
	uint64_t index_bytes;
	uint64_t name_bytes;   /* of these, for compressed names */
	uint64_t record_bytes; /* of these, for records, lookup table, mtime and attributes */
	uint64_t disk_bytes;   /* index and shards */
	uint32_t shards;
	uint32_t dictionaries;
};

SLU_API SLU_MUST_USE int slu_pack_info(struct slu_pack *p, struct slu_pack_info *ret_info);

/* The lines "key=value\n" that the writer left for people; "" if none. Not NUL-free
 * beyond the returned length. Valid until the pack is closed. */
SLU_API SLU_MUST_USE int slu_pack_notes(struct slu_pack *p, const char **ret_text, size_t *ret_len);

/* ---- samples, by number --------------------------------------------------- */

/* How many samples there are. */
SLU_API uint64_t slu_pack_count(const struct slu_pack *p);

enum slu_codec { SLU_CODEC_RAW = 0, SLU_CODEC_LZ4 = 1, SLU_CODEC_ZSTD = 2, SLU_CODEC_EXTENTS = 7 };

/* Where and how a sample is stored. */
struct slu_sample {
	uint64_t size;     /* decoded */
	uint64_t stored;   /* as stored */
	uint64_t offset;   /* in the shard's file */
	uint64_t checksum; /* XXH3-64 of the stored bytes */
	uint32_t shard;
	uint8_t codec; /* enum slu_codec */
	uint8_t dict;  /* 0 none */
};

SLU_API SLU_MUST_USE int slu_pack_sample(struct slu_pack *p, uint64_t i, struct slu_sample *ret_sample);

/*
 * Copies sample @i, verified and decoded, into @buf, which has room for @cap bytes.
 * Returns its size. -ERANGE: @cap is too small (slu_pack_sample() tells the size) |
 * -EILSEQ, -EBADMSG damaged | -EIO the shard shrank or cannot be read | -ENOENT no
 * such sample, or its shard is missing
 */
SLU_API SLU_MUST_USE ssize_t slu_pack_read(struct slu_pack *p, uint64_t i, void *buf, size_t cap);

/*
 * Copies @n samples, each verified and decoded, end to end into @buf: sample @samples[k] is at
 * ret_offsets[k] .. ret_offsets[k + 1] (@ret_offsets has room for n + 1). For small samples faster
 * than single reads, because the next ones are fetched from memory while one is worked on. Returns how
 * many samples it copied: fewer than @n when the room ends or one of them fails; the failure is
 * returned when that one is the first.
 */
SLU_API SLU_MUST_USE ssize_t slu_pack_read_batch(struct slu_pack *p, const uint64_t *samples, size_t n, void *buf,
                                                 size_t cap, uint64_t *ret_offsets);

/*
 * Hands sample @i to @sink, verified and decoded: in one piece, or, if it is large and raw, in
 * several, in order. A large sample's checksum is known only at its end: after an error whatever
 * @sink was given is worth nothing. What @sink returns (negative) ends it and is returned.
 */
typedef int slu_sink_fn(void *arg, const void *data, size_t n);
SLU_API SLU_MUST_USE int slu_pack_stream(struct slu_pack *p, uint64_t i, slu_sink_fn *sink, void *arg);

/*
 * Reads @len bytes at @offset of sample @i, as pread(2) does: the count may be short
 * at the end, 0 past it. Raw samples of 1 MiB or more are checked whole on the first
 * such call and on each one that starts at 0; the others are checked on every call.
 */
SLU_API SLU_MUST_USE ssize_t slu_pack_pread(struct slu_pack *p, uint64_t i, void *buf, size_t len, uint64_t offset);

/*
 * The bytes of a raw sample inside the mapping itself, verified by this call, not
 * copied. Valid until the pack is closed. An opt-in with a price: whoever reads
 * through the pointer later is not guarded, so that a shard that shrinks then raises
 * SIGBUS in the reader, and a shard that is overwritten shows. -EOPNOTSUPP: the
 * sample is compressed, or the pack is not mapped.
 */
SLU_API SLU_MUST_USE int slu_pack_view(struct slu_pack *p, uint64_t i, const void **ret_data, size_t *ret_len);

/* The number of the sample at @path (no leading slash needed; links are not followed). */
SLU_API SLU_MUST_USE int slu_pack_find(struct slu_pack *p, const char *path, uint64_t *ret_i);

/* ---- nodes: the tree around the samples ------------------------------------ */

#define SLU_ROOT 0
#define SLU_PATH_MAX 4096 /* with the final NUL */
#define SLU_NAME_MAX 256  /* likewise */

enum slu_kind { SLU_DIR = 1, SLU_SAMPLE, SLU_LINK };

struct slu_stat {
	uint64_t ino;
	uint64_t size; /* a link's: its target's length; a directory's: 0 */
	int64_t mtime_ns;
	uint32_t mode; /* type and permission bits, as st_mode */
	uint32_t uid, gid;
	uint32_t nlink;
};

/* The node at @path, walked name by name: "", ".", "a//b" and "a/./b" are understood,
 * ".." and links are not followed. -ENOENT | -ENOTDIR */
SLU_API SLU_MUST_USE int slu_pack_lookup(struct slu_pack *p, const char *path, uint64_t *ret_node);

/* The child called @name (@len bytes) of directory @dir. */
SLU_API SLU_MUST_USE int slu_pack_child(struct slu_pack *p, uint64_t dir, const char *name, size_t len,
                                        uint64_t *ret_node);

SLU_API SLU_MUST_USE int slu_pack_stat(struct slu_pack *p, uint64_t node, struct slu_stat *ret_stat);

/* The node's kind, or -ENOENT. */
SLU_API SLU_MUST_USE int slu_node_kind(const struct slu_pack *p, uint64_t node);
SLU_API uint64_t slu_pack_sample_node(const struct slu_pack *p, uint64_t i);
SLU_API SLU_MUST_USE int slu_node_sample(const struct slu_pack *p, uint64_t node, uint64_t *ret_i);
SLU_API SLU_MUST_USE int slu_pack_parent(struct slu_pack *p, uint64_t node, uint64_t *ret_dir);

/* The node's name / its whole path ("" for the root), with a final NUL; the length. */
SLU_API SLU_MUST_USE ssize_t slu_pack_name(struct slu_pack *p, uint64_t node, char buf[SLU_NAME_MAX]);
SLU_API SLU_MUST_USE ssize_t slu_pack_path(struct slu_pack *p, uint64_t node, char buf[SLU_PATH_MAX]);

/* A link's target, with a final NUL; its length. */
SLU_API SLU_MUST_USE ssize_t slu_pack_readlink(struct slu_pack *p, uint64_t node, char buf[SLU_PATH_MAX]);

/*
 * The entries of a directory, by position: subdirectories, samples, links, each by
 * name. *@ret_count is how many; slu_pack_entry() gives the node at @position.
 */
SLU_API SLU_MUST_USE int slu_pack_entries(struct slu_pack *p, uint64_t dir, uint64_t *ret_count);
SLU_API SLU_MUST_USE int slu_pack_entry(struct slu_pack *p, uint64_t dir, uint64_t position, uint64_t *ret_node);

/* ---- columns, labels, schema ------------------------------------------------ */

struct slu_column {
	char name[32];
	uint32_t bits; /* stored width of a value */
	int64_t base;
	uint64_t offset, length; /* of its data in the index file */
};

/* How many columns; the @k-th; the one called @name (-ENOENT); a value. */
SLU_API SLU_MUST_USE int slu_pack_columns(struct slu_pack *p);
SLU_API SLU_MUST_USE int slu_pack_column_at(struct slu_pack *p, int k, struct slu_column *ret_column);
SLU_API SLU_MUST_USE int slu_pack_column(struct slu_pack *p, const char *name, struct slu_column *ret_column);
SLU_API SLU_MUST_USE int slu_pack_value(struct slu_pack *p, const struct slu_column *c, uint64_t i, int64_t *ret_value);

/* The name of label @label, or -ENOENT. Valid until the pack is closed. */
SLU_API SLU_MUST_USE int slu_pack_label_name(struct slu_pack *p, int64_t label, const char **ret_name);

#define SLU_MAX_DIMS 8

struct slu_schema {
	char dtype[16]; /* NumPy's notation, such as "<f4" */
	uint32_t skip;  /* bytes before the array in every sample (a .npy header) */
	uint32_t ndim;
	uint64_t shape[SLU_MAX_DIMS];
};

/* -ENOENT: the samples are not arrays of one type and shape. */
SLU_API SLU_MUST_USE int slu_pack_schema(struct slu_pack *p, struct slu_schema *ret_schema);

/* ---- checking and repair ---------------------------------------------------- */

struct slu_defect {
	const char *file;    /* "index", "shard-00003" */
	uint64_t offset;     /* in that file, or UINT64_MAX */
	uint64_t sample;     /* or UINT64_MAX */
	const char *path;    /* the sample's, or NULL */
	const char *message; /* one sentence */
};

struct slu_check_options {
	uint32_t size;                                         /* sizeof, or 0 */
	uint32_t threads;                                      /* 0: one per CPU */
	void (*defect)(void *arg, const struct slu_defect *d); /* one call at a time, any thread */
	void (*progress)(void *arg, uint64_t done_bytes, uint64_t total_bytes);
	void *arg;
};

struct slu_check_result {
	uint64_t samples; /* checked */
	uint64_t bytes;   /* read */
	uint64_t bad_samples;
	uint64_t defects; /* in all, bad samples included */
};

/*
 * Checks every byte of the pack at @path: headers, checksum tree, the meaning of all
 * tables, every sample (decoded too), padding, catalogs. Returns 0 if it could look at
 * everything, even when it found defects (*@ret_result has them); a negative errno if a
 * file is missing or cannot be read.
 */
SLU_API SLU_MUST_USE int slu_pack_verify(const char *path, const struct slu_check_options *opt,
                                         struct slu_check_result *ret_result);

/*
 * Writes a new index for the pack at @path from its shards alone, in place of the old
 * one if there is any. The result is byte for byte what the writer wrote.
 */
SLU_API SLU_MUST_USE int slu_pack_rebuild_index(const char *path);

#ifdef __cplusplus
}
#endif
#endif
