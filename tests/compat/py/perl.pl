#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Perl, which has its own buffers over read() and its own ideas of tests, globs and children.
use strict;
use warnings;
use Cwd;
use Fcntl qw(:DEFAULT :flock :seek);
use File::Copy;
use File::Find;
use File::stat ();
use IO::Handle;

my $p = shift;
STDOUT->autoflush(1);
for my $rel ("text/lines.txt", "comp.txt", "raw70k.bin", "big.bin", "empty", "links/chain1", "no-such", "class-a") {
	my $f = "$p/$rel";
	if (!open(my $h, "<:raw", $f)) {
		print "$rel: $!\n";
	} else {
		local $/;
		my $d = <$h>;
		printf "%s: %s %s\n", $rel, defined $d ? length $d : "undef", defined $d ? unpack("%32C*", $d) : "";
		seek $h, 5, SEEK_SET;
		read $h, my $b, 10;
		print tell($h), " ", unpack("H*", $b // ""), "\n";
		sysseek $h, 3, SEEK_SET;
		sysread $h, $b, 4;
		print unpack("H*", $b // ""), " ", flock($h, LOCK_SH | LOCK_NB) ? "locked" : "$!", "\n";
		close $h;
	}
	print join(" ", $rel, map { no strict; my $r = eval "-$_ \$f"; "$_=" . (defined $r ? $r : "undef") } qw(e f d l r w x z s p S)), "\n"
		unless -d $f;
}
open(my $l, "<", "$p/text/lines.txt") or die;
while (<$l>) { print if $. == 3 }
print "lines $.\n";
sysopen(my $s, "$p/new", O_WRONLY | O_CREAT) or print "sysopen: $!\n";
open($s, ">>", "$p/comp.txt") or print "append: $!\n";
unlink("$p/comp.txt") or print "unlink: $!\n";
rename("$p/comp.txt", "$p/x") or print "rename: $!\n";
mkdir("$p/x") or print "mkdir: $!\n";
chmod(0600, "$p/comp.txt") or print "chmod: $!\n";
utime(1, 1, "$p/comp.txt") or print "utime: $!\n";
my $st = File::stat::stat("$p/comp.txt");
printf "%o %d %d\n", $st->mode, $st->size, $st->mtime;
print readlink("$p/links/rel"), "\n";
opendir(my $d, "$p/names") or die;
print join("|", sort readdir $d), "\n";
rewinddir $d;
print scalar(() = readdir $d), "\n";
closedir $d;
print join("\n", sort glob("$p/class-*/img-0[12].jpg")), "\n";
my @found;
find(sub { push @found, $File::Find::name if -f }, "$p/class-a", "$p/text", "$p/deep");
print join("\n", sort @found), "\n";
chdir "$p/class-b" or die;
print getcwd(), " ", Cwd::abs_path("../links/dir"), " ", -s "img-00.jpg", "\n";
copy("img-00.jpg", "$ENV{HOME}/copy") or print "copy: $!\n";
print -s "$ENV{HOME}/copy", "\n";
copy("$ENV{HOME}/copy", "$p/new") or print "copy in: $!\n";
print `head -n 1 $p/text/lines.txt`;
system("cat", "$p/text/one-line.txt");
open(my $c, "-|", "cat", "$p/text/one-line.txt") or die;
print "pipe: ", <$c>;
close $c;
open(STDIN, "<", "$p/text/lines.txt") or die;
print scalar <STDIN>;
system("wc -l");
my $pid = fork;
if (!$pid) { open(my $h, "<", "$p/comp.txt"); print "child ", scalar <$h>; exit 3 }
waitpid $pid, 0;
print $? >> 8, "\n";
