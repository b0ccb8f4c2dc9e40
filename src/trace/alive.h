/* SPDX-License-Identifier: MIT */
/*
 * Which process a log is of: its number, when it started, and the boot of the machine name it for ever. Called from
 * the recorder too: system calls only.
 */
#ifndef SLU_TRACE_ALIVE_H
#define SLU_TRACE_ALIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "trace/layout.h"

/* When a process started, as /proc has it; 0: there is none of that number. 0 as @pid is the caller. */
uint64_t slu_start_ticks(uint32_t pid);

/* All zero where it is not to be had. */
void slu_boot_id(uint8_t ret_id[16]);

/* Whether the process of a log goes on. False too for one of another machine: nothing can be known of it here. */
bool slu_log_is_alive(const struct slu_log_header *h);

/* A small file, with a zero behind: its bytes, or -1. */
ssize_t slu_read_small(const char *path, char *buf, size_t room);

#endif
