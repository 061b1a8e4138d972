"""C++ and CUDA sources, shipped as ``theorylab._csrc`` so that NVRTC finds the headers."""
