// RUN: mytriton-opt %s | mytriton-opt | filecheck %s
// RUN: mytriton-opt %s --print-op-generic | mytriton-opt | filecheck %s
// RUN: mytriton-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

tt.func @ops(%p: i1, %i: i32, %j: i32, %x: index, %s: f32, %ptr: !tt.ptr<f32>, %it: tensor<4x6xi32>,
    %ht: tensor<4x6xf16>, %ft: tensor<4x6xf32>, %mt: tensor<4x6xi1>,
    %ie: tensor<8xi64, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>>) {
  // CHECK-LABEL: tt.func @ops
  // Constants of every type.
  // CHECK-NEXT: %true = arith.constant true
  // GENERIC: %true = "arith.constant"() <{value = true}> : () -> i1
  %true = arith.constant true
  // CHECK-NEXT: %c8 = arith.constant -128 : i8
  %c8 = arith.constant -128 : i8
  // CHECK-NEXT: %c16 = arith.constant 32767 : i16
  %c16 = arith.constant 32767 : i16
  // CHECK-NEXT: %c32 = arith.constant 42 : i32
  %c32 = arith.constant 42 : i32
  // CHECK-NEXT: %c64 = arith.constant -9223372036854775808 : i64
  %c64 = arith.constant -9223372036854775808 : i64
  // CHECK-NEXT: %index = arith.constant 3 : index
  %index = arith.constant 3 : index
  // CHECK-NEXT: %h = arith.constant 1.500000e+00 : f16
  %h = arith.constant 1.500000e+00 : f16
  // CHECK-NEXT: %b = arith.constant -2.500000e-01 : bf16
  %b = arith.constant -2.500000e-01 : bf16
  // CHECK-NEXT: %f = arith.constant 1.000000e-01 : f32
  %f = arith.constant 1.000000e-01 : f32
  // CHECK-NEXT: %d = arith.constant 1.000000e-01 : f64
  %d = arith.constant 1.000000e-01 : f64
  // CHECK-NEXT: %zero = arith.constant -0.000000e+00 : f32
  %zero = arith.constant -0.000000e+00 : f32
  // CHECK-NEXT: %splat = arith.constant dense<7> : tensor<4x8xi32>
  %splat = arith.constant dense<7> : tensor<4x8xi32>
  // CHECK-NEXT: %mask = arith.constant dense<true> : tensor<6xi1>
  %mask = arith.constant dense<true> : tensor<6xi1>
  // CHECK-NEXT: %list = arith.constant dense<[1, 2, 3]> : tensor<3xi64>
  %list = arith.constant dense<[1, 2, 3]> : tensor<3xi64>
  // CHECK-NEXT: %rows = arith.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf16>
  %rows = arith.constant dense<[[1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf16>
  // CHECK-NEXT: %infinity = arith.constant 0x7F800000 : f32
  %infinity = arith.constant 0x7F800000 : f32
  // CHECK-NEXT: %lowest = arith.constant dense<0xFF800000> : tensor<8xf32>
  %lowest = arith.constant dense<0xFF800000> : tensor<8xf32>

  // Integers: scalars, index, and tensors with and without an encoding.
  // CHECK-NEXT: %addi = arith.addi %i, %j : i32
  // GENERIC: %addi = "arith.addi"(%i, %j)
  %addi = arith.addi %i, %j : i32
  // CHECK-NEXT: %subi = arith.subi %i, %j : i32
  // GENERIC: %subi = "arith.subi"(%i, %j)
  %subi = arith.subi %i, %j : i32
  // CHECK-NEXT: %muli = arith.muli %i, %j : i32
  // GENERIC: %muli = "arith.muli"(%i, %j)
  %muli = arith.muli %i, %j : i32
  // CHECK-NEXT: %divsi = arith.divsi %i, %j : i32
  // GENERIC: %divsi = "arith.divsi"(%i, %j)
  %divsi = arith.divsi %i, %j : i32
  // CHECK-NEXT: %divui = arith.divui %i, %j : i32
  // GENERIC: %divui = "arith.divui"(%i, %j)
  %divui = arith.divui %i, %j : i32
  // CHECK-NEXT: %remsi = arith.remsi %i, %j : i32
  // GENERIC: %remsi = "arith.remsi"(%i, %j)
  %remsi = arith.remsi %i, %j : i32
  // CHECK-NEXT: %remui = arith.remui %i, %j : i32
  // GENERIC: %remui = "arith.remui"(%i, %j)
  %remui = arith.remui %i, %j : i32
  // CHECK-NEXT: %andi = arith.andi %i, %j : i32
  // GENERIC: %andi = "arith.andi"(%i, %j)
  %andi = arith.andi %i, %j : i32
  // CHECK-NEXT: %ori = arith.ori %i, %j : i32
  // GENERIC: %ori = "arith.ori"(%i, %j)
  %ori = arith.ori %i, %j : i32
  // CHECK-NEXT: %xori = arith.xori %i, %j : i32
  // GENERIC: %xori = "arith.xori"(%i, %j)
  %xori = arith.xori %i, %j : i32
  // CHECK-NEXT: %shli = arith.shli %i, %j : i32
  // GENERIC: %shli = "arith.shli"(%i, %j)
  %shli = arith.shli %i, %j : i32
  // CHECK-NEXT: %shrsi = arith.shrsi %i, %j : i32
  // GENERIC: %shrsi = "arith.shrsi"(%i, %j)
  %shrsi = arith.shrsi %i, %j : i32
  // CHECK-NEXT: %shrui = arith.shrui %i, %j : i32
  // GENERIC: %shrui = "arith.shrui"(%i, %j)
  %shrui = arith.shrui %i, %j : i32
  // CHECK-NEXT: %minsi = arith.minsi %i, %j : i32
  // GENERIC: %minsi = "arith.minsi"(%i, %j)
  %minsi = arith.minsi %i, %j : i32
  // CHECK-NEXT: %maxsi = arith.maxsi %i, %j : i32
  // GENERIC: %maxsi = "arith.maxsi"(%i, %j)
  %maxsi = arith.maxsi %i, %j : i32
  // CHECK-NEXT: %minui = arith.minui %i, %j : i32
  // GENERIC: %minui = "arith.minui"(%i, %j)
  %minui = arith.minui %i, %j : i32
  // CHECK-NEXT: %maxui = arith.maxui %i, %j : i32
  // GENERIC: %maxui = "arith.maxui"(%i, %j)
  %maxui = arith.maxui %i, %j : i32
  // CHECK-NEXT: %addi_index = arith.addi %x, %x : index
  %addi_index = arith.addi %x, %x : index
  // CHECK-NEXT: %addi_bool = arith.addi %p, %p : i1
  %addi_bool = arith.addi %p, %p : i1
  // CHECK-NEXT: %divsi_index = arith.divsi %x, %x : index
  %divsi_index = arith.divsi %x, %x : index
  // CHECK-NEXT: %divsi_bool = arith.divsi %p, %p : i1
  %divsi_bool = arith.divsi %p, %p : i1
  // CHECK-NEXT: %remui_index = arith.remui %x, %x : index
  %remui_index = arith.remui %x, %x : index
  // CHECK-NEXT: %remui_bool = arith.remui %p, %p : i1
  %remui_bool = arith.remui %p, %p : i1
  // CHECK-NEXT: %maxui_index = arith.maxui %x, %x : index
  %maxui_index = arith.maxui %x, %x : index
  // CHECK-NEXT: %maxui_bool = arith.maxui %p, %p : i1
  %maxui_bool = arith.maxui %p, %p : i1
  // CHECK-NEXT: %shrsi_index = arith.shrsi %x, %x : index
  %shrsi_index = arith.shrsi %x, %x : index
  // CHECK-NEXT: %shrsi_bool = arith.shrsi %p, %p : i1
  %shrsi_bool = arith.shrsi %p, %p : i1
  // CHECK-NEXT: %addi_tensor = arith.addi %it, %it : tensor<4x6xi32>
  %addi_tensor = arith.addi %it, %it : tensor<4x6xi32>
  // CHECK-NEXT: %subi_tensor = arith.subi %it, %it : tensor<4x6xi32>
  %subi_tensor = arith.subi %it, %it : tensor<4x6xi32>
  // CHECK-NEXT: %muli_tensor = arith.muli %it, %it : tensor<4x6xi32>
  %muli_tensor = arith.muli %it, %it : tensor<4x6xi32>
  // CHECK-NEXT: %divsi_tensor = arith.divsi %it, %it : tensor<4x6xi32>
  %divsi_tensor = arith.divsi %it, %it : tensor<4x6xi32>
  // CHECK-NEXT: %divui_tensor = arith.divui %it, %it : tensor<4x6xi32>
  %divui_tensor = arith.divui %it, %it : tensor<4x6xi32>
  // CHECK-NEXT: %remsi_tensor = arith.remsi %it, %it : tensor<4x6xi32>
  %remsi_tensor = arith.remsi %it, %it : tensor<4x6xi32>
  // CHECK-NEXT: %remui_tensor = arith.remui %it, %it : tensor<4x6xi32>
  %remui_tensor = arith.remui %it, %it : tensor<4x6xi32>
  // CHECK-NEXT: %andi_tensor = arith.andi %it, %it : tensor<4x6xi32>
  %andi_tensor = arith.andi %it, %it : tensor<4x6xi32>
  // CHECK-NEXT: %ori_tensor = arith.ori %it, %it : tensor<4x6xi32>
  %ori_tensor = arith.ori %it, %it : tensor<4x6xi32>
  // CHECK-NEXT: %xori_tensor = arith.xori %it, %it : tensor<4x6xi32>
  %xori_tensor = arith.xori %it, %it : tensor<4x6xi32>
  // CHECK-NEXT: %shli_tensor = arith.shli %it, %it : tensor<4x6xi32>
  %shli_tensor = arith.shli %it, %it : tensor<4x6xi32>
  // CHECK-NEXT: %shrsi_tensor = arith.shrsi %it, %it : tensor<4x6xi32>
  %shrsi_tensor = arith.shrsi %it, %it : tensor<4x6xi32>
  // CHECK-NEXT: %shrui_tensor = arith.shrui %it, %it : tensor<4x6xi32>
  %shrui_tensor = arith.shrui %it, %it : tensor<4x6xi32>
  // CHECK-NEXT: %minsi_tensor = arith.minsi %it, %it : tensor<4x6xi32>
  %minsi_tensor = arith.minsi %it, %it : tensor<4x6xi32>
  // CHECK-NEXT: %maxsi_tensor = arith.maxsi %it, %it : tensor<4x6xi32>
  %maxsi_tensor = arith.maxsi %it, %it : tensor<4x6xi32>
  // CHECK-NEXT: %minui_tensor = arith.minui %it, %it : tensor<4x6xi32>
  %minui_tensor = arith.minui %it, %it : tensor<4x6xi32>
  // CHECK-NEXT: %maxui_tensor = arith.maxui %it, %it : tensor<4x6xi32>
  %maxui_tensor = arith.maxui %it, %it : tensor<4x6xi32>
  // CHECK-NEXT: %addi_encoded = arith.addi %ie, %ie : tensor<8xi64, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>>
  %addi_encoded = arith.addi %ie, %ie : tensor<8xi64, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>>
  // CHECK-NEXT: %addi_flags = arith.addi %i, %j overflow<nsw,nuw> : i32
  // GENERIC: %addi_flags = "arith.addi"(%i, %j) <{overflowFlags = #arith.overflow<nsw,nuw>}> : (i32, i32) -> i32
  %addi_flags = arith.addi %i, %j overflow<nsw,nuw> : i32
  // CHECK-NEXT: %subi_flags = arith.subi %i, %j overflow<nsw,nuw> : i32
  // GENERIC: %subi_flags = "arith.subi"(%i, %j) <{overflowFlags = #arith.overflow<nsw,nuw>}> : (i32, i32) -> i32
  %subi_flags = arith.subi %i, %j overflow<nsw,nuw> : i32
  // CHECK-NEXT: %muli_flags = arith.muli %i, %j overflow<nsw,nuw> : i32
  // GENERIC: %muli_flags = "arith.muli"(%i, %j) <{overflowFlags = #arith.overflow<nsw,nuw>}> : (i32, i32) -> i32
  %muli_flags = arith.muli %i, %j overflow<nsw,nuw> : i32
  // CHECK-NEXT: %shli_flags = arith.shli %i, %j overflow<nsw,nuw> : i32
  // GENERIC: %shli_flags = "arith.shli"(%i, %j) <{overflowFlags = #arith.overflow<nsw,nuw>}> : (i32, i32) -> i32
  %shli_flags = arith.shli %i, %j overflow<nsw,nuw> : i32

  // Floats.
  // CHECK-NEXT: %addf = arith.addf %s, %s : f32
  // GENERIC: %addf = "arith.addf"(%s, %s) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
  %addf = arith.addf %s, %s : f32
  // CHECK-NEXT: %addf_tensor = arith.addf %ht, %ht : tensor<4x6xf16>
  %addf_tensor = arith.addf %ht, %ht : tensor<4x6xf16>
  // CHECK-NEXT: %subf = arith.subf %s, %s : f32
  // GENERIC: %subf = "arith.subf"(%s, %s) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
  %subf = arith.subf %s, %s : f32
  // CHECK-NEXT: %subf_tensor = arith.subf %ht, %ht : tensor<4x6xf16>
  %subf_tensor = arith.subf %ht, %ht : tensor<4x6xf16>
  // CHECK-NEXT: %mulf = arith.mulf %s, %s : f32
  // GENERIC: %mulf = "arith.mulf"(%s, %s) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
  %mulf = arith.mulf %s, %s : f32
  // CHECK-NEXT: %mulf_tensor = arith.mulf %ht, %ht : tensor<4x6xf16>
  %mulf_tensor = arith.mulf %ht, %ht : tensor<4x6xf16>
  // CHECK-NEXT: %divf = arith.divf %s, %s : f32
  // GENERIC: %divf = "arith.divf"(%s, %s) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
  %divf = arith.divf %s, %s : f32
  // CHECK-NEXT: %divf_tensor = arith.divf %ht, %ht : tensor<4x6xf16>
  %divf_tensor = arith.divf %ht, %ht : tensor<4x6xf16>
  // CHECK-NEXT: %remf = arith.remf %s, %s : f32
  // GENERIC: %remf = "arith.remf"(%s, %s) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
  %remf = arith.remf %s, %s : f32
  // CHECK-NEXT: %remf_tensor = arith.remf %ht, %ht : tensor<4x6xf16>
  %remf_tensor = arith.remf %ht, %ht : tensor<4x6xf16>
  // CHECK-NEXT: %minimumf = arith.minimumf %s, %s : f32
  // GENERIC: %minimumf = "arith.minimumf"(%s, %s) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
  %minimumf = arith.minimumf %s, %s : f32
  // CHECK-NEXT: %minimumf_tensor = arith.minimumf %ht, %ht : tensor<4x6xf16>
  %minimumf_tensor = arith.minimumf %ht, %ht : tensor<4x6xf16>
  // CHECK-NEXT: %maximumf = arith.maximumf %s, %s : f32
  // GENERIC: %maximumf = "arith.maximumf"(%s, %s) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
  %maximumf = arith.maximumf %s, %s : f32
  // CHECK-NEXT: %maximumf_tensor = arith.maximumf %ht, %ht : tensor<4x6xf16>
  %maximumf_tensor = arith.maximumf %ht, %ht : tensor<4x6xf16>
  // CHECK-NEXT: %minnumf = arith.minnumf %s, %s : f32
  // GENERIC: %minnumf = "arith.minnumf"(%s, %s) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
  %minnumf = arith.minnumf %s, %s : f32
  // CHECK-NEXT: %minnumf_tensor = arith.minnumf %ht, %ht : tensor<4x6xf16>
  %minnumf_tensor = arith.minnumf %ht, %ht : tensor<4x6xf16>
  // CHECK-NEXT: %maxnumf = arith.maxnumf %s, %s : f32
  // GENERIC: %maxnumf = "arith.maxnumf"(%s, %s) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
  %maxnumf = arith.maxnumf %s, %s : f32
  // CHECK-NEXT: %maxnumf_tensor = arith.maxnumf %ht, %ht : tensor<4x6xf16>
  %maxnumf_tensor = arith.maxnumf %ht, %ht : tensor<4x6xf16>
  // CHECK-NEXT: %negf = arith.negf %s : f32
  %negf = arith.negf %s : f32
  // CHECK-NEXT: %negf_tensor = arith.negf %ht fastmath<fast> : tensor<4x6xf16>
  %negf_tensor = arith.negf %ht fastmath<fast> : tensor<4x6xf16>
  // CHECK-NEXT: %addf_flags = arith.addf %s, %s fastmath<nnan,ninf,nsz> : f32
  %addf_flags = arith.addf %s, %s fastmath<nnan,ninf,nsz> : f32

  // Comparisons: the result has the shape and the encoding of the operands.
  // CHECK-NEXT: %cmpi_eq = arith.cmpi eq, %it, %it : tensor<4x6xi32>
  // GENERIC: %cmpi_eq = "arith.cmpi"(%it, %it) <{predicate = 0 : i64}> : (tensor<4x6xi32>, tensor<4x6xi32>) -> tensor<4x6xi1>
  %cmpi_eq = arith.cmpi eq, %it, %it : tensor<4x6xi32>
  // CHECK-NEXT: %cmpi_ne = arith.cmpi ne, %it, %it : tensor<4x6xi32>
  // GENERIC: %cmpi_ne = "arith.cmpi"(%it, %it) <{predicate = 1 : i64}> : (tensor<4x6xi32>, tensor<4x6xi32>) -> tensor<4x6xi1>
  %cmpi_ne = arith.cmpi ne, %it, %it : tensor<4x6xi32>
  // CHECK-NEXT: %cmpi_slt = arith.cmpi slt, %it, %it : tensor<4x6xi32>
  // GENERIC: %cmpi_slt = "arith.cmpi"(%it, %it) <{predicate = 2 : i64}> : (tensor<4x6xi32>, tensor<4x6xi32>) -> tensor<4x6xi1>
  %cmpi_slt = arith.cmpi slt, %it, %it : tensor<4x6xi32>
  // CHECK-NEXT: %cmpi_sle = arith.cmpi sle, %it, %it : tensor<4x6xi32>
  // GENERIC: %cmpi_sle = "arith.cmpi"(%it, %it) <{predicate = 3 : i64}> : (tensor<4x6xi32>, tensor<4x6xi32>) -> tensor<4x6xi1>
  %cmpi_sle = arith.cmpi sle, %it, %it : tensor<4x6xi32>
  // CHECK-NEXT: %cmpi_sgt = arith.cmpi sgt, %it, %it : tensor<4x6xi32>
  // GENERIC: %cmpi_sgt = "arith.cmpi"(%it, %it) <{predicate = 4 : i64}> : (tensor<4x6xi32>, tensor<4x6xi32>) -> tensor<4x6xi1>
  %cmpi_sgt = arith.cmpi sgt, %it, %it : tensor<4x6xi32>
  // CHECK-NEXT: %cmpi_sge = arith.cmpi sge, %it, %it : tensor<4x6xi32>
  // GENERIC: %cmpi_sge = "arith.cmpi"(%it, %it) <{predicate = 5 : i64}> : (tensor<4x6xi32>, tensor<4x6xi32>) -> tensor<4x6xi1>
  %cmpi_sge = arith.cmpi sge, %it, %it : tensor<4x6xi32>
  // CHECK-NEXT: %cmpi_ult = arith.cmpi ult, %it, %it : tensor<4x6xi32>
  // GENERIC: %cmpi_ult = "arith.cmpi"(%it, %it) <{predicate = 6 : i64}> : (tensor<4x6xi32>, tensor<4x6xi32>) -> tensor<4x6xi1>
  %cmpi_ult = arith.cmpi ult, %it, %it : tensor<4x6xi32>
  // CHECK-NEXT: %cmpi_ule = arith.cmpi ule, %it, %it : tensor<4x6xi32>
  // GENERIC: %cmpi_ule = "arith.cmpi"(%it, %it) <{predicate = 7 : i64}> : (tensor<4x6xi32>, tensor<4x6xi32>) -> tensor<4x6xi1>
  %cmpi_ule = arith.cmpi ule, %it, %it : tensor<4x6xi32>
  // CHECK-NEXT: %cmpi_ugt = arith.cmpi ugt, %it, %it : tensor<4x6xi32>
  // GENERIC: %cmpi_ugt = "arith.cmpi"(%it, %it) <{predicate = 8 : i64}> : (tensor<4x6xi32>, tensor<4x6xi32>) -> tensor<4x6xi1>
  %cmpi_ugt = arith.cmpi ugt, %it, %it : tensor<4x6xi32>
  // CHECK-NEXT: %cmpi_uge = arith.cmpi uge, %it, %it : tensor<4x6xi32>
  // GENERIC: %cmpi_uge = "arith.cmpi"(%it, %it) <{predicate = 9 : i64}> : (tensor<4x6xi32>, tensor<4x6xi32>) -> tensor<4x6xi1>
  %cmpi_uge = arith.cmpi uge, %it, %it : tensor<4x6xi32>
  // CHECK-NEXT: %cmpi_scalar = arith.cmpi slt, %i, %j : i32
  // GENERIC: %cmpi_scalar = "arith.cmpi"(%i, %j) <{predicate = 2 : i64}> : (i32, i32) -> i1
  %cmpi_scalar = arith.cmpi slt, %i, %j : i32
  // CHECK-NEXT: %cmpi_encoded = arith.cmpi eq, %ie, %ie : tensor<8xi64, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>>
  // GENERIC: %cmpi_encoded = "arith.cmpi"(%ie, %ie) <{predicate = 0 : i64}> : ({{.*}}) -> tensor<8xi1, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>>
  %cmpi_encoded = arith.cmpi eq, %ie, %ie : tensor<8xi64, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>>
  // CHECK-NEXT: %cmpf_false = arith.cmpf false, %s, %s : f32
  // GENERIC: %cmpf_false = "arith.cmpf"(%s, %s) <{predicate = 0 : i64, fastmath = #arith.fastmath<none>}> : (f32, f32) -> i1
  %cmpf_false = arith.cmpf false, %s, %s : f32
  // CHECK-NEXT: %cmpf_oeq = arith.cmpf oeq, %s, %s : f32
  // GENERIC: %cmpf_oeq = "arith.cmpf"(%s, %s) <{predicate = 1 : i64, fastmath = #arith.fastmath<none>}> : (f32, f32) -> i1
  %cmpf_oeq = arith.cmpf oeq, %s, %s : f32
  // CHECK-NEXT: %cmpf_ogt = arith.cmpf ogt, %s, %s : f32
  // GENERIC: %cmpf_ogt = "arith.cmpf"(%s, %s) <{predicate = 2 : i64, fastmath = #arith.fastmath<none>}> : (f32, f32) -> i1
  %cmpf_ogt = arith.cmpf ogt, %s, %s : f32
  // CHECK-NEXT: %cmpf_oge = arith.cmpf oge, %s, %s : f32
  // GENERIC: %cmpf_oge = "arith.cmpf"(%s, %s) <{predicate = 3 : i64, fastmath = #arith.fastmath<none>}> : (f32, f32) -> i1
  %cmpf_oge = arith.cmpf oge, %s, %s : f32
  // CHECK-NEXT: %cmpf_olt = arith.cmpf olt, %s, %s : f32
  // GENERIC: %cmpf_olt = "arith.cmpf"(%s, %s) <{predicate = 4 : i64, fastmath = #arith.fastmath<none>}> : (f32, f32) -> i1
  %cmpf_olt = arith.cmpf olt, %s, %s : f32
  // CHECK-NEXT: %cmpf_ole = arith.cmpf ole, %s, %s : f32
  // GENERIC: %cmpf_ole = "arith.cmpf"(%s, %s) <{predicate = 5 : i64, fastmath = #arith.fastmath<none>}> : (f32, f32) -> i1
  %cmpf_ole = arith.cmpf ole, %s, %s : f32
  // CHECK-NEXT: %cmpf_one = arith.cmpf one, %s, %s : f32
  // GENERIC: %cmpf_one = "arith.cmpf"(%s, %s) <{predicate = 6 : i64, fastmath = #arith.fastmath<none>}> : (f32, f32) -> i1
  %cmpf_one = arith.cmpf one, %s, %s : f32
  // CHECK-NEXT: %cmpf_ord = arith.cmpf ord, %s, %s : f32
  // GENERIC: %cmpf_ord = "arith.cmpf"(%s, %s) <{predicate = 7 : i64, fastmath = #arith.fastmath<none>}> : (f32, f32) -> i1
  %cmpf_ord = arith.cmpf ord, %s, %s : f32
  // CHECK-NEXT: %cmpf_ueq = arith.cmpf ueq, %s, %s : f32
  // GENERIC: %cmpf_ueq = "arith.cmpf"(%s, %s) <{predicate = 8 : i64, fastmath = #arith.fastmath<none>}> : (f32, f32) -> i1
  %cmpf_ueq = arith.cmpf ueq, %s, %s : f32
  // CHECK-NEXT: %cmpf_ugt = arith.cmpf ugt, %s, %s : f32
  // GENERIC: %cmpf_ugt = "arith.cmpf"(%s, %s) <{predicate = 9 : i64, fastmath = #arith.fastmath<none>}> : (f32, f32) -> i1
  %cmpf_ugt = arith.cmpf ugt, %s, %s : f32
  // CHECK-NEXT: %cmpf_uge = arith.cmpf uge, %s, %s : f32
  // GENERIC: %cmpf_uge = "arith.cmpf"(%s, %s) <{predicate = 10 : i64, fastmath = #arith.fastmath<none>}> : (f32, f32) -> i1
  %cmpf_uge = arith.cmpf uge, %s, %s : f32
  // CHECK-NEXT: %cmpf_ult = arith.cmpf ult, %s, %s : f32
  // GENERIC: %cmpf_ult = "arith.cmpf"(%s, %s) <{predicate = 11 : i64, fastmath = #arith.fastmath<none>}> : (f32, f32) -> i1
  %cmpf_ult = arith.cmpf ult, %s, %s : f32
  // CHECK-NEXT: %cmpf_ule = arith.cmpf ule, %s, %s : f32
  // GENERIC: %cmpf_ule = "arith.cmpf"(%s, %s) <{predicate = 12 : i64, fastmath = #arith.fastmath<none>}> : (f32, f32) -> i1
  %cmpf_ule = arith.cmpf ule, %s, %s : f32
  // CHECK-NEXT: %cmpf_une = arith.cmpf une, %s, %s : f32
  // GENERIC: %cmpf_une = "arith.cmpf"(%s, %s) <{predicate = 13 : i64, fastmath = #arith.fastmath<none>}> : (f32, f32) -> i1
  %cmpf_une = arith.cmpf une, %s, %s : f32
  // CHECK-NEXT: %cmpf_uno = arith.cmpf uno, %s, %s : f32
  // GENERIC: %cmpf_uno = "arith.cmpf"(%s, %s) <{predicate = 14 : i64, fastmath = #arith.fastmath<none>}> : (f32, f32) -> i1
  %cmpf_uno = arith.cmpf uno, %s, %s : f32
  // CHECK-NEXT: %cmpf_true = arith.cmpf true, %s, %s : f32
  // GENERIC: %cmpf_true = "arith.cmpf"(%s, %s) <{predicate = 15 : i64, fastmath = #arith.fastmath<none>}> : (f32, f32) -> i1
  %cmpf_true = arith.cmpf true, %s, %s : f32
  // CHECK-NEXT: %cmpf_tensor = arith.cmpf olt, %ht, %ht fastmath<nnan> : tensor<4x6xf16>
  %cmpf_tensor = arith.cmpf olt, %ht, %ht fastmath<nnan> : tensor<4x6xf16>

  // Select by one condition or by a tensor of them.
  // CHECK-NEXT: %select = arith.select %p, %i, %j : i32
  // GENERIC: %select = "arith.select"(%p, %i, %j) : (i1, i32, i32) -> i32
  %select = arith.select %p, %i, %j : i32
  // CHECK-NEXT: %select_scalar = arith.select %p, %ht, %ht : tensor<4x6xf16>
  %select_scalar = arith.select %p, %ht, %ht : tensor<4x6xf16>
  // CHECK-NEXT: %select_tensor = arith.select %mt, %ht, %ht : tensor<4x6xi1>, tensor<4x6xf16>
  // GENERIC: %select_tensor = "arith.select"(%mt, %ht, %ht) : (tensor<4x6xi1>, tensor<4x6xf16>, tensor<4x6xf16>) -> tensor<4x6xf16>
  %select_tensor = arith.select %mt, %ht, %ht : tensor<4x6xi1>, tensor<4x6xf16>
  // CHECK-NEXT: %select_pointer = arith.select %p, %ptr, %ptr : !tt.ptr<f32>
  %select_pointer = arith.select %p, %ptr, %ptr : !tt.ptr<f32>

  // Casts.
  // CHECK-NEXT: %extsi = arith.extsi %i : i32 to i64
  // GENERIC: %extsi = "arith.extsi"(%i) : (i32) -> i64
  %extsi = arith.extsi %i : i32 to i64
  // CHECK-NEXT: %extui = arith.extui %i : i32 to i64
  // GENERIC: %extui = "arith.extui"(%i) : (i32) -> i64
  %extui = arith.extui %i : i32 to i64
  // CHECK-NEXT: %trunci = arith.trunci %i : i32 to i8
  // GENERIC: %trunci = "arith.trunci"(%i) : (i32) -> i8
  %trunci = arith.trunci %i : i32 to i8
  // CHECK-NEXT: %extf = arith.extf %s : f32 to f64
  // GENERIC: %extf = "arith.extf"(%s) : (f32) -> f64
  %extf = arith.extf %s : f32 to f64
  // CHECK-NEXT: %truncf = arith.truncf %s : f32 to bf16
  // GENERIC: %truncf = "arith.truncf"(%s) : (f32) -> bf16
  %truncf = arith.truncf %s : f32 to bf16
  // CHECK-NEXT: %sitofp = arith.sitofp %i : i32 to f32
  // GENERIC: %sitofp = "arith.sitofp"(%i) : (i32) -> f32
  %sitofp = arith.sitofp %i : i32 to f32
  // CHECK-NEXT: %uitofp = arith.uitofp %i : i32 to f16
  // GENERIC: %uitofp = "arith.uitofp"(%i) : (i32) -> f16
  %uitofp = arith.uitofp %i : i32 to f16
  // CHECK-NEXT: %fptosi = arith.fptosi %s : f32 to i32
  // GENERIC: %fptosi = "arith.fptosi"(%s) : (f32) -> i32
  %fptosi = arith.fptosi %s : f32 to i32
  // CHECK-NEXT: %fptoui = arith.fptoui %s : f32 to i8
  // GENERIC: %fptoui = "arith.fptoui"(%s) : (f32) -> i8
  %fptoui = arith.fptoui %s : f32 to i8
  // CHECK-NEXT: %bitcast = arith.bitcast %i : i32 to f32
  // GENERIC: %bitcast = "arith.bitcast"(%i) : (i32) -> f32
  %bitcast = arith.bitcast %i : i32 to f32
  // CHECK-NEXT: %index_cast = arith.index_cast %i : i32 to index
  // GENERIC: %index_cast = "arith.index_cast"(%i) : (i32) -> index
  %index_cast = arith.index_cast %i : i32 to index
  // CHECK-NEXT: %extsi_tensor = arith.extsi %it : tensor<4x6xi32> to tensor<4x6xi64>
  %extsi_tensor = arith.extsi %it : tensor<4x6xi32> to tensor<4x6xi64>
  // CHECK-NEXT: %extui_tensor = arith.extui %mt : tensor<4x6xi1> to tensor<4x6xi32>
  %extui_tensor = arith.extui %mt : tensor<4x6xi1> to tensor<4x6xi32>
  // CHECK-NEXT: %trunci_tensor = arith.trunci %it : tensor<4x6xi32> to tensor<4x6xi16>
  %trunci_tensor = arith.trunci %it : tensor<4x6xi32> to tensor<4x6xi16>
  // CHECK-NEXT: %extf_tensor = arith.extf %ht : tensor<4x6xf16> to tensor<4x6xf32>
  %extf_tensor = arith.extf %ht : tensor<4x6xf16> to tensor<4x6xf32>
  // CHECK-NEXT: %sitofp_tensor = arith.sitofp %it : tensor<4x6xi32> to tensor<4x6xf32>
  %sitofp_tensor = arith.sitofp %it : tensor<4x6xi32> to tensor<4x6xf32>
  // CHECK-NEXT: %uitofp_tensor = arith.uitofp %mt : tensor<4x6xi1> to tensor<4x6xf32>
  %uitofp_tensor = arith.uitofp %mt : tensor<4x6xi1> to tensor<4x6xf32>
  // CHECK-NEXT: %fptosi_tensor = arith.fptosi %ht : tensor<4x6xf16> to tensor<4x6xi8>
  %fptosi_tensor = arith.fptosi %ht : tensor<4x6xf16> to tensor<4x6xi8>
  // CHECK-NEXT: %fptoui_tensor = arith.fptoui %ht : tensor<4x6xf16> to tensor<4x6xi64>
  %fptoui_tensor = arith.fptoui %ht : tensor<4x6xf16> to tensor<4x6xi64>
  // CHECK-NEXT: %bitcast_tensor = arith.bitcast %ht : tensor<4x6xf16> to tensor<4x6xbf16>
  %bitcast_tensor = arith.bitcast %ht : tensor<4x6xf16> to tensor<4x6xbf16>
  // CHECK-NEXT: %index_cast_tensor = arith.index_cast %it : tensor<4x6xi32> to tensor<4x6xindex>
  %index_cast_tensor = arith.index_cast %it : tensor<4x6xi32> to tensor<4x6xindex>
  // CHECK-NEXT: %truncf_tensor = arith.truncf %ft : tensor<4x6xf32> to tensor<4x6xf16>
  %truncf_tensor = arith.truncf %ft : tensor<4x6xf32> to tensor<4x6xf16>

  // Attributes that no operation defines are kept.
  // CHECK-NEXT: %attr = arith.addi %i, %j {note = 1 : i32} : i32
  %attr = arith.addi %i, %j {note = 1 : i32} : i32
  // CHECK-NEXT: %attr_select = arith.select %p, %i, %j {note} : i32
  %attr_select = arith.select %p, %i, %j {note} : i32
  // CHECK-NEXT: tt.return
  tt.return
}
