# SPDX-License-Identifier: MIT
"""Each rule of advice: a program that shows the symptom is advised, with numbers; one that does not is not."""
from proflib import *

FILES = r"""
/* files DIR N SIZE PASSES: opens, reads by pieces of SIZE, closes */
int main(int argc, char **argv)
{
	for (int p = 0; p < atoi(argv[4]); p++)
		for (int i = 0; i < atoi(argv[2]); i++)
			read_file(path_of(argv[1], i), (size_t)atol(argv[3]));
	return 0;
}
"""
STATS = r"""
int main(int argc, char **argv)
{
	struct stat st;
	for (int i = 0; i < 20000; i++)
		stat(path_of(argv[1], i % 100), &st);
	return 0;
}
"""
FORKS = r"""
/* forks DIR N...: a child for each number, which reads so many files */
int main(int argc, char **argv)
{
	for (int i = 2; i < argc; i++)
		if (fork() == 0) {
			for (int k = 0; k < atoi(argv[i]); k++)
				read_file(path_of(argv[1], k), 4096);
			nap(50); /* all of them at once */
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	return 0;
}
"""
WORKERS = r"""
/* workers DIR N WORK WAIT COMPUTE: N children decode for WORK ms, then idle until 600 ms are over; meanwhile the parent waits
 * and computes for WAIT and COMPUTE ms in turn */
int main(int argc, char **argv)
{
	int n = atoi(argv[2]), work = atoi(argv[3]);
	for (int i = 0; i < n; i++)
		if (fork() == 0) {
			read_file(path_of(argv[1], i), 4096);
			span("decode", SLU_SPAN_DECODE, work);
			nap(600 - work);
			_exit(0);
		}
	for (int i = 0; i < 3; i++) {
		span("wait", SLU_SPAN_WAIT, atoi(argv[4]));
		span("step", SLU_SPAN_COMPUTE, atoi(argv[5]));
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
"""
HIDING = r"""
/* hiding DIR WHERE: a thread reads, the other computes meanwhile ("beside"), or only when that is over ("after") */
static void *reader(void *dir)
{
	for (int p = 0; p < 3; p++)
		for (int i = 0; i < 100; i++)
			read_file(path_of(dir, i), 64);
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t t;
	int after = strcmp(argv[2], "after") == 0;
	struct timespec a, b;
	slu_span_begin("step", after ? SLU_SPAN_OTHER : SLU_SPAN_COMPUTE, -1);
	clock_gettime(CLOCK_MONOTONIC, &a);
	pthread_create(&t, NULL, reader, argv[1]);
	pthread_join(t, NULL);
	clock_gettime(CLOCK_MONOTONIC, &b);
	slu_span_end();
	/* as long again, so that computing is most of the time in both */
	span("step", SLU_SPAN_COMPUTE, 3 * ((b.tv_sec - a.tv_sec) * 1e3 + (b.tv_nsec - a.tv_nsec) / 1e6));
	return 0;
}
"""
CHECKPOINT = r"""
/* checkpoint WHERE: "stops" computing, or a thread writes "beside" it */
static void *save(void *arg)
{
	span("save", SLU_SPAN_CHECKPOINT, 60);
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t t;
	int beside = strcmp(argv[1], "beside") == 0;
	span("step", SLU_SPAN_COMPUTE, 100);
	if (!beside)
		save(NULL);
	else
		pthread_create(&t, NULL, save, NULL);
	span("step", SLU_SPAN_COMPUTE, 100);
	if (beside)
		pthread_join(t, NULL);
	return 0;
}
"""
HDF5 = r"""
/* hdf5 FILE OPENS: 300 samples */
int main(int argc, char **argv)
{
	char buf[512];
	int n = atoi(argv[2]), fd = -1;
	for (int i = 0; i < 300; i++) {
		if (i % (300 / n) == 0) {
			if (fd >= 0)
				close(fd);
			fd = open(argv[1], O_RDONLY);
		}
		pread(fd, buf, sizeof(buf), 512 * (i % 8));
	}
	return 0;
}
"""


def test_files(advised, programs, many, large):
    with open("data.bin", "wb") as f:   # HDF5 by its first bytes, not by its name
        f.write(b"\x89HDF\r\n\x1a\n" + bytes(8192))
    subprocess.run([SLUICE, "pack", "-q", many, "-o", "many.slu"], check=True)
    a = advised("files", many, "1200", "4096", "1")
    check("small-files" in a and "one-read" not in a, "1,200 small files, each read to its end: %s", sorted(a))
    check("1200 of 1200" in a["small-files"]["evidence"] and a["small-files"]["gain_s"] > 0, "%s", a["small-files"])
    check(many in a["small-files"]["command"], "%s", a["small-files"]["command"])
    a = advised("files", many, "900", "4096", "1")
    check("small-files" not in a, "900 files are few: %s", sorted(a))
    a = advised("files", many, "1200", "4096", "1", run=[SLUICE, "run", "many.slu:" + many, "--"])
    check("small-files" not in a, "they are packed already: %s", sorted(a))

    one = build("one", FILES.replace("read_file(path_of(argv[1], i), (size_t)atol(argv[3]));", r"""{
		char buf[4096];
		int fd = open(path_of(argv[1], i), O_RDONLY);
		read(fd, buf, sizeof(buf));
		close(fd);
	}"""))
    programs["one"] = one
    a = advised("one", many, "1200", "4096", "1")
    check("one-read" in a and "1200 opens" in a["one-read"]["evidence"], "each open serves one read: %s", a)

    a = advised("stats", large)
    check("metadata" in a and "stat (20000 calls)" in a["metadata"]["evidence"], "nothing but stat: %s", a)
    a = advised("files", large, "100", "64", "1")
    check("metadata" not in a and "rereads" not in a, "reads in small pieces, once: %s", sorted(a))
    a = advised("files", large, "100", "64", "5")
    check("rereads" in a and "5.0 times over" in a["rereads"]["evidence"], "five times the same: %s", a)

    a = advised("hdf5", "data.bin", "300")
    check("hdf5" in a and "300 times" in a["hdf5"]["evidence"], "opened for each sample: %s", a)
    a = advised("hdf5", "data.bin", "1")
    check("hdf5" not in a, "opened once: %s", sorted(a))


def test_workers(advised, programs, many, large):
    a = advised("forks", many, "1000", "100", "100")
    check("imbalance" in a and "2.5 times the mean" in a["imbalance"]["evidence"], "one has 1000 of 1200: %s", a)
    a = advised("forks", many, "400", "400", "400")
    check("imbalance" not in a, "all have 400: %s", sorted(a))

    a = advised("workers", many, "2", "580", "150", "50")
    check("few-workers" in a and "num_workers=4" in a["few-workers"]["action"], "two that are always busy: %s", a)
    check("many-workers" not in a and "hidden" not in a, "%s", sorted(a))
    a = advised("workers", many, "2", "60", "150", "50")
    check("few-workers" not in a, "it waits for something else: the workers are idle: %s", sorted(a))
    a = advised("workers", many, "4", "30", "0", "200")
    check("many-workers" in a and "few-workers" not in a, "four that have nothing to do: %s", a)
    a = advised("workers", many, "2", "30", "0", "200")
    check("many-workers" not in a, "two are not many: %s", sorted(a))

    a = advised("hiding", large, "beside")
    check("hidden" in a and a["hidden"]["severity"] == "fine", "it computes meanwhile: %s", a)
    a = advised("hiding", large, "after")
    check("hidden" not in a, "nothing computes meanwhile: %s", sorted(a))

    a = advised("checkpoint", "stops")
    check("checkpoint" in a and a["checkpoint"]["gain_s"] > 0.05, "60 ms in 260: %s", a)
    a = advised("checkpoint", "beside")
    check("checkpoint" not in a, "it goes on computing: %s", a)


def test(tmp):
    files = sys.argv[1] == "files"
    sources = dict(files=FILES, stats=STATS, hdf5=HDF5) if files else dict(forks=FORKS, workers=WORKERS, hiding=HIDING,
                                                                           checkpoint=CHECKPOINT)
    programs = {name: build(name, body) for name, body in sources.items()}
    many = make_files("many", 1200)
    large = make_files("large", 100, 64 * 1024)
    n = 0

    def advised(*command, run=()):
        nonlocal n
        n += 1
        record([*run, programs[command[0]], *command[1:]], "t%d" % n)
        return advice("t%d" % n)

    (test_files if files else test_workers)(advised, programs, many, large)


main(test)
