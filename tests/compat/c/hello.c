/* SPDX-License-Identifier: MIT */
/* A program, and with -DLIBRARY a library, that maketree.py puts into the tree. */
#include <stdio.h>

int hello_number(void);

int hello_number(void)
{
	return 42;
}

#ifndef LIBRARY
int main(int argc, char **argv)
{
	printf("hello %s, %d\n", argc > 1 ? argv[1] : "nobody", hello_number());
	return 7;
}
#endif
