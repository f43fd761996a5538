"""Launches under a debugger of Python: each call of a kernel, or of a function of it, has a frame with its variables.

A debugger is met where Python would meet it: at each line, call, return and error. The IR that runs is that of every
other launch on the interpreter, but for the markers that tell where in the source it is.
"""

from __future__ import annotations

import contextvars
import functools
import inspect
import threading
import types
from collections import deque
from collections.abc import Mapping, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any, ClassVar

from xdsl.ir import BlockArgument, Operation, SSAValue

from mytriton.dialects import tt
from mytriton.dialects.tensor_types import element_type
from mytriton.frontend.kernel import build_module
from mytriton.interpreter.launch import Programs, programs_of
from mytriton.interpreter.machine import Machine
from mytriton.interpreter.marker_ops import MarkerOp, PureMarkerOp
from mytriton.interpreter.markers import (
    Assign,
    Break,
    Enter,
    Leave,
    Line,
    MarkingCompiler,
    Place,
)
from mytriton.interpreter.shown import ABSENT, Form, Origin
from mytriton.interpreter.stub import STOP, Channel, StubFrame
from mytriton.interpreter.values import Array
from mytriton.language.context import ProgramView, inspected
from mytriton.options import Options
from mytriton.passes.pointer_roots import PointerRoots
from mytriton.runtime.compiled import check_writable
from mytriton.runtime.written_arguments import written_arguments

if TYPE_CHECKING:
    from mytriton.frontend.source import JitFunction
    from mytriton.runtime.specialize import Specialization

_PACKAGE = __name__.partition(".")[0]

PROGRAM = "program_id"
"""The variable of each frame with the position of the program in the grid, unless the kernel has one of that name."""


class DebuggedKernel:
    """A kernel with markers, built for one kind of arguments; raises what `build_module` raises."""

    def __init__(self, function: JitFunction, specialization: Specialization, options: Options):
        self.name = function.__name__
        self.places: list[Place] = []
        compiler = functools.partial(MarkingCompiler, self.places)
        self.module = build_module(
            function,
            specialization.signature(),
            specialization.constants(),
            specialization.attributes(),
            options,
            compiler,
        )

    def check_writable(self, call: Specialization) -> None:
        """Raises `ArgumentError` where the kernel stores to an array that may not be written to."""
        if call.read_only:
            check_writable(self.name, written_arguments(self.module), call)

    def launch(self, grid: Sequence[int], arguments: Mapping[str, Any]) -> None:
        """Runs every program, one after the other, on arguments given by name; raises what `run` raises."""
        programs = programs_of(self.module, grid, list(arguments.values()), names=list(arguments))
        session = Session(self.places, programs, list(arguments))
        thread = threading.Thread(target=contextvars.copy_context().run, args=(session.interpret,), daemon=True)
        # Debuggers of IDEs would trace it, too.
        thread.pydev_do_not_trace = True  # pyright: ignore[reportAttributeAccessIssue]
        own, *others, outer = _frames_up_to_the_program(inspect.currentframe())
        calls, untraced = session.channel.served(), map(setattr, [own, *others], repeat("f_trace"), repeat(None))
        before, inspected.program = inspected.program, session.view
        thread.start()
        try:
            # In one line, and with functions in C: who steps out of the kernel is to stop where it is launched.
            _ = deque(calls, 0), own.f_trace and setattr(outer, "f_trace", own.f_trace), deque(untraced, 0)
        finally:
            inspected.program = before
            session.channel.stop()
            session.ended.acquire()
        if session.error is not None:
            raise session.error


def _frames_up_to_the_program(frame: types.FrameType | None) -> list[types.FrameType]:
    """The frames of mytriton from `frame` on, and the frame that called them."""
    found: list[types.FrameType] = []
    while frame is not None:
        found.append(frame)
        if frame.f_globals.get("__name__", "").partition(".")[0] != _PACKAGE:
            break
        frame = frame.f_back
    return found


class _StoppedError(BaseException):
    """The thread of the launch has left."""


class Session:
    """The interpreter's side of one launch under a debugger."""

    def __init__(self, places: Sequence[Place], programs: Programs, names: Sequence[str]):
        self.channel = Channel()
        self.view = ProgramView((0, 0, 0), programs.sizes)
        self.ended = threading.Lock()
        self.ended.acquire()
        self.error: BaseException | None = None
        """An error that was raised outside of every frame."""
        self._places = places
        self._programs = programs
        self._roots = PointerRoots()
        self._names = dict(zip(programs.function.body.block.args, names, strict=False))
        self._frames: list[StubFrame] = []

    def interpret(self) -> None:
        """Runs in a thread of its own, and only while the thread of the launch waits for it."""
        try:
            if self.channel.command() is not STOP:
                self._run()
                self.channel.end()
        except _StoppedError:
            pass
        except BaseException as error:
            self._fail(error)
            self.channel.end()
        finally:
            self.ended.release()

    def _run(self) -> None:
        programs = self._programs

        def machine(position: Sequence[int]) -> Machine:
            self.view.position = tuple(position)
            self._frames.clear()
            return DebuggedMachine(self, programs.memory, programs.functions, position, programs.sizes)

        programs.run(machine)

    def _fail(self, error: BaseException) -> None:
        if self._frames:
            self._frames[-1].fail(error)
        else:
            self.error = error

    def _tell(self, event: tuple[Any, ...] | None) -> None:
        if self.channel.tell(event) is STOP:
            raise _StoppedError

    # What the markers say

    def reach(self, machine: Machine, op: Operation) -> None:
        """Has the thread of the launch be where a marker says."""
        assert isinstance(op, MarkerOp | PureMarkerOp)
        match self._places[op.index.data]:
            case Line(line, is_head):
                if not is_head or self._frames[-1].line != line:
                    self._tell(self._frames[-1].move_to(line))
            case Assign(name, form):
                self._frames[-1].variables[name] = form(self._values(machine, op))
            case Enter() as call:
                self._frames.append(self._frame(call, self._values(machine, op)))
            case Leave(form):
                self._leave(form, self._values(machine, op))
            case Break(function):
                self._tell((function,))

    def _frame(self, call: Enter, values: Sequence[tuple[Array, Origin]]) -> StubFrame:
        shown = {name: form(values) for name, form in call.parameters.items()}
        variables: dict[str, Any] = {PROGRAM: self.view.position} | {
            name: value for name, value in shown.items() if value is not ABSENT
        }
        return StubFrame(call.code, call.namespace, variables, self.channel)

    def _leave(self, form: Form | None, values: Sequence[tuple[Array, Origin]]) -> None:
        frame = self._frames[-1]
        if frame.line:
            frame.give(None if form is None else form(values))
            self._tell(None)
        self._frames.pop()

    def _values(self, machine: Machine, op: Operation) -> list[tuple[Array, Origin]]:
        return [(machine.values[operand], self._origin(machine, operand)) for operand in op.operands]

    def _origin(self, machine: Machine, value: SSAValue) -> Origin:
        if not isinstance(element_type(value.type), tt.PointerType):
            return None
        roots = self._roots.of(value)
        if len(roots) != 1:
            return None
        (root,) = roots
        name = self._names.get(root) if isinstance(root, BlockArgument) else None
        return None if name is None else (name, int(machine.values[root]))


def reach_marker(machine: Machine, op: Operation) -> None:
    """How a marker runs."""
    assert isinstance(machine, DebuggedMachine)
    machine.session.reach(machine, op)


class DebuggedMachine(Machine):
    """Runs markers, too."""

    def __init__(self, session: Session, *args: Any):
        super().__init__(*args)
        self.session = session

    def runs_on_arrays(self, op: Operation) -> bool:
        return isinstance(op, MarkerOp | PureMarkerOp) or super().runs_on_arrays(op)

    steps: ClassVar = Machine.steps | {MarkerOp: reach_marker, PureMarkerOp: reach_marker}
