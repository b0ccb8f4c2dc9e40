/* SPDX-License-Identifier: MIT */
/*
 * Reading of ELF files. See elf.h.
 *
 * Only what the dynamic linker itself would look at is used (program headers, the dynamic section, hash tables),
 * so that a file without section headers is understood; sections are asked only for the mark of the Go linker.
 */
#include "cli/elf.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/macros.h"

enum { MAX_PHDRS = 1024, MAX_DYNAMIC = 1 << 20 };

struct file {
	const char *path;
	int fd;
	uint64_t size;
	Elf64_Ehdr head;
	Elf64_Phdr *phdrs;
	/* from the dynamic section, as addresses; 0 none */
	uint64_t strtab, strsz, symtab, gnu_hash, hash;
};

static int bad(const struct file *f, const char *why)
{
	return slu_fail(-EBADMSG, "'%s' is a damaged ELF file: %s", f->path, why);
}

/* All @n bytes, which must be there. */
static int take(const struct file *f, void *buf, uint64_t n, uint64_t at)
{
	ssize_t got;

	if (at > f->size || n > f->size - at)
		return bad(f, "it points outside of itself");
	got = slu_pread(f->fd, buf, n, at);
	if (got < 0)
		return slu_fail_sys((int)got, "cannot read '%s'", f->path);
	return (uint64_t)got == n ? 0 : bad(f, "it is cut off");
}

/* Where in the file the @n bytes for address @addr are. */
static int place(const struct file *f, uint64_t addr, uint64_t n, uint64_t *ret_at)
{
	for (unsigned i = 0; i < f->head.e_phnum; i++) {
		const Elf64_Phdr *p = &f->phdrs[i];

		if (p->p_type != PT_LOAD || addr < p->p_vaddr || addr - p->p_vaddr >= p->p_filesz)
			continue;
		addr -= p->p_vaddr;
		if (n > p->p_filesz - addr || p->p_offset > f->size || addr > f->size - p->p_offset ||
		    n > f->size - p->p_offset - addr)
			break;
		*ret_at = p->p_offset + addr;
		return 0;
	}
	return bad(f, "an address lies outside of its segments");
}

static int take_at_address(const struct file *f, void *buf, uint64_t n, uint64_t addr)
{
	uint64_t at;
	int r = place(f, addr, n, &at);

	return r < 0 ? r : take(f, buf, n, at);
}

static int take_into(const struct file *f, struct slu_buf *b, uint64_t n, uint64_t addr)
{
	uint64_t at;
	uint8_t *to;
	int r = place(f, addr, n, &at); /* before memory is asked for */

	if (r == 0)
		r = slu_buf_grow(b, n, &to);
	return r < 0 ? r : take(f, to, n, at);
}

/* ---- headers ---- */

uint16_t slu_elf_machine(void)
{
#if defined(__x86_64__)
	return EM_X86_64;
#elif defined(__aarch64__)
	return EM_AARCH64;
#elif defined(__riscv)
	return EM_RISCV;
#elif defined(__powerpc64__)
	return EM_PPC64;
#elif defined(__s390x__)
	return EM_S390;
#else
	return EM_NONE; /* any will do */
#endif
}

static bool is_foreign(const Elf64_Ehdr *h)
{
	const unsigned char order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;

	return h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != order ||
	       (slu_elf_machine() != EM_NONE && h->e_machine != slu_elf_machine());
}

static int read_headers(struct file *f, struct slu_elf *e)
{
	int r;

	if (f->size < SELFMAG || take(f, f->head.e_ident, SELFMAG, 0) < 0 ||
	    memcmp(f->head.e_ident, ELFMAG, SELFMAG) != 0)
		return slu_fail(-ENOEXEC, "'%s' is not an ELF file", f->path);
	if (f->size < sizeof(Elf32_Ehdr))
		return bad(f, "it is cut off");
	r = take(f, &f->head, slu_min(sizeof(f->head), f->size), 0);
	if (r < 0)
		return r;
	e->foreign = is_foreign(&f->head);
	if (e->foreign)
		return 0;
	e->type = f->head.e_type;
	e->machine = f->head.e_machine;
	if (f->size < sizeof(f->head))
		return bad(f, "it is cut off");
	if (f->head.e_phnum > MAX_PHDRS || (f->head.e_phnum && f->head.e_phentsize != sizeof(Elf64_Phdr)))
		return bad(f, "its program headers make no sense");
	f->phdrs = calloc((size_t)f->head.e_phnum + 1, sizeof(*f->phdrs));
	if (!f->phdrs)
		return slu_fail_memory();
	return take(f, f->phdrs, f->head.e_phnum * sizeof(*f->phdrs), f->head.e_phoff);
}

static int read_interp(const struct file *f, const Elf64_Phdr *p, struct slu_elf *e)
{
	int r;

	if (p->p_filesz == 0 || p->p_filesz > sizeof(e->interp))
		return bad(f, "the name of its dynamic linker makes no sense");
	r = take(f, e->interp, p->p_filesz, p->p_offset);
	e->interp[p->p_filesz - 1] = 0;
	return r;
}

/* ---- the mark of Go ---- */

/* The note that holds Go's build ID. */
static int look_for_go_note(const struct file *f, const Elf64_Phdr *p, struct slu_elf *e)
{
	unsigned char note[16]; /* sizes, type and name of the first note: Go's linker gives it a segment of its own */
	Elf64_Nhdr h;

	if (p->p_filesz < sizeof(note) || take(f, note, sizeof(note), p->p_offset) < 0)
		return 0; /* the program runs without it */
	memcpy(&h, note, sizeof(h));
	e->go |= h.n_namesz == 4 && h.n_type == 4 && memcmp(note + 12, "Go\0", 4) == 0;
	return 0;
}

static void look_for_go_sections(const struct file *f, struct slu_elf *e)
{
	const Elf64_Ehdr *h = &f->head;
	Elf64_Shdr s, names;
	char name[20];

	if (h->e_shentsize != sizeof(s) || h->e_shstrndx >= h->e_shnum || h->e_shoff > f->size ||
	    take(f, &names, sizeof(names), h->e_shoff + h->e_shstrndx * sizeof(s)) < 0)
		return;
	for (unsigned i = 0; i < h->e_shnum && !e->go; i++) {
		uint64_t n;

		if (take(f, &s, sizeof(s), h->e_shoff + i * sizeof(s)) < 0 || names.sh_offset > f->size ||
		    s.sh_name > f->size - names.sh_offset)
			return;
		n = slu_min(sizeof(name) - 1, f->size - names.sh_offset - s.sh_name);
		memset(name, 0, sizeof(name));
		if (take(f, name, n, names.sh_offset + s.sh_name) < 0)
			return;
		e->go = strcmp(name, ".go.buildinfo") == 0 || strcmp(name, ".note.go.buildid") == 0;
	}
}

/* ---- the dynamic section ---- */

static int add_needed(struct slu_elf *e, uint64_t at)
{
	uint32_t name = (uint32_t)at;

	return at > UINT32_MAX ? -EBADMSG : slu_buf_add(&e->needed, &name, sizeof(name));
}

static int take_entry(struct file *f, struct slu_elf *e, const Elf64_Dyn *d)
{
	switch (d->d_tag) {
	case DT_NEEDED:
		return add_needed(e, d->d_un.d_val);
	case DT_SONAME:
		e->soname = (uint32_t)d->d_un.d_val;
		break;
	case DT_RPATH:
		e->rpath = (uint32_t)d->d_un.d_val;
		break;
	case DT_RUNPATH:
		e->runpath = (uint32_t)d->d_un.d_val;
		break;
	case DT_FLAGS_1:
		e->pie = d->d_un.d_val & DF_1_PIE;
		break;
	case DT_STRTAB:
		f->strtab = d->d_un.d_ptr;
		break;
	case DT_STRSZ:
		f->strsz = d->d_un.d_val;
		break;
	case DT_SYMTAB:
		f->symtab = d->d_un.d_ptr;
		break;
	case DT_HASH:
		f->hash = d->d_un.d_ptr;
		break;
	case DT_GNU_HASH:
		f->gnu_hash = d->d_un.d_ptr;
		break;
	default:
		break;
	}
	return 0;
}

static int read_dynamic(struct file *f, const Elf64_Phdr *p, struct slu_elf *e)
{
	SLU_AUTO(mem) Elf64_Dyn *dyn = NULL;
	size_t n = p->p_filesz / sizeof(*dyn);
	int r;

	if (p->p_filesz > MAX_DYNAMIC || p->p_offset > f->size || p->p_filesz > f->size - p->p_offset)
		return bad(f, "its dynamic section makes no sense");
	dyn = malloc(p->p_filesz + 1);
	if (!dyn)
		return slu_fail_memory();
	r = take(f, dyn, n * sizeof(*dyn), p->p_offset);
	for (size_t i = 0; r == 0 && i < n && dyn[i].d_tag != DT_NULL; i++)
		r = take_entry(f, e, &dyn[i]);
	e->dynamic = true;
	return r == -EBADMSG ? bad(f, "its dynamic section makes no sense") : r;
}

/* ---- symbols ---- */

/* The chain that holds the last symbol: it goes on until a value with its lowest bit set. */
static int end_of_chain(const struct file *f, uint64_t chains, uint32_t first, uint32_t last, uint64_t *ret_count)
{
	for (uint64_t i = last; i < f->size / sizeof(Elf64_Sym); i++) {
		uint32_t value;
		int r = take_at_address(f, &value, sizeof(value), chains + (i - first) * sizeof(value));

		if (r < 0)
			return r;
		if (value & 1) {
			*ret_count = i + 1;
			return 0;
		}
	}
	return bad(f, "its hash table has no end");
}

static int count_by_gnu_hash(const struct file *f, uint64_t *ret_count)
{
	struct {
		uint32_t buckets, first, bloom, shift;
	} h;
	SLU_AUTO(buf) struct slu_buf table = { 0 };
	uint64_t at;
	uint32_t last = 0, bucket;
	int r = take_at_address(f, &h, sizeof(h), f->gnu_hash);

	if (r < 0)
		return r;
	at = f->gnu_hash + sizeof(h) + h.bloom * sizeof(uint64_t);
	r = h.buckets ? take_into(f, &table, h.buckets * sizeof(bucket), at) : 0;
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < h.buckets; i++) {
		memcpy(&bucket, table.data + i * sizeof(bucket), sizeof(bucket));
		last = bucket > last ? bucket : last;
	}
	*ret_count = h.first; /* the symbols before are not in it: imports */
	return last < h.first ? 0 : end_of_chain(f, at + h.buckets * sizeof(bucket), h.first, last, ret_count);
}

static int count_symbols(const struct file *f, uint64_t *ret_count)
{
	uint32_t h[2];
	int r;

	if (f->hash) {
		r = take_at_address(f, h, sizeof(h), f->hash);
		*ret_count = r < 0 ? 0 : h[1];
		return r;
	}
	if (f->gnu_hash)
		return count_by_gnu_hash(f, ret_count);
	/* Without a hash table it can export nothing; the strings come after the symbols by custom. */
	*ret_count = f->strtab > f->symtab ? (f->strtab - f->symtab) / sizeof(Elf64_Sym) : 0;
	return 0;
}

static int keep_symbols(const struct file *f, struct slu_elf *e, const struct slu_buf *table)
{
	for (size_t i = 1; i < table->len / sizeof(Elf64_Sym); i++) {
		struct slu_elf_symbol s;
		Elf64_Sym sym;
		int r;

		memcpy(&sym, table->data + i * sizeof(sym), sizeof(sym));
		if (ELF64_ST_BIND(sym.st_info) == STB_LOCAL)
			continue;
		if (sym.st_name >= f->strsz)
			return bad(f, "a symbol's name lies outside of its strings");
		s = (struct slu_elf_symbol){ .name = sym.st_name, .defined = sym.st_shndx != SHN_UNDEF };
		r = slu_buf_add(&e->symbols, &s, sizeof(s));
		if (r < 0)
			return r;
	}
	return 0;
}

static int read_symbols(const struct file *f, struct slu_elf *e)
{
	SLU_AUTO(buf) struct slu_buf table = { 0 };
	uint64_t count = 0;
	int r;

	r = take_into(f, &e->strings, f->strsz, f->strtab);
	if (r == 0)
		r = slu_buf_add(&e->strings, "", 1); /* so that each of them has an end */
	if (r < 0)
		return r;
	for (size_t i = 0; i < slu_elf_needed_count(e); i++)
		if (((const uint32_t *)(const void *)e->needed.data)[i] >= f->strsz)
			return bad(f, "a library's name lies outside of its strings");
	if (e->soname >= f->strsz || e->rpath >= f->strsz || e->runpath >= f->strsz)
		return bad(f, "a name lies outside of its strings");
	if (!f->symtab)
		return 0;
	r = count_symbols(f, &count);
	if (r == 0 && count > f->size / sizeof(Elf64_Sym))
		r = bad(f, "it has more symbols than there is room for");
	if (r == 0 && count)
		r = take_into(f, &table, count * sizeof(Elf64_Sym), f->symtab);
	return r < 0 ? r : keep_symbols(f, e, &table);
}

static int read_all(struct file *f, struct slu_elf *e)
{
	int r = read_headers(f, e);

	for (unsigned i = 0; r == 0 && !e->foreign && i < f->head.e_phnum; i++) {
		const Elf64_Phdr *p = &f->phdrs[i];

		if (p->p_type == PT_INTERP)
			r = read_interp(f, p, e);
		else if (p->p_type == PT_DYNAMIC)
			r = read_dynamic(f, p, e);
		else if (p->p_type == PT_NOTE)
			r = look_for_go_note(f, p, e);
	}
	if (r < 0 || e->foreign)
		return r;
	look_for_go_sections(f, e);
	return e->dynamic && f->strsz ? read_symbols(f, e) : 0;
}

int slu_elf_open(const char *path, struct slu_elf *ret_elf)
{
	SLU_AUTO(fd) int fd = slu_openat(AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
	struct file f = { .path = path, .fd = fd };
	struct slu_elf e = { 0 };
	struct stat st;
	int r;

	if (fd < 0)
		return slu_fail_sys(fd, "cannot open '%s'", path);
	if (fstat(fd, &st) < 0)
		return slu_fail_sys(-errno, "cannot look at '%s'", path);
	if (!S_ISREG(st.st_mode))
		return slu_fail(S_ISDIR(st.st_mode) ? -EISDIR : -ENOEXEC, "'%s' is not a regular file", path);
	f.size = (uint64_t)st.st_size;
	r = read_all(&f, &e);
	free(f.phdrs);
	if (r < 0)
		slu_elf_done(&e);
	else
		*ret_elf = e;
	return r;
}

void slu_elf_done(struct slu_elf *e)
{
	slu_buf_done(&e->strings);
	slu_buf_done(&e->needed);
	slu_buf_done(&e->symbols);
}

const char *slu_elf_text(const struct slu_elf *e, uint32_t at)
{
	return at < e->strings.len ? (const char *)e->strings.data + at : "";
}

size_t slu_elf_needed_count(const struct slu_elf *e)
{
	return e->needed.len / sizeof(uint32_t);
}

const char *slu_elf_needed(const struct slu_elf *e, size_t i)
{
	return slu_elf_text(e, ((const uint32_t *)(const void *)e->needed.data)[i]);
}

size_t slu_elf_symbol_count(const struct slu_elf *e)
{
	return e->symbols.len / sizeof(struct slu_elf_symbol);
}

const struct slu_elf_symbol *slu_elf_symbol(const struct slu_elf *e, size_t i)
{
	return (const struct slu_elf_symbol *)(const void *)e->symbols.data + i;
}
