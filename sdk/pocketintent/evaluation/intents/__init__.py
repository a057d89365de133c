"""Few-shot intent recognition: data sets, draws, systems, learning curves, robustness.

Imports the runtime, ``evaluation.metrics`` and ``evaluation.records``; scikit-learn
where it is used.
"""
