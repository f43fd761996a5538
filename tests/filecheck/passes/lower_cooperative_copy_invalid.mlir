// RUN: mytriton-opt %s -p lower-cooperative-copy --split-input-file --verify-diagnostics
// RUN: not mytriton-opt %s -p 'lower-cooperative-copy{num-warps=33}' 2>&1 | filecheck %s --check-prefix=WARPS

// WARPS: error: a block has 1 to 32 warps, got 33

#column_major = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>

tt.func @column_major(%tile: !ttg.global_tile<4x16xf32>) {
  %buffer = ttg.local_alloc : !ttg.memdesc<4x16xf32, #column_major>
  // expected-error@+1 {{a tile can only be copied to a row-major buffer, order [1, 0], got [0, 1]}}
  ttg.copy_tile %tile, %buffer : !ttg.global_tile<4x16xf32> -> !ttg.memdesc<4x16xf32, #column_major>
  tt.return
}

// -----

#swizzled = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 4, order = [1, 0]}>

tt.func @swizzled(%tile: !ttg.global_tile<4x16xf32>) {
  %buffer = ttg.local_alloc : !ttg.memdesc<4x16xf32, #swizzled>
  // expected-error@+1 {{a tile cannot be copied to a buffer with the encoding #ttg.swizzled_shared}}
  ttg.copy_tile %tile, %buffer : !ttg.global_tile<4x16xf32> -> !ttg.memdesc<4x16xf32, #swizzled>
  tt.return
}

// -----

tt.func @unknown_tile(%tile: !ttg.global_tile<4x16xf32>) {
  %buffer = ttg.local_alloc : !ttg.memdesc<4x16xf32>
  // expected-error@+1 {{the tile to copy is not that of a ttg.global_tile}}
  ttg.copy_tile %tile, %buffer : !ttg.global_tile<4x16xf32> -> !ttg.memdesc<4x16xf32>
  tt.return
}
