/* SPDX-License-Identifier: MIT */
/* ioctl, isatty and their kin: a descriptor of a regular file. */
#include "compat.h"
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <termios.h>

static void run(void)
{
	int n = -1;
	struct termios t;
	int fd = (int)R(open(P("comp.txt"), O_RDONLY)), dir = (int)R(open(P("class-a"), O_RDONLY));
	R(ioctl(fd, FIONREAD, &n));
	R(n);
	R(lseek(fd, 1000, SEEK_SET));
	R(ioctl(fd, FIONREAD, &n));
	R(n);
	R(lseek(fd, 0, SEEK_END));
	R(ioctl(fd, FIONREAD, &n));
	R(n);
	R(ioctl(fd, FIOCLEX));
	R(fcntl(fd, F_GETFD));
	R(ioctl(fd, FIONCLEX));
	R(fcntl(fd, F_GETFD));
	n = 1;
	R(ioctl(fd, FIONBIO, &n));
	R(fcntl(fd, F_GETFL));
	n = 0;
	R(ioctl(fd, FIONBIO, &n));
	R(fcntl(fd, F_GETFL));
	R(ioctl(fd, TCGETS, &t));
	R(ioctl(fd, TIOCGWINSZ, buf));
	R(ioctl(fd, 0xdeadbeef, buf));
	R(isatty(fd));
	R(tcgetattr(fd, &t));
	RP(ttyname(fd));
	R(ttyname_r(fd, buf, 100));
	R(ioctl(dir, FIOCLEX));
	R(fcntl(dir, F_GETFD));
	R(isatty(dir));
	R(ioctl(dir, TCGETS, &t));
	R(isatty(99));
	R(ioctl(99, FIONREAD, &n));
	R(ioctl(fd, FIGETBSZ, &n) >= -1);
	R(ioctl(fd, BLKGETSIZE64, buf));
	R(close(fd));
	R(isatty(fd));
}
