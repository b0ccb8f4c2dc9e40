/* SPDX-License-Identifier: MIT */
/* Programs that the shim will not be in: said in the ledger when one is started. */
#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shim/shim.h"

/* Whether an ELF file names an interpreter, the dynamic linker; true for what is not ELF. */
static bool is_dynamic(int fd)
{
	Elf64_Ehdr h;
	Elf64_Phdr ph;

	if (pread(fd, &h, sizeof(h), 0) != sizeof(h) || memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 ||
	    h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_phentsize != sizeof(ph))
		return true;
	for (unsigned i = 0; i < h.e_phnum; i++)
		if (pread(fd, &ph, sizeof(ph), (off_t)(h.e_phoff + i * sizeof(ph))) != sizeof(ph) ||
		    ph.p_type == PT_INTERP)
			return true;
	return false;
}

void slu_exec_note(const char *path)
{
	struct stat st;
	int fd, saved = errno;

	if (!slu_shim.vfs.ledger || !path)
		return;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		if (fstat(fd, &st) == 0 && (st.st_mode & (S_ISUID | S_ISGID)))
			slu_ledger_note(slu_shim.vfs.ledger, SLU_NOTE_SETUID, 0, path, NULL);
		else if (!is_dynamic(fd))
			slu_ledger_note(slu_shim.vfs.ledger, SLU_NOTE_STATIC, 0, path, NULL);
		close(fd);
	}
	errno = saved;
}
