"""Names, constants, calls and control flow: what is refused, and with which words."""

from __future__ import annotations

from tests.unit.messages.case import Case

CASES = {
    "static_condition_at_runtime": Case(
        "«tl.static_assert(n == 3)»",
        "the condition of static_assert must be known when the kernel is compiled",
    ),
    "static_assertion_failed": Case(
        'tl.static_assert(BLOCK == 16)\n«tl.static_assert(BLOCK == 3, "BLOCK must be 3")»',
        "assertion failed: BLOCK must be 3",
    ),
    "raised": Case('«raise ValueError(f"BLOCK is {BLOCK}")»', "the kernel raises ValueError: BLOCK is 16"),
    "raise_at_runtime": Case(
        'if n > 3:\n    «raise ValueError("n is large")»',
        "raise is not supported where it depends on what is known only when the kernel runs",
        "tl.device_assert ends the launch where a condition does not hold",
    ),
    "breakpoint_when_compiled": Case(
        "«breakpoint()»",
        "breakpoint() stops a kernel only on the interpreter",
        "launch the kernel within mytriton.interpret(), and compile it without the call",
    ),
    "text_of_runtime_value": Case(
        'print(f"n is {«n»}")',
        "a value of type int32 has no text when the kernel is compiled",
        'tl.device_print("x", x) prints it when the kernel runs; {x.type} in a text is its type',
    ),
    "constant_expression_failed": Case(
        'x = «int("a")»',
        (
            "this cannot be computed when the kernel is compiled: ValueError: invalid literal for int() with "
            "base 10: 'a'"
        ),
    ),
    "constant_division_by_zero": Case("x = «tl.cdiv(1, 0)»", "division by zero"),
    "constant_too_large": Case("x = «10 ** 100000000»", "this constant is too large to compute"),
    "constant_argument": Case(
        "x = «math.sqrt(f)»",
        "math.sqrt takes values that are known when the kernel is compiled, found a value of type fp32",
        "use tl.sqrt",
    ),
    "python_cast": Case(
        "x = «int(n)»",
        "int() takes a value that is known when the kernel is compiled",
        "use .to(tl.int32)",
    ),
    "length_of_tensor": Case(
        "x = «len(tl.arange(0, 8))»",
        "len() does not take a value of type int32[8]",
        "use .shape[0]",
    ),
    "runtime_index": Case(
        "x = tl.zeros((4,), tl.float32) + «(1, 2)[n]»",
        "the index into (1, 2) must be known when the kernel is compiled",
    ),
    "undefined_name": Case("x = «BLOKC» + 1", "'BLOKC' is not defined", "did you mean 'BLOCK'?"),
    "used_before_assignment": Case("y = «x» + 1\nx = 3", "'x' is read before it is assigned"),
    "no_such_attribute": Case(
        "x = «tl.aranje»(0, 4)",
        "module mytriton.language has no attribute 'aranje'",
        "did you mean 'arange'?",
    ),
    "tuples_do_not_change": Case(
        "x = [n, 4]\n«x.append»(3)",
        "(int32, int32) has no append: a list is a tuple in a kernel, which never changes",
        "make another one, as in x = [*x, y] or x = x[1:]",
    ),
    "global_not_constexpr": Case(
        "x = «LIMIT» + 1",
        "'LIMIT' is a global variable of type int, which could change after the kernel was compiled",
        "make it a constant, LIMIT = tl.constexpr(...), or pass it as an argument",
    ),
    "python_function_unsupported": Case("x = «open»(3)", "'open' of Python is not supported in kernels"),
    "not_callable": Case("x = «n(3)»", "a kernel cannot call a value of type int32"),
    "launch_in_kernel": Case("«ones[(1,)]»(n, 4)", "a kernel cannot launch a kernel", "call the function: ones(...)"),
    "recursion": Case(
        "«kernel(p, q, n, m, f, BLOCK)»", "kernel calls itself, which is not supported: calls are inlined"
    ),
    "keyword_expansion": Case("x = «ones(**n)»", "**keywords are not supported in kernels", "name each argument"),
    "kernel_returns_value": Case(
        "«return n»",
        "a kernel cannot return a value",
        "store it through a pointer",
        in_function=False,
    ),
    "assignment_target": Case(
        "«p[3]» = 4",
        "an assignment to an element is not supported",
        "tensors have no elements that can be set; use tl.where or tl.store",
    ),
    "not_a_tuple": Case("x = tl.load(«*p»)", "only a tuple can be unpacked, found a value of type pointer<fp32>"),
    "wrong_number_of_values": Case("«x, y» = 1, 2, 3", "expected 2 values to unpack, found 3"),
    "not_iterable": Case(
        "for i in «n»:\n    pass",
        "a loop of a kernel runs over range, tl.range, tl.static_range or a tuple, found a value of type int32",
    ),
    "truth_of_runtime_value": Case(
        "x = «sorted([n, 3])»",
        "whether a value of type int1 is true is known only when the kernel runs",
        "combine conditions with & and |, and choose between values with tl.where or `if`",
    ),
    "block_condition": Case(
        "if «tl.arange(0, 8) > 3»:\n    x = 1",
        "a condition must be a single value, found a value of type int1[8]",
        "select elements with tl.where, or reduce the tensor to one value",
    ),
    "boolean_expected": Case(
        "x = «n and m > 3»",
        "`and` takes conditions of int1, found a value of type int32",
        "compare it: x != 0",
    ),
    "conditional_assignment": Case(
        "x = tl.load(p) if n > 3 else («y := f»)",
        "an assignment inside of an expression that may be skipped is not supported",
    ),
    "values_do_not_join": Case(
        "x = «5 if n > 3 else 2.5»",
        "the two alternatives must have one type, found a value of type int32 and a value of type fp32",
        "give both one dtype and one shape",
    ),
    "loop_variable_after_loop": Case(
        "for i in range(n):\n    pass\ntl.store(q, «i»)",
        "'i' may be undefined here: the loop that assigns it may make no turn",
        "assign an int32 to 'i' before the loop",
    ),
    "undefined_at_end_of_turn": Case(
        "x = n\nfor i in range(m):\n    y = x + 1\n    if y > 7:\n        x = 2.5\n    else:\n        «x» = y",
        (
            "'x' has no value for the next turn of the loop: 'x' is a value of type fp32 after one side of the "
            "`if` on line @4 and a value of type int32 after the other"
        ),
        "give it values of one type on both sides",
    ),
    "loop_changes_type": Case(
        "x = 0\nfor i in range(n):\n    «x» = x + 1.5\ntl.store(p, x)",
        "'x' is a value of type int32 before the loop and a value of type fp32 after a turn of it",
        "give 'x' the type that it has in the loop before the loop, or cast it in the loop",
    ),
    "constant_changed_in_loop": Case(
        "d = tl.int8\nfor i in range(n):\n    x = n.to(d)\n    «d» = tl.int16",
        ("'d' is int8, known when the kernel is compiled, and a loop that runs with the kernel changes it to int16"),
        "use tl.static_range, which is unrolled",
    ),
    "endless_loop": Case("while «True»:\n    x = n", "this condition is always true, so the loop never ends"),
    "zero_step": Case("for i in «range(0, n, 0)»:\n    pass", "the step of a range must not be 0"),
    "bad_loop_bound": Case(
        "for i in «range(f)»:\n    pass",
        "the bounds and the step of a range must be single integers, found a value of type fp32",
    ),
    "loop_else": Case(
        "for i in range(n):\n    pass\nelse:\n    «x = 1»",
        "the `else` of a `for` loop is not supported",
        "set a variable before the `break`, and test it in an `if` after the loop",
    ),
    "loop_target": Case("for «i, j» in range(n):\n    pass", "a loop over a range needs a single variable"),
    "too_many_statements": Case(
        "for i in «tl.static_range(10**18)»:\n    x = i",
        "the kernel has more than 25000 statements after inlining and unrolling",
        "use range instead of tl.static_range, so that the loop stays a loop",
    ),
    "defined_on_one_side": Case(
        "if n > 3:\n    x = 1\ntl.store(q, «x»)",
        ("'x' may be undefined here: the `if` side of a condition assigns it on line @2, the `else` side does not"),
        "assign 'x' before the `if`, or on both sides",
    ),
    "sides_differ": Case(
        "if n > 3:\n    x = 1\nelse:\n    x = 2.0\ntl.store(q, «x»)",
        ("'x' is a value of type int32 after one side of the `if` on line @1 and a value of type fp32 after the other"),
        "give it values of one type on both sides",
    ),
    "defined_in_loop": Case(
        "for i in range(n):\n    x = i\ntl.store(q, «x»)",
        "'x' may be undefined here: only the loop on line @1 assigns it, which may make no turn",
        "assign 'x' before the loop",
    ),
    "unsupported_expression": Case(
        "x = «lambda y: y»",
        "a lambda inside of a kernel is not supported",
        "define a function outside, and decorate it with @triton.jit",
    ),
    "unsupported_statement": Case(
        "«import os»",
        "an import inside of a kernel is not supported",
        "import at the top of the file",
    ),
}
