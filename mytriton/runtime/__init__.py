"""Runs kernels: `jit`, specialisation, caches, and the CPU and CUDA devices."""
