# SPDX-License-Identifier: MIT
"""DataLoader with workers that start anew."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import torches  # noqa: E402

if __name__ == "__main__":
    torches.loader_cases("spawn", (2,), brief=True)     # each worker imports torch: seconds
    if len(sys.argv) > 2:
        torches.loader_cases("spawn", (2, 4))
        torches.loader_cases("forkserver", (2, 4))
