from .activations import gelu, silu
from .fused import bias_act

__all__ = ["bias_act", "gelu", "silu"]
