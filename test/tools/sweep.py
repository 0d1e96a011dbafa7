"""`filum sweep` from outside: tables that do not depend on threads, on being killed, on being stopped."""

import csv
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

CLI = sys.argv.pop(1)
MPIRUN = sys.argv.pop(1) if len(sys.argv) > 1 and "mpi" in sys.argv[1] else None
SCENE = """
parameters: {radius: 0.002, length: 0.3, push: 0}
duration: 0.02
world: {dt: 1e-3}
materials: {rubber: {young: 1e7, poisson: 0.49, density: 1100}}
rods: [{name: rod, material: rubber, section: {circle: {radius: $(radius)}},
  shape: {straight: {from: [0, 0, 0], to: [$(length), 0, 0], nodes: 11}}}]
attachments: [{name: wall, clamp: {rod: rod, node: 0}}]
drives: [{name: push, rod: rod, node: -1, force: [0, 0, $(push)]}]
probes: {tip: {position: {rod: rod, node: -1, component: z}}, elastic: elastic_energy}
"""


class Base(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.old = os.getcwd()
        os.chdir(self.folder.name)
        with open("rod.yaml", "w") as file:
            file.write(SCENE)

    def tearDown(self):
        os.chdir(self.old)
        self.folder.cleanup()

    def sweep(self, *options, code=0):
        done = subprocess.run([CLI, "sweep", "rod.yaml", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def rows(self, name):
        """The table, without times."""
        with open(name + ".csv", newline="") as file:
            return [{key: value for key, value in row.items() if key != "wall_time"} for row in csv.DictReader(file)]


class Sweeps(Base):
    def test_rows_are_runs(self):
        self.sweep("--over", "radius=linspace(0.001,0.003,3)", "--over", "length=[0.2,0.3]", "--seeds", "2", "--out", "a", "--plot", "tip", "--json")
        rows = self.rows("a")
        self.assertEqual([row["run"] for row in rows], [str(k) for k in range(12)])
        self.assertEqual({(row["radius"], row["length"], row["seed"]) for row in rows},
                         {(r, l, s) for r in ("0.001", "0.002", "0.003") for l in ("0.2", "0.3") for s in "12"})
        for row in rows[::5]:
            report = json.loads(subprocess.run([CLI, "run", "rod.yaml", "--json", "--set", "radius=" + row["radius"], "--set", "length=" + row["length"],
                                              "--seed", row["seed"]], stdout=subprocess.PIPE, check=True).stdout)
            self.assertEqual(row["state_hash"], report["state_hash"])
            self.assertEqual(float(row["tip"]), report["probes"]["tip"])
            self.assertEqual(float(row["elastic"]), report["energy"]["elastic"])
            self.assertEqual(float(row["probes.elastic"]), report["probes"]["elastic"])
            self.assertEqual((int(row["steps"]), int(row["newton_iterations"])), (report["steps"], report["newton_iterations"]))
            self.assertEqual((row["status"], row["error"]), ("done", ""))
        with open("a.svg") as file:
            self.assertIn("length = 0.2", file.read())
        database = sqlite3.connect("a.db")
        self.assertEqual(database.execute("SELECT count(*), min(radius) FROM runs WHERE status = 'done'").fetchone(), (12, 0.001))

    def test_any_number_of_threads(self):
        options = ["--random", "radius=loguniform(0.001,0.003)", "--random", "length=normal(0.3,0.01)", "--samples", "20", "--sobol"]
        for threads in "1", "2", "4":
            self.sweep(*options, "--threads", threads, "--out", threads)
            self.assertEqual(self.rows(threads), self.rows("1"))
        self.assertEqual(len(self.rows("1")), 20)

    def test_failed_runs_are_rows(self):
        done = self.sweep("--over", "radius=[0.002,-1]", "--over", "push=[0,1e300]", "--out", "a", code=1)
        self.assertIn("failed", done.stdout)
        rows = self.rows("a")
        self.assertEqual([row["status"] for row in rows[:1] + rows[2:]], ["done", "bad input", "bad input"])
        self.assertNotEqual(rows[1]["status"], "done")
        self.assertIn("rods.rod.section.circle.radius", rows[2]["error"])
        self.assertEqual(rows[2]["state_hash"], "")

    def test_killed_sweeps_go_on(self):
        options = ["--over", "radius=linspace(0.001,0.003,300)", "--duration", "0.05", "--threads", "2"]
        self.sweep(*options, "--out", "whole")
        kills, before = 0, 0
        for wait in (0.1, 0.15, 0.2, 0.25, 0.3, 0.1):
            process = subprocess.Popen([CLI, "sweep", "rod.yaml", *options, "--out", "part", "--quiet"])
            time.sleep(wait)
            process.kill()
            kills += process.wait() == -signal.SIGKILL
            if os.path.exists("part.db"):
                database = sqlite3.connect("part.db")
                now = database.execute("SELECT count(*) FROM sqlite_master WHERE name = 'runs'").fetchone()[0] and \
                    database.execute("SELECT count(*) FROM runs").fetchone()[0]
                database.close()
                self.assertGreaterEqual(now, before)
                before = now
        report = json.loads(self.sweep(*options, "--out", "part", "--json").stdout)
        self.assertEqual((report["done_before"], report["done_before"] + report["done"]), (before, 300))
        self.assertEqual(self.rows("part"), self.rows("whole"))
        self.assertGreater(kills, 0)

    def test_stopped_sweeps_go_on(self):
        options = ["--over", "radius=linspace(0.001,0.003,400)", "--duration", "2", "--out", "a", "--quiet"]
        process = subprocess.Popen([CLI, "sweep", "rod.yaml", *options], stderr=subprocess.PIPE, text=True)
        time.sleep(0.4)
        process.send_signal(signal.SIGINT)
        _, words = process.communicate()
        self.assertEqual(process.returncode, 1)
        self.assertIn("the same command goes on", words)
        self.assertLess(len(self.rows("a")), 400)

    def test_bad_usage(self):
        for options, message in [
                (["--over", "radius=linspace(1,2)"], "linspace takes 3 numbers"),
                (["--over", "raduis=[1]"], "did you mean 'radius'"),
                (["--samples", "3"], "nothing is drawn"),
                (["--over", "tip=[1]"], "no such path 'tip'")]:
            self.assertIn(message, self.sweep(*options, "--out", "x", code=2).stderr)
        self.sweep("--over", "radius=[0.001]", "--out", "a", "--quiet")
        self.assertIn("runs of another sweep", self.sweep("--over", "radius=[0.002]", "--out", "a", code=2).stderr)
        with open("rod.yaml", "a") as file:
            file.write("# another scene\n")
        self.assertIn("runs of another sweep", self.sweep("--over", "radius=[0.001]", "--out", "a", code=2).stderr)
        self.assertIn("has no numbers to draw", self.sweep("--over", "radius=[0.001]", "--out", "b", "--plot", "error", code=1).stderr)
        self.assertIn("no/x.db", self.sweep("--over", "radius=[0.001]", "--out", "no/x", code=1).stderr)


@unittest.skipUnless(MPIRUN, "without MPI")
class Ranks(Base):
    # more ranks than processors, and root, are fine here; whoever does not want them says so in a file of settings
    LAUNCH = [MPIRUN, "--oversubscribe", "--allow-run-as-root"]

    def launch(self, ranks, *options, recover=False):
        return subprocess.Popen([*self.LAUNCH, *(["--enable-recovery"] if recover else []), "-n", str(ranks), CLI, "sweep", "rod.yaml", *options],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    @staticmethod
    def process_of(launcher, rank):
        """The process that is this rank; None while there is none."""
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/stat") as stat, open(f"/proc/{pid}/environ") as environ:
                    if int(stat.read().rsplit(")", 1)[1].split()[1]) == launcher.pid and f"\0OMPI_COMM_WORLD_RANK={rank}\0" in "\0" + environ.read():
                        return int(pid)
            except (OSError, UnicodeDecodeError):
                pass
        return None

    def test_any_number_of_ranks(self):
        options = ["--random", "radius=loguniform(0.001,0.003)", "--samples", "60", "--sobol"]
        self.sweep(*options, "--out", "threads")
        for ranks in 1, 2, 4:
            process = self.launch(ranks, *options, "--out", str(ranks), "--json")
            report, words = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 0, words)
            self.assertEqual(json.loads(report)["done"], 60)
            self.assertEqual(self.rows(str(ranks)), self.rows("threads"))

    def test_a_lost_rank(self):
        # killed on the way: others do its runs (--enable-recovery), or the same command goes on
        options = ["--over", "radius=linspace(0.001,0.003,100)", "--duration", "0.3"]
        self.sweep(*options, "--out", "whole")
        for recover in True, False:
            process = self.launch(3, *options, "--out", f"part{recover}", recover=recover)
            victim = None
            for _ in range(600):
                victim = victim or self.process_of(process, 2)
                if victim and os.path.exists(f"part{recover}.db-wal"):
                    break
                time.sleep(0.01)
            time.sleep(0.1)
            os.kill(victim, signal.SIGKILL)
            _, words = process.communicate(timeout=90)
            if recover:
                self.assertIn("1 of 3 ranks were lost", words)
            else:
                self.assertNotEqual(process.returncode, 0)
                again = self.launch(2, *options, "--out", "partFalse")
                again.communicate(timeout=60)
                self.assertEqual(again.returncode, 0)
            self.assertEqual(self.rows(f"part{recover}"), self.rows("whole"))

    def test_bad_usage(self):
        for options, message in [(["--over", "raduis=[1]"], "did you mean 'radius'"), (["--over", "radius=[1]", "--threads", "2"], "start more ranks")]:
            process = self.launch(2, *options)
            words = process.communicate(timeout=60)[1]
            self.assertEqual(words.count(message), 1, words)
            self.assertEqual(process.returncode, 2, words)


if __name__ == "__main__":
    unittest.main()
