"""The training loop that all capabilities share: checkpoints, work folder, devices, processes.

Imports the runtime, torch and tqdm; never a capability.
"""
