/* SPDX-License-Identifier: MIT */
/* Preloaded beside a sanitized shim: the sanitizer's options, which no emptied environment can take away. */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	/* We come before the runtime, or its own (weak) function would be taken. Host programs leak at exit, and are
	 * not ours; some of them use what ASan calls wrong. */
	return "verify_asan_link_order=0:detect_leaks=0:alloc_dealloc_mismatch=0:allocator_may_return_null=1:new_delete_type_mismatch=0";
}
