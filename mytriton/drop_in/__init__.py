"""mytriton in the place of Triton, for programs that say `import triton`: see docs/scripts.md."""
