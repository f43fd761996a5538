import functools

import torch


def ensure_contiguous(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        def contiguous(value):
            return value.contiguous() if isinstance(value, torch.Tensor) else value

        return fn(*map(contiguous, args), **{name: contiguous(value) for name, value in kwargs.items()})

    return wrapper
