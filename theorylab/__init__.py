"""theorylab: put a convergence theorem on the bench.

``kernels``, ``topologies``, ``problems``, ``algorithms`` and ``runs`` are the empirical arm;
``symbols``, ``statements`` and ``constants`` the theory arm. They meet in ``verdicts``.
"""

__version__ = "0.1.0"
