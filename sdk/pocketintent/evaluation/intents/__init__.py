"""Few-shot intent recognition: data sets, draws, baselines, learning curves, robustness.

Imports the runtime and ``evaluation.metrics``; scikit-learn, floret and torch where they are used.
"""
