"""Speed of the training programs, and the original ones beside them."""
