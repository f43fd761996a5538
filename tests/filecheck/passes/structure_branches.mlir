// RUN: mytriton-opt %s -p structure-branches --split-input-file --verify-diagnostics | filecheck %s

// Nothing to do.
// CHECK-LABEL: tt.func public @one_block
// CHECK-NEXT: tt.return
tt.func public @one_block() {
  tt.return
}

// -----

// Two ways that meet: the argument of the block where they do is a result.
// CHECK-LABEL: tt.func public @meeting
// CHECK-NEXT: %y = scf.if %c -> (f32) {
// CHECK-NEXT:   %a = arith.addf %x, %x : f32
// CHECK-NEXT:   scf.yield %a : f32
// CHECK-NEXT: } else {
// CHECK-NEXT:   %b = arith.mulf %x, %x : f32
// CHECK-NEXT:   scf.yield %b : f32
// CHECK-NEXT: }
// CHECK-NEXT: tt.store %p, %y : !tt.ptr<f32>
// CHECK-NEXT: tt.return
tt.func public @meeting(%p: !tt.ptr<f32>, %x: f32, %c: i1) {
  cf.cond_br %c, ^left, ^right
^left:
  %a = arith.addf %x, %x : f32
  cf.br ^end(%a : f32)
^right:
  %b = arith.mulf %x, %x : f32
  cf.br ^end(%b : f32)
^end(%y: f32):
  tt.store %p, %y : !tt.ptr<f32>
  tt.return
}

// -----

// Both ways lead to one block: nothing but a selection.
// CHECK-LABEL: tt.func public @selection
// CHECK-NEXT: %z = arith.select %c, %x, %y : f32
// CHECK-NEXT: tt.store %p, %z : !tt.ptr<f32>
tt.func public @selection(%p: !tt.ptr<f32>, %x: f32, %y: f32, %c: i1) {
  cf.cond_br %c, ^end(%x : f32), ^end(%y : f32)
^end(%z: f32):
  tt.store %p, %z : !tt.ptr<f32>
  tt.return
}

// -----

// An early return: the branch says whether what follows is still to be done. What nothing leads to goes.
// CHECK-LABEL: tt.func public @early_return
// CHECK-NEXT: %[[GOES_ON:.*]] = scf.if %c -> (i1) {
// CHECK-NEXT:   %[[INNER:.*]] = scf.if %d -> (i1) {
// CHECK-NEXT:     %[[NO:.*]] = arith.constant false
// CHECK-NEXT:     scf.yield %[[NO]] : i1
// CHECK-NEXT:   } else {
// CHECK-NEXT:     tt.store %p, %x : !tt.ptr<f32>
// CHECK-NEXT:     %[[YES:.*]] = arith.constant true
// CHECK-NEXT:     scf.yield %[[YES]] : i1
// CHECK-NEXT:   }
// CHECK-NEXT:   scf.yield %[[INNER]] : i1
// CHECK-NEXT: } else {
// CHECK-NEXT:   %[[TOO:.*]] = arith.constant true
// CHECK-NEXT:   scf.yield %[[TOO]] : i1
// CHECK-NEXT: }
// CHECK-NEXT: scf.if %[[GOES_ON]] {
// CHECK-NEXT:   tt.store %p, %y : !tt.ptr<f32>
// CHECK-NEXT: }
// CHECK-NEXT: tt.return
tt.func public @early_return(%p: !tt.ptr<f32>, %x: f32, %y: f32, %c: i1, %d: i1) {
  cf.cond_br %c, ^maybe, ^rest
^maybe:
  cf.cond_br %d, ^leave, ^stay
^leave:
  tt.return
^stay:
  tt.store %p, %x : !tt.ptr<f32>
  cf.br ^rest
^rest:
  tt.store %p, %y : !tt.ptr<f32>
  tt.return
^unreachable:
  cf.br ^rest
}

// -----

// A loop, and a value of it that is read after it.
// CHECK-LABEL: tt.func public @loop
// CHECK: scf.while (%i = %zero) : (i32) -> (i32, i32) {
// CHECK-NEXT:   %[[SQUARE:.*]] = arith.muli %i, %i : i32
// CHECK-NEXT:   %[[NEXT:.*]] = arith.addi %i, %one : i32
// CHECK-NEXT:   %[[MORE:.*]] = arith.cmpi slt, %[[NEXT]], %n : i32
// CHECK-NEXT:   scf.condition(%[[MORE]]) %[[NEXT]], %[[SQUARE]] : i32, i32
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%[[A:.*]]: i32, %[[B:.*]]: i32):
// CHECK-NEXT:   scf.yield %[[A]] : i32
// CHECK-NEXT: }
// CHECK-NEXT: tt.store %p, %{{.*}} : !tt.ptr<i32>
tt.func public @loop(%p: !tt.ptr<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  cf.br ^body(%zero : i32)
^body(%i: i32):
  %square = arith.muli %i, %i : i32
  %next = arith.addi %i, %one : i32
  %more = arith.cmpi slt, %next, %n : i32
  cf.cond_br %more, ^body(%next : i32), ^end
^end:
  tt.store %p, %square : !tt.ptr<i32>
  tt.return
}

// -----

// CHECK-LABEL: tt.func public @switch
// CHECK: %[[IS_FIVE:.*]] = arith.cmpi eq, %n,
// CHECK: arith.select %[[IS_FIVE]], %y, %x : f32
tt.func public @switch(%p: !tt.ptr<f32>, %x: f32, %y: f32, %n: i32) {
  cf.switch %n : i32, [
    default: ^end(%x : f32),
    5: ^end(%y : f32)
  ]
^end(%z: f32):
  tt.store %p, %z : !tt.ptr<f32>
  tt.return
}

// -----

tt.func public @into_the_middle(%c: i1) {
  cf.cond_br %c, ^a, ^b
^a:
  cf.br ^b
^b:
  // expected-error@+1 {{this branch leads into the middle of a loop}}
  cf.br ^a
}

// -----

tt.func public @for_ever(%c: i1) {
  cf.cond_br %c, ^a, ^b
^a:
  // expected-error@+1 {{this loop never ends}}
  cf.br ^a
^b:
  tt.return
}

// -----

tt.func public @wrong_type(%c: i1, %x: i32) {
  // expected-error@+1 {{the block that this branch leads to takes f32, found i32}}
  cf.br ^a(%x : i32)
^a(%y: f32):
  tt.return
}

// -----

tt.func public @to_the_first() {
^first:
  cf.br ^second
^second:
  // expected-error@+1 {{a branch cannot lead to the first block of a function}}
  cf.br ^first
}
