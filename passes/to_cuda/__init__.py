"""How `convert-to-cuda` turns a program on tensors with layouts into what one thread does."""
