/* SPDX-License-Identifier: MIT */
/* Which functions of libc touch files, and what each needs from the shim. */
#ifndef SLU_CLI_IO_SYMBOLS_H
#define SLU_CLI_IO_SYMBOLS_H

enum slu_io_class {
	SLU_IO_NONE = 0,  /* does not touch files, or not by a path or descriptor of the caller's */
	SLU_IO_COVER,     /* gives a wrong answer below a mount unless the shim has it */
	SLU_IO_BY_ITSELF, /* right without it: descriptors, streams and mappings that the shim gives out are real ones
	                   */
	SLU_IO_LIMIT,     /* sees no mount, and need not to read data; see sluice-shim(7) */
};

enum slu_io_class slu_io_class(const char *symbol);

#endif
