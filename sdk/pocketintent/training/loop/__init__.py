"""What all training runs share: the loop, checkpoints, the work folder, devices and processes.

Imports the runtime and torch; no capability.
"""
