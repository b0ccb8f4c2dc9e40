/* SPDX-License-Identifier: MIT */
/*
 * The container's layout in numbers: docs/format.md is the text, this the constants.
 * Offsets are used with base/le.h; no struct is ever laid over file bytes.
 */
#ifndef SLU_PACK_LAYOUT_H
#define SLU_PACK_LAYOUT_H

#include <stdint.h>
#include <stdio.h>

#define SLU_INDEX_MAGIC "\x89SLU\r\n\x1a\n"
#define SLU_SHARD_MAGIC "\x89SLS\r\n\x1a\n"
#define SLU_INDEX_NAME "index"

#define SLU_LIMIT40 (UINT64_C(1) << 40)

enum {
	SLU_MAJOR = 1,
	SLU_MINOR = 0,
	SLU_BLOCK = 4096,
	SLU_SECTION_ALIGN = 64,
	SLU_TREE_FAN = SLU_BLOCK / 8,
	SLU_ALIGNED_SIZE = 65536,     /* raw samples from here on stand alone in their pages */
	SLU_COMPRESS_MAX = 256 << 20, /* larger samples are always raw: a reader decodes whole samples */
	SLU_MAX_DICTS = 31,
	SLU_MAX_DICT_BYTES = 1 << 20,
	SLU_MAX_SHARDS = 1 << 20,
	SLU_CATALOG_FREE = 16 << 20,      /* a catalog may always be this long, decoded, */
	SLU_CATALOG_RATIO = 512,          /* and so many times its stored length more */
	SLU_MAX_SMALL_SECTION = 64 << 20, /* sections that a reader copies: label names, notes, ... */
};

/* Fields that both headers have. */
enum {
	SLU_H_MAGIC = 0,
	SLU_H_MAJOR = 8,
	SLU_H_MINOR = 10,
	SLU_H_BLOCK = 12,
	SLU_H_REQUIRED = 16,
	SLU_H_OPTIONAL = 24,
	SLU_H_IDENTITY = 32,
	SLU_H_FILE_BYTES = 48,
	SLU_H_CHECKSUM = 4088,
};

/* The index's header. */
enum {
	SLU_IH_BLOCKS = 56,
	SLU_IH_TREE = 64,
	SLU_IH_DIRS = 72,
	SLU_IH_SAMPLES = 80,
	SLU_IH_LINKS = 88,
	SLU_IH_RAW = 96,
	SLU_IH_STORED = 104,
	SLU_IH_SHARDS = 112,
	SLU_IH_SECTIONS = 116,
	SLU_IH_ZERO = 120,
	SLU_IH_TABLE = 256,
	SLU_IH_ROW = 24,
	SLU_IH_MAX_SECTIONS = (SLU_H_CHECKSUM - SLU_IH_TABLE) / SLU_IH_ROW,
};

/* The shard's header. */
enum {
	SLU_SH_SHARD = 56,
	SLU_SH_SHARDS = 60,
	SLU_SH_FIRST = 64,
	SLU_SH_SAMPLES = 72,
	SLU_SH_DATA_END = 80,
	SLU_SH_CATALOG = 88,
	SLU_SH_CATALOG_BYTES = 96,
	SLU_SH_CATALOG_RAW = 104,
	SLU_SH_CATALOG_HASH = 112,
	SLU_SH_ZERO = 120,
};

enum slu_section {
	SLU_S_SHARDS = 1,
	SLU_S_ATTRS,
	SLU_S_DIRS,
	SLU_S_RECORDS,
	SLU_S_GROUPS,
	SLU_S_NAMES,
	SLU_S_LOOKUP,
	SLU_S_LINKS,
	SLU_S_TARGETS,
	SLU_S_COLUMNS,
	SLU_S_COLUMN_DATA,
	SLU_S_DICTS,
	SLU_S_LABEL_NAMES,
	SLU_S_SCHEMA,
	SLU_S_NOTES,
	SLU_S_COUNT, /* one past the last that this version knows */
};

enum {
	SLU_SHARD_ROW = 32, /* first, data end, file bytes, catalog's hash */
	SLU_ATTR_ROW = 16,  /* mode, uid, gid, zero */
	SLU_DIR_ROW = 32,   /* parent, first dir, first sample, first link, attr, zero, mtime */
	SLU_RECORD = 19,    /* hash, end, size, code */
	SLU_LINK_ROW = 24,  /* target, attr, zero, mtime */
	SLU_COLUMN_ROW = 64,
	SLU_SCHEMA_BYTES = 16 + 8 + 64,
	SLU_GROUP = 16, /* names in a group */
	SLU_GROUP_ROW = 5,
	SLU_BUCKET = 64,
	SLU_BUCKET_SLOTS = 16,
	SLU_BUCKET_FILL = 14, /* of 16, on average: 64 / 14 bytes a name */
};

enum { SLU_R_HASH = 0, SLU_R_END = 8, SLU_R_SIZE = 13, SLU_R_CODE = 18 };
enum {
	SLU_D_PARENT = 0,
	SLU_D_DIR = 4,
	SLU_D_SAMPLE = 8,
	SLU_D_LINK = 12,
	SLU_D_ATTR = 16,
	SLU_D_ZERO = 20,
	SLU_D_MTIME = 24
};
enum { SLU_C_NAME = 0, SLU_C_KIND = 32, SLU_C_BITS = 36, SLU_C_BASE = 40, SLU_C_OFFSET = 48, SLU_C_LENGTH = 56 };
enum { SLU_COLUMN_NAME = 32, SLU_COLUMN_PACKED = 1 };

enum slu_chunk {
	SLU_K_TOTALS = 1,
	SLU_K_ATTRS,
	SLU_K_DICTS,
	SLU_K_LABEL_NAMES,
	SLU_K_SCHEMA,
	SLU_K_NOTES,
	SLU_K_DIR_PATHS,
	SLU_K_DIRS,
	SLU_K_SAMPLE_NAMES,
	SLU_K_SAMPLES,
	SLU_K_COLUMNS,
	SLU_K_LINK_NAMES,
	SLU_K_LINK_TARGETS,
	SLU_K_LINKS,
	SLU_K_COUNT,
	SLU_K_PADDING = SLU_K_COUNT, /* of no meaning; readers pass over it as over any tag they do not know */
};

static inline unsigned slu_code_codec(uint8_t code)
{
	return code & 7;
}

static inline unsigned slu_code_dict(uint8_t code)
{
	return code >> 3;
}

/* Whether a sample stands alone in its pages. */
static inline int slu_is_aligned(uint8_t code, uint64_t size)
{
	return slu_code_codec(code) == 0 && size >= SLU_ALIGNED_SIZE;
}

/* Where a sample starts, after one that ended at @prev_end. */
static inline uint64_t slu_sample_start(uint64_t prev_end, int prev_aligned, int aligned)
{
	return prev_aligned || aligned ? (prev_end + SLU_BLOCK - 1) / SLU_BLOCK * SLU_BLOCK : prev_end;
}

enum { SLU_SHARD_NAME_MAX = 32 };

static inline const char *slu_shard_name(uint32_t shard, char buf[SLU_SHARD_NAME_MAX])
{
	(void)snprintf(buf, SLU_SHARD_NAME_MAX, "shard-%05u", shard); /* always fits */
	return buf;
}

#endif
