/* SPDX-License-Identifier: MIT */
/* Headers of index and shards: what they have in common. See header.h. */
#include "pack/header.h"

#include <errno.h>
#include <string.h>

#include "base/hash.h"
#include "base/le.h"

int slu_header_check(const uint8_t *block, const char *magic, unsigned zero_from, unsigned zero_to, const char *what)
{
	if (memcmp(block, magic, 8) != 0)
		return slu_fail(-EBADMSG, "%s is not a file of a Sluice pack: its first bytes are wrong", what);
	if (slu_hash64(block, SLU_H_CHECKSUM) != slu_get64(block + SLU_H_CHECKSUM))
		return slu_fail(-EILSEQ, "the header of %s does not match its checksum", what);
	if (slu_get16(block + SLU_H_MAJOR) != SLU_MAJOR)
		return slu_fail(-EPROTONOSUPPORT, "%s has format version %u.%u; this program reads version %d", what,
		                slu_get16(block + SLU_H_MAJOR), slu_get16(block + SLU_H_MINOR), SLU_MAJOR);
	if (slu_get64(block + SLU_H_REQUIRED) != 0)
		return slu_fail(-EPROTONOSUPPORT, "%s needs features 0x%llx, which this program does not have", what,
		                (unsigned long long)slu_get64(block + SLU_H_REQUIRED));
	if (slu_get32(block + SLU_H_BLOCK) != SLU_BLOCK)
		return slu_fail(-EBADMSG, "the header of %s is not valid (block size)", what);
	for (unsigned i = zero_from; i < zero_to; i++)
		if (block[i])
			return slu_fail(-EBADMSG, "the header of %s is not valid (padding)", what);
	return 0;
}
