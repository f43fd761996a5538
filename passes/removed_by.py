"""Which pass removes an operation that `convert-to-cuda` and the printer do not take."""

REMOVED_BY = {
    "tt.call": "inline-calls",
    "tt.reduce": "decompose-reductions",
    "tt.sort": "decompose-sorts",
    "tt.compare_exchange": "decompose-sorts",
    "tt.gather": "decompose-gathers",
    "tt.histogram": "decompose-gathers",
    "ttg.warp_reduce": "convert-to-cuda",
    "ttg.copy_tile": "lower-cooperative-copy",
    "ttg.global_tile": "lower-cooperative-copy",
    "ttg.load_tile": "allocate-shared",
    "ttg.local_alloc": "convert-to-cuda",
}
