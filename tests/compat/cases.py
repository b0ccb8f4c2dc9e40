# SPDX-License-Identifier: MIT
"""The table of the conformance matrix: every case, and what is expected of it.

A case is a command. run.py runs it on the plain directory (bound read-only at the mount point),
under the shim and on the FUSE mount of the pack, and compares output, errors and exit code byte
for byte. What is declared here is what docs/compatibility.md says; a case that does not come out
as declared, better or worse, is a failing test.

In a command, {p} is the mount point, {bin} where the case programs are, {py} tests/compat/py,
{python} Debian's Python. A command that is a string is for sh -c.
"""

OK, DIFFERS, CANNOT = "ok", "differs", "cannot"


class Case:
    def __init__(self, name, group, command, what, suite="quick", shim=OK, fuse=OK, why="", fuse_why="", mask=(), code=0,
                 needs=(), tree="", sets="main", timeout=30, unordered=False, alone="",
                 asan="", user="", ro=False, lines="", crash=False):
        self.name, self.group, self.command, self.what, self.suite = name, group, command, what, suite
        self.expected = {"shim": shim, "fuse": fuse}
        self.why = {"shim": why, "fuse": fuse_why}
        self.mask = mask            # (regular expression, replacement, reason)
        self.code = code            # what the plain run must exit with; None: whatever it does
        self.needs = needs          # commands, or Python modules written as py:NAME
        self.tree = tree            # "torch": files that only torch makes
        self.sets = sets            # which run of run.py it belongs to
        self.timeout = timeout
        self.asan = asan            # why it is left out under AddressSanitizer
        self.crash = crash          # what cannot work may end the program
        self.lines = lines          # what differs, differs in lines that match this and in no others
        self.user = user            # "nobody": without privilege
        self.ro = ro or bool(user)  # compared with a read-only file system, not a read-only mount of a writable one
        self.alone = alone          # not at the same time as another case with the same word here
        self.unordered = unordered  # the lines of stderr come in the order of directory entries: they are sorted


# What is never compared, in any case, and why. The C programs do not print it; other commands mask it.
NEVER = (
    ("st_dev, st_ino, st_blocks, st_blksize", "a pack has numbers of its own; that they agree among stat, fstat, readdir "
     "and statx is checked"),
    ("access and change times", "a pack keeps the modification time alone"),
    ("size and link count of directories", "every file system has its own idea of them"),
    ("the order of directory entries", "nobody promises one"),
    ("free space, type and number of the file system", "they are the mount's own"),
)

CASES = []
EMPTIED = "an emptied environment takes the sanitizer's runtime away, and the sanitized shim cannot do without it"


def case(*args, **kw):
    CASES.append(Case(*args, **kw))


def c(name, group, what, flavours=2, **kw):
    """A C program, in its flavours: plain names, and 64-bit names with fortification."""
    case("c-" + name, group, ["{bin}/compat-" + name, "{p}"], what, **kw)
    if flavours == 2:
        case("c-" + name + "-lfs", group, ["{bin}/compat-" + name + "-lfs", "{p}"],
             what + "; 64-bit names, fortified", **kw)


c("open", "open", "open, open64, `__open_2`, openat, creat and kin: flags, kinds, ways to write a path")
c("open-special", "open", "O_PATH, O_TMPFILE, openat2, reopening through /proc/self/fd and /dev/fd")
c("fd-close", "close", "close, close_range, closefrom, RLIMIT_NOFILE")
c("read", "read", "read, pread, `__read_chk` and kin: ends, offsets, bad arguments")
c("vector", "read", "readv, preadv, preadv2")
c("efault", "read", "pointers that lead nowhere: EFAULT", flavours=1, shim=DIFFERS, lines=r"EFAULT|nowhere|signal 11",
  why="a pointer that leads nowhere ends the program, as in any libc function that uses it; the kernel says EFAULT",
  asan="the sanitizer reports the wild pointer itself")
c("seek", "position", "lseek with every whence, holes, offsets shared by dup and fork")
c("stat", "stat, both ABIs", "stat, lstat, fstat, fstatat, `__xstat` and kin")
c("statx", "stat, both ABIs", "statx: masks, flags, AT_EMPTY_PATH")
c("access", "existence and paths", "access, faccessat, eaccess, euidaccess", ro=True)
c("readlink", "existence and paths", "readlink, realpath, canonicalize_file_name, fortified forms")
c("dir", "directories", "opendir, fdopendir, readdir, readdir_r, telldir, seekdir, rewinddir, dirfd")
c("getdents", "directories", "getdents64 of libc and as a system call")
c("scandir", "directories", "scandir, scandirat")
c("fts", "directories", "fts with every option")
c("ftw", "directories", "ftw, nftw with FTW_PHYS, FTW_DEPTH, FTW_CHDIR, FTW_MOUNT")
c("glob", "directories", "glob with its options, wordexp")
c("stdio", "stdio", "fopen modes, every reading call, freopen, fdopen, FILE and descriptor mixed")
c("stdio-wide", "stdio", "wide characters: fgetws, fgetwc, ccs=", flavours=1, shim=CANNOT,
  why="glibc cannot read wide characters from a stream that is not its own: ENOTSUP")
c("direct", "open", "O_DIRECT with aligned buffers, O_SYNC", flavours=1)
c("proc-paths", "existence and paths", "/proc/self/root, /proc/self/cwd, /proc/PID/fd", flavours=1)
c("proc-list", "existence and paths", "names of descriptors by readlinkat in /proc/self/fd", flavours=1, shim=DIFFERS, lines=r"^  \d+ -> ",
  why="read through a descriptor of that directory they show the placeholder; `readlink(\"/proc/self/fd/N\")` is right")
c("watch", "file system information", "inotify", flavours=1, shim=DIFFERS, lines=r"inotify_(add|rm)_watch",
  why="there is nothing to watch: a pack never changes")
c("unix-socket", "the write side", "sockets bound below the mount", flavours=1, ro=True)
c("unix-connect", "the write side", "connecting to a name below the mount that is no socket", flavours=1, ro=True, shim=DIFFERS, lines=r"^(connect|sendto)\(",
  why="it is always ENOENT: no socket can be there")
c("fd-dup", "descriptors", "dup, dup2, dup3, F_DUPFD, F_SETFL, F_SETFD, the lowest free number")
c("fd-locks", "descriptors", "flock, record locks, open-file-description locks, lockf", alone="locks")
c("fd-ioctl", "descriptors", "ioctl, isatty, tcgetattr, ttyname")
c("fd-scan", "descriptors", "which descriptors are open", flavours=1)
c("fd-poll", "descriptors", "poll, select")
c("fd-epoll", "descriptors", "epoll, which refuses regular files", flavours=1, fuse=DIFFERS, lines=r"^epoll_ctl\(",
  fuse_why="the kernel lets epoll wait for any FUSE file, where EPERM is the rule for regular files")
c("mmap", "mmap", "shared and private maps, offsets, ends, mremap, mprotect, madvise, after close")
c("copy", "hints and copies", "posix_fadvise, readahead, sendfile, splice, copy_file_range, FICLONE")
c("fsinfo", "file system information", "statfs, statvfs, pathconf, extended attributes")
c("cwd", "current directory", "chdir, fchdir, getcwd, everything relative, inherited by children")
c("write", "the write side", "every call that creates, changes or removes: EROFS and its precedence")
c("aio-posix", "asynchronous", "aio_read, lio_listio, aio_suspend")
c("aio-kernel", "asynchronous", "io_submit through syscall()", flavours=1)
c("libaio", "asynchronous", "io_submit through libaio", flavours=1)
c("uring", "asynchronous", "io_uring reading a descriptor that open() gave", flavours=1)
c("exec", "processes", "the exec family: edited and empty environments, inherited descriptors and directory", asan=EMPTIED)
c("spawn", "processes", "posix_spawn with its file actions", asan=EMPTIED)
c("vfork", "processes", "vfork children that dup2, close and close_range", asan=EMPTIED)
c("process", "processes", "fork, system, popen, SCM_RIGHTS, closing all descriptors, daemon", asan=EMPTIED)
c("threads", "threads", "eight threads on many files, and on one descriptor")
c("fork-threads", "threads", "fork amid the calls of other threads")
NOT_ENFORCED = "who may read the pack may read all of it: modes and owners are shown but not enforced"
for _name, _what, _kw in (
        ("access", "access and kin", {"shim": DIFFERS, "why": NOT_ENFORCED, "lines": r"access(at)?\(.* = (0|-1 E(ACCES|ROFS))$"}),
        ("open", "open and kin", {"shim": DIFFERS, "why": NOT_ENFORCED + " (nor O_NOATIME refused)", "lines": r"O_NOATIME|^  (kind|getfl)"}),
        ("stat", "stat and kin", {"shim": DIFFERS, "why": NOT_ENFORCED, "lines": r"\(modes/(0600|0000|dir-0700)\)"}),
        ("dir", "directories", {}), ("exec-mount", "scripts and programs", {}),
        ("write", "every change", {"shim": DIFFERS, "lines": r"^(unlink|remove|rmdir)\(p\) = -1 E",
                                    "why": "removing the mount point itself is EBUSY, where its parent's mode says EACCES"})):
    case("nobody-" + _name, "without privilege", ["{bin}/compat-" + _name, "{p}"], _what + ", as a user whom modes and owners concern",
         user="nobody", needs=("setpriv",), code=None, **_kw)
case("nobody-shell", "without privilege", "cat {p}/modes/*; ls -l {p}/modes | sed 1d | cut -c 1-10; ls {p}/modes/dir-0700; cp -r {p}/modes m; find {p}/modes -type f "
     "-readable | LC_ALL=C sort; test -r {p}/modes/0600 || echo no; {p}/modes/0444; touch {p}/modes/dir-1777/x; tar -C {p} -cf - modes | wc -c",
     "cat, ls, cp, find, tar over files that it may not read", user="nobody", needs=("setpriv",), code=None, unordered=True,
     shim=DIFFERS, why=NOT_ENFORCED, lines=r"modes|mode |Permission denied|^-rw-r-----$|^no$|^[0-9:]+$|failure status")
c("signals", "threads", "a signal handler that opens, reads and stats, amid the same calls", flavours=1)
c("jump", "threads", "a signal handler that jumps out of open, read and stat", flavours=1)
c("cancel", "threads", "threads cancelled in open, read and close", flavours=1,
  asan="the sanitizer does not notice that the frames of a cancelled thread are gone")
c("syscalls", "syscall()", "the main calls through syscall()")
case("c-static-stdin", "processes", "{bin}/compat-static {p} 0 <{p}/text/lines.txt; {bin}/compat-static {p} 7 7<{p}/comp.txt; "
     "cat {p}/big.bin | {bin}/compat-static {p} 0; (head -c 10 >/dev/null; {bin}/compat-static {p} 0) <{p}/big.bin",
     "a statically linked program that is given descriptors of the mount", code=None)
c("exec-mount", "programs in the mount", "a script and a program that live in the pack", flavours=1)
c("exec-interpreter", "programs in the mount", "a script outside whose #! names a program in the pack", flavours=1, shim=CANNOT,
  why="the kernel looks for the interpreter itself")
c("dlopen", "programs in the mount", "a shared library that lives in the pack", flavours=1, shim=CANNOT,
  why="the loader reads by itself, inside libc")

NO_SYMBOL = "no libc symbol is called"
c("static", "beyond symbols", "a statically linked program (Go programs are like it)", flavours=1, shim=CANNOT, why=NO_SYMBOL)
c("rawcall", "beyond symbols", "the kernel called by the program's own instruction", flavours=1, shim=CANNOT, why=NO_SYMBOL)
c("uring-open", "beyond symbols", "io_uring that opens the file itself", flavours=1, shim=CANNOT,
  why="the path goes to the kernel through shared memory, not through libc")

case("cxx-tfread", "C++", ["{bin}/compat-tfread", "{p}"],
     "pread in 256 KiB chunks, mmap and opendir as TensorFlow does; ifstream; std::filesystem")

# ---- programs -------------------------------------------------------------------------------------------------------

PROGRAMS = "programs"


def prog(name, command, what, needs=None, **kw):
    case("prog-" + name, PROGRAMS, command, what, needs=needs or (name.split("-")[0],), sets="programs", **kw)


prog("cat", "cat {p}/text/*.txt {p}/comp.txt {p}/big.bin {p}/links/chain1 | md5sum; cat {p}/no-such; cat {p}/class-a; "
     "cat <{p}/text/one-line.txt; cat - <{p}/links/abs | md5sum", "cat", code=None)
prog("cp", "cp {p}/comp.txt a && cp -a {p}/links l && cp -r {p}/names n && cp --reflink=auto {p}/big.bin b && "
     "cp --sparse=always {p}/raw70k.bin r && md5sum a b r && find l n | LC_ALL=C sort && stat -c '%a %s' a b r; "
     "cp a {p}/new; cp {p}/no-such x; cp -a {p}/class-a c && diff -r c {p}/class-a && echo same", "cp, cp -a, cp -r")
prog("ls", "ls -lRa --time-style=full-iso {p}", "ls -lRa", mask=(
    (r"(?m)^(d\S+)\s+\d+\s+(\S+)\s+(\S+)\s+\d+", r"\1 \2 \3", "size and link count of directories"),
    (r"(?m)^total \d+", "total", "st_blocks"),
    (r"(?m)^.*\s\.\.$", "..", "the parent of the mount point is outside, and changes"),
    (r"(?m)^(\S+)\s+(\d+)\s+(\S+)\s+(\S+)\s+(\d+)", r"\1 \2 \3 \4 \5", "columns are as wide as the widest number in them")))
prog("ls-dir", "cd {p} && ls | md5sum && ls -d */ && ls -F links; ls -L links; ls {p}/no-such; ls -i {p} | wc -l", "ls in the mount",
     code=None)
prog("find", "find {p} -printf '%y %m %u %g %s %n %t %p -> %l\\n' | sed -E 's/^(d [0-9]+ [^ ]+ [^ ]+) [0-9]+ [0-9]+/\\1/' | "
     "LC_ALL=C sort; find -L {p}/links -printf '%y %p\\n' | LC_ALL=C sort; find {p} -name '*.jpg' -size +1k | wc -l; "
     "find {p} -type l -ls | wc -l; find {p} -newer {p}/empty -type f | wc -l; find {p}/class-a -type f -exec md5sum {{}} + | "
     "LC_ALL=C sort; find {p} -samefile {p}/text/lines.txt; find {p} -empty | LC_ALL=C sort; find {p} -xtype d -links 1 | wc -l >/dev/null",
     "find with its tests and actions", code=None, unordered=True)
prog("grep", "cd {p} && grep -r -c line . | LC_ALL=C sort; grep -rl fox {p} | LC_ALL=C sort; grep -R needle {p}/links; "
     "grep -n quick {p}/text/lines.txt | tail -n 1; grep -z x {p}/big.bin | wc -c", "grep -r", code=None, unordered=True)
prog("tar", "tar -C {p} --sort=name --numeric-owner -cf - . | tar -tvf - ; tar -C {p} --sort=name -cf a.tar . && md5sum a.tar; "
     "mkdir x && tar -xf {p}/archive.tar -C x && find x -type f | LC_ALL=C sort | xargs md5sum; tar -C {p} -xf a.tar ./empty; "
     "tar --compare -f a.tar -C {p} && echo same", "tar of the whole tree, extracted from and compared with the mount",
     code=None, mask=(
         (r"(?m)^(d\S+ \S+)\s+\d+", r"\1", "size of directories"),
         (r"(?m)^[0-9a-f]{32}  a.tar$", "sum of the archive", "GNU tar writes sparse files by st_blocks, and holes are the file system's"),))
prog("rsync", "rsync -a {p}/ copy/ && (cd copy && find . -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum); "
     "rsync -a --itemize-changes {p}/ copy/; rsync -ac --dry-run --itemize-changes {p}/ copy/; rsync -a copy/empty {p}/new; "
     "find copy -printf '%y %m %t %P %l\\n' | LC_ALL=C sort", "rsync -a, unchanged a second time", code=None, timeout=60,
     mask=((r"/\.new\.\w{6}", "/.new.XXXXXX", "rsync takes a random name"),))
prog("md5sum", "cd {p} && find . -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum; md5sum < {p}/big.bin", "md5sum of every file")
prog("checksums", "sha256sum {p}/big.bin {p}/comp.txt; cksum {p}/comp.txt; b2sum {p}/raw70k.bin; sum {p}/small.bin; "
     "cmp {p}/big.bin {p}/raw70k.bin; cmp {p}/comp.txt {p}/comp.txt && echo same; od -A d -t x1 {p}/small.bin | tail -n 3; "
     "xxd -l 16 {p}/small.bin 2>/dev/null || od -N 16 {p}/small.bin", "sha256sum, cksum, b2sum, cmp, od", needs=("sha256sum",), code=None)
prog("du", "du -a --apparent-size -b {p}/class-a {p}/comp.txt | cut -f 2 | LC_ALL=C sort; du -b {p}/comp.txt {p}/big.bin; "
     "du -sL {p}/links/rel >/dev/null; du {p}/no-such", "du", code=None)
prog("sqlite3", "sqlite3 'file:{p}/base.sqlite?mode=ro' 'select count(*), sum(label) from sample; select name from sample where "
     "label = 3 limit 2; pragma integrity_check;'; sqlite3 'file:{p}/base.sqlite?immutable=1' 'select count(*) from sample'; "
     "sqlite3 -readonly {p}/base.sqlite 'select max(id) from sample'; sqlite3 {p}/base.sqlite 'insert into sample values (-1, 1, 1)'; "
     "sqlite3 {p}/base.sqlite .schema; sqlite3 {p}/new.sqlite 'create table x (y)'; "
     "sqlite3 'file:{p}/base.sqlite?mode=ro' 'pragma mmap_size=1000000; select count(*) from sample where label < 5'",
     "sqlite3, read-only, immutable, with mmap, and refused writes", code=None)
prog("text", "sort {p}/text/lines.txt | md5sum; sort -m {p}/text/numbers.txt {p}/text/one-line.txt | wc; wc {p}/text/*; "
     "wc -c <{p}/big.bin; wc -l {p}/comp.txt; head -c 100 {p}/comp.txt | md5sum; head -n -5 {p}/text/numbers.txt | wc -l; "
     "tail -c 1000 {p}/big.bin | md5sum; tail -n 3 {p}/text/lines.txt; tail -c +3000000 {p}/big.bin | md5sum; "
     "tac {p}/text/numbers.txt | head -n 1; cut -c 1-4 {p}/text/lines.txt | uniq -c; sed -n 2p {p}/text/lines.txt; "
     "awk '{{s+=$2}} END {{print s}}' {p}/text/numbers.txt; diff {p}/text/lines.txt {p}/links/rel && echo same; "
     "comm -12 {p}/text/lines.txt {p}/text/lines.txt | wc -l; split -b 1000000 {p}/big.bin part. && cat part.* | md5sum; "
     "dd if={p}/big.bin bs=64k skip=3 count=5 2>/dev/null | md5sum; dd if={p}/comp.txt of=out bs=1000 2>/dev/null && md5sum out; "
     "gzip -c {p}/comp.txt | zcat | md5sum; join {p}/text/numbers.txt {p}/text/numbers.txt | tail -n 1; "
     "paste {p}/text/numbers.txt {p}/text/lines.txt | tail -n 1; tee copy <{p}/comp.txt | md5sum; sed -i s/a/b/ {p}/text/lines.txt",
     "sort wc head tail tac cut sed awk diff comm split dd gzip join paste tee", needs=("sort",), code=None,
     asan="coreutils call aligned_alloc in a way that the sanitizer refuses", mask=(
         (r"/mnt/text/sed\w{6}", "/mnt/text/sedXXXXXX", "sed takes a random name"),))
prog("paths", "realpath {p}/links/* {p}/class-a/../text; realpath -e {p}/no-such; readlink -f {p}/links/chain1; readlink {p}/links/*; "
     "stat -c '%A %h %U %G %s %y %N %F' {p}/text/lines.txt {p}/links/* {p}/script.sh; stat -L -c '%F %s' {p}/links/rel; "
     "stat -f -c '%l' {p}/empty; "
     "for f in text/lines.txt class-a empty links/dangling no-such script.sh modes/0000; do for t in e f d r w x s L; do "
     "test -$t {p}/$f && echo $t $f; done; done; test {p}/text/lines.txt -ef {p}/links/rel && echo the same file; "
     "test {p}/big.bin -nt {p}/empty && echo newer; file -b {p}/class-a/img-00.jpg; basename {p}/x; namei {p}/links/dir/img-00.jpg",
     "realpath, readlink, stat, test, file, namei", needs=("realpath",), code=None)
prog("writes", "touch {p}/new; touch {p}/comp.txt; rm -f {p}/comp.txt; rm {p}/no-such; rm -rf {p}/class-a; mkdir {p}/x; mkdir -p {p}/class-a; "
     "rmdir {p}/empty-dir; mv {p}/comp.txt {p}/y; mv {p}/comp.txt .; ln -s x {p}/l; ln {p}/comp.txt {p}/l; chmod 600 {p}/comp.txt; "
     "chown 1 {p}/comp.txt; truncate -s 0 {p}/comp.txt; install -m 644 /dev/null {p}/z; mktemp -p {p} tmp.XXXXXX; "
     "dd if=/dev/null of={p}/new; echo x >{p}/comp.txt; echo x >>{p}/new; md5sum {p}/comp.txt; ls comp.txt",
     "touch rm mkdir rmdir mv ln chmod chown truncate install mktemp and redirections: refused as on a read-only mount",
     needs=("touch",), code=None, unordered=True, mask=((r"tmp\.\w{6}", "tmp.XXXXXX", "mktemp takes a random name"),))
prog("git", "git init -q r && cd r && git --work-tree={p} add class-a text && git --work-tree={p} status --short | head -n 5; "
     "git ls-files -s | md5sum; git hash-object {p}/big.bin {p}/comp.txt; git grep --no-index -c fox -- {p}/text/lines.txt",
     "git add, hash-object and grep over the mount", code=None)
prog("unzip", "{python} -m zipfile -l {p}/archive.zip | head -n 4; {python} -m tarfile -l {p}/archive.tar", "zip and tar listings by Python",
     needs=("python3",))
prog("pipe", "cat {p}/big.bin | (sleep 0.1; md5sum); head -c 5 <{p}/comp.txt; (read a; read b; echo $b; cat | md5sum) <{p}/text/lines.txt; "
     "exec 5<{p}/text/lines.txt; head -n 1 <&5 | wc -l; cat /dev/fd/5 | tail -n 1; cat /proc/self/fd/5 | md5sum; exec 5<&-; "
     "xargs -n 1 echo <{p}/text/one-line.txt; env -i cat {p}/text/one-line.txt; nice cat {p}/text/one-line.txt; "
     "timeout 5 cat {p}/text/one-line.txt; sh -c 'cat <$0' {p}/text/one-line.txt; nohup cat {p}/text/one-line.txt 2>/dev/null; "
     "setsid -w cat {p}/text/one-line.txt; find {p}/text -name 'one*' -exec sh -c 'cat \"$1\"' _ {{}} \\;",
     "pipelines, redirections, descriptors passed on, env -i, timeout, xargs", needs=("sh",), code=None, asan=EMPTIED)

prog("perl", ["perl", "{py}/perl.pl", "{p}"], "perl: open, sysopen, sysread, -X tests, opendir, glob, File::Find, File::Copy, fork, system")
prog("cc", "cd {p}/src && cc -I. -o $HOME/x main.c part.c && $HOME/x; cc -E main.c | tail -n 3; cc -c -o $HOME/y.o $PWD/part.c && "
     "nm $HOME/y.o; cc -o y main.c; make -n -f {p}/src/Makefile", "a compiler whose sources and headers are in the pack", needs=("cc", "make"), code=None,
     mask=((r"\S*/cc\w{6}", "/ccXXXXXX", "the compiler takes random names"),))
prog("readelf", "readelf -h {p}/bin/hello | head -n 8; nm -D {p}/bin/libhello.so | grep hello; objdump -h {p}/bin/libhello.so | wc -l; "
     "strings {p}/bin/hello | grep -c hello; size {p}/bin/hello | wc -l; strip -o out {p}/bin/hello && ./out x",
     "binutils on a program in the pack", code=None)

BASH = r"""
set -u
cd {p}
while read -r a b c; do echo "$b"; done <text/lines.txt | tail -n 1
x=$(<text/one-line.txt); echo "$x"
mapfile -t lines <text/lines.txt; echo ${{#lines[@]}}
[ -f comp.txt ] && [[ -d class-a && -L links/rel && ! -e links/dangling && -x script.sh && -s big.bin ]] && echo tests
echo */ ; echo class-?/img-0[12].jpg; shopt -s nullglob dotglob globstar; echo names/* | md5sum; echo no-*; echo **/leaf
printf '%s\n' links/**/ | sort
pwd; cd class-a/..; pwd; cd links/dir; pwd; pwd -P; cd -P ..; pwd; cd {p}; cd -; cd links/up; pwd -P; cd "$OLDPWD"
diff <(sort text/lines.txt) <(sort links/rel) && echo same
exec 7<comp.txt; read -r -u 7 first; echo "$first"; head -c 10 <&7 | wc -c; exec 7<&-
source ./py/../text/numbers.txt 2>/dev/null; . {p}/text/no-newline.txt 2>/dev/null; echo $?
./script.sh a b; echo $?; bash script.sh c; echo $?
for f in class-a/*; do echo "${{f##*/}} $(wc -c <"$f")"; done
cat <<<"$(head -n 2 text/lines.txt)"
(cd class-b && md5sum * | md5sum)
echo x >new; echo $?; echo x 2>&1 >>comp.txt; : >comp.txt
type -p script.sh; PATH=$PATH:{p}; script.sh by-path; hash -r
coproc cat text/one-line.txt; cat <&"${{COPROC[0]}}"
read -r -d '' all <text/lines.txt; echo ${{#all}}
[ text/lines.txt -ef links/rel ] && echo ef
compgen -G 'class-*' | sort; cd ..; echo mnt/*.txt; cd mnt/class-a/../..; pwd
wait
"""
case("shell-bash", PROGRAMS, ["bash", "-c", BASH], "a bash script: redirections, globs, cd, process substitution, coproc, source",
     needs=("bash",), sets="programs", code=None)
case("shell-dash", PROGRAMS, ["dash", "-c", "cd {p}; while read a b; do echo $b; done <text/numbers.txt | tail -n 2; echo class-*/*7.jpg; "
     "[ -r comp.txt ] && echo readable; cd links/dir && pwd -P; cat <../../text/one-line.txt; . {p}/text/one-line.txt; ../script.sh x; "
     "read x <{p}/text/no-newline.txt; echo \"$x\"; echo y >z"], "a dash script", needs=("dash",), sets="programs", code=None)

# ---- Python ---------------------------------------------------------------------------------------------------------


def py(name, what, group="Python", needs=(), **kw):
    case("py-" + name, group, ["{python}", "{py}/" + name + ".py", "{p}"], what, needs=tuple("py:" + n for n in needs),
         sets=kw.pop("sets", "python"), **kw)


py("files", "open, io, os.open, os.pread, os.preadv, fdopen, seek, readinto, mmap, linecache, fileinput")
py("paths", "os.stat, os.walk, os.fwalk, os.scandir, os.listdir, dir_fd, glob, pathlib, os.access, os.chdir")
py("copies", "shutil.copytree, copyfile, disk_usage, make_archive, os.sendfile, os.copy_file_range, filecmp")
py("writes", "every write through os, io, pathlib, tempfile, shutil: the same exception")
py("archives", "zipfile, tarfile, gzip, sqlite3, csv, json, dbm")
py("children", "subprocess with stdin, cwd, env={}, close_fds, pass_fds; os.posix_spawn, os.fork, os.system, os.popen", asan=EMPTIED)
py("imports", "modules, packages, runpy and zipimport from the mount; tracebacks that quote its source")
py("pools", "multiprocessing with fork, spawn and forkserver; concurrent.futures; descriptors sent between processes", timeout=60)
py("asyncs", "asyncio subprocesses and threads, selectors, signals during reads, an HTTP server of the mount")
py("arrays", "numpy load, mmap_mode, fromfile, npz, memmap, genfromtxt", "numerical", needs=("numpy",))
py("pictures", "PIL: open, verify, draft, from file objects and descriptors", "numerical", needs=("PIL",))
py("hdf5", "h5py: datasets, chunks, attributes, file objects, core driver, refused writes", "numerical", needs=("h5py",))
py("torches", "torch.load, from_file, torchvision ImageFolder and DatasetFolder, DataLoader with 0, 2 and 4 workers, fork",
   "PyTorch", needs=("torch", "torchvision"), tree="torch", sets="torch", timeout=120)
py("torch-spawn", "DataLoader with workers started by spawn", "PyTorch", needs=("torch", "torchvision"),
   tree="torch", sets="torch", timeout=120)
case("py-torch-all", "PyTorch", ["{python}", "{py}/torch-spawn.py", "{p}", "all"], "DataLoader with 2 and 4 workers, spawn and forkserver",
     needs=("py:torch", "py:torchvision"), tree="torch", sets="torch", timeout=300, suite="long")
py("torch-image", "torchvision.io.read_image, read_file: a map, never a read", "PyTorch", needs=("torch", "torchvision"),
   tree="torch", sets="torch", timeout=120)


def selected(sets=None, suites=("quick",), names=()):
    import fnmatch
    return [k for k in CASES if (not sets or k.sets in sets) and k.suite in suites
            and (not names or any(fnmatch.fnmatch(k.name, n) for n in names))]
