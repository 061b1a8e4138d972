"""The suite as a whole: what a tree is, what a test costs, and which tests a tier has."""
