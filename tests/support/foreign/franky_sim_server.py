"""Serve franky-sim 1.0.4 on one address: `franky_sim_server.py HOST`, as its own command does."""

import sys

from franky_sim.run_server import main

sys.argv = ["franky-sim", "--hostname", sys.argv[1], "-s", "mujoco"]
main()
