# SPDX-License-Identifier: MIT
"""Ranks: of a real mpirun, and by the variables of Slurm and torchrun; children belong to their rank, and one report has all."""
import shutil
from proflib import *

PROGRAM = r"""
int main(int argc, char **argv)
{
	int n = getenv("OMPI_COMM_WORLD_RANK") ? atoi(getenv("OMPI_COMM_WORLD_RANK")) : 0;
	if (fork() == 0) { /* a worker */
		for (int i = 0; i < 10 * (n + 1); i++)
			read_file(path_of(argv[1], i), 4096);
		_exit(0);
	}
	wait(NULL);
	span("step", SLU_SPAN_COMPUTE, 20);
	return 0;
}
"""


def test_mpi(program, data):
    mpirun = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "4"]
    p = subprocess.run([*mpirun, SLUICE, "trace", "-q", "-o", "mpi", "--", program, data], capture_output=True, text=True, check=False,
                       timeout=60)
    check(p.returncode == 0, "mpirun: %s", p.stderr[-1000:])
    r = report("mpi")
    check([k["rank"] for k in r["ranks"]] == [0, 1, 2, 3] and r["job"]["n_processes"] == 8, "four ranks of two processes: %s", r["job"])
    check([k["opens"] for k in r["ranks"]] == [10, 20, 30, 40], "each with its own: %s", [k["opens"] for k in r["ranks"]])
    check({p["world"] for p in r["processes"] if p["told_rank"] is not None} == {4}, "and the size of the world")
    check(all("OMPI" in p["rank_from"] or "PMIX" in p["rank_from"] for p in r["processes"]), "%s", r["processes"][0]["rank_from"])
    reads = r["over_ranks"]["read_bytes"]
    check((reads["mean"], reads["worst_rank"], reads["imbalance"]) == (25000, 3, 1.6), "%s", reads)
    check("imbalance" in run_report("mpi").stdout, "the text has a table of ranks")


def test_variables(program, data):
    slurm = {"SLURM_PROCID": "5", "SLURM_NTASKS": "8", "SLURM_LOCALID": "1", "SLURM_JOB_ID": "77", "SLURM_STEP_ID": "0"}
    torch = {"RANK": "3", "WORLD_SIZE": "6", "LOCAL_RANK": "2", "TORCHELASTIC_RUN_ID": "x"}
    plain = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM", "PMI", "OMPI", "RANK", "WORLD", "LOCAL_RANK"))}
    for name, variables, want in (("slurm", slurm, (5, 8, 1)), ("torch", torch, (3, 6, 2)), ("none", {}, (None, None, None))):
        record([program, data], name, env=dict(plain, **variables))
        r = report(name)
        first = r["processes"][0]
        check((first["told_rank"], first["world"], first["local_rank"]) == want, "%s: %s", name, first)
        check({p["rank"] for p in r["processes"]} == {want[0] or 0} and r["job"]["n_ranks"] == 1, "%s: its child too", name)


def test(tmp):
    program = build("program", PROGRAM)
    data = make_files("data", 40)
    test_variables(program, data)
    if not shutil.which("mpirun"):
        skip("mpirun is not there (openmpi-bin)")
    test_mpi(program, data)


main(test)
