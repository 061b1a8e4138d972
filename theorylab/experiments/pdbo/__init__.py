"""Experiments about PDBO and its estimators of the hypergradient."""
